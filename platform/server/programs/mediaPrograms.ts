import { mkdtemp, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { type ProcessResult, type ProcessRunner, ProgramNotFoundError } from './childProcesses.ts';
import {
  ASK_OWNER,
  describeSetupProblems,
  findFfmpegProblem,
  type DetectedProgram,
  isOutdatedYtdlp,
  type SetupProblem,
  parseEjsVersion,
  pickNewerProgram,
  type ProgramPurpose,
  JAVASCRIPT_RUNTIMES,
  parseRuntimes,
  parseFfmpegVersion,
  parseYtdlpVersion,
  getYtdlpAdvice,
  findYtdlpProblem,
} from './programVersions.ts';

/** Detects media programs. Lookups are cached until the program's file changes. */
export interface MediaPrograms {
  /** Returns the newest available yt-dlp. */
  readonly findYtdlp: () => Promise<DetectedProgram>;
  readonly findFfmpeg: () => Promise<DetectedProgram>;
  /**
   * Describes why downloads or conversions do not work; '' if they do. `convert` only needs ffmpeg.
   * The text has the remedy for the owner, and refers any other `account` to the owner.
   */
  readonly getSetupProblem: (purpose: ProgramPurpose, account?: number) => Promise<string>;
  /** Describes what an outdated yt-dlp cannot do; '' if it is new enough. The remedy is only for the owner. */
  readonly getUpdateAdvice: (account?: number) => Promise<string>;
  /** Describes the JavaScript support of yt-dlp, such as `node 26.10.0, yt-dlp-ejs 0.3.2`, or what is missing. */
  readonly describeScripting: () => Promise<string>;
  /** Returns text such as `yt-dlp 2025.11.12, ffmpeg 5.1.9, bwrap`. */
  readonly describeVersions: () => Promise<string>;
  /** Ignores the cache and detects programs again. */
  readonly refresh: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

const MIB = 1024 * 1024;
const LIMITS = { timeoutMs: 30_000, maxCpuSeconds: 20, maxFileBytes: 16 * MIB, maxOutputBytes: MIB } as const;

export interface MediaProgramsOptions {
  readonly processRunner: ProcessRunner;
  /** Path of a newer yt-dlp than the system's (`YTDLP_PATH`). */
  readonly ytdlpPath?: string | undefined;
  /** Path of the yt-dlp that 'Update yt-dlp' installs. */
  readonly managedPath?: string | undefined;
  readonly ffmpegPath?: string | undefined;
  /** Returns whether an account is the owner. By default, every account is. */
  readonly isOwner?: (account: number) => Promise<boolean>;
  readonly log: FastifyBaseLogger;
  readonly now: () => Temporal.Instant;
}

/** Result of a lookup, and the stamp of the program's file. */
interface CachedLookup<T> {
  readonly stamp: string;
  readonly result: Promise<T>;
}

const toMissing = (program: string): DetectedProgram => ({ program, version: undefined, readablePaths: [] });

/** Returns a stamp that changes whenever the file is replaced. */
async function getFileStamp(path: string | undefined): Promise<string> {
  const stats = path === undefined ? undefined : await stat(path).catch(() => undefined);
  return stats ? [path, stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(' ') : 'missing';
}

const resolveLink = (path: string): Promise<string> => realpath(path).catch(() => path);

/** Creates the detection of media programs. */
export function createMediaPrograms(options: MediaProgramsOptions): MediaPrograms {
  const { processRunner, ytdlpPath, managedPath, ffmpegPath, isOwner, log, now } = options;

  /** Runs a program in an empty folder, and returns its output; undefined if it does not exist. */
  async function runInEmptyFolder(
    program: string,
    args: readonly string[],
    reads: readonly string[] = [],
  ): Promise<ProcessResult | undefined> {
    const folder = await mkdtemp(join(tmpdir(), 'pegboard-'));
    try {
      return await processRunner.run({ program, args, folder, limits: LIMITS, reads });
    } catch (error) {
      if (error instanceof ProgramNotFoundError) return undefined;
      throw error;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  const pendingLookups = new Set<Promise<unknown>>();
  /** Creates a lookup whose result is cached until the program's file changes. */
  function createCachedLookup<T>(program: string, fallback: T, detect: () => Promise<T>) {
    let cached: CachedLookup<T> | undefined;
    function lookUp(stamp: string): Promise<T> {
      const result = detect().catch((error: unknown) => {
        log.warn({ err: error, program }, 'programs.lookup.failed');
        cached = undefined;
        return fallback;
      });
      cached = { stamp, result };
      pendingLookups.add(result);
      void result.finally(() => pendingLookups.delete(result));
      return result;
    }
    return {
      get: async (): Promise<T> => {
        const stamp = await getFileStamp(await processRunner.findProgram(program));
        return cached?.stamp === stamp ? cached.result : lookUp(stamp);
      },
      invalidate: (): void => {
        cached = undefined;
      },
    };
  }

  const createYtdlpLookup = (name: string, resolve: (name: string) => Promise<string>) =>
    createCachedLookup(name, toMissing(name), async () => {
      const program = await resolve(name);
      // Builds with several files need the folder next to the program. `planLaunch` finds all other paths.
      const reads = program.startsWith('/') ? [program, join(dirname(program), '_internal')] : [];
      const result = await runInEmptyFolder(program, ['--version'], reads);
      const version = result?.exitCode === 0 ? parseYtdlpVersion(result.output) : undefined;
      const problem = version === undefined ? getFailureReason(result) : undefined;
      log.info({ version, program }, 'programs.ytdlp.detected');
      return { program, version, readablePaths: reads, ...(problem === undefined ? {} : { problem }) };
    });
  const configuredYtdlp = createYtdlpLookup(ytdlpPath ?? 'yt-dlp', (name) => Promise.resolve(name));
  // An update replaces the link. A running download continues with the file that it started with.
  const managedYtdlp = managedPath === undefined ? undefined : createYtdlpLookup(managedPath, resolveLink);
  const findYtdlp = async (): Promise<DetectedProgram> =>
    pickNewerProgram(await configuredYtdlp.get(), await managedYtdlp?.get());

  const ffmpegLookup = createCachedLookup('ffmpeg', { program: toMissing('ffmpeg'), output: '' }, async () => {
    const result = await runInEmptyFolder('ffmpeg', ['-version']);
    const output = result?.exitCode === 0 ? result.output : '';
    const version = parseFfmpegVersion(output);
    log.info({ version }, 'programs.ffmpeg.detected');
    return { program: { ...toMissing('ffmpeg'), version }, output };
  });
  async function findFfmpegSetupProblem(purpose: ProgramPurpose): Promise<SetupProblem | undefined> {
    const { program, output } = await ffmpegLookup.get();
    const hasProbe = (await processRunner.findProgram('ffprobe')) !== undefined;
    return findFfmpegProblem(program, output, purpose, { path: ffmpegPath, hasProbe });
  }

  /** Descriptions of the newest yt-dlp, by the stamp of its file. */
  const scriptingByStamp = new Map<string, Promise<string>>();
  async function describeScripting(): Promise<string> {
    const { program, version, readablePaths } = await findYtdlp();
    if (version === undefined || isOutdatedYtdlp(version)) return '';
    const stamp = await getFileStamp(await processRunner.findProgram(program));
    const cached = scriptingByStamp.get(stamp);
    if (cached) return cached;
    scriptingByStamp.clear();
    const description = (async () => {
      const runtimeArgs = [...JAVASCRIPT_RUNTIMES].map(
        (name) => `--js-runtimes=${name === 'node' ? `node:${process.execPath}` : name}`,
      );
      const result = await runInEmptyFolder(
        program,
        ['--ignore-config', '--verbose', ...runtimeArgs],
        [...readablePaths, dirname(process.execPath)],
      );
      const output = `${result?.output ?? ''}\n${result?.errorOutput ?? ''}`;
      const [runtimes, ejsVersion] = [parseRuntimes(output), parseEjsVersion(output)];
      return [
        runtimes.length > 0 ? runtimes.join(', ') : 'no JavaScript runtime',
        ejsVersion === undefined
          ? 'no yt-dlp-ejs, which YouTube needs: pip install "yt-dlp[default]"'
          : `yt-dlp-ejs ${ejsVersion}`,
      ].join(', ');
    })().catch((error: unknown) => {
      log.warn({ err: error }, 'programs.ytdlp.runtime_unknown');
      scriptingByStamp.delete(stamp);
      return '';
    });
    scriptingByStamp.set(stamp, description);
    return description;
  }
  const canRepair = async (account: number | undefined): Promise<boolean> =>
    isOwner === undefined || account === undefined || isOwner(account);
  async function listSetupProblems(purpose: ProgramPurpose): Promise<readonly (SetupProblem | undefined)[]> {
    const limitProblem = await processRunner.findSetupProblem();
    if (limitProblem) return [limitProblem];
    // yt-dlp takes a second to report its version, so conversions do not wait for it.
    return Promise.all([
      purpose === 'download' ? findYtdlp().then(findYtdlpProblem) : undefined,
      findFfmpegSetupProblem(purpose),
    ]);
  }
  const getToday = () => now().toZonedDateTimeISO('UTC').toPlainDate();

  return {
    findYtdlp,
    findFfmpeg: async () => (await ffmpegLookup.get()).program,
    getSetupProblem: async (purpose, account) => {
      const problems = await listSetupProblems(purpose);
      if (problems.every((problem) => problem === undefined)) return '';
      return describeSetupProblems(problems, await canRepair(account));
    },
    getUpdateAdvice: async (account) => {
      const advice = getYtdlpAdvice(await findYtdlp(), getToday());
      return advice === '' || (await canRepair(account)) ? advice : `${advice}. ${ASK_OWNER} to update it`;
    },
    describeScripting,
    describeVersions: async () => {
      const [ytdlp, { program: ffmpeg }] = await Promise.all([findYtdlp(), ffmpegLookup.get()]);
      return [
        `yt-dlp ${ytdlp.version ?? 'missing'}`,
        `ffmpeg ${ffmpeg.version ?? 'missing'}`,
        await processRunner.getSandbox(),
      ].join(', ');
    },
    refresh: async () => {
      for (const lookup of [configuredYtdlp, managedYtdlp, ffmpegLookup]) lookup?.invalidate();
      scriptingByStamp.clear();
      await Promise.all([findYtdlp(), ffmpegLookup.get()]);
    },
    stop: async () => {
      await Promise.all(pendingLookups);
    },
  };
}

/** Returns why a program failed, from the last line of its errors, or that it does not exist. */
function getFailureReason(result: ProcessResult | undefined): string {
  if (result === undefined) return 'it does not exist or is not executable';
  const line = result.errorOutput.trim().split('\n').at(-1)?.trim() ?? '';
  return line === ''
    ? `it exited with ${result.exitCode ?? result.signal ?? result.exceededLimit ?? 'nothing'}`
    : line.slice(0, 200);
}
