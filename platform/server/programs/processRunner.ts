import { type ChildProcess, spawn } from 'node:child_process';
import { access, constants, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import type { FastifyBaseLogger } from 'fastify';
import { realTimers, type Timers } from '../schedule/timers.ts';
import { hasErrorCode } from '../storage/errorCode.ts';
import { type ProcessResult, type ProcessRunner, type ProcessRequest, ProgramNotFoundError } from './childProcesses.ts';
import { planLaunch, buildBubblewrapArgs, createProcessEnvironment } from './launchPlan.ts';
import type { SetupProblem } from './programVersions.ts';

const MAX_LINE_LENGTH = 1024 * 1024;

/** Collected output of a program. */
export interface OutputCollector {
  readonly append: (chunk: Buffer) => void;
  /** Reports the last line, which may lack a line break. Call at the end of the output. */
  readonly end: () => void;
  readonly getText: () => string;
}

/** Collects an output or its last bytes, and calls `onLine` for each line, cut if it is too long. */
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
  let incompleteLine = '';

  function splitLines(text: string): void {
    const lines = (incompleteLine + text).split(/\r?\n/);
    incompleteLine = (lines.pop() ?? '').slice(0, MAX_LINE_LENGTH);
    for (const line of lines) onLine?.(line.slice(0, MAX_LINE_LENGTH));
  }
  return {
    append: (chunk) => {
      chunks.push(chunk);
      size += chunk.length;
      for (let oldest = chunks[0]; oldest && size - oldest.length >= lastBytes; oldest = chunks[0]) {
        chunks.shift();
        size -= oldest.length;
      }
      if (onLine) splitLines(decoder.write(chunk));
    },
    end: () => {
      if (onLine) splitLines(decoder.end());
      if (incompleteLine !== '') onLine?.(incompleteLine);
    },
    getText: () =>
      Buffer.concat(chunks)
        .subarray(-Math.min(lastBytes, size) || 0)
        .toString('utf8'),
  };
}

/** Folders of the system's programs. The server's own path is not used. */
const SYSTEM_PATH = ['/usr/local/bin', '/usr/bin', '/bin', '/opt/homebrew/bin'].join(delimiter);
/** Programs that apply the limits. */
const LIMIT_PROGRAMS = ['nice', 'setpriv', 'prlimit'] as const;
const NICENESS = '10';
/**
 * Niceness of the whole session: the server stays responsive on a busy computer, and a conversion still gets a quarter
 * of a core.
 */
const SESSION_NICENESS = '5';
const MAX_OPEN_FILES = 256;
const DEFAULT_MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
const SANDBOX_PROBE_LIMITS = { timeoutMs: 10_000, maxCpuSeconds: 5, maxFileBytes: 1024 * 1024 };

export interface ProcessRunnerOptions {
  readonly log: FastifyBaseLogger;
  readonly timers?: Timers;
  /** `off` never uses a sandbox, for tests. */
  readonly sandbox?: 'try' | 'off';
  /** Replaces the folders of the system's programs, for tests. */
  readonly path?: string;
  /** Another ffmpeg than the system's, with ffprobe beside it (`FFMPEG_PATH`). */
  readonly ffmpegPath?: string | undefined;
}

