import type { SetupProblem } from './programVersions.ts';

/** Limits of a program. If one is exceeded, its whole process group is killed. */
export interface ProcessLimits {
  /** Maximum wall-clock time of the whole run. */
  readonly timeoutMs: number;
  /** Maximum processor time. */
  readonly maxCpuSeconds: number;
  /** Maximum size of each file that it writes. */
  readonly maxFileBytes: number;
  /** Maximum time without output. Default: no limit. */
  readonly maxIdleMs?: number;
  /** Maximum size of both outputs together. Default: 16 MiB. */
  readonly maxOutputBytes?: number;
  /** Maximum address space. Default: no limit, because just-in-time compilers reserve much that they never use. */
  readonly maxMemoryBytes?: number;
}

/** One run of a program of the system. No shell is involved: `args` are passed unchanged. */
export interface ProcessRequest {
  /** Name on the system's path, or an absolute path. */
  readonly program: string;
  /** Arguments. Untrusted text must follow `--`, and files must have relative names that we chose. */
  readonly args: readonly string[];
  /** Absolute path of the folder where it runs, which is also its home, and the only one that it may write to. */
  readonly folder: string;
  readonly limits: ProcessLimits;
  /** Whether it may use the network in the sandbox. Without a sandbox, every program can. */
  readonly network?: boolean;
  /** Absolute paths that it reads besides the system's own files. */
  readonly reads?: readonly string[];
  /** Called for each complete line of standard output, cut to 1 MiB. */
  readonly onLine?: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/** How a program ended. Exit code 0 proves nothing, so check what it has produced. */
export interface ProcessResult {
  /** The limit that it exceeded; undefined if it ended without one. */
  readonly exceededLimit: 'time' | 'silence' | 'output' | undefined;
  readonly exitCode: number | undefined;
  /** The signal that killed it, such as SIGXCPU (processor time) or SIGXFSZ (file size). */
  readonly signal: NodeJS.Signals | undefined;
  /** Its whole standard output. */
  readonly output: string;
  /** The last 64 KiB of its standard error. */
  readonly errorOutput: string;
}

/**
 * Runs programs of the system (yt-dlp, ffmpeg, ffprobe) with limits, without the server's environment, and never longer
 * than the server.
 */
export interface ProcessRunner {
  /**
   * Runs a program to its end. @throws ProgramNotFoundError if it does not exist.
   * @throws the reason of `signal`, after the whole process group has ended.
   */
  readonly run: (request: ProcessRequest) => Promise<ProcessResult>;
  /** Returns the absolute path that `run` uses for a program; undefined if it does not exist. */
  readonly findProgram: (program: string) => Promise<string | undefined>;
  /** Returns why this computer cannot run programs with limits. */
  readonly findSetupProblem: () => Promise<SetupProblem | undefined>;
  /** Returns the sandbox in use. It is tested once, before the first program runs. */
  readonly getSandbox: () => Promise<'bwrap' | 'no sandbox'>;
  /** Kills all programs, and refuses new ones. */
  readonly stop: () => Promise<void>;
}

/** No program has this name. */
export class ProgramNotFoundError extends Error {
  override readonly name = 'ProgramNotFoundError';
  constructor(program: string, options?: ErrorOptions) {
    super(`there is no program ${program}`, options);
  }
}
