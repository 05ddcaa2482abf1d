import { join } from 'node:path';

/** Where 'Update yt-dlp' puts what it fetched. */
export function getManagedYtdlpPath(dataDir: string): string {
  return join(dataDir, 'programs', 'yt-dlp');
}

/** A program and which it is. */
export interface DetectedProgram {
  /** As `Children.run` takes it. */
  readonly program: string;
  /** Undefined where it is missing, or does not say. */
  readonly version: string | undefined;
  /** Absolute paths that it needs beside the system's own. */
  readonly readablePaths: readonly string[];
  /** Why it does not say, in its own last words. */
  readonly problem?: string;
}

/** The first that knows everything that we ask of it, and the first that some large sites still talk to. */
const MIN_YTDLP_VERSION = '2023.03.04';
const RECOMMENDED_YTDLP_VERSION = '2025.11.12';
const MIN_FFMPEG_VERSION = 4;
/** Large sites change every few weeks. */
const MAX_FRESH_DAYS = 90;

/** What is hindered. */
export type ProgramPurpose = 'download' | 'convert';

const NEEDS: Readonly<Record<ProgramPurpose, string>> = {
  download: 'Downloads need yt-dlp and ffmpeg',
  convert: 'Converting needs ffmpeg',
};

export const ASK_OWNER = 'Ask the person who runs this server';

/** Why something can't be done here, for the two who read it. */
export interface SetupProblem {
  /** With the remedy, which takes access to the computer. */
  readonly forOwner: string;
  /** What is missing, without names of settings and lines for a terminal. */
  readonly forOthers: string;
}

/** Lacks as one text; empty where there are none. */
export function describeSetupProblems(lacks: readonly (SetupProblem | undefined)[], isOwner: boolean): string {
  const found = lacks.filter((lack) => lack !== undefined);
  if (isOwner || found.length === 0) return found.map(({ forOwner }) => forOwner).join('. ');
  return [...found.map(({ forOthers }) => forOthers), ASK_OWNER].join('. ');
}

/** `ffmpeg version 5.1.9-0+deb12u1 Copyright …`; one built from its repository says `N-109000-g…`. */
export function parseFfmpegVersion(output: string): string | undefined {
  return /^ffmpeg version (\d+(?:\.\d+)*|\S+)/.exec(output)?.[1];
}

/** `2025.11.12`, nightly ones with a fourth number. */
export function parseYtdlpVersion(output: string): string | undefined {
  return /^\d{4}\.\d{2}\.\d{2}(\.\d+)?/.exec(output)?.[0];
}

/** Why there is no downloading with it. */
export function findYtdlpProblem({ program, version, problem }: DetectedProgram): SetupProblem | undefined {
  if (version === undefined && program.startsWith('/'))
    return {
      forOwner: `${NEEDS.download}: YTDLP_PATH names ${program}, which does not run${problem === undefined ? '' : ` (${problem})`}. The release's zipapp or binary works, and what pip, pipx or uv installed; an own script has to name it by its absolute path`,
      forOthers: `${NEEDS.download}: yt-dlp does not run here`,
    };
  if (version === undefined) {
    const missing = `${NEEDS.download}: yt-dlp is missing here`;
    return {
      forOwner: `${missing}. Press 'Update yt-dlp' on the music page, or install it with: apt-get install yt-dlp`,
      forOthers: missing,
    };
  }
  if (version < MIN_YTDLP_VERSION) {
    const old = `${NEEDS.download}: yt-dlp ${version} is too old, ${MIN_YTDLP_VERSION} is the least`;
    return {
      forOwner: `${old}. Press 'Update yt-dlp' on the music page, or name a newer one with YTDLP_PATH`,
      forOthers: old,
    };
  }
  return undefined;
}

export interface FfmpegLocation {
  /** `FFMPEG_PATH`. */
  readonly path?: string | undefined;
  readonly hasProbe: boolean;
}

