import type { Loudness } from './media.ts';

/** What ffmpeg says where a file ends before it should. */
const CUT = /partial file|ended prematurely|truncat/i;
/** A line of its own that is more than information, as `-v level+info` writes it; a tag of the file has no such beginning. */
const SERIOUS = /^(\[[^\]]*\] )?\[(error|fatal|warning)\]/;
/** ReplayGain 2 brings every song there. */
const REFERENCE_LUFS = -18;
/** What ffmpeg says of silence. */
const SILENCE_LUFS = -70;
/** More than this is a recording of almost nothing. */
const MAX_GAIN_DB = 30;

const words = (seconds: number): string => String(Math.round(seconds));

export interface DecodeResult {
  readonly seconds: number;
  /** All that ffmpeg said. */
  readonly ffmpegOutput: string;
}

/** Why a song is not whole, as a sentence; undefined where nothing speaks against it. Half files announce all of their length, so that counts, and not the end of the program. */
export function explainIncomplete(
  { seconds, ffmpegOutput }: DecodeResult,
  announced: number | undefined,
): string | undefined {
  const tolerated = announced === undefined ? 0 : Math.max(2, announced / 100);
  if (announced !== undefined && seconds < announced - tolerated)
    return `Incomplete: ${words(seconds)} of ${words(announced)} s`;
  const isCut = ffmpegOutput.split('\n').some((line) => SERIOUS.test(line) && CUT.test(line));
  return isCut ? `Incomplete: it breaks off after ${words(seconds)} s` : undefined;
}

/** Whether what was made is as long as what it was made of. */
export function hasSameDuration(made: number, source: number): boolean {
  return Math.abs(made - source) <= Math.max(0.5, source * 0.005);
}

const lastNumber = (said: string, pattern: RegExp): number | undefined => {
  const found = [...said.matchAll(pattern)].at(-1)?.[1];
  const value = found === undefined ? Number.NaN : Number(found);
  return Number.isFinite(value) ? value : undefined;
};

const rounded = (value: number, digits: number): number => Math.round(value * 10 ** digits) / 10 ** digits;

/** From the summary of ffmpeg's `ebur128`. Silence is played as it is. */
export function parseLoudness(said: string): Loudness {
  const loudness = lastNumber(said, /^(?:\[[^\]]*\] )*\s*I:\s+(-?[\d.]+) LUFS/gm);
  const peak = lastNumber(said, /^(?:\[[^\]]*\] )*\s*Peak:\s+(-?[\d.]+) dBFS/gm);
  const gain = loudness === undefined || loudness <= SILENCE_LUFS ? 0 : REFERENCE_LUFS - loudness;
  return {
    gain: rounded(Math.max(-MAX_GAIN_DB, Math.min(MAX_GAIN_DB, gain)), 2),
    peak: peak === undefined ? 0 : rounded(10 ** (peak / 20), 6),
  };
}

/** What ffmpeg says that a file's first sound is. */
export interface AudioStream {
  readonly codec: string;
  /** Such as `mov,mp4,m4a,3gp,3g2,mj2`. */
  readonly container: string;
  /** Pictures within songs are none. */
  readonly hasVideo: boolean;
  /** Announced by the container; undefined where it says none. */
  readonly seconds: number | undefined;
}

/**
 * The same that ffprobe would say, out of what ffmpeg at `-v level+info` says of its input; undefined where that does not stand there, as where its
 * beginning was lost behind many warnings. Tags of the file stand further to the right.
 */
export function parseAudioStream(said: string): AudioStream | undefined {
  const [input = ''] = said.split('\n[info] Stream mapping:');
  const [, length, hours, minutes, seconds] =
    /^\[info\] {3}Duration: (N\/A|(\d+):(\d\d):(\d\d\.\d+)),/m.exec(input) ?? [];
  const streams = [...input.matchAll(/^\[info\] {3}Stream #0:(\d+)\S*: Audio: (\w+)/gm)];
  const [, , codec] = streams.toSorted(([, one], [, other]) => Number(one) - Number(other))[0] ?? [];
  if (length === undefined || codec === undefined) return undefined;
  const [, container = ''] = /^\[info\] Input #0, (\S+), from /m.exec(input) ?? [];
  const hasVideo = /^\[info\] {3}Stream #0:\d+\S*: Video: (?!.*\(attached pic\))/m.test(input);
  const whole = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return { codec, container, hasVideo, seconds: whole > 0 ? whole : undefined };
}
