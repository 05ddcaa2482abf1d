import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { JobFailure } from '../jobs/jobQueue.ts';
import { hasSameDuration } from './audioCheck.ts';
import { decodeMedia, type RunFfmpeg, buildInputArgs, probeMedia } from './ffmpeg.ts';
import type { ProcessedVideo, Probe, VideoSource, VideoStream } from './media.ts';

// Unlike zscale and libplacebo, these filters are in every ffmpeg. 16 bits per channel are enough for linear light.

/** Nits that become full white; anything brighter is clipped. */
const PEAK_NITS = 1000;
/** Nits of SDR white: a compromise between 203 (ITU-R BT.2408) and 100, which many converters use. */
const WHITE_NITS = 150;
/** Light up to this fraction of white is unchanged; above, it is compressed. */
const KNEE_FRACTION = 0.6;

/** Expressions from code value (0 to 1) to light, as a fraction of the peak (ITU-R BT.2100). */
const LIGHT_EXPRESSIONS: Readonly<Record<string, string>> = {
  smpte2084: `min(1,10000/${PEAK_NITS}*pow(max(pow(val/maxval,1/78.84375)-0.8359375,0)/(18.8515625-18.6875*pow(val/maxval,1/78.84375)),1/0.1593017578125))`,
  'arib-std-b67':
    'pow(if(lte(val/maxval,0.5),pow(val/maxval,2)/3,(exp((val/maxval-0.55991073)/0.17883277)+0.28466892)/12),1.2)',
};
/** Expression from code value to light for SDR, where no light exceeds white. */
const SDR_LIGHT_EXPRESSION = 'pow(val/maxval,2.2)';

/** Matrices from other primaries to BT.709, by row. */
const TO_BT709: Readonly<Record<string, readonly (readonly [number, number, number])[]>> = {
  bt2020: [
    [1.6605, -0.5876, -0.0728],
    [-0.1246, 1.1329, -0.0083],
    [-0.0182, -0.1006, 1.1187],
  ],
  smpte432: [
    [1.2249, -0.2249, 0],
    [-0.042, 1.042, 0],
    [-0.0196, -0.0786, 1.0983],
  ],
};

/** Returns an expression that compresses light above the knee to a peak of 1 (Möbius). `x` is a fraction of white. */
function compressHighlights(x: string): string {
  const peak = PEAK_NITS / WHITE_NITS;
  const a = (-KNEE_FRACTION * KNEE_FRACTION * (peak - 1)) / (KNEE_FRACTION * KNEE_FRACTION - 2 * KNEE_FRACTION + peak);
  const b = (KNEE_FRACTION * KNEE_FRACTION - 2 * KNEE_FRACTION * peak + peak) / (peak - 1);
  const scale = (b + KNEE_FRACTION) ** 2 / (b - a);
  return `if(lte(${x},${KNEE_FRACTION}),${x},${scale}*(${x}+${a})/(${x}+${b}))`;
}

/** Returns a filter that applies an expression to each channel. */
function applyToChannels(expression: string): string {
  const quoted = `'maxval*(${expression})'`;
  return `lutrgb=r=${quoted}:g=${quoted}:b=${quoted}`;
}

/** Returns the filter that converts primaries to BT.709; none if they need no conversion. */
function buildColourMixer(primaries: string): readonly string[] {
  const rows = TO_BT709[primaries];
  if (!rows) return [];
  const [red, green, blue] = rows.map(([r, g, b], index) => {
    const name = 'rgb'[index] ?? '';
    return `${name}r=${r}:${name}g=${g}:${name}b=${b}`;
  });
  return [`colorchannelmixer=${red}:${green}:${blue}`];
}

type Colours = Pick<VideoStream, 'transfer' | 'primaries'>;

/** Returns whether the video has more light or colours than SDR. */
export function isHdrOrWideGamut({ transfer, primaries }: Colours): boolean {
  return Object.hasOwn(LIGHT_EXPRESSIONS, transfer) || Object.hasOwn(TO_BT709, primaries);
}

/** Builds filters that convert HDR (HLG, PQ) and wide gamut (BT.2020, P3) to SDR. */
export function buildToneMappingFilters({ transfer, primaries }: Colours): readonly string[] {
  const isHdr = Object.hasOwn(LIGHT_EXPRESSIONS, transfer);
  const sourcePrimaries = isHdr && !Object.hasOwn(TO_BT709, primaries) ? 'bt2020' : primaries;
  const compressedLight = isHdr ? compressHighlights(`(val/maxval*${PEAK_NITS / WHITE_NITS})`) : 'val/maxval';
  return [
    `scale=in_color_matrix=${sourcePrimaries === 'bt2020' ? 'bt2020' : 'bt709'}`,
    'format=gbrp16',
    applyToChannels(LIGHT_EXPRESSIONS[transfer] ?? SDR_LIGHT_EXPRESSION),
    ...buildColourMixer(sourcePrimaries),
    applyToChannels(`pow(${compressedLight},1/2.2)`),
    'scale=out_color_matrix=bt709:out_range=tv',
    'format=yuv420p',
    'setparams=range=tv:color_primaries=bt709:color_trc=bt709:colorspace=bt709',
  ];
}

const FINAL_NAME = 'final.webm';
const THUMBNAIL_NAME = 'thumbnail.png';
const CONVERSION_FAILED_MESSAGE = 'Conversion failed';

