import { type ChildProcess, spawn } from 'node:child_process';
import { access, constants, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { realTimers, type Timers } from '../realtime/timers.ts';
import { isCode } from '../systemError.ts';
import { type ChildEnd, type Children, type ChildWish, ProgramMissing } from './children.ts';
import { heard, type Heard } from './heard.ts';
import { launchOf } from './launch.ts';
import { bubblewrap, environmentOf } from './sandbox.ts';
import type { Lack } from './versions.ts';

/** Where the system's own programs stand, whatever the server was started with. */
const PATH = ['/usr/local/bin', '/usr/bin', '/bin', '/opt/homebrew/bin'].join(delimiter);
/** What keeps a child within its limits. */
const KEEPERS = ['nice', 'setpriv', 'prlimit'] as const;
const NICENESS = '10';
/** Of a session, which is weighed against all that a busy computer does elsewhere: enough for the server to be quick, and a conversion still gets a quarter of a core. */
const SESSION_NICENESS = '5';
const OPEN_FILES = 256;
const OUTPUT_BYTES = 16 * 1024 * 1024;
const TRYING = { wallMs: 10_000, cpuSeconds: 5, fileBytes: 1024 * 1024 };

export interface ChildrenOptions {
  readonly log: FastifyBaseLogger;
  readonly timers?: Timers;
  /** `off` leaves the sandbox out even where there could be one; for tests. */
  readonly sandbox?: 'try' | 'off';
  /** Folders with programs; for tests. */
  readonly path?: string;
  /** Another ffmpeg than the system's, with its ffprobe beside it (`FFMPEG_PATH`). */
  readonly ffmpegPath?: string | undefined;
}

const isProgram = async (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

/** @throws ProgramMissing */
const findProgram = async (program: string, path: string): Promise<string> => {
  const places = isAbsolute(program) ? [program] : path.split(delimiter).map((folder) => join(folder, program));
  for (const place of places) if (await isProgram(place)) return place;
  throw new ProgramMissing(program);
};

/** All of its process group, whatever is left of it. */
const killGroup = ({ pid }: ChildProcess): void => {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (!isCode(error, 'ESRCH')) throw error; // else it is gone
  }
};

/**
 * Kernels that group processes by session ('autogroup': where no service manager has put the server into a group of its own) weigh each group as a
 * whole, and `nice` counts only among those of one. So the child's session is put behind the server's too. As far as it goes: there may be no such
 * file, and whoever is not root may write to it ten times a second only.
 */
const stepBack = ({ pid }: ChildProcess): void => {
  if (pid !== undefined) writeFile(`/proc/${pid}/autogroup`, SESSION_NICENESS).catch(() => undefined);
};

/** bubblewrap does both as well (`--die-with-parent`), and each program on the way to the one that is wanted takes some milliseconds. */
const UNLIKE_BUBBLEWRAP = ['setpriv', '--pdeathsig', 'KILL', '--no-new-privs', '--'];

/** What stands in front of the program: polite, dies with the server, gains no rights, is held to its limits. */
const keepers = ({ limits }: ChildWish, isWalled: boolean): readonly string[] => [
  'nice',
  '-n',
  NICENESS,
  ...(isWalled ? [] : UNLIKE_BUBBLEWRAP),
  'prlimit',
  `--cpu=${limits.cpuSeconds}`,
  `--fsize=${limits.fileBytes}`,
  `--nofile=${OPEN_FILES}`,
  '--core=0',
  ...(limits.memoryBytes === undefined ? [] : [`--as=${limits.memoryBytes}`]),
  '--',
];

type Stop = { readonly why: ChildEnd['stopped'] } | { readonly error: unknown };

/** Watches a child to its end, and ends it where it goes too far. */
const watch = (child: ChildProcess, { limits, onLine, signal }: ChildWish, timers: Timers): Promise<ChildEnd> => {
  let stop: Stop | undefined;
  const end = (reason: Stop): void => {
    stop ??= reason;
    killGroup(child);
  };
  const callOffs = [timers.after(limits.wallMs, () => end({ why: 'time' }))];
  const { silentMs } = limits;
  const hush = () => (silentMs === undefined ? () => undefined : timers.after(silentMs, () => end({ why: 'silence' })));
  let endHush = hush();
  let bytes = 0;
  const take = (into: Heard) => (chunk: Buffer) => {
    endHush();
    endHush = hush();
    bytes += chunk.length;
    if (bytes > (limits.outputBytes ?? OUTPUT_BYTES)) end({ why: 'output' });
    if (stop) return;
    try {
      into.take(chunk);
    } catch (error) {
      end({ error });
    }
  };
  const output = heard({ onLine });
  const errors = heard({ lastBytes: 64 * 1024 });
  child.stdout?.on('data', take(output));
  child.stderr?.on('data', take(errors));
  const abort = (): void => end({ error: signal?.reason });
  signal?.addEventListener('abort', abort, { once: true });

  return new Promise<ChildEnd>((resolve, reject) => {
    child.once('error', reject);
    // Whoever it has left behind would hold its outputs open.
    child.once('exit', () => killGroup(child));
    child.once('close', (code, died) => {
      try {
        if (!stop) output.end();
      } catch (error) {
        stop = { error };
      }
      if (stop && 'error' in stop) reject(stop.error);
      else
        resolve({
          stopped: stop?.why,
          code: code ?? undefined,
          signal: died ?? undefined,
          output: output.text(),
          errors: errors.text(),
        });
    });
  }).finally(() => {
    for (const callOff of callOffs) callOff();
    endHush();
    signal?.removeEventListener('abort', abort);
  });
};

const FFMPEG_PROGRAMS = ['ffmpeg', 'ffprobe'];

export const makeChildren = (options: ChildrenOptions): Children => {
  const { log, timers = realTimers, sandbox = 'try', path = PATH, ffmpegPath } = options;
  const named = (program: string): string => {
    if (ffmpegPath === undefined || !FFMPEG_PROGRAMS.includes(program)) return program;
    return program === 'ffmpeg' ? ffmpegPath : join(dirname(ffmpegPath), program);
  };
  const running = new Map<ChildProcess, Promise<unknown>>();
  let isStopped = false;

  const start = async (wish: ChildWish, isWalled: boolean): Promise<ChildEnd> => {
    const { command, reads } = await launchOf(await findProgram(named(wish.program), path));
    const walls = isWalled ? bubblewrap({ ...wish, reads: [...reads, ...(wish.reads ?? [])] }) : [];
    if (isStopped) throw new Error('the server is stopping');
    wish.signal?.throwIfAborted();
    const [first = '', ...rest] = [...keepers(wish, walls.length > 0), ...walls, ...command, ...wish.args];
    const child = spawn(first, rest, {
      shell: false,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      cwd: wish.folder,
      env: environmentOf(wish.folder, path),
    });
    stepBack(child);
    const ended = watch(child, wish, timers);
    running.set(child, ended);
    try {
      return await ended;
    } finally {
      running.delete(child);
    }
  };

  /** Whether bubblewrap works here: kernels and containers differ in what they let it do. */
  const trySandbox = async (): Promise<'bwrap' | 'no sandbox'> => {
    const folder = await mkdtemp(join(tmpdir(), 'pegboard-'));
    try {
      await findProgram('bwrap', path);
      const { code, errors } = await start({ program: 'true', args: [], folder, limits: TRYING }, true);
      if (code === 0) return 'bwrap';
      log.info({ reason: errors.slice(0, 200) }, 'no sandbox: bubblewrap does not work here');
    } catch (error) {
      if (!(error instanceof ProgramMissing)) throw error;
      log.info('no sandbox: bubblewrap is missing');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    return 'no sandbox';
  };

  const findLack = async (): Promise<Lack | undefined> => {
    for (const keeper of KEEPERS)
      if (!(await findProgram(keeper, path).catch(() => undefined))) {
        const what = `Downloads and conversions need ${keeper} here, which comes with Linux`;
        return {
          forOwner: `${what}: apt-get install ${keeper === 'nice' ? 'coreutils' : 'util-linux'}`,
          forOthers: what,
        };
      }
    return undefined;
  };

  let found: Promise<Lack | undefined> | undefined;
  let walls: Promise<'bwrap' | 'no sandbox'> | undefined;
  const lacking = async (): Promise<Lack | undefined> => {
    found ??= findLack();
    return found;
  };
  const sandboxed = async (): Promise<'bwrap' | 'no sandbox'> => {
    walls ??= sandbox === 'off' || (await lacking()) ? Promise.resolve('no sandbox' as const) : trySandbox();
    return walls;
  };

  return {
    find: (program) =>
      findProgram(named(program), path).catch((error: unknown) => {
        if (error instanceof ProgramMissing) return undefined;
        throw error;
      }),
    lack: lacking,
    sandbox: sandboxed,
    run: async (wish) => {
      const lack = await lacking();
      if (lack) throw new ProgramMissing('setpriv and prlimit', { cause: lack.forOwner });
      return start(wish, (await sandboxed()) === 'bwrap');
    },
    stop: async () => {
      isStopped = true;
      for (const child of running.keys()) killGroup(child);
      await Promise.allSettled(running.values());
    },
  };
};
