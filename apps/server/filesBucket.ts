import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { FastifyBaseLogger } from 'fastify';
import type { FileStorage } from '#platform/server/storage/fileStorage.ts';
import { createBytesSource } from '#platform/server/storage/objectStore.ts';
import type { S3Bucket } from '#platform/server/storage/s3Store.ts';
import type { ServerTool } from '#platform/server/tool.ts';

async function openStore(bucket: S3Bucket) {
  // Loaded only here, because the client takes memory.
  const { createS3Store } = await import('#platform/server/storage/s3Store.ts');
  return createS3Store(bucket);
}

const listFileFolders = (tools: readonly ServerTool[]): readonly string[] =>
  tools.flatMap(({ fileFolders = [] }) => fileFolders);

/** Returns how finished files are stored in a bucket; undefined if they are in the data folder. */
export async function openRemoteFiles(
  bucket: S3Bucket | undefined,
  { tools, log }: { readonly tools: readonly ServerTool[]; readonly log: FastifyBaseLogger },
) {
  if (bucket === undefined) return undefined;
  const store = await openStore(bucket);
  const { createS3FileStore } = await import('#platform/server/storage/s3FileStore.ts');
  return {
    folders: listFileFolders(tools),
    create: (createScratchFolder: FileStorage['createScratchFolder']) =>
      createS3FileStore({ store, createScratchFolder, log }),
  };
}

/** Returns the folders that still have files, although a bucket should have them. */
async function findFoldersLeft(dataDir: string, tools: readonly ServerTool[]): Promise<readonly string[]> {
  const foldersLeft: string[] = [];
  for (const folder of listFileFolders(tools)) {
    const entries = await readdir(join(dataDir, folder), { withFileTypes: true }).catch(() => []);
    if (entries.some((entry) => entry.isFile())) foldersLeft.push(join(dataDir, folder));
  }
  return foldersLeft;
}

/** Stores a small file, reads a part of it, and removes it. @throws Error if the bucket does not do that */
async function tryBucket(store: Awaited<ReturnType<typeof openStore>>): Promise<void> {
  const name = `doctor-${randomUUID()}`;
  await store.put(name, createBytesSource(Buffer.from('doctor')));
  try {
    const part = await store.open(name, { from: 1, to: 3 });
    if (!part || (await text(part.chunks)) !== 'oct')
      throw new Error(`${store.address} does not return ranges of files`);
    for await (const _ of store.list(name)) break;
  } finally {
    await store.remove(name);
  }
}

/** Checks that the bucket of finished files works, and that it has all files. */
export async function checkFilesBucket(
  bucket: S3Bucket | undefined,
  { dataDir, tools }: { readonly dataDir: string; readonly tools: readonly ServerTool[] },
): Promise<{ readonly isOk: boolean; readonly text: string }> {
  if (bucket === undefined) return { isOk: true, text: `files: in ${dataDir}` };
  try {
    const store = await openStore(bucket);
    await tryBucket(store);
    const foldersLeft = await findFoldersLeft(dataDir, tools);
    if (foldersLeft.length === 0) return { isOk: true, text: `files: ${store.address} works` };
    return {
      isOk: false,
      text: `files: there are still files in ${foldersLeft.join(' and ')}. Copy them to ${store.address}, then remove them`,
    };
  } catch (error) {
    return { isOk: false, text: `files: ${error instanceof Error ? error.message : String(error)}` };
  }
}
