import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createS3Store } from '#platform/server/storage/s3Store.ts';
import { createManualClock, listGallery, putAndImport, waitForRecordings } from '#testing/kits/media/inbox.ts';
import { createRecording } from '#testing/kits/media/recordings.ts';
import { exportZip } from '#testing/kits/server/accountTransfer.ts';
import { startS3Server, TEST_BUCKET } from '#testing/kits/server/s3Server.ts';
import { startServer } from '#testing/kits/server/server.ts';
import { createTempFolder } from '#testing/kits/server/tempFolder.ts';
import { readZip } from '#testing/kits/server/zip.ts';
import { getSkipReason } from '#testing/machine.ts';
import { changevideo } from '../contract.ts';

test.skipIf(getSkipReason('ffmpeg'))('recordings in a bucket are imported, played, exported and deleted', async () => {
  const s3 = await startS3Server(await createTempFolder());
  onTestFinished(() => s3[Symbol.asyncDispose]());
  const filesBucket = { ...s3.access, bucket: TEST_BUCKET, prefix: '' };
  const store = createS3Store(filesBucket);
  async function listObjects(): Promise<readonly string[]> {
    const names: string[] = [];
    for await (const { name } of store.list()) names.push(name);
    return names;
  }
  const clock = createManualClock();
  await using server = await startServer({ filesBucket, now: clock.now });
  const setup = { server, clock, anna: await server.createAccount('anna') };
  await putAndImport(setup, 'Replay 2026-11-20 21-04-05.webm', await createRecording('webm'));
  await waitForRecordings(setup, 1);
  const [video] = (await listGallery(setup.anna)).files[0]?.videos ?? [];
  if (!video) throw new Error('no video');
  expect(await listObjects()).toEqual([`gallery/videos/${video.file}.png`, `gallery/videos/${video.file}.webm`]);
  expect(await readdir(join(server.dataDir, 'gallery'))).not.toContain('videos');

  const url = `${server.origin}/api/cwservev/${video.file}.webm${video.signature}`;
  const whole = Buffer.from(await (await fetch(url)).arrayBuffer());
  expect(whole.length).toBe(video.bytes);
  const part = await fetch(url, { headers: { range: 'bytes=1000-1999' } });
  expect([part.status, Buffer.from(await part.arrayBuffer()).equals(whole.subarray(1000, 2000))]).toEqual([206, true]);
  const exported = readZip(await exportZip(setup.anna)).get(`gallery/${video.file}.webm`);
  expect(exported?.equals(whole)).toBe(true);

  await setup.anna.call(changevideo, { file: video.file, remove: true });
  expect(await listObjects()).toEqual([]);
  expect((await fetch(url)).status).toBe(404);
});
