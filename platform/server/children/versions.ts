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

/** `ffmpeg version 5.1.9-0+deb12u1 Copyright …`; one built from its repository says `N-109000-g…`. */
export const versionOfFfmpeg = (output: string): string | undefined =>
  /^ffmpeg version (\d+(?:\.\d+)*|\S+)/.exec(output)?.[1];

/** `2025.11.12`, nightly ones with a fourth number. */
export const versionOfYtdlp = (output: string): string | undefined => /^\d{4}\.\d{2}\.\d{2}(\.\d+)?/.exec(output)?.[0];

/** Why there is no downloading with it, with the remedy; empty where there is. */
export const ytdlpLack = ({ program, version, problem }: Found): string => {
  if (version === undefined && program.startsWith('/'))
    return `${NEEDS.download}: YTDLP_PATH names ${program}, which does not run${problem === undefined ? '' : ` (${problem})`}. The release's zipapp or binary works, and what pip, pipx or uv installed; an own script has to name it by its absolute path`;
  if (version === undefined)
    return `${NEEDS.download}: yt-dlp is missing here. Its operator installs it with: apt-get install yt-dlp`;
  if (version < OLDEST_YTDLP)
    return `${NEEDS.download}: yt-dlp ${version} is too old, ${OLDEST_YTDLP} is the least. Its operator names a newer one with YTDLP_PATH`;
  return '';
};

export interface FfmpegPlace {
  /** `FFMPEG_PATH`. */
  readonly path?: string | undefined;
  readonly hasProbe: boolean;
}

/** Why there is no converting with it, with the remedy; empty where there is. `output`: what it says of its version. */
export const ffmpegLack = (
  { version }: Found,
  output: string,
  to: Purpose,
  { path, hasProbe }: FfmpegPlace = { hasProbe: true },
): string => {
  const needs = NEEDS[to];
  const remedy =
    path === undefined
      ? 'Its operator installs it with: apt-get install ffmpeg'
      : 'FFMPEG_PATH has to name another one';
  if (version === undefined)
    return `${needs}: ${path === undefined ? `ffmpeg is missing here. ${remedy}` : `FFMPEG_PATH names ${path}, which does not run`}`;
  if (!hasProbe) return `${needs}: there is no ffprobe beside ${path ?? 'ffmpeg'}. ${remedy}`;
  const major = /^\d+/.exec(version)?.[0];
  if (major !== undefined && Number(major) < OLDEST_FFMPEG)
    return `${needs}: ffmpeg ${version} is too old, ${OLDEST_FFMPEG}.0 is the least. ${remedy}`;
  const lacking = ['libmp3lame', 'libvpx', 'libopus'].filter((one) => !output.includes(`--enable-${one}`));
  return lacking.length > 0 ? `${needs}: this ffmpeg was built without ${lacking.join(', ')}. ${remedy}` : '';
};

const yearsOf = (released: Temporal.PlainDate, today: Temporal.PlainDate): number =>
  released.until(today, { largestUnit: 'years' }).years;

/** What an old one cannot do, with its age and the remedy; empty for a new one, and for none. */
export const ytdlpAdvice = ({ version }: Found, today: Temporal.PlainDate): string => {
  if (version === undefined) return '';
  const [year = 0, month = 1, day = 1] = version.split('.').map(Number);
  const released = Temporal.PlainDate.from({ year, month, day });
  if (version >= GOOD_YTDLP) {
    const { days } = released.until(today, { largestUnit: 'days' });
    return days <= FRESH_DAYS ? '' : `yt-dlp ${version} is ${days} days old: sites change often, so update it`;
  }
  const years = yearsOf(released, today);
  const age = years === 0 ? '' : `, ${years} ${years === 1 ? 'year' : 'years'} old`;
  return `yt-dlp ${version}${age}: YouTube and some other sites need ${GOOD_YTDLP} or newer, which YTDLP_PATH can name`;
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
