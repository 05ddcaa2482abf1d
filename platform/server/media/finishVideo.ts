import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { JobFailure } from '../jobs/jobQueue.ts';
import { decodeMedia, type RunFfmpeg, buildInputArgs, probeMedia } from './ffmpeg.ts';
import type { ProcessedVideo, Probe, VideoSource, VideoStream } from './media.ts';
import { hasSameDuration } from './soundCheck.ts';

// Filters that every ffmpeg has: zscale and libplacebo are missing in many. By 16 bits a channel, which is enough for light in linear steps.

/** Nits that become the brightest white; what is brighter is cut off. */
const PEAK = 1000;
/** Nits of the white of ordinary pictures: of 203 (ITU-R BT.2408), and of 100, as many converters write it, in between. */
const WHITE = 150;
/** Up to this part of white light stays as it is; beyond it is compressed. */
const KNEE = 0.6;

/** From what stands in the file (0 to 1) to light, as a part of the brightest. ITU-R BT.2100; as ffmpeg writes expressions. */
const LIGHT: Readonly<Record<string, string>> = {
  smpte2084: `min(1,10000/${PEAK}*pow(max(pow(val/maxval,1/78.84375)-0.8359375,0)/(18.8515625-18.6875*pow(val/maxval,1/78.84375)),1/0.1593017578125))`,
  'arib-std-b67':
    'pow(if(lte(val/maxval,0.5),pow(val/maxval,2)/3,(exp((val/maxval-0.55991073)/0.17883277)+0.28466892)/12),1.2)',
};
/** Of ordinary pictures: no light is beyond their white. */
const ORDINARY = 'pow(val/maxval,2.2)';

/** From other primaries to those of BT.709, row by row. */
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

/** Light beyond the knee, compressed so that the brightest is 1 (Möbius). `x` is a part of white. */
const compressed = (x: string): string => {
  const peak = PEAK / WHITE;
  const a = (-KNEE * KNEE * (peak - 1)) / (KNEE * KNEE - 2 * KNEE + peak);
  const b = (KNEE * KNEE - 2 * KNEE * peak + peak) / (peak - 1);
  const scale = (b + KNEE) ** 2 / (b - a);
  return `if(lte(${x},${KNEE}),${x},${scale}*(${x}+${a})/(${x}+${b}))`;
};

const onAll = (expression: string): string => {
  const quoted = `'maxval*(${expression})'`;
  return `lutrgb=r=${quoted}:g=${quoted}:b=${quoted}`;
};

const mixer = (primaries: string): readonly string[] => {
  const rows = TO_BT709[primaries];
  if (!rows) return [];
  const [red, green, blue] = rows.map(([r, g, b], at) => {
    const name = 'rgb'[at] ?? '';
    return `${name}r=${r}:${name}g=${g}:${name}b=${b}`;
  });
  return [`colorchannelmixer=${red}:${green}:${blue}`];
};

type Colours = Pick<VideoStream, 'transfer' | 'primaries'>;

/** Whether its light or its colours are beyond those of ordinary pictures. */
export function isHdrOrWideGamut({ transfer, primaries }: Colours): boolean {
  return Object.hasOwn(LIGHT, transfer) || Object.hasOwn(TO_BT709, primaries);
}

/** Filters that give a picture of more light (HLG, PQ) or more colours (BT.2020, P3) those of ordinary ones. */
export function buildToneMappingFilters({ transfer, primaries }: Colours): readonly string[] {
  const isHdr = Object.hasOwn(LIGHT, transfer);
  const wide = isHdr && !Object.hasOwn(TO_BT709, primaries) ? 'bt2020' : primaries;
  const back = isHdr ? compressed(`(val/maxval*${PEAK / WHITE})`) : 'val/maxval';
  return [
    `scale=in_color_matrix=${wide === 'bt2020' ? 'bt2020' : 'bt709'}`,
    'format=gbrp16',
    onAll(LIGHT[transfer] ?? ORDINARY),
    ...mixer(wide),
    onAll(`pow(${back},1/2.2)`),
    'scale=out_color_matrix=bt709:out_range=tv',
    'format=yuv420p',
    'setparams=range=tv:color_primaries=bt709:color_trc=bt709:colorspace=bt709',
  ];
}

const FINAL_NAME = 'final.webm';
const THUMBNAIL_NAME = 'thumbnail.png';
const CONVERSION_FAILED_MESSAGE = 'Conversion failed';

