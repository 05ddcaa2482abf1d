import type { SetupProblem } from './programVersions.ts';

/** What a program may use up. Whatever it is that is used up, its whole process group is killed. */
export interface ProcessLimits {
  /** From its start to its end. */
  readonly timeoutMs: number;
  readonly maxCpuSeconds: number;
  /** Of each file that it writes. */
  readonly maxFileBytes: number;
  /** Without a line or a byte on its outputs; no limit where left out. */
  readonly silentMs?: number;
  /** Of both outputs together; 16 MiB where left out. */
  readonly outputBytes?: number;
  /** Of its address space; no limit where left out (programs with a just-in-time compiler reserve much that they never use). */
  readonly memoryBytes?: number;
}

/** A program of the system, to be run once. No shell is anywhere near: what stands in `args` comes to it as it stands here. */
export interface ProcessRequest {
  /** Its name on the system's path, or an absolute path. */
  readonly program: string;
  /** Foreign text only behind `--`. Files by relative names, which are ours. */
  readonly args: readonly string[];
  /** Absolute. Where it works, its home, and all that it may write to. */
  readonly folder: string;
  readonly limits: ProcessLimits;
  /** Whether it may use the network where there is a sandbox; without a sandbox everything may. */
  readonly network?: boolean;
  /** Absolute paths beside the system's own that it reads. */
  readonly reads?: readonly string[];
  /** Each whole line of its standard output, when it comes; at most 1 MiB of it. */
  readonly onLine?: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/** How a program ended. 0 as its code proves nothing: what it has made is checked. */
export interface ProcessResult {
  /** Which limit of ours ended it; undefined where it ended by itself. */
  readonly exceededLimit: 'time' | 'silence' | 'output' | undefined;
  readonly exitCode: number | undefined;
  /** That it died of, such as SIGXCPU (its processor time) and SIGXFSZ (the size of a file). */
  readonly signal: NodeJS.Signals | undefined;
  /** All of its standard output. */
  readonly output: string;
  /** The last 64 KiB of what it said of errors. */
  readonly errorOutput: string;
}

/** The one way to run a program of the system (yt-dlp, ffmpeg, ffprobe): with limits, without anything of the server's own environment, and never longer than the server. */
export interface ProcessRunner {
  /**
   * Runs it to its end. @throws the reason of `signal`, as soon as that is aborted and the whole process group is gone.
   * @throws ProgramMissing where there is no such program.
   */
  readonly run: (wish: ProcessRequest) => Promise<ProcessResult>;
  /** The absolute path that `run` starts for a program; undefined where there is none. */
  readonly findProgram: (program: string) => Promise<string | undefined>;
  /** What keeps this computer from running anything in limits. */
  readonly findSetupProblem: () => Promise<SetupProblem | undefined>;
  /** Whether programs run in a sandbox, and in which. Tried once, before the first program runs. */
  readonly getSandbox: () => Promise<'bwrap' | 'no sandbox'>;
  /** Kills all, and takes no more. */
  readonly stop: () => Promise<void>;
}

/** There is no program of that name. */
export class ProgramNotFoundError extends Error {
  override readonly name = 'ProgramMissing';
  constructor(program: string, options?: ErrorOptions) {
    super(`there is no program ${program}`, options);
  }
}
