// With FILES_URL, finished files are not in the backup, but a list of them is. So a restore says what is missing.
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { S3Bucket, S3ObjectInfo } from '../storage/s3Store.ts';

/** JSON lines: the address of the bucket, then an object on each line. */
export const BUCKET_LIST_FILE = 'bucket.jsonl';

const bucketAddress = z.object({ address: z.string() });
const listedObject = z.object({ name: z.string(), bytes: z.int(), etag: z.string() });

async function openStore(bucket: S3Bucket) {
  // Loaded only here, because the client takes memory.
  const { createS3Store } = await import('../storage/s3Store.ts');
  return createS3Store(bucket);
}

/** Writes the list of the objects in a bucket into a backup. */
export async function writeBucketList(bucket: S3Bucket, folder: string): Promise<void> {
  const store = await openStore(bucket);
  const lines: string[] = [JSON.stringify({ address: store.address })];
  for await (const { name, bytes, etag } of store.list()) lines.push(JSON.stringify({ name, bytes, etag }));
  await writeFile(join(folder, BUCKET_LIST_FILE), `${lines.join('\n')}\n`, { flag: 'wx', mode: 0o600, flush: true });
}

/** The tag of an object that was sent in parts depends on their size, which another program may have chosen. */
const hasChecksum = ({ etag }: Pick<S3ObjectInfo, 'etag'>): boolean => !etag.includes('-');

function isSameObject(listed: Omit<S3ObjectInfo, 'name'>, present: Omit<S3ObjectInfo, 'name'> | undefined): boolean {
  if (listed.bytes !== present?.bytes) return false;
  return listed.etag === present.etag || !hasChecksum(listed) || !hasChecksum(present);
}

/** Compares a bucket with the list in a backup. Returns sentences for the owner; none if the backup has no list. */
export async function compareWithBucket(backupPath: string, bucket: S3Bucket | undefined): Promise<readonly string[]> {
  const path = join(backupPath, BUCKET_LIST_FILE);
  if (!existsSync(path)) return [];
  const [first = '', ...lines] = (await readFile(path, 'utf8')).trimEnd().split('\n');
  const { address } = bucketAddress.parse(JSON.parse(first));
  const listed = lines.map((line) => listedObject.parse(JSON.parse(line)));
  const summary = `This backup belongs to ${listed.length} files in ${address}`;
  if (bucket === undefined) return [`${summary}. Set FILES_URL before you start the server`];
  const store = await openStore(bucket);
  const presentByName = new Map<string, S3ObjectInfo>();
  for await (const object of store.list()) presentByName.set(object.name, object);
  const differing = listed.filter((object) => !isSameObject(object, presentByName.get(object.name)));
  if (differing.length === 0) return [`${summary}. All of them are there`];
  const names = differing.slice(0, 5).map(({ name }) => name);
  return [
    `${summary}. ${differing.length} of them are missing or changed in ${store.address}: ${names.join(', ')}${differing.length > names.length ? ' and others' : ''}. Restore them from earlier versions of the bucket or a copy of it`,
  ];
}
