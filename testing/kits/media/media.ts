import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, truncate, copyFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getSharedFolder } from '../server/globalSetup.ts';

/** Duration in seconds of every song and recording here. */
export const MEDIA_SECONDS = 30;

const split = (text: string): readonly string[] => text.split(' ');
const H264 = split('-c:v libx264 -preset ultrafast -pix_fmt yuv420p');
const VP8 = split('-c:v libvpx -deadline realtime -cpu-used 8 -pix_fmt yuv420p');
const FAST_START = ['-movflags', '+faststart'];
const generate = (source: string): readonly string[] => ['-f', 'lavfi', '-i', source];
const generateVideo = (seconds: number) => generate(`testsrc=size=320x180:rate=10:duration=${seconds}`);
const generateTone = (hertz: number, seconds = MEDIA_SECONDS) =>
  generate(`sine=frequency=${hertz}:sample_rate=44100:duration=${seconds}`);

/** Audio, pictures and recordings made by ffmpeg: tones, and a picture of colours. */
const recipes = {
  'cover.jpg': [...generate('color=c=0x2060c0:size=640x480'), '-frames:v', '1'],
  'song.mp3': [
    ...generateTone(440),
    ...split('-i cover.jpg -map 0:a -map 1:v -c:v copy -disposition:v:0 attached_pic'),
    ...split('-c:a libmp3lame -b:a 128k -id3v2_version 3'),
    ...['title=Inner title', 'artist=Inner artist', 'comment=Buy at http://shop.example'].flatMap((tag) => [
      '-metadata',
      tag,
    ]),
  ],
  'song.wav': [...generateTone(330), '-af', 'volume=0.05'],
  'song.opus': split('-i song.wav -c:a libopus -b:a 48k'),
  'song.m4a': [...split('-i song.wav -c:a aac -b:a 96k'), ...FAST_START],
  'video.mp4': [
    ...generateVideo(MEDIA_SECONDS),
    ...generateTone(550),
    ...H264,
    ...split('-c:a aac -b:a 96k'),
    ...FAST_START,
  ],
  'video.webm': [...generateVideo(6), ...generateTone(550, 6), ...VP8, '-c:a', 'libopus'],
  'silent.mp4': [...generateVideo(6), ...H264, ...FAST_START],
};
export type MediaName = keyof typeof recipes;

/** Returns the media that a recipe uses as input. */
const listIngredients = (name: MediaName): readonly MediaName[] =>
  (Object.keys(recipes) as MediaName[]).filter((ingredient) => recipes[name].includes(ingredient));

/** Outside of a test run (in a benchmark), the folder belongs to this process. */
let processFolder: string | undefined;
function getProcessFolder(): string {
  if (processFolder !== undefined) return processFolder;
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  processFolder = folder;
  return folder;
}

async function createMedia(name: MediaName, into: string): Promise<void> {
  for (const ingredient of listIngredients(name))
    await copyFile(await getMediaPath(ingredient), join(into, ingredient));
  const result = spawnSync('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...recipes[name], name], { cwd: into });
  if (result.status !== 0) throw new Error(`ffmpeg made no ${name}: ${result.stderr.toString()}`);
}

const pathByName = new Map<MediaName, Promise<string>>();
async function createOnce(name: MediaName): Promise<string> {
  const sharedFolder = await getSharedFolder(`media-${name}`, (into) => createMedia(name, into));
  if (sharedFolder !== undefined) return join(sharedFolder, name);
  await createMedia(name, getProcessFolder());
  return join(getProcessFolder(), name);
}

/** Returns the path of a media file, which is created on first use in a run. */
export async function getMediaPath(name: MediaName): Promise<string> {
  const result = pathByName.get(name) ?? createOnce(name);
  pathByName.set(name, result);
  return result;
}

export async function readMedia(name: MediaName): Promise<Buffer> {
  return readFile(await getMediaPath(name));
}

/** Copies it into a folder, or only the first `part` of its bytes. */
export async function copyMedia(name: MediaName, to: string, part = 1): Promise<void> {
  const from = await getMediaPath(name);
  await copyFile(from, to);
  if (part < 1) await truncate(to, Math.floor((await readFile(from)).length * part));
}
