/** A program and which it is. */
export interface Found {
  /** As `Children.run` takes it. */
  readonly program: string;
  /** Undefined where it is missing, or does not say. */
  readonly version: string | undefined;
  /** Absolute paths that it needs beside the system's own. */
  readonly reads: readonly string[];
  /** Why it does not say, in its own last words. */
  readonly problem?: string;
}

/** The first that knows everything that we ask of it, and the first that some large sites still talk to. */
const OLDEST_YTDLP = '2023.03.04';
const GOOD_YTDLP = '2025.11.12';
const OLDEST_FFMPEG = 4;
/** Large sites change every few weeks. */
const FRESH_DAYS = 90;

/** What is hindered. */
export type Purpose = 'download' | 'convert';

const NEEDS: Readonly<Record<Purpose, string>> = {
  download: 'Downloads need yt-dlp and ffmpeg',
  convert: 'Converting needs ffmpeg',
};

export const ASK = 'Ask the person who runs this server';

/** Why something can't be done here, for the two who read it. */
export interface Lack {
  /** With the remedy, which takes access to the computer. */
  readonly forOwner: string;
  /** What is missing, without names of settings and lines for a terminal. */
  readonly forOthers: string;
}

/** Lacks as one text; empty where there are none. */
export const describeLacks = (lacks: readonly (Lack | undefined)[], isOwner: boolean): string => {
  const found = lacks.filter((lack) => lack !== undefined);
  if (isOwner || found.length === 0) return found.map(({ forOwner }) => forOwner).join('. ');
  return [...found.map(({ forOthers }) => forOthers), ASK].join('. ');
};

/** `ffmpeg version 5.1.9-0+deb12u1 Copyright …`; one built from its repository says `N-109000-g…`. */
export const versionOfFfmpeg = (output: string): string | undefined =>
  /^ffmpeg version (\d+(?:\.\d+)*|\S+)/.exec(output)?.[1];

/** `2025.11.12`, nightly ones with a fourth number. */
export const versionOfYtdlp = (output: string): string | undefined => /^\d{4}\.\d{2}\.\d{2}(\.\d+)?/.exec(output)?.[0];

/** Why there is no downloading with it. */
export const ytdlpLack = ({ program, version, problem }: Found): Lack | undefined => {
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
  if (version < OLDEST_YTDLP) {
    const old = `${NEEDS.download}: yt-dlp ${version} is too old, ${OLDEST_YTDLP} is the least`;
    return {
      forOwner: `${old}. Press 'Update yt-dlp' on the music page, or name a newer one with YTDLP_PATH`,
      forOthers: old,
    };
  }
  return undefined;
};

export interface FfmpegPlace {
  /** `FFMPEG_PATH`. */
  readonly path?: string | undefined;
  readonly hasProbe: boolean;
}

/** Why there is no converting with it. `output`: what it says of its version. */
export const ffmpegLack = (
  { version }: Found,
  output: string,
  to: Purpose,
  { path, hasProbe }: FfmpegPlace = { hasProbe: true },
): Lack | undefined => {
  const needs = NEEDS[to];
  const remedy = path === undefined ? 'Install it with: apt-get install ffmpeg' : 'It has to name another one';
  const lack = (what: string, others = what): Lack => ({
    forOwner: `${needs}: ${what}. ${remedy}`,
    forOthers: `${needs}: ${others}`,
  });
  if (version === undefined)
    return path === undefined
      ? lack('ffmpeg is missing here')
      : lack(`FFMPEG_PATH names ${path}, which does not run`, 'ffmpeg does not run here');
  if (!hasProbe) return lack(`there is no ffprobe beside ${path ?? 'ffmpeg'}`, 'there is no ffprobe beside ffmpeg');
  const major = /^\d+/.exec(version)?.[0];
  if (major !== undefined && Number(major) < OLDEST_FFMPEG)
    return lack(`ffmpeg ${version} is too old, ${OLDEST_FFMPEG}.0 is the least`);
  const lacking = ['libmp3lame', 'libvpx', 'libopus'].filter((one) => !output.includes(`--enable-${one}`));
  return lacking.length > 0 ? lack(`this ffmpeg was built without ${lacking.join(', ')}`) : undefined;
};

const yearsOf = (released: Temporal.PlainDate, today: Temporal.PlainDate): number =>
  released.until(today, { largestUnit: 'years' }).years;

/** What an old one cannot do, with its age; empty for a new one. A newer one helps. */
export const ytdlpAdvice = ({ version }: Found, today: Temporal.PlainDate): string => {
  if (version === undefined) return 'Without yt-dlp songs come by upload alone';
  const [year = 0, month = 1, day = 1] = version.split('.').map(Number);
  const released = Temporal.PlainDate.from({ year, month, day });
  if (version >= GOOD_YTDLP) {
    const { days } = released.until(today, { largestUnit: 'days' });
    return days <= FRESH_DAYS ? '' : `yt-dlp ${version} is ${days} days old, and sites change often`;
  }
  const years = yearsOf(released, today);
  const age = years === 0 ? '' : `, ${years} ${years === 1 ? 'year' : 'years'} old`;
  return `yt-dlp ${version}${age}: YouTube and some other sites need ${GOOD_YTDLP} or newer`;
};

export const isTooOld = (version: string): boolean => version < GOOD_YTDLP;

/** The newer of two that run; the first where only it does, or neither. */
export const newestOf = (first: Found, second: Found | undefined): Found =>
  second?.version !== undefined && (first.version === undefined || second.version > first.version) ? second : first;

/** JavaScript runtimes that yt-dlp knows, as its options name them. */
export const RUNTIMES = ['deno', 'node', 'bun', 'quickjs'] as const;

/** Those that `yt-dlp --verbose` has found: `[debug] JS runtimes: deno-2.5.6, node-26.10.0`. */
export const runtimesIn = (said: string): readonly string[] => {
  const list = /^\[debug\] JS runtimes: (.*)$/m.exec(said)?.[1] ?? '';
  return [...list.matchAll(/([a-z][a-z-]*)-(\d[\w.]*)( \(unsupported\))?/gi)].flatMap(
    ([, name, version, isUnsupported]) => (isUnsupported === undefined ? [`${name} ${version}`] : []),
  );
};

/** The version of yt-dlp-ejs among the libraries that `yt-dlp --verbose` has found. */
export const libraryIn = (said: string): string | undefined =>
  /^\[debug\] (?:Optional libraries|.*libraries): .*\byt[_-]dlp[_-]ejs-(\d[\w.]*)/im.exec(said)?.[1];
