import { spawn, type ChildProcess } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { basename, delimiter, dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import { MINUTE_MS } from '#platform/contract/duration.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Ability, CaptureDriver, ScreenRecording, ScreenRegion } from './drivers.ts';

/** Must be shorter than the device command timeout of five seconds. */
const FIRST_FRAME_TIMEOUT_MS = 4000;
/**
 * Time to write the last frames and the end of the file. A busy computer is slow, and without the end the recording
 * counts as cut.
 */
const END_TIMEOUT_MS = MINUTE_MS;
/** Input that makes ffmpeg quit. */
const QUIT_INPUT = 'q';
/** The size that the server accepts, minus what the end of the file needs. */
const MAX_RECORDING_BYTES = 4 * 1024 ** 3 - 64 * 1024 ** 2;
/** Disk space that a recording without an end leaves to others. */
const MIN_FREE_BYTES = 512 * 1024 ** 2;
const MIN_SIDE_PIXELS = 16;
const MAX_ERROR_LENGTH = 300;

/** Finds a program of the system through the agent's PATH. */
const findProgram = (env: NodeJS.ProcessEnv, program: string): string | undefined =>
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

/**
 * Returns the region with even sides, as chroma subsampling halves both.
 * @throws Refusal if it is outside of the screen.
 */
function clampRegion(screen: { readonly width: number; readonly height: number }, region?: ScreenRegion): ScreenRegion {
  const { x, y, width, height } = region ?? { x: 0, y: 0, ...screen };
  if (x < 0 || y < 0 || x + width > screen.width || y + height > screen.height)
    throw new Refusal(
      'capture.region_off_screen',
      `That region is outside the screen, which has ${screen.width}x${screen.height} pixels. Choose one inside it`,
    );
  const even = { x, y, width: width - (width % 2), height: height - (height % 2) };
  if (even.width < MIN_SIDE_PIXELS || even.height < MIN_SIDE_PIXELS)
    throw new Refusal(
      'capture.region_too_small',
      `That region is too small to record. Choose at least ${MIN_SIDE_PIXELS}x${MIN_SIDE_PIXELS} pixels`,
    );
  return even;
}

/**
 * Returns the maximum size of a recording.
 * @throws Refusal if the disk has too little free space.
 */
export function getMaxRecordingBytes(freeBytes: number): number {
  if (freeBytes <= MIN_FREE_BYTES)
    throw new Refusal('capture.disk_low', 'That computer is too low on disk space to record. Free some space there');
  return Math.min(MAX_RECORDING_BYTES, freeBytes - MIN_FREE_BYTES);
}

/** A screen, and how its pictures get into ffmpeg. */
export interface ScreenSource {
  readonly width: number;
  readonly height: number;
  /** Returns ffmpeg's arguments for its input: a part of the screen, or its standard input. */
  readonly listInputArgs: (region: ScreenRegion) => readonly string[];
  /** Writes pictures to ffmpeg's standard input until the signal is aborted. Missing if ffmpeg reads the screen. */
  readonly writePictures?: (input: Writable, region: ScreenRegion, signal: AbortSignal) => Promise<void>;
}

/** Pictures per second. */
export const FRAME_RATE = 30;

interface RecorderOptions {
  readonly inputArgs: readonly string[];
  readonly path: string;
  readonly maxBytes: number;
}

/** Returns the arguments of ffmpeg. Every frame is flushed, so that the recording is usable however it ends. */
function listRecorderArgs({ inputArgs, path, maxBytes }: RecorderOptions): readonly string[] {
  return [
    ['-hide_banner', '-v', 'error', '-nostats', '-progress', 'pipe:1', '-y'],
    inputArgs,
    ['-an', '-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '60'],
    ['-flush_packets', '1', '-cluster_time_limit', '1000', '-fs', String(maxBytes)],
    ['-f', 'matroska', path],
  ].flat();
}

/** Collects what the recorder prints, and returns a function for its last error line. */
function collectErrors(child: ChildProcess): () => string {
  let output = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    output = (output + chunk.toString('utf8')).slice(-4 * MAX_ERROR_LENGTH);
  });
  return () => output.trim().split('\n').at(-1)?.slice(0, MAX_ERROR_LENGTH) ?? '';
}

/**
 * Not by a signal: a logout or Ctrl-C already sends one, and at a second one ffmpeg does not write the end of the
 * file.
 */
