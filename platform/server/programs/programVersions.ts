import { join } from 'node:path';

/** Returns the path of the yt-dlp that 'Update yt-dlp' installs: a link to the file of its version. */
export function getManagedYtdlpPath(dataDir: string): string {
  return join(dataDir, 'programs', 'yt-dlp');
}

/** A program with its version. */
export interface DetectedProgram {
  /** Name or path for `ProcessRunner.run`. */
  readonly program: string;
  /** Undefined if it is missing, or does not report its version. */
  readonly version: string | undefined;
  /** Absolute paths that it needs besides the system's own. */
  readonly readablePaths: readonly string[];
  /** Why it does not report its version: its error message. */
  readonly problem?: string;
}

/** The first version with all options that we use, and the first that some large sites still accept. */
const MIN_YTDLP_VERSION = '2023.03.04';
const RECOMMENDED_YTDLP_VERSION = '2025.11.12';
const MIN_FFMPEG_VERSION = 4;
/** Age in days after which a yt-dlp is old, because large sites change every few weeks. */
const MAX_FRESH_DAYS = 90;

/** What the programs are needed for. */
export type ProgramPurpose = 'download' | 'convert';

const PURPOSE_MESSAGES: Readonly<Record<ProgramPurpose, string>> = {
  download: 'Downloads need yt-dlp and ffmpeg',
  convert: 'Converting needs ffmpeg',
};

export const ASK_OWNER = 'Ask the owner of this server';

/** A missing or outdated program, described for two readers. */
export interface SetupProblem {
  /** Description with the remedy, which needs access to the computer. */
  readonly forOwner: string;
  /** Description without settings and shell commands. */
  readonly forOthers: string;
}

/** Describes all problems as one text; '' if there are none. */
export function describeSetupProblems(problems: readonly (SetupProblem | undefined)[], isOwner: boolean): string {
  const existing = problems.filter((problem) => problem !== undefined);
  if (isOwner || existing.length === 0) return existing.map(({ forOwner }) => forOwner).join('. ');
  return [...existing.map(({ forOthers }) => forOthers), ASK_OWNER].join('. ');
}

/** Parses `ffmpeg version 5.1.9-0+deb12u1 Copyright …`. Builds from git have versions such as `N-109000-g…`. */
export function parseFfmpegVersion(output: string): string | undefined {
  return /^ffmpeg version (\d+(?:\.\d+)*|\S+)/.exec(output)?.[1];
}

/** Parses `2025.11.12`, or four numbers for nightly builds. */
export function parseYtdlpVersion(output: string): string | undefined {
  return /^\d{4}\.\d{2}\.\d{2}(\.\d+)?/.exec(output)?.[0];
}

/** Returns why this yt-dlp cannot download; undefined if it can. */
export function findYtdlpProblem({ program, version, problem }: DetectedProgram): SetupProblem | undefined {
  if (version === undefined && program.startsWith('/'))
    return {
      forOwner: `${PURPOSE_MESSAGES.download}, but YTDLP_PATH is ${program}, which fails to start${problem === undefined ? '' : ` (${problem})`}. Use the zipapp or binary of a release, or an installation by pip, pipx or uv. A script of your own must call yt-dlp by its absolute path`,
      forOthers: `${PURPOSE_MESSAGES.download}, but yt-dlp fails to start on this server`,
    };
  if (version === undefined) {
    const message = `${PURPOSE_MESSAGES.download}, but yt-dlp is not installed on this server`;
    return {
      forOwner: `${message}. Press 'Update yt-dlp' on the music page, or run: apt-get install yt-dlp`,
      forOthers: message,
    };
  }
  if (version < MIN_YTDLP_VERSION) {
    const message = `${PURPOSE_MESSAGES.download}, but yt-dlp ${version} is too old: ${MIN_YTDLP_VERSION} or newer is required`;
    return {
      forOwner: `${message}. Press 'Update yt-dlp' on the music page, or set YTDLP_PATH to a newer one`,
      forOthers: message,
    };
  }
  return undefined;
}

export interface FfmpegLocation {
  /** `FFMPEG_PATH`. */
  readonly path?: string | undefined;
  readonly hasProbe: boolean;
}

