import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createS3Store } from '#platform/server/storage/s3Store.ts';
import { startS3Server, TEST_BUCKET } from '#testing/kits/server/s3Server.ts';
import { createTempFolder } from '#testing/kits/server/tempFolder.ts';
import { checkFilesBucket } from './filesBucket.ts';
import { serverTools } from './tools.ts';

test('the doctor writes to the bucket, and finds files that are still in the folder', async () => {
  const dataDir = await createTempFolder();
  const s3 = await startS3Server(await createTempFolder());
  onTestFinished(() => s3[Symbol.asyncDispose]());
  const bucket = { ...s3.access, bucket: TEST_BUCKET, prefix: '', retryDelayMs: 1 };
  const check = (changes: object = {}) => checkFilesBucket({ ...bucket, ...changes }, { dataDir, tools: serverTools });
  await mkdir(join(dataDir, 'music', 'uploads'), { recursive: true });
  expect(await checkFilesBucket(undefined, { dataDir, tools: serverTools })).toEqual({
    isOk: true,
    text: `files: in ${dataDir}`,
  });
  expect(await check()).toEqual({ isOk: true, text: 'files: s3://pegboard-test/ works' });
  for await (const { name } of createS3Store(bucket).list()) throw new Error(`${name} was not removed`);
  await writeFile(join(dataDir, 'music', '1.mp3'), 'a song');
  expect(await check()).toEqual({
    isOk: false,
    text: `files: there are still files in ${join(dataDir, 'music')}. Copy them to s3://pegboard-test/, then remove them`,
  });
  expect((await check({ bucket: 'other-bucket' })).text).toContain('NoSuchBucket');
  expect(await check({ endpoint: 'http://127.0.0.1:1' })).toMatchObject({
    isOk: false,
    text: expect.stringContaining("can't be reached"),
  });
});
