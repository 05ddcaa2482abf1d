import { type ChildProcess, spawn } from 'node:child_process';
import { access, constants, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import type { FastifyBaseLogger } from 'fastify';
import { realTimers, type Timers } from '../schedule/timers.ts';
import { hasErrorCode } from '../storage/diskSpace.ts';
import { type ProcessResult, type ProcessRunner, type ProcessRequest, ProgramNotFoundError } from './childProcesses.ts';
import { planLaunch, buildBubblewrapArgs, createProcessEnvironment } from './launch.ts';
import type { SetupProblem } from './programVersions.ts';

const MAX_LINE_LENGTH = 1024 * 1024;

/** What came from an output of a program. */
export interface OutputCollector {
  readonly append: (chunk: Buffer) => void;
  /** Nothing more comes: the last line may be without an end. */
  readonly end: () => void;
  readonly text: () => string;
}

/** Collects an output, or its last bytes, and tells of its lines. A line that is too long is cut. */
export function createOutputCollector({
  onLine,
  lastBytes = Infinity,
}: {
  readonly onLine?: ((line: string) => void) | undefined;
  readonly lastBytes?: number;
}): OutputCollector {
  const decoder = new StringDecoder('utf8');
  const chunks: Buffer[] = [];
  let size = 0;
  let open = '';

  const tell = (text: string): void => {
    const lines = (open + text).split(/\r?\n/);
    open = (lines.pop() ?? '').slice(0, MAX_LINE_LENGTH);
    for (const line of lines) onLine?.(line.slice(0, MAX_LINE_LENGTH));
  };
  return {
    append: (chunk) => {
      chunks.push(chunk);
      size += chunk.length;
      for (let first = chunks[0]; first && size - first.length >= lastBytes; first = chunks[0]) {
        chunks.shift();
        size -= first.length;
      }
      if (onLine) tell(decoder.write(chunk));
    },
    end: () => {
      if (onLine) tell(decoder.end());
      if (open !== '') onLine?.(open);
    },
    text: () =>
      Buffer.concat(chunks)
        .subarray(-Math.min(lastBytes, size) || 0)
        .toString('utf8'),
  };
}

/** Where the system's own programs stand, whatever the server was started with. */
const PATH = ['/usr/local/bin', '/usr/bin', '/bin', '/opt/homebrew/bin'].join(delimiter);
/** What keeps a child within its limits. */
const LIMIT_PROGRAMS = ['nice', 'setpriv', 'prlimit'] as const;
const NICENESS = '10';
/** Of a session, which is weighed against all that a busy computer does elsewhere: enough for the server to be quick, and a conversion still gets a quarter of a core. */
const SESSION_NICENESS = '5';
const MAX_OPEN_FILES = 256;
const DEFAULT_MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
const SANDBOX_PROBE_LIMITS = { timeoutMs: 10_000, maxCpuSeconds: 5, maxFileBytes: 1024 * 1024 };

export interface ProcessRunnerOptions {
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
  throw new ProgramNotFoundError(program);
};

/** All of its process group, whatever is left of it. */
const killGroup = ({ pid }: ChildProcess): void => {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (!hasErrorCode(error, 'ESRCH')) throw error; // else it is gone
  }
};

/**
 * Kernels that group processes by session ('autogroup': where no service manager has put the server into a group of its own) weigh each group as a
 * whole, and `nice` counts only among those of one. So the child's session is put behind the server's too. As far as it goes: there may be no such
 * file, and whoever is not root may write to it ten times a second only.
 */
const lowerPriority = ({ pid }: ChildProcess): void => {
  if (pid !== undefined) writeFile(`/proc/${pid}/autogroup`, SESSION_NICENESS).catch(() => undefined);
};

/** bubblewrap does both as well (`--die-with-parent`), and each program on the way to the one that is wanted takes some milliseconds. */
const UNLIKE_BUBBLEWRAP = ['setpriv', '--pdeathsig', 'KILL', '--no-new-privs', '--'];

/** What stands in front of the program: polite, dies with the server, gains no rights, is held to its limits. */
const buildLimitArgs = ({ limits }: ProcessRequest, isWalled: boolean): readonly string[] => [
  'nice',
  '-n',
  NICENESS,
  ...(isWalled ? [] : UNLIKE_BUBBLEWRAP),
  'prlimit',
  `--cpu=${limits.maxCpuSeconds}`,
  `--fsize=${limits.maxFileBytes}`,
  `--nofile=${MAX_OPEN_FILES}`,
  '--core=0',
  ...(limits.memoryBytes === undefined ? [] : [`--as=${limits.memoryBytes}`]),
  '--',
];

type StopReason = { readonly why: ProcessResult['exceededLimit'] } | { readonly error: unknown };

