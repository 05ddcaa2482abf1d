/** A program and which it is. */
export interface Found {
  /** As `Children.run` takes it. */
  readonly program: string;
  /** Undefined where it is missing, or does not say. */
  readonly version: string | undefined;
  /** Absolute paths that it needs beside the system's own. */
  readonly reads: readonly string[];
}

/** The first that knows everything that we ask of it, and the first that some large sites still talk to. */
const OLDEST_YTDLP = '2023.03.04';
const GOOD_YTDLP = '2025.11.12';
const OLDEST_FFMPEG = 4;

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
export const ytdlpLack = ({ program, version }: Found): string => {
  if (version === undefined) {
    const where = program.startsWith('/')
      ? `YTDLP_PATH names ${program}, which does not run`
      : 'yt-dlp is missing here';
    return `${NEEDS.download}: ${where}. Its operator installs it with: apt-get install yt-dlp`;
  }
  if (version < OLDEST_YTDLP)
    return `${NEEDS.download}: yt-dlp ${version} is too old, ${OLDEST_YTDLP} is the least. Its operator names a newer one with YTDLP_PATH`;
  return '';
};

/** Why there is no converting with it, with the remedy; empty where there is. `output`: what it says of its version. */
export const ffmpegLack = ({ version }: Found, output: string, to: Purpose): string => {
  const needs = NEEDS[to];
  const remedy = 'Its operator installs it with: apt-get install ffmpeg';
  if (version === undefined) return `${needs}: ffmpeg is missing here. ${remedy}`;
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
  if (version === undefined || version >= GOOD_YTDLP) return '';
  const [year = 0, month = 1, day = 1] = version.split('.').map(Number);
  const years = yearsOf(Temporal.PlainDate.from({ year, month, day }), today);
  const age = years === 0 ? '' : `, ${years} ${years === 1 ? 'year' : 'years'} old`;
  return `yt-dlp ${version}${age}: YouTube and some other sites need ${GOOD_YTDLP} or newer, which YTDLP_PATH can name`;
};
