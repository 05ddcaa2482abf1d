import { HOUR_SECONDS } from '#platform/contract/duration.ts';
import type { Loudness } from './media.ts';

/** ffmpeg's messages about files that end too early. */
const TRUNCATION_PATTERN = /partial file|ended prematurely|truncat/i;
/** A line of ffmpeg at warning level or above with `-v level+info`. Tags of a file never start like this. */
const WARNING_PATTERN = /^(\[[^\]]*\] )?\[(error|fatal|warning)\]/;
/** Target level of ReplayGain 2. */
const REFERENCE_LUFS = -18;
/** Level that ffmpeg reports for silence. */
const SILENCE_LUFS = -70;
/** Nearly silent recordings would need a higher gain. */
const MAX_GAIN_DB = 30;

const formatSeconds = (seconds: number): string => String(Math.round(seconds));

/** Result of decoding a file. */
export interface DecodeResult {
  readonly seconds: number;
  /** Everything that ffmpeg printed. */
  readonly ffmpegOutput: string;
}

/**
 * Returns why a song is incomplete; undefined if it seems complete.
 * Cut files announce their full length, so only decoding shows it, not the exit code.
 */
export function explainIncomplete(
  { seconds, ffmpegOutput }: DecodeResult,
  announcedSeconds: number | undefined,
): string | undefined {
  const toleratedSeconds = announcedSeconds === undefined ? 0 : Math.max(2, announcedSeconds / 100);
  if (announcedSeconds !== undefined && seconds < announcedSeconds - toleratedSeconds)
    return `Incomplete: ${formatSeconds(seconds)} of ${formatSeconds(announcedSeconds)} s`;
  const isCut = ffmpegOutput.split('\n').some((line) => WARNING_PATTERN.test(line) && TRUNCATION_PATTERN.test(line));
  return isCut ? `Incomplete: cut off after ${formatSeconds(seconds)} s` : undefined;
}

/** Returns whether the result is as long as its source. */
export function hasSameDuration(seconds: number, sourceSeconds: number): boolean {
  return Math.abs(seconds - sourceSeconds) <= Math.max(0.5, sourceSeconds * 0.005);
}

/** Returns the number in the last match of a pattern; undefined if there is none. */
function findLastNumber(output: string, pattern: RegExp): number | undefined {
  const match = [...output.matchAll(pattern)].at(-1)?.[1];
  const value = match === undefined ? Number.NaN : Number(match);
  return Number.isFinite(value) ? value : undefined;
}

const round = (value: number, digits: number): number => Math.round(value * 10 ** digits) / 10 ** digits;

/** Parses the loudness from the summary of ffmpeg's `ebur128`. Silence gets no gain. */
export function parseLoudness(output: string): Loudness {
  const loudness = findLastNumber(output, /^(?:\[[^\]]*\] )*\s*I:\s+(-?[\d.]+) LUFS/gm);
  const peak = findLastNumber(output, /^(?:\[[^\]]*\] )*\s*Peak:\s+(-?[\d.]+) dBFS/gm);
  const gain = loudness === undefined || loudness <= SILENCE_LUFS ? 0 : REFERENCE_LUFS - loudness;
  return {
    gain: round(Math.max(-MAX_GAIN_DB, Math.min(MAX_GAIN_DB, gain)), 2),
    peak: peak === undefined ? 0 : round(10 ** (peak / 20), 6),
  };
}

/** ffmpeg's description of the first audio stream of a file. */
export interface AudioStream {
  readonly codec: string;
  /** ffmpeg's name of the container, such as `mov,mp4,m4a,3gp,3g2,mj2`. */
  readonly container: string;
  /** Whether the file has a video stream. Covers of songs do not count. */
  readonly hasVideo: boolean;
  /** Length that the container announces; undefined if it announces none. */
  readonly seconds: number | undefined;
}

/**
 * Parses what ffprobe would report from the output of ffmpeg at `-v level+info`.
 * Returns undefined if it is missing, for example after too many warnings. Tags of the file are indented further.
 */
export function parseAudioStream(output: string): AudioStream | undefined {
  const [input = ''] = output.split('\n[info] Stream mapping:');
  const [, length, hours, minutes, seconds] =
    /^\[info\] {3}Duration: (N\/A|(\d+):(\d\d):(\d\d\.\d+)),/m.exec(input) ?? [];
  const streams = [...input.matchAll(/^\[info\] {3}Stream #0:(\d+)\S*: Audio: (\w+)/gm)];
  const [, , codec] = streams.toSorted(([, index], [, otherIndex]) => Number(index) - Number(otherIndex))[0] ?? [];
  if (length === undefined || codec === undefined) return undefined;
  const [, container = ''] = /^\[info\] Input #0, (\S+), from /m.exec(input) ?? [];
  const hasVideo = /^\[info\] {3}Stream #0:\d+\S*: Video: (?!.*\(attached pic\))/m.test(input);
  const totalSeconds = Number(hours) * HOUR_SECONDS + Number(minutes) * 60 + Number(seconds);
  return { codec, container, hasVideo, seconds: totalSeconds > 0 ? totalSeconds : undefined };
}
