import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ICommonTagsResult, parseFile } from 'music-metadata';
import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';
import { createTempFolder } from '#testing/kits/server/tempFolder.ts';
import { createMedia } from '../../../apps/server/assemble.ts';
import { createProcessRunner } from '../programs/processRunner.ts';
import { createTextFrame, writeId3 } from './id3.ts';
import { readTags } from './tags.ts';
import { writeTags } from './writeTags.ts';

const processRunner = createProcessRunner({ log: pino({ level: 'silent' }) });
const media = createMedia(processRunner);
afterAll(() => processRunner.stop());

const ffmpeg = (...args: readonly string[]): Buffer =>
  execFileSync('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...args]);

const createUntaggedMp3 = (): Buffer =>
  ffmpeg(...'-f lavfi -i sine=duration=1 -map_metadata -1 -id3v2_version 0 -f mp3 -'.split(' '));

/** All tags of a well tagged file. */
const TAGS = {
  title: 'One; two / three',
  artist: 'AC/DC',
  album: 'Back',
  album_artist: 'Various Artists',
  composer: 'Someone',
  track: '1/12',
  disc: '2/3',
  date: '1980',
  genre: 'Rock',
  comment: 'A comment',
  lyrics: 'La la',
};
const TAG_ARGS = Object.entries(TAGS).flatMap(([name, value]) => ['-metadata', `${name}=${value}`]);

const FRAGMENTS = '+frag_keyframe+empty_moov';

/** Creates two seconds of audio with these tags; mp3, flac and m4a with a picture too. */
async function createSong(name: string, ...codec: readonly string[]): Promise<string> {
  const folder = await createTempFolder();
  const path = join(folder, name);
  // ffmpeg cannot read a picture that it has written into a fragmented file.
  const hasPicture = /\.(mp3|flac|m4a)$/.test(name) && !codec.some((option) => option.startsWith(FRAGMENTS));
  const picture = hasPicture
    ? ['-f', 'lavfi', '-i', 'color=red:size=64x64:duration=0.04:rate=25', '-map', '0:a', '-map', '1:v', '-c:v', 'mjpeg']
    : [];
  const attached = hasPicture ? ['-disposition:v', 'attached_pic', '-pix_fmt', 'yuvj420p'] : [];
  ffmpeg('-f', 'lavfi', '-i', 'sine=frequency=440:duration=2', ...picture, ...attached, ...codec, ...TAG_ARGS, path);
  return path;
}

const readAudio = (path: string): string =>
  ffmpeg('-i', path, '-map', '0:a:0', '-c', 'copy', '-f', 'streamhash', '-').toString();
const hashSamples = (file: string): string =>
  ffmpeg('-i', file, '-map', '0:a:0', '-c:a', 'pcm_s16le', '-f', 'md5', '-').toString();
const hashPackets = (file: string): string => readAudio(file).split('=').at(-1) ?? '';
const UNCHANGED_TAGS: readonly (keyof ICommonTagsResult)[] = [
  'albumartist',
  'composer',
  'track',
  'disk',
  'year',
  'genre',
  'comment',
  'lyrics',
  'picture',
];
const pickUnchangedTags = ({ common }: { readonly common: ICommonTagsResult }) =>
  UNCHANGED_TAGS.map((name) => [name, common[name]]);

const FILES = [
  ['song.mp3'],
  ['song3.mp3', '-id3v2_version', '3'],
  ['song.flac'],
  ['song.m4a', '-c:a', 'aac', '-movflags', '+faststart'],
  ['end.m4a', '-c:a', 'alac'],
  ['song.opus', '-c:a', 'libopus'],
  ['song.ogg', '-c:a', 'libvorbis'],
] satisfies readonly (readonly [string, ...string[]])[];

test.each<readonly [string, ...string[]]>(FILES)(
  '%s keeps its audio and all other tags when some are changed',
  async (name, ...codec) => {
    const from = await createSong(name, ...codec);
    const to = join(await createTempFolder(), name);
    expect(await readTags(from)).toMatchObject({
      artist: 'AC/DC',
      title: TAGS.title,
      details: { artists: [], track: 1, disc: 2, year: 1980, genre: 'Rock', albumArtist: 'Various Artists' },
    });
    const before = await parseFile(from);
    expect(
      await writeTags(from, to, {
        title: 'A longer title, “ü” 日本',
        artists: ['A/One', 'B; Two'],
        album: 'x'.repeat(70_000),
      }),
    ).toBe(true);
    const after = await parseFile(to);
    expect(await readTags(to)).toMatchObject({
      title: 'A longer title, “ü” 日本',
      artist: 'A/One, B; Two',
      details: { artists: ['A/One', 'B; Two'], albumArtist: 'Various Artists' },
    });
    expect(after.common.album).toHaveLength(70_000);
    expect(pickUnchangedTags(after)).toEqual(pickUnchangedTags(before));
    expect(after.format.duration).toBeCloseTo(before.format.duration ?? 0, 1);
    expect(readAudio(to)).toBe(readAudio(from));
    // Renames it back to a shorter name.
    expect(await writeTags(to, from, { title: 'B', artists: ['AC/DC'], album: '' })).toBe(true);
    const shortened = await readTags(from);
    expect(shortened).toMatchObject({ title: 'B', artist: 'AC/DC', album: '', details: { artists: [] } });
    expect(readAudio(from)).toBe(readAudio(to));
  },
);

test.each([3, 4])('artists of ID3v2.%i are read unchanged', async (version) => {
  const folder = await createTempFolder();
  const path = join(folder, 'song.mp3');
  const audio = createUntaggedMp3();
  async function read(...frames: readonly Buffer[]) {
    await writeFile(path, Buffer.concat([writeId3(version, 0, frames), audio]));
    const { artist, details } = await readTags(path);
    return [artist, details.artists];
  }
  const createArtistFrame = (...names: readonly string[]) => createTextFrame(version, 'TPE1', names);
  for (const name of ['AC/DC', 'A; B', 'A feat. B', 'Ö/ü', 'A & B', 'a, b'])
    expect(await read(createArtistFrame(name))).toEqual([name, []]);
  expect(await read(createArtistFrame('A One', 'B Two'))).toEqual(['A One, B Two', ['A One', 'B Two']]);
  expect(await read(createArtistFrame('A feat. B'), createTextFrame(version, 'TXXX', ['ARTISTS', 'A', 'B/C']))).toEqual(
    ['A feat. B', ['A', 'B/C']],
  );
  expect(await read()).toEqual(['', []]);
});

test('unsynchronized tags and version 2.2 are read and written', async () => {
  const folder = await createTempFolder();
  const [path, other] = [join(folder, 'song.mp3'), join(folder, 'other.mp3')];
  const audio = createUntaggedMp3();
  const frames = [createTextFrame(2, 'TP1', ['AC/DC']), createTextFrame(2, 'TRK', ['3/4'])];
  await writeFile(path, Buffer.concat([writeId3(2, 0, frames), audio]));
  expect(await readTags(path)).toMatchObject({ artist: 'AC/DC', details: { track: 3 } });
  expect(await writeTags(path, other, { title: 'New' })).toBe(true);
  expect(await readTags(other)).toMatchObject({ title: 'New', artist: 'AC/DC', details: { track: 3 } });

  const tag = writeId3(3, 0x80, [createTextFrame(3, 'TPE1', ['AC/DC'])]);
  const body = Buffer.from(tag.subarray(10).toString('latin1').replaceAll('\xff', '\xff\0'), 'latin1');
  const header = Buffer.from(tag.subarray(0, 10));
  for (const [index, shift] of [21, 14, 7, 0].entries()) header[6 + index] = (body.length >> shift) & 0x7f;
  await writeFile(path, Buffer.concat([header, body, audio]));
  expect((await readTags(path)).artist).toBe('AC/DC');
  expect(await writeTags(path, other, { title: 'New' })).toBe(true);
  expect(await readTags(other)).toMatchObject({ title: 'New', artist: 'AC/DC' });
});

test.each<readonly [string, ...string[]]>([
  ['song.wav'],
  ['song.m4a', '-c:a', 'aac', '-movflags', FRAGMENTS],
  ['song.m4a', '-c:a', 'aac', '-movflags', `${FRAGMENTS}+default_base_moof+global_sidx`],
  ['song.m4a', '-c:a', 'alac', '-movflags', `${FRAGMENTS}+faststart`, '-frag_duration', '500000'],
])('%s has no writer here: ffmpeg renames it, and it keeps its tags', async (name, ...codec) => {
  const from = await createSong(name, ...codec);
  const folder = await createTempFolder();
  expect(await writeTags(from, join(folder, 'x'), { title: 'New' })).toBe(false);
  const tags = { title: 'New', artist: TAGS.artist, album: TAGS.album };
  await media.retag({ from, folder, to: name, tags, loudness: { gain: 0, peak: 1 } });
  const to = join(folder, name);
  const { common, format } = await parseFile(to);
  expect([common.title, common.genre, common.artist]).toEqual(['New', ['Rock'], TAGS.artist]);
  expect(hashPackets(to)).toBe(hashPackets(from));
  expect(format.duration).toBeCloseTo(2, 0);
});

test.each([
  ['song.mp3', 'mp3'],
  ['song.flac', 'flac'],
  ['song.m4a', 'm4a', '-c:a', 'aac'],
  ['alac.m4a', 'm4a', '-c:a', 'alac'],
  ['song.opus', 'opus', '-c:a', 'libopus'],
  ['song.ogg', 'ogg', '-c:a', 'libvorbis'],
  ['song.wav', 'wav'],
])('%s is stored unchanged', async (name, extension, ...codec) => {
  const path = await createSong(name, ...codec);
  const bytes = await readFile(path);
  const song = await media.processSong({
    folder: join(path, '..'),
    name,
    tags: {},
    fallbackTitle: 'x',
    keepsFile: true,
  });
  expect(song).toMatchObject({ name, extension, bytes: bytes.length, tags: { title: TAGS.title, artist: 'AC/DC' } });
  expect(await readFile(join(path, '..', song.name))).toEqual(bytes);
  expect(song.seconds).toBeCloseTo(2, 0);
});

test.each([
  ['song.aiff'],
  ['song24.aiff', '-c:a', 'pcm_s24be', '-write_id3v2', '1'],
  ['song.wma', '-c:a', 'wmav2'],
  ['song.wv', '-c:a', 'wavpack'],
  ['song.mka', '-c:a', 'ac3'],
  ['song.ac3', '-c:a', 'ac3'],
  ['song.eac3', '-c:a', 'eac3'],
  ['song.mp2', '-c:a', 'mp2'],
  ['song.caf', '-c:a', 'pcm_s16be'],
  ['song.au'],
  ['song.w64'],
  ['song.tta', '-ac', '2', '-c:a', 'tta'],
  ['mono.tta', '-ac', '1', '-c:a', 'tta'],
  ['four.tta', '-ac', '4', '-c:a', 'tta'],
  ['song.mlp', '-c:a', 'mlp', '-strict', '-2'],
  ['song.thd', '-c:a', 'truehd', '-strict', '-2', '-ar', '48000'],
  ['song.sox'],
  ['song.spx', '-c:a', 'libspeex', '-ar', '16000'],
  // A copy into Ogg lacks the header that CAF does not have.
  ['opus.caf', '-c:a', 'libopus'],
  ['song.dts', '-c:a', 'dca', '-strict', '-2'],
  ['song.avi', '-c:a', 'ac3'],
  ['song.flv', '-c:a', 'adpcm_swf'],
  ['song.vob', '-c:a', 'ac3'],
])('%s is converted without loss', async (name, ...codec) => {
  const path = await createSong(name, ...codec);
  const folder = join(path, '..');
  const song = await media.processSong({ folder, name, tags: {}, fallbackTitle: 'x', keepsFile: true });
  expect(song).toMatchObject({ name: 'final.flac', extension: 'flac', type: 'audio/flac' });
  expect(hashSamples(join(folder, 'final.flac'))).toBe(hashSamples(path));
  if (!/wma|mka|wv/.test(name)) return;
  const { common } = await parseFile(join(folder, 'final.flac'));
  expect(common).toMatchObject({ artist: 'AC/DC', albumartist: 'Various Artists', track: { no: 1 }, genre: ['Rock'] });
  expect(common.replaygain_track_gain?.dB).toBeCloseTo(song.loudness.gain, 2);
});

test('sound with more channels than FLAC supports becomes stereo', async () => {
  const path = await createSong('song.w64', '-ac', '24');
  const folder = join(path, '..');
  const song = await media.processSong({ folder, name: 'song.w64', tags: {}, fallbackTitle: 'x', keepsFile: true });
  expect(song).toMatchObject({ name: 'final.flac', seconds: expect.closeTo(2, 1) });
});

// FLAC supports at most 655,350 Hz, and ffmpeg decodes to an eighth of these rates.
test.each([2_822_400, 5_644_800, 11_289_600])('a one-bit stream (DSF) at %i Hz is converted', async (rate) => {
  const folder = await createTempFolder();
  // Written by hand, because ffmpeg only reads this format: one second of one channel.
  const block = 4096;
  const blocks = Math.ceil(rate / 8 / block);
  const header = Buffer.alloc(92);
  header.write('DSD ', 0);
  header.writeBigUInt64LE(28n, 4);
  header.writeBigUInt64LE(BigInt(92 + blocks * block), 12);
  header.write('fmt ', 28);
  header.writeBigUInt64LE(52n, 32);
  [1, 0, 1, 1, rate, 1].forEach((value, index) => header.writeUInt32LE(value, 40 + 4 * index));
  header.writeBigUInt64LE(BigInt(rate), 64);
  header.writeUInt32LE(block, 72);
  header.write('data', 80);
  header.writeBigUInt64LE(BigInt(12 + blocks * block), 84);
  await writeFile(join(folder, 'song.dsf'), Buffer.concat([header, Buffer.alloc(blocks * block, 0x69)]));
  const source = { folder, name: 'song.dsf', tags: {}, fallbackTitle: 'Bits', keepsFile: true };
  const song = await media.processSong(source);
  expect(song).toMatchObject({ name: 'final.flac', type: 'audio/flac', tags: { title: 'Bits' } });
  expect(song.seconds).toBeCloseTo(1, 1);
});

test.each([
  ['song.tta', '-ac', '2', '-c:a', 'tta'],
  ['song.avi', '-c:a', 'ac3'],
  ['song.caf', '-c:a', 'pcm_s16be'],
])('tags of %s reach the library and the file', async (name, ...codec) => {
  const path = await createSong(name, ...codec);
  const folder = join(path, '..');
  const song = await media.processSong({ folder, name, tags: {}, fallbackTitle: 'x', keepsFile: true });
  expect(song.tags).toMatchObject({ title: TAGS.title, artist: 'AC/DC' });
  expect(await readTags(join(folder, song.name))).toMatchObject({ title: TAGS.title, artist: 'AC/DC' });
});

test('recordings of phones (AMR) are converted, and unrelated files are refused', async () => {
  const folder = await createTempFolder();
  // Written by hand, because ffmpeg only reads this format: three seconds of frames of 12.2 kbit/s with any content.
  const frames = Array.from({ length: 150 }, (_, frame) =>
    Buffer.from([0x3c, ...Array.from({ length: 31 }, (_byte, position) => (frame * 37 + position * 101) % 256)]),
  );
  await writeFile(join(folder, 'memo.amr'), Buffer.concat([Buffer.from('#!AMR\n'), ...frames]));
  const processSong = (name: string) =>
    media.processSong({ folder, name, tags: {}, fallbackTitle: 'Memo', keepsFile: true });
  expect(await processSong('memo.amr')).toMatchObject({ name: 'final.flac', seconds: 3, tags: { title: 'Memo' } });
  for (const name of ['song.ape', 'song.mpc', 'song.amr']) {
    await writeFile(join(folder, name), 'MAC MPCK #!AMR and nothing of it');
    await expect(processSong(name)).rejects.toThrow('No sound in this file');
  }
});

test.each([
  ['song.mka', 'flac', '-c:a', 'flac'],
  ['song.mka', 'opus', '-c:a', 'libopus'],
  ['song.aac', 'm4a', '-c:a', 'aac'],
])('%s is copied into a %s file', async (name, extension, ...codec) => {
  const path = await createSong(name, ...codec);
  const folder = join(path, '..');
  const song = await media.processSong({ folder, name, tags: {}, fallbackTitle: 'x', keepsFile: true });
  expect(song.extension).toBe(extension);
  if (extension === 'flac') expect(hashPackets(join(folder, song.name))).toBe(hashPackets(path));
  if (name === 'song.mka')
    expect((await readTags(join(folder, song.name))).details).toMatchObject({ track: 1, genre: 'Rock' });
});

test('a download keeps the tags of its file, except those that its page replaces', async () => {
  for (const [name, ...codec] of [
    ['song.mp3'],
    ['song.opus', '-c:a', 'libopus'],
    ['song.m4a', '-c:a', 'aac'],
  ] as const) {
    const path = await createSong(name, ...codec);
    const folder = join(path, '..');
    const song = await media.processSong({ folder, name, tags: { title: 'Of the page' }, fallbackTitle: 'x' });
    const { common } = await parseFile(join(folder, song.name));
    expect(common).toMatchObject({
      title: 'Of the page',
      albumartist: 'Various Artists',
      track: { no: 1, of: 12 },
      genre: ['Rock'],
      year: 1980,
    });
    expect((await readTags(join(folder, song.name))).artist).toBe('AC/DC');
    expect(common.replaygain_track_gain?.dB).toBeCloseTo(song.loudness.gain, 2);
  }
});
