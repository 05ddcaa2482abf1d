import { execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createTempFolder } from '#testing/kits/server/tempFolder.ts';
import { getSkipReason } from '#testing/machine.ts';
import { getMaxRecordingBytes, watchRecorder } from './screenCapture.ts';

const GIB = 1024 ** 3;

test('a recording does not exceed the server’s limit, and leaves half a gibibyte of the disk free', () => {
  expect(getMaxRecordingBytes(100 * GIB)).toBe(4 * GIB - GIB / 16);
  expect(getMaxRecordingBytes(GIB)).toBe(GIB / 2);
  expect(() => getMaxRecordingBytes(GIB / 2)).toThrow('too low on disk space');
});

test.skipIf(getSkipReason('ffmpeg'))(
  'a recording is complete after all programs were terminated, and after the agent stops it',
  async () => {
    const path = join(await createTempFolder(), 'a.mkv');
    const testVideoArgs = [
      '-re',
      '-f',
      'lavfi',
      '-i',
      'testsrc=size=64x64:rate=30',
      '-c:v',
      'libx264',
      '-preset',
      'ultrafast',
      '-tune',
      'zerolatency',
      '-f',
      'matroska',
      path,
    ];
    const recorder = spawn('ffmpeg', ['-v', 'error', '-nostats', '-progress', 'pipe:1', '-y', ...testVideoArgs]);
    const firstFrame = new Promise<void>((done) =>
      recorder.stdout.on('data', (chunk: Buffer) => {
        if (/^frame=[1-9]/m.test(chunk.toString('latin1'))) done();
      }),
    );
    const recording = await watchRecorder(recorder);
    await firstFrame;
    recorder.kill('SIGTERM');
    await recording.stop();
    expect(await recording.whenEnded).toBeUndefined();
    const probeArgs = ['-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', path];
    const { stdout } = await promisify(execFile)('ffprobe', probeArgs);
    expect(Number(stdout)).toBeGreaterThan(0);
  },
);

/** A recorder that writes its end once the test lets it; nearly a minute has passed since the request. */
async function startSlowStop() {
  const recorder = spawn('sh', ['-c', 'echo frame=1; head -c 1; read -r go <&3; echo written >&2'], {
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  const output = text(recorder.stderr);
  const recording = await watchRecorder(recorder);
  const stopped = recording.stop();
  vi.advanceTimersByTime(59_000);
  return { recorder, output, stopped };
}

test('a recorder that ends slowly gets a minute', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const slowRecorder = await startSlowStop();
  (slowRecorder.recorder.stdio[3] as Writable).end('go\n');
  await slowRecorder.stopped;
  expect(await slowRecorder.output).toBe('written\n');
  const stuckRecorder = await startSlowStop();
  vi.advanceTimersByTime(2000);
  await stuckRecorder.stopped;
  expect(await stuckRecorder.output).toBe('');
});