const isProgram = async (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

/** Finds a program. @throws ProgramNotFoundError */
async function findProgram(program: string, path: string): Promise<string> {
  const paths = isAbsolute(program) ? [program] : path.split(delimiter).map((folder) => join(folder, program));
  for (const candidate of paths) if (await isProgram(candidate)) return candidate;
  throw new ProgramNotFoundError(program);
}

/** Kills the whole process group, if it still exists. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (!hasErrorCode(error, 'ESRCH')) throw error; // ESRCH: the group has already ended
  }
}

/**
 * Lowers the priority of the child's session, since with autogroup `nice` only counts within a session.
 * Best effort: the file may be missing, and only root may write it more than ten times a second.
 */
function lowerPriority({ pid }: ChildProcess): void {
  if (pid !== undefined) writeFile(`/proc/${pid}/autogroup`, SESSION_NICENESS).catch(() => undefined);
}

/** bubblewrap does the same (`--die-with-parent`), and each extra program takes some milliseconds. */
const UNSANDBOXED_ARGS = ['setpriv', '--pdeathsig', 'KILL', '--no-new-privs', '--'];

/** Builds the arguments before the program: low priority, ends with the server, no new privileges, resource limits. */
const buildLimitArgs = ({ limits }: ProcessRequest, isSandboxed: boolean): readonly string[] => [
  'nice',
  '-n',
  NICENESS,
  ...(isSandboxed ? [] : UNSANDBOXED_ARGS),
  'prlimit',
  `--cpu=${limits.maxCpuSeconds}`,
  `--fsize=${limits.maxFileBytes}`,
  `--nofile=${MAX_OPEN_FILES}`,
  '--core=0',
  ...(limits.maxMemoryBytes === undefined ? [] : [`--as=${limits.maxMemoryBytes}`]),
  '--',
];

type StopReason = { readonly exceededLimit: ProcessResult['exceededLimit'] } | { readonly error: unknown };

/** Watches a child until its end, and kills it if it exceeds a limit. */
function watchProcess(
  child: ChildProcess,
  { limits, onLine, signal }: ProcessRequest,
  timers: Timers,
): Promise<ProcessResult> {
  let stopReason: StopReason | undefined;
  function kill(reason: StopReason): void {
    stopReason ??= reason;
    killGroup(child);
  }
  const cancelTimers = [timers.schedule(limits.timeoutMs, () => kill({ exceededLimit: 'time' }))];
  const { maxIdleMs } = limits;
  const startIdleTimer = () =>
    maxIdleMs === undefined ? () => undefined : timers.schedule(maxIdleMs, () => kill({ exceededLimit: 'silence' }));
  let cancelIdleTimer = startIdleTimer();
  let bytes = 0;
  const createDataHandler = (collector: OutputCollector) => (chunk: Buffer) => {
    cancelIdleTimer();
    cancelIdleTimer = startIdleTimer();
    bytes += chunk.length;
    if (bytes > (limits.maxOutputBytes ?? DEFAULT_MAX_OUTPUT_BYTES)) kill({ exceededLimit: 'output' });
    if (stopReason) return;
    try {
      collector.append(chunk);
    } catch (error) {
      kill({ error });
    }
  };
  const output = createOutputCollector({ onLine });
  const errors = createOutputCollector({ lastBytes: 64 * 1024 });
  child.stdout?.on('data', createDataHandler(output));
  child.stderr?.on('data', createDataHandler(errors));
  const abort = (): void => kill({ error: signal?.reason });
  signal?.addEventListener('abort', abort, { once: true });

  return new Promise<ProcessResult>((resolve, reject) => {
    child.once('error', reject);
    // Children of the program could hold the outputs open.
    child.once('exit', () => killGroup(child));
    child.once('close', (code, exitSignal) => {
      try {
        if (!stopReason) output.end();
      } catch (error) {
        stopReason = { error };
      }
      if (stopReason && 'error' in stopReason) reject(stopReason.error);
      else
        resolve({
          exceededLimit: stopReason?.exceededLimit,
          exitCode: code ?? undefined,
          signal: exitSignal ?? undefined,
          output: output.getText(),
          errorOutput: errors.getText(),
        });
    });
  }).finally(() => {
    for (const cancel of cancelTimers) cancel();
    cancelIdleTimer();
    signal?.removeEventListener('abort', abort);
  });
}

const FFMPEG_PROGRAMS = ['ffmpeg', 'ffprobe'];

/** Creates a runner that starts programs with limits, and in a sandbox if possible. */
export function createProcessRunner(options: ProcessRunnerOptions): ProcessRunner {
  const { log, timers = realTimers, sandbox = 'try', path = SYSTEM_PATH, ffmpegPath } = options;
  function resolveName(program: string): string {
    if (ffmpegPath === undefined || !FFMPEG_PROGRAMS.includes(program)) return program;
    return program === 'ffmpeg' ? ffmpegPath : join(dirname(ffmpegPath), program);
  }
  const running = new Map<ChildProcess, Promise<unknown>>();
  let isStopped = false;

  async function startProcess(request: ProcessRequest, isSandboxed: boolean): Promise<ProcessResult> {
    const { command, readablePaths } = await planLaunch(await findProgram(resolveName(request.program), path));
    const sandboxArgs = isSandboxed
      ? buildBubblewrapArgs({ ...request, reads: [...readablePaths, ...(request.reads ?? [])] })
      : [];
    if (isStopped) throw new Error('the server is stopping');
    request.signal?.throwIfAborted();
    const [executable = '', ...args] = [
      ...buildLimitArgs(request, sandboxArgs.length > 0),
      ...sandboxArgs,
      ...command,
      ...request.args,
    ];
    const child = spawn(executable, args, {
      shell: false,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      cwd: request.folder,
      env: createProcessEnvironment(request.folder, path),
    });
    lowerPriority(child);
    const result = watchProcess(child, request, timers);
    running.set(child, result);
    try {
      return await result;
    } finally {
      running.delete(child);
    }
  }

  /** Tests whether bubblewrap works, which depends on kernel and container. */
  async function trySandbox(): Promise<'bwrap' | 'no sandbox'> {
    const folder = await mkdtemp(join(tmpdir(), 'pegboard-'));
    try {
      await findProgram('bwrap', path);
      const { exitCode, errorOutput } = await startProcess(
        { program: 'true', args: [], folder, limits: SANDBOX_PROBE_LIMITS },
        true,
      );
      if (exitCode === 0) return 'bwrap';
      log.info({ reason: errorOutput.slice(0, 200) }, 'programs.sandbox.unusable');
    } catch (error) {
      if (!(error instanceof ProgramNotFoundError)) throw error;
      log.info('programs.sandbox.missing');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    return 'no sandbox';
  }

  async function checkLimitPrograms(): Promise<SetupProblem | undefined> {
    for (const program of LIMIT_PROGRAMS)
      if (!(await findProgram(program, path).catch(() => undefined))) {
        const message = `Downloads and conversions need ${program}, which is part of Linux`;
        return {
          forOwner: `${message}: apt-get install ${program === 'nice' ? 'coreutils' : 'util-linux'}`,
          forOthers: message,
        };
      }
    return undefined;
  }

  let setupProblem: Promise<SetupProblem | undefined> | undefined;
  let detectedSandbox: Promise<'bwrap' | 'no sandbox'> | undefined;
  async function findSetupProblem(): Promise<SetupProblem | undefined> {
    setupProblem ??= checkLimitPrograms();
    return setupProblem;
  }
  async function getSandbox(): Promise<'bwrap' | 'no sandbox'> {
    detectedSandbox ??=
      sandbox === 'off' || (await findSetupProblem()) ? Promise.resolve('no sandbox' as const) : trySandbox();
    return detectedSandbox;
  }

  return {
    findProgram: (program) =>
      findProgram(resolveName(program), path).catch((error: unknown) => {
        if (error instanceof ProgramNotFoundError) return undefined;
        throw error;
      }),
    findSetupProblem,
    getSandbox,
    run: async (request) => {
      const problem = await findSetupProblem();
      if (problem) throw new ProgramNotFoundError('setpriv and prlimit', { cause: problem.forOwner });
      return startProcess(request, (await getSandbox()) === 'bwrap');
    },
    stop: async () => {
      isStopped = true;
      for (const child of running.keys()) killGroup(child);
      await Promise.allSettled(running.values());
    },
  };
}
