import { type Among, type Ffmpeg, guarded } from './ffmpeg.ts';
import { type Decoded, loudnessOf } from './judge.ts';
import type { Loudness } from './media.ts';

export interface Decoding {
  readonly folder: string;
  readonly name: string;
  readonly signal?: AbortSignal | undefined;
  readonly onSeconds?: (seconds: number) => void;
}

const STREAMS: Readonly<Record<Among, readonly string[]>> = {
  audio: ['-map', '0:a:0', '-vn'],
  video: ['-map', '0:v:0', '-map', '0:a:0?'],
};

/** Reads a file to its end: how long it really is, and what is wrong with it. A bad frame in the middle does not end it. */
export const decode = async (ffmpeg: Ffmpeg, among: Among, decoding: Decoding): Promise<Decoded> => {
  const { name } = decoding;
  const { seconds, errors } = await ffmpeg({
    args: ['-v', 'level+warning', ...guarded(among, name), ...STREAMS[among], '-sn', '-dn', '-f', 'null', '-'],
    among,
    ...decoding,
  });
  return { seconds, said: errors };
};

/** Of long songs every third second: that tells as much of how loud they are, and takes a seventh of the time. */
const MEASURED_WHOLE_SECONDS = 60;
const THIRD = "aselect='lt(mod(t,3),1)',";
/** Names the channels: some decoders (mono TTA, Speex) do not, and `ebur128` refuses such sound. */
const KNOWN_LAYOUT = 'aformat=channel_layouts=mono|stereo|2.1|3.0|4.0|quad|5.0|5.1|6.1|7.1,';

/** The same for sound, with how loud it is. `whole`: about how long it is. */
export const decodeLoudness = async (
  ffmpeg: Ffmpeg,
  decoding: Decoding,
  whole: number,
): Promise<Decoded & { readonly loudness: Loudness }> => {
  const part = whole > MEASURED_WHOLE_SECONDS ? THIRD : '';
  // `verbose` hides the filter's ten lines a second, and leaves its summary.
  const graph = `[0:a:0]asplit[all][some];[some]${part}${KNOWN_LAYOUT}ebur128=peak=sample:framelog=verbose,anullsink`;
  const { seconds, errors } = await ffmpeg({
    args: [
      '-v',
      'level+info',
      ...guarded('audio', decoding.name),
      '-filter_complex',
      graph,
      '-map',
      '[all]',
      '-f',
      'null',
      '-',
    ],
    among: 'audio',
    ...decoding,
  });
  return { seconds, said: errors, loudness: loudnessOf(errors) };
};