const quitRecorder = (child: ChildProcess): void => void child.stdin?.end(QUIT_INPUT);

/**
 * Waits for the first frame of the recorder.
 * @param quit makes it write the end of the file.
 * @throws Refusal if it ends before its first frame.
 */
export async function watchRecorder(child: ChildProcess, quit = quitRecorder): Promise<ScreenRecording> {
  const getLastError = collectErrors(child);
  child.stdin?.on('error', () => undefined); // the recorder has just ended
  let isStopRequested = false;
  const ended = new Promise<string | undefined>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => {
      if (isStopRequested) resolve(undefined);
      else if (code === 0) resolve('it reached the maximum size, the disk is nearly full, or the screen changed');
      else resolve(getLastError() || `the recorder exited with ${signal ?? code}`);
    });
  });
  const firstFrame = new Promise<void>((resolve) => {
    function handleProgress(chunk: Buffer): void {
      if (!/^frame=[1-9]/m.test(chunk.toString('latin1'))) return;
      child.stdout?.off('data', handleProgress);
      child.stdout?.resume();
      resolve();
    }
    child.stdout?.on('data', handleProgress);
  });
  const timeout = Promise.withResolvers<void>();
  const timer = setTimeout(timeout.resolve, FIRST_FRAME_TIMEOUT_MS);
  const failure = await Promise.race([
    ended.then((reason) => reason ?? 'the recorder exited'),
    firstFrame,
    timeout.promise,
  ]);
  clearTimeout(timer);
  if (failure !== undefined) throw new Refusal('capture.failed', `Could not record the screen: ${failure}`);
  return {
    whenEnded: ended,
    stop: async () => {
      isStopRequested = true;
      quit(child);
      const killTimer = setTimeout(() => child.kill('SIGKILL'), END_TIMEOUT_MS);
      await ended;
      clearTimeout(killTimer);
    },
  };
}

interface CaptureOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Opens the screen as it is now. */
  readonly openScreen: () => Promise<ScreenSource>;
}

/** Returns the path in `FFMPEG_PATH` if it is set and exists, or else that of the system's ffmpeg. */
function findFfmpeg(env: NodeJS.ProcessEnv): string | undefined {
  const configured = env['FFMPEG_PATH'] ?? '';
  return configured === ''
    ? findProgram(env, 'ffmpeg')
    : findProgram({ PATH: dirname(configured) }, basename(configured));
}

/** Records the screen with ffmpeg, which ends with the agent; the recording until then is stored. */
export function openCaptureDriver({ env, openScreen }: CaptureOptions): CaptureDriver {
  const getAbility = (): Ability =>
    findFfmpeg(env) === undefined
      ? { able: false, reason: 'Recording needs ffmpeg on that computer. Run there: apt-get install ffmpeg' }
      : { able: true };
  function spawnRecorder(recorderArgs: readonly string[]): ChildProcess {
    const recorder = [findFfmpeg(env) ?? 'ffmpeg', ...recorderArgs];
    const setpriv = findProgram(env, 'setpriv');
    const [program = 'ffmpeg', ...args] =
      setpriv === undefined ? recorder : [setpriv, '--pdeathsig', 'INT', '--no-new-privs', '--', ...recorder];
    return spawn(program, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  }
  return {
    get ability() {
      return getAbility();
    },
    start: async (path, requestedRegion) => {
      const ability = getAbility();
      if (!ability.able) throw new Refusal('capture.unsupported', ability.reason);
      const screen = await openScreen();
      const region = clampRegion(screen, requestedRegion);
      const { bavail, bsize } = await statfs(dirname(path));
      const maxBytes = getMaxRecordingBytes(bavail * bsize);
      const recorder = spawnRecorder(listRecorderArgs({ inputArgs: screen.listInputArgs(region), path, maxBytes }));
      const { writePictures } = screen;
      if (!writePictures || !recorder.stdin) return watchRecorder(recorder);
      const stop = new AbortController();
      recorder.once('exit', () => stop.abort());
      const { stdin } = recorder;
      // The end of its input makes ffmpeg write the end of the file.
      const writing = writePictures(stdin, region, stop.signal).finally(() => stdin.end());
      writing.catch(() => undefined); // the desktop has ended, and with it the recording
      return watchRecorder(recorder, () => stop.abort());
    },
  };
}