/** Why there is no converting with it. `output`: what it says of its version. */
export function findFfmpegProblem(
  { version }: DetectedProgram,
  output: string,
  to: ProgramPurpose,
  { path, hasProbe }: FfmpegLocation = { hasProbe: true },
): SetupProblem | undefined {
  const needs = NEEDS[to];
  const remedy = path === undefined ? 'Install it with: apt-get install ffmpeg' : 'It has to name another one';
  const lack = (what: string, others = what): SetupProblem => ({
    forOwner: `${needs}: ${what}. ${remedy}`,
    forOthers: `${needs}: ${others}`,
  });
  if (version === undefined)
    return path === undefined
      ? lack('ffmpeg is missing here')
      : lack(`FFMPEG_PATH names ${path}, which does not run`, 'ffmpeg does not run here');
  if (!hasProbe) return lack(`there is no ffprobe beside ${path ?? 'ffmpeg'}`, 'there is no ffprobe beside ffmpeg');
  const major = /^\d+/.exec(version)?.[0];
  if (major !== undefined && Number(major) < MIN_FFMPEG_VERSION)
    return lack(`ffmpeg ${version} is too old, ${MIN_FFMPEG_VERSION}.0 is the least`);
  const lacking = ['libmp3lame', 'libvpx', 'libopus'].filter((one) => !output.includes(`--enable-${one}`));
  return lacking.length > 0 ? lack(`this ffmpeg was built without ${lacking.join(', ')}`) : undefined;
}

const yearsOf = (released: Temporal.PlainDate, today: Temporal.PlainDate): number =>
  released.until(today, { largestUnit: 'years' }).years;

/** What an old one cannot do, with its age; empty for a new one. A newer one helps. */
export function getYtdlpAdvice({ version }: DetectedProgram, today: Temporal.PlainDate): string {
  if (version === undefined) return 'Without yt-dlp songs come by upload alone';
  const [year = 0, month = 1, day = 1] = version.split('.').map(Number);
  const released = Temporal.PlainDate.from({ year, month, day });
  if (version >= RECOMMENDED_YTDLP_VERSION) {
    const { days } = released.until(today, { largestUnit: 'days' });
    return days <= MAX_FRESH_DAYS ? '' : `yt-dlp ${version} is ${days} days old, and sites change often`;
  }
  const years = yearsOf(released, today);
  const age = years === 0 ? '' : `, ${years} ${years === 1 ? 'year' : 'years'} old`;
  return `yt-dlp ${version}${age}: YouTube and some other sites need ${RECOMMENDED_YTDLP_VERSION} or newer`;
}

export function isOutdatedYtdlp(version: string): boolean {
  return version < RECOMMENDED_YTDLP_VERSION;
}

/** The newer of two that run; the first where only it does, or neither. */
export function pickNewerProgram(first: DetectedProgram, second: DetectedProgram | undefined): DetectedProgram {
  return second?.version !== undefined && (first.version === undefined || second.version > first.version)
    ? second
    : first;
}

/** JavaScript runtimes that yt-dlp knows, as its options name them. */
export const JAVASCRIPT_RUNTIMES = ['deno', 'node', 'bun', 'quickjs'] as const;

/** Those that `yt-dlp --verbose` has found: `[debug] JS runtimes: deno-2.5.6, node-26.10.0`. */
export function parseRuntimes(said: string): readonly string[] {
  const list = /^\[debug\] JS runtimes: (.*)$/m.exec(said)?.[1] ?? '';
  return [...list.matchAll(/([a-z][a-z-]*)-(\d[\w.]*)( \(unsupported\))?/gi)].flatMap(
    ([, name, version, isUnsupported]) => (isUnsupported === undefined ? [`${name} ${version}`] : []),
  );
}

/** The version of yt-dlp-ejs among the libraries that `yt-dlp --verbose` has found. */
export function parseEjsVersion(said: string): string | undefined {
  return /^\[debug\] (?:Optional libraries|.*libraries): .*\byt[_-]dlp[_-]ejs-(\d[\w.]*)/im.exec(said)?.[1];
}
