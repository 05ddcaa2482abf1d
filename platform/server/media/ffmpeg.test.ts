import { chmod, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createTempFolder } from '#testing/kits/server/tempFolder.ts';
import { JobFailure } from '../jobs/jobQueue.ts';
import { createProcessRunner } from '../programs/processRunner.ts';
import { createFfmpeg } from './ffmpeg.ts';

/** Installs a script of the test as ffmpeg. */
async function createFakeFfmpeg(script?: string) {
  const folder = await createTempFolder();
  for (const program of ['nice', 'setpriv', 'prlimit', 'sleep'])
    await symlink(join('/usr/bin', program), join(folder, program));
  if (script !== undefined) {
    await writeFile(join(folder, 'ffmpeg'), `#!/bin/sh\n${script}\n`);
    await chmod(join(folder, 'ffmpeg'), 0o755);
  }
  const processRunner = createProcessRunner({ log: pino({ level: 'silent' }), sandbox: 'off', path: folder });
  onTestFinished(() => processRunner.stop());
  const ffmpeg = createFfmpeg(processRunner);
  return (onSeconds?: (seconds: number) => void) =>
    ffmpeg({ args: [], folder, kind: 'audio', ...(onSeconds ? { onSeconds } : {}) });
}

const describeFailure = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof JobFailure ? `${error.retry}: ${error.message}` : String(error)),
  );

test('progress is reported line by line, and lines without numbers are ignored', async () => {
  const positions: number[] = [];
  const run = await createFakeFfmpeg(
    'echo out_time_us=N/A; echo out_time_us=1500000; echo speed=9x; echo out_time_us=3000000',
  );
  const { seconds } = await run((position) => positions.push(position));
  expect([positions, seconds]).toEqual([[1.5, 3], 3]);
});

test('a full disk and a missing ffmpeg are readable, temporary failures', async () => {
  const runOnFullDisk = await createFakeFfmpeg(
    'echo "av_interleaved_write_frame(): No space left on device" >&2; exit 1',
  );
  expect(await describeFailure(runOnFullDisk())).toBe('again: The server ran out of disk space');
  expect(await describeFailure((await createFakeFfmpeg())())).toBe('again: ffmpeg is not installed on this server');
});

test('a process that spins is ended by its processor time limit', async () => {
  const runBusy = await createFakeFfmpeg('kill -XCPU $$');
  expect(await describeFailure(runBusy())).toBe('again: The conversion took too long');
});