/** Returns why this ffmpeg cannot convert. `output` is what `ffmpeg -version` prints. */
export function findFfmpegProblem(
  { version }: DetectedProgram,
  output: string,
  purpose: ProgramPurpose,
  { path, hasProbe }: FfmpegLocation = { hasProbe: true },
): SetupProblem | undefined {
  const need = PURPOSE_MESSAGES[purpose];
  const remedy = path === undefined ? 'Run: apt-get install ffmpeg' : 'Set it to another ffmpeg';
  const createProblem = (reason: string, reasonForOthers = reason): SetupProblem => ({
    forOwner: `${need}, but ${reason}. ${remedy}`,
    forOthers: `${need}, but ${reasonForOthers}`,
  });
  if (version === undefined)
    return path === undefined
      ? createProblem('ffmpeg is not installed on this server')
      : createProblem(`FFMPEG_PATH is ${path}, which fails to start`, 'ffmpeg fails to start on this server');
  if (!hasProbe)
    return createProblem(`ffprobe is missing next to ${path ?? 'ffmpeg'}`, 'ffprobe is missing next to ffmpeg');
  const major = /^\d+/.exec(version)?.[0];
  if (major !== undefined && Number(major) < MIN_FFMPEG_VERSION)
    return createProblem(`ffmpeg ${version} is too old: ${MIN_FFMPEG_VERSION}.0 or newer is required`);
  const missingEncoders = ['libmp3lame', 'libvpx', 'libopus'].filter(
    (encoder) => !output.includes(`--enable-${encoder}`),
  );
  return missingEncoders.length > 0
    ? createProblem(`this ffmpeg was built without ${missingEncoders.join(', ')}`)
    : undefined;
}

const countYears = (released: Temporal.PlainDate, today: Temporal.PlainDate): number =>
  released.until(today, { largestUnit: 'years' }).years;

/** Describes what an old yt-dlp cannot do, and its age; '' for a new one. */
export function getYtdlpAdvice({ version }: DetectedProgram, today: Temporal.PlainDate): string {
  if (version === undefined) return 'Without yt-dlp you can only upload songs';
  const [year = 0, month = 1, day = 1] = version.split('.').map(Number);
  const released = Temporal.PlainDate.from({ year, month, day });
  if (version >= RECOMMENDED_YTDLP_VERSION) {
    const { days } = released.until(today, { largestUnit: 'days' });
    return days <= MAX_FRESH_DAYS
      ? ''
      : `yt-dlp ${version} is ${days} days old. Sites change often, so downloads may fail`;
  }
  const years = countYears(released, today);
  const age = years === 0 ? '' : `, ${years} ${years === 1 ? 'year' : 'years'} old`;
  return `yt-dlp ${version}${age}: YouTube and some other sites need ${RECOMMENDED_YTDLP_VERSION} or newer`;
}

/** Returns whether some sites need a newer version. */
export function isOutdatedYtdlp(version: string): boolean {
  return version < RECOMMENDED_YTDLP_VERSION;
}

/** Picks the newer of two working programs; the first if only it works, or neither. */
export function pickNewerProgram(first: DetectedProgram, second: DetectedProgram | undefined): DetectedProgram {
  return second?.version !== undefined && (first.version === undefined || second.version > first.version)
    ? second
    : first;
}

/** JavaScript runtimes that yt-dlp supports, as its options name them. */
export const JAVASCRIPT_RUNTIMES = ['deno', 'node', 'bun', 'quickjs'] as const;

/** Parses runtimes in the output of `yt-dlp --verbose`: `[debug] JS runtimes: deno-2.5.6, node-26.10.0`. */
export function parseRuntimes(output: string): readonly string[] {
  const list = /^\[debug\] JS runtimes: (.*)$/m.exec(output)?.[1] ?? '';
  return [...list.matchAll(/([a-z][a-z-]*)-(\d[\w.]*)( \(unsupported\))?/gi)].flatMap(
    ([, name, version, isUnsupported]) => (isUnsupported === undefined ? [`${name} ${version}`] : []),
  );
}

/** Parses the version of yt-dlp-ejs in the output of `yt-dlp --verbose`. */
export function parseEjsVersion(output: string): string | undefined {
  return /^\[debug\] (?:Optional libraries|.*libraries): .*\byt[_-]dlp[_-]ejs-(\d[\w.]*)/im.exec(output)?.[1];
}
