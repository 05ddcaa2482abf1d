import { mkdtemp, rm, stat } from 'node:fs/promises';
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

/** Which programs for sound and video this computer has: looked at when somebody asks, and anew only where their files have changed. */
export interface MediaPrograms {
  /** The program that downloads, as `Children.run` takes it: the newest one of those that are here. */
  readonly findYtdlp: () => Promise<DetectedProgram>;
  readonly findFfmpeg: () => Promise<DetectedProgram>;
  /** What hinders; empty where nothing does. `convert` needs ffmpeg alone. The remedy is for the owner: any other `account` is told whom to ask. */
  readonly getSetupProblem: (to: ProgramPurpose, account?: number) => Promise<string>;
  /** What yt-dlp is too old for; empty where there is nothing to say. Any `account` but the owner's is told whom to ask. */
  readonly getUpdateAdvice: (account?: number) => Promise<string>;
  /** What yt-dlp solves the riddles of sites with, such as `node 26.10.0, yt-dlp-ejs 0.3.2`; a sentence where something is missing. */
  readonly describeScripting: () => Promise<string>;
  /** Such as `yt-dlp 2025.11.12, ffmpeg 5.1.9, bwrap`. */
  readonly describeVersions: () => Promise<string>;
  /** Looks now, whatever was found before. */
  readonly refresh: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

const MIB = 1024 * 1024;
const LIMITS = { timeoutMs: 30_000, maxCpuSeconds: 20, maxFileBytes: 16 * MIB, outputBytes: MIB } as const;

export interface MediaProgramsOptions {
  readonly children: ProcessRunner;
  /** Of a newer one than the system's (`YTDLP_PATH`). */
  readonly ytdlpPath?: string | undefined;
  /** Where 'Update yt-dlp' puts its own. */
  readonly managedPath?: string | undefined;
  readonly ffmpegPath?: string | undefined;
  /** Without it, everybody who asks is the owner. */
  readonly isOwner?: (account: number) => Promise<boolean>;
  readonly log: FastifyBaseLogger;
  readonly now: () => Temporal.Instant;
}

/** What a look has found, and of which file. */
interface CachedLookup<T> {
  readonly stamp: string;
  readonly found: Promise<T>;
}

const absent = (program: string): DetectedProgram => ({ program, version: undefined, readablePaths: [] });

/** Which file stands there now, told by what changes with it. */
const stampOf = async (path: string | undefined): Promise<string> => {
  const found = path === undefined ? undefined : await stat(path).catch(() => undefined);
  return found ? [path, found.ino, found.size, found.mtimeMs, found.ctimeMs].join(' ') : 'missing';
};

export function createMediaPrograms(options: MediaProgramsOptions): MediaPrograms {
  const { children, ytdlpPath, managedPath, ffmpegPath, isOwner, log, now } = options;

  /** Asks a program, from an empty folder, what it prints; undefined of one that is not there. */
  const ask = async (
    program: string,
    args: readonly string[],
    reads: readonly string[] = [],
  ): Promise<ProcessResult | undefined> => {
    const folder = await mkdtemp(join(tmpdir(), 'pegboard-'));
    try {
      return await children.run({ program, args, folder, limits: LIMITS, reads });
    } catch (error) {
      if (error instanceof ProgramNotFoundError) return undefined;
      throw error;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };

  const looking = new Set<Promise<unknown>>();
  /** Remembers what was found as long as the program's file is the same. */
  const remembered = <T>(program: string, what: string, fallback: T, work: () => Promise<T>) => {
    let last: CachedLookup<T> | undefined;
    const look = (of: string): Promise<T> => {
      const found = work().catch((error: unknown) => {
        log.warn({ err: error }, `${what} not looked at`);
        last = undefined;
        return fallback;
      });
      last = { stamp: of, found };
      looking.add(found);
      void found.finally(() => looking.delete(found));
      return found;
    };
    return {
      get: async (): Promise<T> => {
        const of = await stampOf(await children.findProgram(program));
        return last?.stamp === of ? last.found : look(of);
      },
      forget: (): void => {
        last = undefined;
      },
    };
  };

  const ytdlpAt = (program: string) =>
    remembered(program, 'yt-dlp', absent(program), async () => {
      // The file alone, and what one brings along that is made of several: `launchOf` finds the rest.
      const reads = program.startsWith('/') ? [program, join(dirname(program), '_internal')] : [];
      const end = await ask(program, ['--version'], reads);
      const version = end?.exitCode === 0 ? parseYtdlpVersion(end.output) : undefined;
      const problem = version === undefined ? lastLineOf(end) : undefined;
      log.info({ version, program }, 'yt-dlp looked at');
      return { program, version, readablePaths: reads, ...(problem === undefined ? {} : { problem }) };
    });
  const named = ytdlpAt(ytdlpPath ?? 'yt-dlp');
  const managed = managedPath === undefined ? undefined : ytdlpAt(managedPath);
  const ytdlp = async (): Promise<DetectedProgram> => pickNewerProgram(await named.get(), await managed?.get());

  const ffmpegLook = remembered('ffmpeg', 'ffmpeg', { found: absent('ffmpeg'), output: '' }, async () => {
    const end = await ask('ffmpeg', ['-version']);
    const output = end?.exitCode === 0 ? end.output : '';
    const version = parseFfmpegVersion(output);
    log.info({ version }, 'ffmpeg looked at');
    return { found: { ...absent('ffmpeg'), version }, output };
  });
  const lackOfFfmpeg = async (to: ProgramPurpose): Promise<SetupProblem | undefined> => {
    const { found, output } = await ffmpegLook.get();
    const hasProbe = (await children.findProgram('ffprobe')) !== undefined;
    return findFfmpegProblem(found, output, to, { path: ffmpegPath, hasProbe });
  };

  /** What the newest one says of itself at length. */
  const scriptingOf = new Map<string, Promise<string>>();
  const scripting = async (): Promise<string> => {
    const { program, version, readablePaths } = await ytdlp();
    if (version === undefined || isOutdatedYtdlp(version)) return '';
    const stamp = await stampOf(await children.findProgram(program));
    const known = scriptingOf.get(stamp);
    if (known) return known;
    scriptingOf.clear();
    const asked = (async () => {
      const runtimes = [...JAVASCRIPT_RUNTIMES].map(
        (name) => `--js-runtimes=${name === 'node' ? `node:${process.execPath}` : name}`,
      );
      const end = await ask(
        program,
        ['--ignore-config', '--verbose', ...runtimes],
        [...readablePaths, dirname(process.execPath)],
      );
      const said = `${end?.output ?? ''}\n${end?.errorOutput ?? ''}`;
      const [found, library] = [parseRuntimes(said), parseEjsVersion(said)];
      return [
        found.length > 0 ? found.join(', ') : 'no JavaScript runtime',
        library === undefined
          ? 'without yt-dlp-ejs, which YouTube needs: pip install "yt-dlp[default]"'
          : `yt-dlp-ejs ${library}`,
      ].join(', ');
    })().catch((error: unknown) => {
      log.warn({ err: error }, 'yt-dlp not asked for its JavaScript runtime');
      scriptingOf.delete(stamp);
      return '';
    });
    scriptingOf.set(stamp, asked);
    return asked;
  };
  const mayMend = async (account: number | undefined): Promise<boolean> =>
    isOwner === undefined || account === undefined || isOwner(account);
  const lacksOf = async (to: ProgramPurpose): Promise<readonly (SetupProblem | undefined)[]> => {
    const general = await children.findSetupProblem();
    if (general) return [general];
    // yt-dlp takes a second to say what it is: whoever only converts does not wait for it.
    return Promise.all([to === 'download' ? ytdlp().then(findYtdlpProblem) : undefined, lackOfFfmpeg(to)]);
  };
  const today = () => now().toZonedDateTimeISO('UTC').toPlainDate();

  return {
    findYtdlp: ytdlp,
    findFfmpeg: async () => (await ffmpegLook.get()).found,
    getSetupProblem: async (to, account) => {
      const lacks = await lacksOf(to);
      if (lacks.every((lack) => lack === undefined)) return '';
      return describeSetupProblems(lacks, await mayMend(account));
    },
    getUpdateAdvice: async (account) => {
      const advice = getYtdlpAdvice(await ytdlp(), today());
      return advice === '' || (await mayMend(account)) ? advice : `${advice}. ${ASK_OWNER} to update it`;
    },
    describeScripting: scripting,
    describeVersions: async () => {
      const [downloader, { found }] = await Promise.all([ytdlp(), ffmpegLook.get()]);
      return [
        `yt-dlp ${downloader.version ?? 'missing'}`,
        `ffmpeg ${found.version ?? 'missing'}`,
        await children.getSandbox(),
      ].join(', ');
    },
    refresh: async () => {
      for (const each of [named, managed, ffmpegLook]) each?.forget();
      scriptingOf.clear();
      await Promise.all([ytdlp(), ffmpegLook.get()]);
    },
    stop: async () => {
      await Promise.all(looking);
    },
  };
}

/** Why a program did not run, in its own last words; 'There is no such file' where it is not there. */
const lastLineOf = (end: ProcessResult | undefined): string => {
  if (end === undefined) return 'there is no such program, or it may not be run';
  const line = end.errorOutput.trim().split('\n').at(-1)?.trim() ?? '';
  return line === ''
    ? `it ended with ${end.exitCode ?? end.signal ?? end.exceededLimit ?? 'nothing'}`
    : line.slice(0, 200);
};