/** Watches a child to its end, and ends it where it goes too far. */
const watch = (
  child: ChildProcess,
  { limits, onLine, signal }: ProcessRequest,
  timers: Timers,
): Promise<ProcessResult> => {
  let stop: StopReason | undefined;
  const end = (reason: StopReason): void => {
    stop ??= reason;
    killGroup(child);
  };
  const callOffs = [timers.schedule(limits.timeoutMs, () => end({ why: 'time' }))];
  const { silentMs } = limits;
  const hush = () =>
    silentMs === undefined ? () => undefined : timers.schedule(silentMs, () => end({ why: 'silence' }));
  let endHush = hush();
  let bytes = 0;
  const take = (into: OutputCollector) => (chunk: Buffer) => {
    endHush();
    endHush = hush();
    bytes += chunk.length;
    if (bytes > (limits.outputBytes ?? DEFAULT_MAX_OUTPUT_BYTES)) end({ why: 'output' });
    if (stop) return;
    try {
      into.append(chunk);
    } catch (error) {
      end({ error });
    }
  };
  const output = createOutputCollector({ onLine });
  const errors = createOutputCollector({ lastBytes: 64 * 1024 });
  child.stdout?.on('data', take(output));
  child.stderr?.on('data', take(errors));
  const abort = (): void => end({ error: signal?.reason });
  signal?.addEventListener('abort', abort, { once: true });

  return new Promise<ProcessResult>((resolve, reject) => {
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
          exceededLimit: stop?.why,
          exitCode: code ?? undefined,
          signal: died ?? undefined,
          output: output.text(),
          errorOutput: errors.text(),
        });
    });
  }).finally(() => {
    for (const callOff of callOffs) callOff();
    endHush();
    signal?.removeEventListener('abort', abort);
  });
};

const FFMPEG_PROGRAMS = ['ffmpeg', 'ffprobe'];

export function createProcessRunner(options: ProcessRunnerOptions): ProcessRunner {
  const { log, timers = realTimers, sandbox = 'try', path = PATH, ffmpegPath } = options;
  const named = (program: string): string => {
    if (ffmpegPath === undefined || !FFMPEG_PROGRAMS.includes(program)) return program;
    return program === 'ffmpeg' ? ffmpegPath : join(dirname(ffmpegPath), program);
  };
  const running = new Map<ChildProcess, Promise<unknown>>();
  let isStopped = false;

  const start = async (wish: ProcessRequest, isWalled: boolean): Promise<ProcessResult> => {
    const { command, readablePaths } = await planLaunch(await findProgram(named(wish.program), path));
    const walls = isWalled ? buildBubblewrapArgs({ ...wish, reads: [...readablePaths, ...(wish.reads ?? [])] }) : [];
    if (isStopped) throw new Error('the server is stopping');
    wish.signal?.throwIfAborted();
    const [first = '', ...rest] = [...buildLimitArgs(wish, walls.length > 0), ...walls, ...command, ...wish.args];
    const child = spawn(first, rest, {
      shell: false,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      cwd: wish.folder,
      env: createProcessEnvironment(wish.folder, path),
    });
    lowerPriority(child);
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
      const { exitCode, errorOutput } = await start(
        { program: 'true', args: [], folder, limits: SANDBOX_PROBE_LIMITS },
        true,
      );
      if (exitCode === 0) return 'bwrap';
      log.info({ reason: errorOutput.slice(0, 200) }, 'no sandbox: bubblewrap does not work here');
    } catch (error) {
      if (!(error instanceof ProgramNotFoundError)) throw error;
      log.info('no sandbox: bubblewrap is missing');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    return 'no sandbox';
  };

  const findLack = async (): Promise<SetupProblem | undefined> => {
    for (const keeper of LIMIT_PROGRAMS)
      if (!(await findProgram(keeper, path).catch(() => undefined))) {
        const what = `Downloads and conversions need ${keeper} here, which comes with Linux`;
        return {
          forOwner: `${what}: apt-get install ${keeper === 'nice' ? 'coreutils' : 'util-linux'}`,
          forOthers: what,
        };
      }
    return undefined;
  };

  let found: Promise<SetupProblem | undefined> | undefined;
  let walls: Promise<'bwrap' | 'no sandbox'> | undefined;
  const lacking = async (): Promise<SetupProblem | undefined> => {
    found ??= findLack();
    return found;
  };
  const sandboxed = async (): Promise<'bwrap' | 'no sandbox'> => {
    walls ??= sandbox === 'off' || (await lacking()) ? Promise.resolve('no sandbox' as const) : trySandbox();
    return walls;
  };

  return {
    findProgram: (program) =>
      findProgram(named(program), path).catch((error: unknown) => {
        if (error instanceof ProgramNotFoundError) return undefined;
        throw error;
      }),
    findSetupProblem: lacking,
    getSandbox: sandboxed,
    run: async (wish) => {
      const lack = await lacking();
      if (lack) throw new ProgramNotFoundError('setpriv and prlimit', { cause: lack.forOwner });
      return start(wish, (await sandboxed()) === 'bwrap');
    },
    stop: async () => {
      isStopped = true;
      for (const child of running.keys()) killGroup(child);
      await Promise.allSettled(running.values());
    },
  };
}
