import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import sharp from 'sharp';
import type { Client } from '#platform/contract/client.ts';
import { changevideo, cwlt, sendcapture } from '#tools/gallery/contract.ts';
import {
  changedownload,
  createplaylist,
  downloads,
  starsong,
  startupload,
  uploadpart,
  ytgetdata,
} from '#tools/music/contract.ts';
import { type Code, codes } from '#tools/music/contract/limits.ts';
import { createRandom, type Random } from './household/random.ts';

const SAMPLE_RATE = 22_050;
const HEADER_BYTES = 44;
const BEATS = 32;
/** Steps of a pentatonic scale in semitones, which sound well in any order. */
const SCALE = [0, 2, 4, 7, 9, 12, 14, 16] as const;

interface DemoTune {
  readonly seed: number;
  /** Hz. */
  readonly base: number;
  readonly beatsPerMinute: number;
}

/** Adds a plucked note to the samples. */
function addNote(
  samples: Float32Array,
  note: { readonly start: number; readonly frequency: number; readonly volume: number },
): void {
  const { start, frequency, volume } = note;
  const length = Math.min(samples.length - start, SAMPLE_RATE * 1.6);
  for (let index = 0; index < length; index += 1) {
    const phase = (2 * Math.PI * frequency * index) / SAMPLE_RATE;
    const fade = Math.exp((-3.2 * index) / SAMPLE_RATE) * Math.min(1, index / 120);
    const wave = Math.sin(phase) + 0.4 * Math.sin(2 * phase) + 0.15 * Math.sin(3 * phase);
    samples[start + index] = (samples[start + index] ?? 0) + volume * fade * wave;
  }
}

const toFrequency = (base: number, semitones: number): number => base * 2 ** (semitones / 12);

const getNextPosition = (position: number, random: Random): number =>
  Math.max(0, Math.min(SCALE.length - 1, position + random.between(-2, 2)));

