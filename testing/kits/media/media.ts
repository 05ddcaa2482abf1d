import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, truncate, copyFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getSharedFolder } from '../server/globalSetup.ts';

/** Duration in seconds of every song and recording here. */
export const MEDIA_SECONDS = 30;

/** Audio, pictures and recordings made by ffmpeg: tones, and a picture of colours. */
const recipes = {
  'cover.jpg': ['-f', 'lavfi', '-i', 'color=c=0x2060c0:size=640x480', '-frames:v', '1'],
  'song.mp3': [
    '-f',
    'lavfi',
    '-i',
    `sine=frequency=440:sample_rate=44100:duration=${MEDIA_SECONDS}`,
    '-i',
    'cover.jpg',
    '-map',
    '0:a',
    '-map',
    '1:v',
    '-c:v',
    'copy',
    '-disposition:v:0',
    'attached_pic',
    '-c:a',
    'libmp3lame',
    '-b:a',
    '128k',
    '-id3v2_version',
    '3',
    '-metadata',
    'title=Inner title',
    '-metadata',
    'artist=Inner artist',
    '-metadata',
    'comment=Buy at http://shop.example',
  ],
  'song.wav': ['-f', 'lavfi', '-i', `sine=frequency=330:duration=${MEDIA_SECONDS}`, '-af', 'volume=0.05'],
  'song.opus': ['-i', 'song.wav', '-c:a', 'libopus', '-b:a', '48k'],
  'song.m4a': ['-i', 'song.wav', '-c:a', 'aac', '-b:a', '96k', '-movflags', '+faststart'],
  'video.mp4': [
    '-f',
    'lavfi',
    '-i',
    `testsrc=size=320x180:rate=10:duration=${MEDIA_SECONDS}`,
    '-f',
    'lavfi',
    '-i',
    `sine=frequency=550:duration=${MEDIA_SECONDS}`,
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    '-pix_fmt',
    'yuv420p',
    '-c:a',
    'aac',
    '-b:a',
    '96k',
    '-movflags',
    '+faststart',
  ],
  'video.webm': [
    '-f',
    'lavfi',
    '-i',
    'testsrc=size=320x180:rate=10:duration=6',
    '-f',
    'lavfi',
    '-i',
    'sine=frequency=550:duration=6',
    '-c:v',
    'libvpx',
    '-deadline',
    'realtime',
    '-cpu-used',
    '8',
    '-pix_fmt',
    'yuv420p',
    '-c:a',
    'libopus',
  ],
  'silent.mp4': [
    '-f',
    'lavfi',
    '-i',
    'testsrc=size=320x180:rate=10:duration=6',
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    '-pix_fmt',
    'yuv420p',
    '-movflags',
    '+faststart',
  ],
} as const;
export type MediaName = keyof typeof recipes;

/** Returns the media that a recipe uses as input. */
const listIngredients = (name: MediaName): readonly MediaName[] =>
  (Object.keys(recipes) as MediaName[]).filter((ingredient) =>
    (recipes[name] as readonly string[]).includes(ingredient),
  );

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
