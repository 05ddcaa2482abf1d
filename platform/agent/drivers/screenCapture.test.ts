import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { getSkipReason } from '#testing/machine.ts';
import { getMaxRecordingBytes, watchRecorder } from './screenCapture.ts';

const GIB = 1024 ** 3;

test('a recording does not exceed the server’s limit, and leaves half a gibibyte of the disk free', () => {
  expect(getMaxRecordingBytes(100 * GIB)).toBe(4 * GIB - GIB / 16);
  expect(getMaxRecordingBytes(GIB)).toBe(GIB / 2);
  expect(() => getMaxRecordingBytes(GIB / 2)).toThrow('too low on disk space');
});

const folder = async (): Promise<string> => {
  const made = await mkdtemp(join(tmpdir(), 'pegboard-capture-'));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
};

test.skipIf(getSkipReason('ffmpeg'))(
  'a recording is complete if somebody ends all programs, or the agent stops it',
  async () => {
    const path = join(await folder(), 'a.mkv');
    const picture = [
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
    const recorder = spawn('ffmpeg', ['-v', 'error', '-nostats', '-progress', 'pipe:1', '-y', ...picture]);
    const hasBegun = new Promise<void>((done) =>
      recorder.stdout.on('data', (chunk: Buffer) => {
        if (/^frame=[1-9]/m.test(chunk.toString('latin1'))) done();
      }),
    );
    const recording = await watchRecorder(recorder);
    await hasBegun;
    recorder.kill('SIGTERM');
    await recording.stop();
    expect(await recording.whenEnded).toBeUndefined();
    const about = ['-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', path];
    const { stdout } = await promisify(execFile)('ffprobe', about);
    expect(Number(stdout)).toBeGreaterThan(0);
  },
);

/** A recorder that writes its end once the test lets it; nearly a minute has passed since the request. */
const beginEnding = async () => {
  const recorder = spawn('sh', ['-c', 'echo frame=1; head -c 1; read -r go <&3; echo written >&2'], {
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  const output = text(recorder.stderr);
  const recording = await watchRecorder(recorder);
  const over = recording.stop();
  vi.advanceTimersByTime(59_000);
  return { recorder, output, over };
};

test('a recorder that ends slowly gets a minute', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const slow = await beginEnding();
  (slow.recorder.stdio[3] as Writable).end('go\n');
  await slow.over;
  expect(await slow.output).toBe('written\n');
  const stuck = await beginEnding();
  vi.advanceTimersByTime(2000);
  await stuck.over;
  expect(await stuck.output).toBe('');
});
