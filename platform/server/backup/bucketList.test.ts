import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { testOnSqlite } from '#testing/kits/server/database.ts';
import { startS3Server, TEST_BUCKET } from '#testing/kits/server/s3Server.ts';
import { createTempFolder } from '#testing/kits/server/tempFolder.ts';
import { createBytesSource } from '../storage/objectStore.ts';
import { createS3Store } from '../storage/s3Store.ts';
import { checkBackup } from './backups.ts';
import { BUCKET_LIST_FILE, compareWithBucket } from './bucketList.ts';
import { restoreBackup } from './restoreBackup.ts';
import { writeBackup } from './writeBackup.ts';

const NOW = Temporal.Instant.from('2026-11-30T03:00:00Z');

testOnSqlite('a backup lists the files of a bucket, and a restore says which ones are missing', async (storage) => {
  const { dataDir } = storage;
  await (await storage.open())[Symbol.asyncDispose]();
  const s3 = await startS3Server(await createTempFolder());
  onTestFinished(() => s3[Symbol.asyncDispose]());
  const filesBucket = { ...s3.access, bucket: TEST_BUCKET, prefix: 'home', retryDelayMs: 1 };
  const store = createS3Store(filesBucket);
  const put = (name: string, text: string): Promise<void> => store.put(name, createBytesSource(Buffer.from(text)));
  await put('music/1.mp3', 'song one');
  await put('music/2.mp3', 'song two');
  await mkdir(join(dataDir, 'music', 'uploads'), { recursive: true });
  await writeFile(join(dataDir, 'music', 'uploads', '3'), 'half a so');
  const source = { dataDir, databaseUrl: undefined, changingFolders: ['music/uploads'], version: '1.2.3' };
  const backup = await writeBackup({ ...source, filesBucket }, { reason: 'request', now: NOW });
  await checkBackup(backup);
  const compare = async (bucket = filesBucket): Promise<string> =>
    (await compareWithBucket(backup.path, bucket)).join();
  expect(await compare()).toBe('This backup belongs to 2 files in s3://pegboard-test/home. All of them are there');
  await restoreBackup(backup, source, { now: NOW });
  expect(await readFile(join(dataDir, 'music', 'uploads', '3'), 'utf8')).toBe('half a so');

  await put('music/1.mp3', 'song ONE');
  await store.remove('music/2.mp3');
  await put('music/4.mp3', 'of no row');
  expect(await compare()).toContain(
    '2 of them are missing or changed in s3://pegboard-test/home: music/1.mp3, music/2.mp3.',
  );
  expect((await compareWithBucket(backup.path, undefined)).join()).toContain('Set FILES_URL before you start');
  await writeFile(join(backup.path, BUCKET_LIST_FILE), '');
  await expect(checkBackup(backup)).rejects.toThrow('bucket.jsonl in the backup');

  const plain = await writeBackup(source, { reason: 'request', now: NOW.add({ hours: 24 }) });
  expect(await compareWithBucket(plain.path, undefined)).toEqual([]);
  const unreachable = { ...filesBucket, endpoint: 'http://127.0.0.1:1' };
  await expect(
    writeBackup({ ...source, filesBucket: unreachable }, { reason: 'request', now: NOW.add({ hours: 48 }) }),
  ).rejects.toThrow("can't be reached");
});
