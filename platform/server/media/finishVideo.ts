import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { JobFailure } from '../jobs/jobQueue.ts';
import { decodeMedia } from './decode.ts';
import { type RunFfmpeg, buildInputArgs } from './ffmpeg.ts';
import type { ProcessedVideo, Probe, VideoSource } from './media.ts';
import { probeMedia } from './probe.ts';
import { hasSameDuration } from './soundCheck.ts';
import { isHdrOrWideGamut, buildToneMappingFilters } from './toneMapping.ts';

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
export const processVideo = async (ffmpeg: RunFfmpeg, source: VideoSource): Promise<ProcessedVideo> => {
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
};

/** Copies what can be read of a recording that has no end. */
export const salvageVideo = async (
  ffmpeg: RunFfmpeg,
  { folder, name, signal }: VideoSource,
  to: string,
): Promise<boolean> => {
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
};
