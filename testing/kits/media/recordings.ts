import { execFile, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { getSharedFolder } from '../server/globalSetup.ts';

const run = promisify(execFile);

/**
 * `mkv` and `mp4`: as screen recorders write them; `killed`: an mkv of a killed recorder; `webm`: playable in browsers.
 */
export type RecordingKind = 'mkv' | 'mp4' | 'webm' | 'killed';

const encoders: Readonly<Record<RecordingKind, readonly string[]>> = {
  mkv: ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-f', 'matroska'],
  mp4: ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-f', 'mp4'],
  killed: ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-f', 'matroska', '-live', '1'],
  webm: ['-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '16', '-pix_fmt', 'yuv420p', '-f', 'webm'],
};

const recordingByKey = new Map<string, Promise<Buffer>>();

async function record(kind: RecordingKind, seconds: number): Promise<Buffer> {
  const folder = await getSharedFolder(`recording-${kind}-${seconds}`, async (into) => {
    const source = `testsrc=duration=${seconds}:size=320x180:rate=10`;
    const path = join(into, 'recording');
    await run('ffmpeg', ['-nostdin', '-v', 'error', '-f', 'lavfi', '-i', source, ...encoders[kind], path]);
  });
  if (folder === undefined) throw new Error('recordings are made within a run of tests');
  return readFile(join(folder, 'recording'));
}

/** Creates a video of this duration, once per run. */
export function createRecording(kind: RecordingKind, seconds = 2): Promise<Buffer> {
  const key = `${kind} ${seconds}`;
  const recording = recordingByKey.get(key) ?? record(kind, seconds);
  recordingByKey.set(key, recording);
  return recording;
}

export interface ScreenRecorder {
  /** Ends it like a user, or like a power cut; the file stays as it is then. */
  readonly end: (how: 'SIGINT' | 'SIGKILL') => Promise<void>;
}

/** Records an X display with ffmpeg, like common screen recorders. Resolves when it writes. */
export async function startScreenRecorder(display: string, path: string): Promise<ScreenRecorder> {
  const child = spawn(
    'ffmpeg',
    [
      ['-nostdin', '-v', 'error', '-progress', 'pipe:1', '-f', 'x11grab', '-framerate', '10'],
      ['-video_size', '640x360', '-i', display, '-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'],
      ['-g', '10', '-flush_packets', '1', '-cluster_time_limit', '500', path],
    ].flat(),
    { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, XAUTHORITY: '/dev/null' } },
  );
  await new Promise<void>((resolve, reject) => {
    child.once('exit', () => reject(new Error('the screen was not recorded')));
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      // Enough frames for more than a second in the file, as its last half second is not written yet.
      if (/frame=\s*[2-9]\d/.test(output)) resolve();
    });
  });
  return {
    end: async (how) => {
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill(how);
      await exited;
    },
  };
}
