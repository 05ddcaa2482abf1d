import { spawn, type ChildProcess } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { basename, delimiter, dirname, join } from 'node:path';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Ability, CaptureDriver, ScreenRecording, ScreenRegion } from './drivers.ts';
import { openDisplay } from './x11/display.ts';

/** The first picture comes sooner, or it is waited for no longer: the device's own patience is five seconds. */
const FIRST_FRAME_TIMEOUT_MS = 4000;
/** To write the last pictures and the end of the file: a busy computer takes long, and without that end the recording counts as cut. */
const END_TIMEOUT_MS = 60_000;
/** How ffmpeg is asked for the end, on its input. */
const QUIT = 'q';
/** What the server takes, less what the end of the file needs. */
const MAX_RECORDING_BYTES = 4 * 1024 ** 3 - 64 * 1024 ** 2;
/** A recording that nobody ends leaves so much of the disk to others. */
const MIN_FREE_BYTES = 512 * 1024 ** 2;
const MIN_SIDE_PIXELS = 16;
const MAX_ERROR_LENGTH = 300;

/** Where a program of the system stands, as the agent's environment says. */
const findIn = (env: NodeJS.ProcessEnv, program: string): string | undefined =>
  (env['PATH'] ?? '/usr/bin:/bin')
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });

/** Even: half of the colours' rows and columns are kept. @throws Refusal for what lies outside of the screen. */
const clampRegion = (
  screen: { readonly width: number; readonly height: number },
  region?: ScreenRegion,
): ScreenRegion => {
  const { x, y, width, height } = region ?? { x: 0, y: 0, ...screen };
  if (x < 0 || y < 0 || x + width > screen.width || y + height > screen.height)
    throw new Refusal(`That part lies outside of the screen, which has ${screen.width}x${screen.height} pixels`);
  const even = { x, y, width: width - (width % 2), height: height - (height % 2) };
  if (even.width < MIN_SIDE_PIXELS || even.height < MIN_SIDE_PIXELS)
    throw new Refusal(`A recording has at least ${MIN_SIDE_PIXELS}x${MIN_SIDE_PIXELS} pixels`);
  return even;
};

/** How large a recording may become, of so many bytes that are free. @throws Refusal where there is no room for any. */
export function getMaxRecordingBytes(freeBytes: number): number {
  if (freeBytes <= MIN_FREE_BYTES) throw new Refusal('That computer has no room on its disk for a recording');
  return Math.min(MAX_RECORDING_BYTES, freeBytes - MIN_FREE_BYTES);
}

interface RecorderOptions {
  readonly display: string;
  readonly region: ScreenRegion;
  readonly path: string;
  readonly maxBytes: number;
}

/** Flushed with every picture: what was recorded is there however the recorder ends. */
const recorderArgs = ({ display, region, path, maxBytes }: RecorderOptions): readonly string[] => {
  const { x, y, width, height } = region;
  return [
    ['-hide_banner', '-v', 'error', '-nostats', '-progress', 'pipe:1', '-y'],
    ['-f', 'x11grab', '-framerate', '30', '-video_size', `${width}x${height}`, '-i', `${display}+${x},${y}`],
    ['-an', '-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '60'],
    ['-flush_packets', '1', '-cluster_time_limit', '1000', '-fs', String(maxBytes)],
    ['-f', 'matroska', path],
  ].flat();
};

/** The last line that the recorder complained of. */
const collectErrors = (child: ChildProcess): (() => string) => {
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString('utf8')).slice(-4 * MAX_ERROR_LENGTH);
  });
  return () => said.trim().split('\n').at(-1)?.slice(0, MAX_ERROR_LENGTH) ?? '';
};

/** @throws Refusal where it ends before its first picture. */
export async function watchRecorder(child: ChildProcess): Promise<ScreenRecording> {
  const complaint = collectErrors(child);
  child.stdin?.on('error', () => undefined); // it has ended by itself just now
  let isAsked = false;
  const gone = new Promise<string | undefined>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => {
      if (isAsked) resolve(undefined);
      else if (code === 0) resolve('it has reached its largest size, or the disk is nearly full');
      else resolve(complaint() || `its program ended with ${signal ?? code}`);
    });
  });
  const first = new Promise<void>((resolve) => {
    const listen = (chunk: Buffer): void => {
      if (!/^frame=[1-9]/m.test(chunk.toString('latin1'))) return;
      child.stdout?.off('data', listen);
      child.stdout?.resume();
      resolve();
    };
    child.stdout?.on('data', listen);
  });
  const patience = Promise.withResolvers<void>();
  const late = setTimeout(patience.resolve, FIRST_FRAME_TIMEOUT_MS);
  const failed = await Promise.race([gone.then((why) => why ?? 'it ended'), first, patience.promise]);
  clearTimeout(late);
  if (failed !== undefined) throw new Refusal(`The screen could not be recorded: ${failed}`);
  return {
    whenEnded: gone,
    stop: async () => {
      isAsked = true;
      // By no signal: whoever logs out or presses Ctrl-C sends it one already, and at a second one it leaves the end of the file out.
      child.stdin?.end(QUIT);
      const kill = setTimeout(() => child.kill('SIGKILL'), END_TIMEOUT_MS);
      await gone;
      clearTimeout(kill);
    },
  };
}

interface CaptureOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Whether there is a display that may be looked at. */
  readonly display: () => Ability;
}

/** `FFMPEG_PATH`, where it names one, else the system's. */
const ffmpegIn = (env: NodeJS.ProcessEnv): string | undefined => {
  const named = env['FFMPEG_PATH'] ?? '';
  return named === '' ? findIn(env, 'ffmpeg') : findIn({ PATH: dirname(named) }, basename(named));
};

/** Records the screen by ffmpeg, which ends with the agent: what it recorded until then is kept. */
export function openCaptureDriver({ env, display }: CaptureOptions): CaptureDriver {
  const ability = (): Ability => {
    const found = display();
    if (!found.able) return found;
    return ffmpegIn(env) === undefined
      ? { able: false, reason: 'Recording needs ffmpeg on that computer: apt install ffmpeg' }
      : found;
  };
  return {
    get ability() {
      return ability();
    },
    start: async (path, region) => {
      const able = ability();
      if (!able.able) throw new Refusal(able.reason);
      const name = env['DISPLAY'] ?? '';
      // A connection of its own: the screen's size is that of its beginning.
      const part = await (async () => {
        await using screen = await openDisplay(name);
        return clampRegion(screen, region);
      })();
      const { bavail, bsize } = await statfs(dirname(path));
      const wish = { display: name, region: part, path, maxBytes: getMaxRecordingBytes(bavail * bsize) };
      const recorder = [ffmpegIn(env) ?? 'ffmpeg', ...recorderArgs(wish)];
      const setpriv = findIn(env, 'setpriv');
      const [program = 'ffmpeg', ...args] =
        setpriv === undefined ? recorder : [setpriv, '--pdeathsig', 'INT', '--no-new-privs', '--', ...recorder];
      return watchRecorder(spawn(program, args, { env, stdio: ['pipe', 'pipe', 'pipe'] }));
    },
  };
}
