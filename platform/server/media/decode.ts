import { type MediaKind, type RunFfmpeg, buildInputArgs } from './ffmpeg.ts';
import type { Loudness } from './media.ts';
import { type DecodeResult, parseLoudness } from './soundCheck.ts';

export interface DecodeRequest {
  readonly folder: string;
  readonly name: string;
  readonly signal?: AbortSignal | undefined;
  readonly onSeconds?: (seconds: number) => void;
}

const STREAMS: Readonly<Record<MediaKind, readonly string[]>> = {
  audio: ['-map', '0:a:0', '-vn'],
  video: ['-map', '0:v:0', '-map', '0:a:0?'],
};

/** Reads a file to its end: how long it really is, and what is wrong with it. A bad frame in the middle does not end it. */
export const decodeMedia = async (
  ffmpeg: RunFfmpeg,
  among: MediaKind,
  decoding: DecodeRequest,
): Promise<DecodeResult> => {
  const { name } = decoding;
  const { seconds, errorOutput } = await ffmpeg({
    args: ['-v', 'level+warning', ...buildInputArgs(among, name), ...STREAMS[among], '-sn', '-dn', '-f', 'null', '-'],
    kind: among,
    ...decoding,
  });
  return { seconds, ffmpegOutput: errorOutput };
};

/** Of long songs every third second: that tells as much of how loud they are, and takes a seventh of the time. */
const MEASURED_WHOLE_SECONDS = 60;
const THIRD = "aselect='lt(mod(t,3),1)',";
/** Names the channels: some decoders (mono TTA, Speex) do not, and `ebur128` refuses such sound. */
const KNOWN_LAYOUT = 'aformat=channel_layouts=mono|stereo|2.1|3.0|4.0|quad|5.0|5.1|6.1|7.1,';

/** The same for sound, with how loud it is. `whole`: about how long it is. */
export const decodeLoudness = async (
  ffmpeg: RunFfmpeg,
  decoding: DecodeRequest,
  whole: number,
): Promise<DecodeResult & { readonly loudness: Loudness }> => {
  const part = whole > MEASURED_WHOLE_SECONDS ? THIRD : '';
  // `verbose` hides the filter's ten lines a second, and leaves its summary.
  const graph = `[0:a:0]asplit[all][some];[some]${part}${KNOWN_LAYOUT}ebur128=peak=sample:framelog=verbose,anullsink`;
  const { seconds, errorOutput } = await ffmpeg({
    args: [
      '-v',
      'level+info',
      ...buildInputArgs('audio', decoding.name),
      '-filter_complex',
      graph,
      '-map',
      '[all]',
      '-f',
      'null',
      '-',
    ],
    kind: 'audio',
    ...decoding,
  });
  return { seconds, ffmpegOutput: errorOutput, loudness: parseLoudness(errorOutput) };
};
