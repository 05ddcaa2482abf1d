import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { JobFailure } from '../jobs/jobs.ts';
import { decode } from './decode.ts';
import { type Ffmpeg, guarded } from './ffmpeg.ts';
import { isAsLong } from './judge.ts';
import type { FinishedVideo, Probe, VideoSource } from './media.ts';
import { probe } from './probe.ts';
import { isWide, toneMapping } from './toneMapping.ts';

const FINAL = 'final.webm';
const THUMBNAIL = 'thumbnail.png';
const BROKEN = 'Conversion failed';

/** Which pictures and sounds every browser plays within webm. */
const isPlayable = ({ audio, video }: Probe): boolean =>
  video !== undefined &&
  ['vp8', 'vp9', 'av1'].includes(video.codec) &&
  video.pixels === 'yuv420p' &&
  !isWide(video) &&
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
  ["scale='min(1280,iw)':-2", 'fps=30', ...(video && isWide(video) ? toneMapping(video) : ['format=yuv420p'])].join(
    ',',
  );

const STREAMS = ['-map', '0:v:0', '-map', '0:a:0?', '-map_metadata', '-1', '-map_chapters', '-1', '-sn', '-dn'];

type Made = Pick<VideoSource, 'folder' | 'signal'>;

/** A picture of what was made, from so many seconds on. Gives whether there is one. */
const drawFrom = async (ffmpeg: Ffmpeg, { folder, signal }: Made, seconds: number): Promise<boolean> => {
  const { code } = await ffmpeg({
    args: [
      '-v',
      'error',
      '-ss',
      seconds.toFixed(3),
      ...guarded('video', FINAL),
      '-frames:v',
      '1',
      '-vf',
      'thumbnail=30,scale=480:-2',
      '-f',
      'image2',
      '-update',
      '1',
      THUMBNAIL,
    ],
    folder,
    among: 'video',
    signal,
  });
  return code === 0 && existsSync(join(folder, THUMBNAIL));
};

/** A picture of what was made and is so many seconds long. */
const draw = async (ffmpeg: Ffmpeg, made: Made, seconds: number): Promise<void> => {
  // Where there is a single one, nothing stands behind a tenth of it, and ffmpeg calls that a success.
  if ((await drawFrom(ffmpeg, made, seconds / 10)) || (await drawFrom(ffmpeg, made, 0))) return;
  throw new JobFailure('again', BROKEN);
};

/** Converted, decoded to its end, and given a picture. */
export const finishVideo = async (ffmpeg: Ffmpeg, source: VideoSource): Promise<FinishedVideo> => {
  const { folder, name, signal, onProgress } = source;
  const found = await probe(ffmpeg, 'video', { folder, name, signal });
  const whole = found.seconds ?? 600;
  const isCopied = isPlayable(found);
  const converted = await ffmpeg({
    args: [
      '-v',
      'error',
      ...guarded('video', name),
      ...STREAMS,
      ...(isCopied ? ['-c', 'copy'] : ['-vf', filtersOf(found), ...ENCODE]),
      '-f',
      'webm',
      FINAL,
    ],
    folder,
    among: 'video',
    signal,
    onSeconds: (seconds) => onProgress?.(Math.min(80, (80 * seconds) / whole)),
  });
  if (converted.code !== 0) throw new JobFailure('again', BROKEN);

  const made = await decode(ffmpeg, 'video', {
    folder,
    name: FINAL,
    signal,
    onSeconds: (seconds) => onProgress?.(Math.min(98, 80 + (18 * seconds) / whole)),
  });
  if (made.seconds === 0 || !isAsLong(made.seconds, converted.seconds)) throw new JobFailure('again', BROKEN);

  await draw(ffmpeg, { folder, signal }, made.seconds);
  const { video } = await probe(ffmpeg, 'video', { folder, name: FINAL, signal });
  const { size } = await stat(join(folder, FINAL));
  onProgress?.(100);
  return {
    name: FINAL,
    thumbnail: THUMBNAIL,
    seconds: made.seconds,
    announced: found.seconds,
    bytes: size,
    width: video?.width ?? 0,
    height: video?.height ?? 0,
  };
};

/** Copies what can be read of a recording that has no end. */
export const salvageVideo = async (
  ffmpeg: Ffmpeg,
  { folder, name, signal }: VideoSource,
  to: string,
): Promise<boolean> => {
  const { code } = await ffmpeg({
    args: ['-v', 'error', ...guarded('video', name), '-map', '0:v:0', '-map', '0:a:0?', '-c', 'copy', to],
    folder,
    among: 'video',
    signal,
  });
  if (code !== 0) return false;
  try {
    return (await probe(ffmpeg, 'video', { folder, name: to, signal })).seconds !== undefined;
  } catch (error) {
    if (error instanceof JobFailure) return false;
    throw error;
  }
};