/** Which pictures and sounds every browser plays within webm. */
const isPlayable = ({ audio, video }: Probe): boolean =>
  video !== undefined &&
  ['vp8', 'vp9', 'av1'].includes(video.codec) &&
  video.pixels === 'yuv420p' &&
  !isHdrOrWideGamut(video) &&
  (audio === undefined || ['opus', 'vorbis'].includes(audio.codec));

const ENCODE = [
  '-c:v',
  'libvpx-vp9',
  '-deadline',
  'realtime',
  '-cpu-used',
  '8',
  '-row-mt',
  '1',
  '-crf',
  '34',
  '-b:v',
  '0',
  '-g',
  '120',
  '-c:a',
  'libopus',
  '-b:a',
  '96k',
];

/** Browsers and thumbnails show the colours of ordinary pictures. */
const filtersOf = ({ video }: Probe): string =>
  [
    "scale='min(1280,iw)':-2",
    'fps=30',
    ...(video && isHdrOrWideGamut(video) ? buildToneMappingFilters(video) : ['format=yuv420p']),
  ].join(',');

const STREAMS = ['-map', '0:v:0', '-map', '0:a:0?', '-map_metadata', '-1', '-map_chapters', '-1', '-sn', '-dn'];

type ProcessedRecording = Pick<VideoSource, 'folder' | 'signal'>;

/** A picture of what was made, from so many seconds on. Gives whether there is one. */
const drawFrom = async (
  ffmpeg: RunFfmpeg,
  { folder, signal }: ProcessedRecording,
  seconds: number,
): Promise<boolean> => {
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
};

/** A picture of what was made and is so many seconds long. */
const draw = async (ffmpeg: RunFfmpeg, made: ProcessedRecording, seconds: number): Promise<void> => {
  // Where there is a single one, nothing stands behind a tenth of it, and ffmpeg calls that a success.
  if ((await drawFrom(ffmpeg, made, seconds / 10)) || (await drawFrom(ffmpeg, made, 0))) return;
  throw new JobFailure('again', CONVERSION_FAILED_MESSAGE);
};

/** Converted, decoded to its end, and given a picture. */
export async function processVideo(ffmpeg: RunFfmpeg, source: VideoSource): Promise<ProcessedVideo> {
  const { folder, name, signal, onProgress } = source;
  const found = await probeMedia(ffmpeg, 'video', { folder, name, signal });
  const whole = found.seconds ?? 600;
  const isCopied = isPlayable(found);
  const converted = await ffmpeg({
    args: [
      '-v',
      'error',
      ...buildInputArgs('video', name),
      ...STREAMS,
      ...(isCopied ? ['-c', 'copy'] : ['-vf', filtersOf(found), ...ENCODE]),
      '-f',
      'webm',
      FINAL_NAME,
    ],
    folder,
    kind: 'video',
    signal,
    onSeconds: (seconds) => onProgress?.(Math.min(80, (80 * seconds) / whole)),
  });
  if (converted.exitCode !== 0) throw new JobFailure('again', CONVERSION_FAILED_MESSAGE);

  const made = await decodeMedia(ffmpeg, 'video', {
    folder,
    name: FINAL_NAME,
    signal,
    onSeconds: (seconds) => onProgress?.(Math.min(98, 80 + (18 * seconds) / whole)),
  });
  if (made.seconds === 0 || !hasSameDuration(made.seconds, converted.seconds))
    throw new JobFailure('again', CONVERSION_FAILED_MESSAGE);

  await draw(ffmpeg, { folder, signal }, made.seconds);
  const { video } = await probeMedia(ffmpeg, 'video', { folder, name: FINAL_NAME, signal });
  const { size } = await stat(join(folder, FINAL_NAME));
  onProgress?.(100);
  return {
    name: FINAL_NAME,
    thumbnail: THUMBNAIL_NAME,
    seconds: made.seconds,
    announced: found.seconds,
    bytes: size,
    width: video?.width ?? 0,
    height: video?.height ?? 0,
  };
}

/** Copies what can be read of a recording that has no end. */
export async function salvageVideo(
  ffmpeg: RunFfmpeg,
  { folder, name, signal }: VideoSource,
  to: string,
): Promise<boolean> {
  const { exitCode } = await ffmpeg({
    args: ['-v', 'error', ...buildInputArgs('video', name), '-map', '0:v:0', '-map', '0:a:0?', '-c', 'copy', to],
    folder,
    kind: 'video',
    signal,
  });
  if (exitCode !== 0) return false;
  try {
    return (await probeMedia(ffmpeg, 'video', { folder, name: to, signal })).seconds !== undefined;
  } catch (error) {
    if (error instanceof JobFailure) return false;
    throw error;
  }
}