/** Returns whether every browser plays the streams in webm. */
const isPlayable = ({ audio, video }: Probe): boolean =>
  video !== undefined &&
  ['vp8', 'vp9', 'av1'].includes(video.codec) &&
  video.pixels === 'yuv420p' &&
  !isHdrOrWideGamut(video) &&
  (audio === undefined || ['opus', 'vorbis'].includes(audio.codec));

const ENCODE_ARGS =
  '-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -row-mt 1 -crf 34 -b:v 0 -g 120 -c:a libopus -b:a 96k'.split(' ');

/** Builds the video filters. Browsers and thumbnails show SDR. */
const buildVideoFilters = ({ video }: Probe): string =>
  [
    "scale='min(1280,iw)':-2",
    'fps=30',
    ...(video && isHdrOrWideGamut(video) ? buildToneMappingFilters(video) : ['format=yuv420p']),
  ].join(',');

const STREAM_ARGS = ['-map', '0:v:0', '-map', '0:a:0?', '-map_metadata', '-1', '-map_chapters', '-1', '-sn', '-dn'];

type ResultFolder = Pick<VideoSource, 'folder' | 'signal'>;

/** Draws a thumbnail at a position in the result. Returns whether it exists. */
async function drawThumbnailAt(ffmpeg: RunFfmpeg, { folder, signal }: ResultFolder, seconds: number): Promise<boolean> {
  const { exitCode } = await ffmpeg({
    args: [
      '-v',
      'error',
      '-ss',
      seconds.toFixed(3),
      ...buildInputArgs('video', FINAL_NAME),
      '-frames:v',
      '1',
      '-vf',
      'thumbnail=30,scale=480:-2',
      '-f',
      'image2',
      '-update',
      '1',
      THUMBNAIL_NAME,
    ],
    folder,
    kind: 'video',
    signal,
  });
  return exitCode === 0 && existsSync(join(folder, THUMBNAIL_NAME));
}

/** Draws a thumbnail of the result, which is `seconds` long. */
async function drawThumbnail(ffmpeg: RunFfmpeg, result: ResultFolder, seconds: number): Promise<void> {
  // With a single frame, nothing follows a tenth of the length, and ffmpeg reports success without a picture.
  if ((await drawThumbnailAt(ffmpeg, result, seconds / 10)) || (await drawThumbnailAt(ffmpeg, result, 0))) return;
  throw new JobFailure('again', CONVERSION_FAILED_MESSAGE);
}

/** Converts a recording, decodes the result, and draws a thumbnail. */
export async function processVideo(ffmpeg: RunFfmpeg, source: VideoSource): Promise<ProcessedVideo> {
  const { folder, name, signal, onProgress } = source;
  const sourceProbe = await probeMedia(ffmpeg, 'video', { folder, name, signal });
  const totalSeconds = sourceProbe.seconds ?? 600;
  const isCopied = isPlayable(sourceProbe);
  const converted = await ffmpeg({
    args: [
      '-v',
      'error',
      ...buildInputArgs('video', name),
      ...STREAM_ARGS,
      ...(isCopied ? ['-c', 'copy'] : ['-vf', buildVideoFilters(sourceProbe), ...ENCODE_ARGS]),
      '-f',
      'webm',
      FINAL_NAME,
    ],
    folder,
    kind: 'video',
    signal,
    onSeconds: (seconds) => onProgress?.(Math.min(80, (80 * seconds) / totalSeconds)),
  });
  if (converted.exitCode !== 0) throw new JobFailure('again', CONVERSION_FAILED_MESSAGE);

  const decoded = await decodeMedia(ffmpeg, 'video', {
    folder,
    name: FINAL_NAME,
    signal,
    onSeconds: (seconds) => onProgress?.(Math.min(98, 80 + (18 * seconds) / totalSeconds)),
  });
  if (decoded.seconds === 0 || !hasSameDuration(decoded.seconds, converted.seconds))
    throw new JobFailure('again', CONVERSION_FAILED_MESSAGE);

  await drawThumbnail(ffmpeg, { folder, signal }, decoded.seconds);
  const { video } = await probeMedia(ffmpeg, 'video', { folder, name: FINAL_NAME, signal });
  const { size } = await stat(join(folder, FINAL_NAME));
  onProgress?.(100);
  return {
    name: FINAL_NAME,
    thumbnail: THUMBNAIL_NAME,
    seconds: decoded.seconds,
    announcedSeconds: sourceProbe.seconds,
    bytes: size,
    width: video?.width ?? 0,
    height: video?.height ?? 0,
  };
}

/** Copies the readable part of a recording whose end is missing. Returns whether there is one. */
export async function salvageVideo(
  ffmpeg: RunFfmpeg,
  { folder, name, signal }: VideoSource,
  target: string,
): Promise<boolean> {
  const { exitCode } = await ffmpeg({
    args: ['-v', 'error', ...buildInputArgs('video', name), '-map', '0:v:0', '-map', '0:a:0?', '-c', 'copy', target],
    folder,
    kind: 'video',
    signal,
  });
  if (exitCode !== 0) return false;
  try {
    return (await probeMedia(ffmpeg, 'video', { folder, name: target, signal })).seconds !== undefined;
  } catch (error) {
    if (error instanceof JobFailure) return false;
    throw error;
  }
}