/** Creates a short tune as a mono WAV file with 16 bits. */
export function createTuneWav({ seed, base, beatsPerMinute }: DemoTune): Buffer {
  const random = createRandom(seed);
  const samplesPerBeat = Math.round((SAMPLE_RATE * 60) / beatsPerMinute);
  const samples = new Float32Array(samplesPerBeat * (BEATS + 3));
  let position = 2;
  for (let beat = 0; beat < BEATS; beat += 1) {
    const start = beat * samplesPerBeat;
    if (beat % 4 === 0)
      addNote(samples, { start, frequency: toFrequency(base / 2, random.pick([0, -5, -3])), volume: 0.3 });
    position = getNextPosition(position, random);
    if (random.fraction() < 0.85)
      addNote(samples, { start, frequency: toFrequency(base, SCALE[position] ?? 0), volume: 0.26 });
    if (random.fraction() < 0.35) {
      position = getNextPosition(position, random);
      const half = start + Math.round(samplesPerBeat / 2);
      addNote(samples, { start: half, frequency: toFrequency(base, SCALE[position] ?? 0), volume: 0.18 });
    }
  }
  const wav = Buffer.alloc(HEADER_BYTES + samples.length * 2);
  wav.write('RIFF', 0);
  wav.writeUInt32LE(wav.length - 8, 4);
  wav.write('WAVEfmt ', 8);
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(SAMPLE_RATE, 24);
  wav.writeUInt32LE(SAMPLE_RATE * 2, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write('data', 36);
  wav.writeUInt32LE(samples.length * 2, 40);
  for (const [index, sample] of samples.entries())
    wav.writeInt16LE(Math.round(Math.max(-1, Math.min(1, sample)) * 32_000), HEADER_BYTES + index * 2);
  return wav;
}

const execute = promisify(execFile);
const FFMPEG = process.env['FFMPEG_PATH'] || 'ffmpeg';

interface SongTemplate extends DemoTune {
  readonly title: string;
  readonly artist: string;
  readonly album: string;
  readonly format: 'mp3' | 'flac';
  readonly colours: readonly [string, string];
}

const SONGS: readonly SongTemplate[] = [
  {
    title: 'Morning on the Balcony',
    artist: 'The Made-up Trio',
    album: 'Kitchen Songs',
    format: 'mp3',
    colours: ['#f2b36b', '#d4566b'],
    seed: 1,
    base: 294,
    beatsPerMinute: 104,
  },
  {
    title: 'Rain on Tuesday',
    artist: 'The Made-up Trio',
    album: 'Kitchen Songs',
    format: 'mp3',
    colours: ['#6a8fc4', '#2f3f66'],
    seed: 2,
    base: 220,
    beatsPerMinute: 84,
  },
  {
    title: 'Two Left Shoes',
    artist: 'The Made-up Trio',
    album: 'Kitchen Songs',
    format: 'flac',
    colours: ['#7fb685', '#2a6d62'],
    seed: 3,
    base: 330,
    beatsPerMinute: 126,
  },
  {
    title: 'Slow Train',
    artist: 'Paper Lanterns',
    album: 'Long Way Home',
    format: 'flac',
    colours: ['#b598d9', '#54378a'],
    seed: 4,
    base: 196,
    beatsPerMinute: 76,
  },
  {
    title: 'Lake in Winter',
    artist: 'Paper Lanterns',
    album: 'Long Way Home',
    format: 'mp3',
    colours: ['#9fd3dc', '#37718e'],
    seed: 5,
    base: 262,
    beatsPerMinute: 92,
  },
];

interface RecordingTemplate {
  readonly title: string;
  /** Input of ffmpeg's `lavfi`. */
  readonly source: string;
  readonly daysAgo: number;
  readonly time: string;
}

const RECORDINGS: readonly RecordingTemplate[] = [
  {
    title: 'Fractal zoom',
    source: 'mandelbrot=size=640x360:rate=12:start_scale=1.4:end_scale=0.2:end_pts=40',
    daysAgo: 1,
    time: '20-14-05',
  },
  {
    title: 'Game of Life',
    source:
      'life=size=160x90:rate=12:mold=20:ratio=0.2:death_color=#1b3a5b:life_color=#f4c95d:seed=4,scale=640:360:flags=neighbor',
    daysAgo: 1,
    time: '20-31-40',
  },
  { title: 'Colour test', source: 'gradients=size=640x360:rate=12:seed=9:speed=0.03', daysAgo: 6, time: '17-02-12' },
  { title: 'Test pattern', source: 'testsrc2=size=640x360:rate=12', daysAgo: 6, time: '17-19-48' },
];
const RECORDING_SECONDS = 3;

/** Folder for temporary files, and the signal that cancels the work. */
interface MediaFactory {
  readonly folder: string;
  readonly signal: AbortSignal;
}

const runFfmpeg = async ({ signal }: MediaFactory, ...args: readonly string[]): Promise<void> =>
  void (await execute(FFMPEG, ['-nostdin', '-v', 'error', '-y', ...args], { signal }));

/** Returns whether ffmpeg can be run. */
export async function isFfmpegInstalled(): Promise<boolean> {
  return execute(FFMPEG, ['-version']).then(
    () => true,
    () => false,
  );
}

const drawCover = ([light, dark]: readonly [string, string]): Promise<Buffer> =>
  sharp(
    Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="400" height="400">
      <defs><linearGradient id="sky" x2="0" y2="1"><stop stop-color="${light}"/><stop offset="1" stop-color="${dark}"/>
      </linearGradient></defs>
      <rect width="400" height="400" fill="url(#sky)"/>
      <circle cx="285" cy="120" r="62" fill="#fff" fill-opacity=".75"/>
      <path d="M0 300 Q100 210 200 285 T400 250 V400 H0z" fill="${dark}" fill-opacity=".8"/>
      <path d="M0 350 Q130 290 250 345 T400 330 V400 H0z" fill="#000" fill-opacity=".3"/></svg>`),
  )
    .jpeg()
    .toBuffer();

const TAGS = ['title', 'artist', 'album'] as const;

async function createSong(song: SongTemplate, factory: MediaFactory): Promise<Buffer> {
  const wav = join(factory.folder, 'tune.wav');
  const cover = join(factory.folder, 'cover.jpg');
  const file = join(factory.folder, `song.${song.format}`);
  await writeFile(wav, createTuneWav(song));
  await writeFile(cover, await drawCover(song.colours));
  const input = ['-i', wav, '-i', cover, '-map', '0:a', '-map', '1:v', '-c:v', 'copy'];
  const tags = TAGS.flatMap((tag) => ['-metadata', `${tag}=${song[tag]}`]);
  await runFfmpeg(factory, ...input, '-disposition:v:0', 'attached_pic', '-id3v2_version', '3', ...tags, file);
  return readFile(file);
}

const computeDigest = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');

async function uploadSong(call: Client, name: string, content: Buffer): Promise<void> {
  const { upload, offset } = await call(startupload, { name, size: content.length, digest: computeDigest(content) });
  await call(uploadpart, { upload, offset, data: content.subarray(offset).toString('base64') });
}

const POLL_INTERVAL_MS = 500;

async function waitUntil(isDone: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && !(await isDone())) await sleep(POLL_INTERVAL_MS, undefined, { signal });
}

const isPending = ({ failed }: { readonly failed: Code }): boolean =>
  failed === codes.queued || failed === codes.pending;

/** Waits until the server has processed the uploads, and closes their entries. */
async function waitForSongs(call: Client, signal: AbortSignal): Promise<void> {
  const listDownloads = async () => (await call(downloads, {})).downloads;
  await waitUntil(async () => !(await listDownloads()).some(isPending), signal);
  for (const { downloadid } of await listDownloads()) await call(changedownload, { downloadid, to: 'saved' });
}

/** Names the recordings when the server has processed them. */
async function nameRecordings(call: Client, signal: AbortSignal): Promise<void> {
  await waitUntil(async () => (await call(cwlt, {})).own?.waiting.length === 0, signal);
  const videos = (await call(cwlt, {})).files.flatMap((session) => session.videos);
  for (const { file, title } of videos) await call(changevideo, { file, title: title.replaceAll('_', ' ') });
}

async function createPlaylists(call: Client): Promise<void> {
  const songs = Object.entries((await call(ytgetdata, {})).mp3s).map(([id, song]) => ({ id: Number(id), ...song }));
  const listSongIds = (artist: string): number[] => songs.filter((song) => song.artist === artist).map(({ id }) => id);
  await call(createplaylist, { title: 'Sunday breakfast', contains: listSongIds('The Made-up Trio') });
  await call(createplaylist, { title: 'Quiet evening', contains: listSongIds('Paper Lanterns') });
  for (const { id } of songs.slice(0, 2)) await call(starsong, { id, starred: true });
}

async function createRecording({ source }: RecordingTemplate, factory: MediaFactory): Promise<Buffer> {
  const file = join(factory.folder, 'recording.mkv');
  const input = ['-f', 'lavfi', '-i', source, '-t', String(RECORDING_SECONDS)];
  await runFfmpeg(factory, ...input, '-c:v', 'mjpeg', '-q:v', '4', file);
  return readFile(file);
}

export interface MediaOptions {
  /** Calls as the owner and as the simulated computer. */
  readonly call: Client;
  readonly callAsComputer: Client;
  readonly today: Temporal.PlainDate;
  /** Called with each recording, which the simulated computer then sends whenever its screen is recorded. */
  readonly onRecording: (content: Uint8Array) => void;
  /** Folder for a temporary folder. */
  readonly parent: string;
  readonly signal: AbortSignal;
}

/** Creates songs and recordings with ffmpeg, and sends them to the server, which processes them as any others. */
export async function fillMedia(options: MediaOptions): Promise<void> {
  const { call, callAsComputer, today, onRecording, parent, signal } = options;
  const folder = await mkdtemp(join(parent, 'media-'));
  const factory = { folder, signal };
  try {
    for (const song of SONGS) {
      if (signal.aborted) return;
      await uploadSong(call, `${song.title}.${song.format}`, await createSong(song, factory));
    }
    for (const recording of RECORDINGS) {
      if (signal.aborted) return;
      const content = await createRecording(recording, factory);
      onRecording(content);
      await callAsComputer(sendcapture, {
        name: `${recording.title.replaceAll(' ', '_')}-${today.subtract({ days: recording.daysAgo }).toString()}_${recording.time}.mkv`,
        offset: 0,
        size: content.length,
        digest: computeDigest(content),
        data: content.toString('base64'),
      });
    }
    await waitForSongs(call, signal);
    await createPlaylists(call);
    await nameRecordings(call, signal);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
