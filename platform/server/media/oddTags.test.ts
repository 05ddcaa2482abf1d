import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { parseFile } from 'music-metadata';
import { expect, test } from 'vitest';
import { createTempFolder } from '#testing/kits/server/tempFolder.ts';
import { writeId3 } from './id3.ts';
import { parseProbedTags, readTags } from './tags.ts';
import { writeTags } from './writeTags.ts';

/** Creates a second of sound. @returns its path, in a folder of its own */
async function createSound(name: string, ...args: readonly string[]): Promise<string> {
  const path = join(await createTempFolder(), name);
  const input = ['-f', 'lavfi', '-i', 'sine=duration=1', '-map_metadata', '-1', '-id3v2_version', '0'];
  execFileSync('ffmpeg', ['-v', 'error', ...(name.endsWith('mp3') ? input : input.slice(0, -2)), ...args, path]);
  return path;
}

const toSevenBits = (value: number): Buffer => Buffer.from([21, 14, 7, 0].map((shift) => (value >> shift) & 0x7f));
function toEightBits(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
const createFrame = (version: 3 | 4, id: string, flags: number, body: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(id),
    (version === 4 ? toSevenBits : toEightBits)(body.length),
    Buffer.from([0, flags]),
    body,
  ]);
const toUtf16 = (text: string): Buffer => Buffer.concat([Buffer.from([1, 0xff, 0xfe]), Buffer.from(text, 'utf16le')]);
/** Inserts a zero after each 0xFF that could be mistaken for the start of audio. */
const unsynchronize = (bytes: Buffer): Buffer =>
  Buffer.from(bytes.toString('latin1').replaceAll(/\xff(?=[\xe0-\xff\0]|$)/g, '\xff\0'), 'latin1');

/** A way to store the content of frames. */
interface FrameStorage {
  readonly version: 3 | 4;
  readonly tagFlags: number;
  readonly flags: number;
  readonly store: (body: Buffer) => Buffer;
}
const FRAME_STORAGES: readonly (readonly [string, FrameStorage])[] = [
  [
    'unsynchronized frames, with their size',
    {
      version: 4,
      tagFlags: 0x80,
      flags: 3,
      store: (body) => Buffer.concat([toSevenBits(body.length), unsynchronize(body)]),
    },
  ],
  ['unsynchronized frames, which only the tag says', { version: 4, tagFlags: 0x80, flags: 0, store: unsynchronize }],
  ['frames that the tag wrongly calls unsynchronized', { version: 4, tagFlags: 0x80, flags: 0, store: (body) => body }],
  [
    'compressed frames (2.4)',
    {
      version: 4,
      tagFlags: 0,
      flags: 9,
      store: (body) => Buffer.concat([toSevenBits(body.length), deflateSync(body)]),
    },
  ],
  [
    'compressed frames (2.3)',
    {
      version: 3,
      tagFlags: 0,
      flags: 0x80,
      store: (body) => Buffer.concat([toEightBits(body.length), deflateSync(body)]),
    },
  ],
  [
    'grouped frames (2.4)',
    { version: 4, tagFlags: 0, flags: 0x40, store: (body) => Buffer.concat([Buffer.from([7]), body]) },
  ],
  [
    'grouped frames (2.3)',
    { version: 3, tagFlags: 0, flags: 0x20, store: (body) => Buffer.concat([Buffer.from([7]), body]) },
  ],
  [
    'half a character at the end',
    {
      version: 3,
      tagFlags: 0,
      flags: 0,
      store: (body) => (body[0] === 1 ? Buffer.concat([body, Buffer.alloc(1)]) : body),
    },
  ],
];

test.each(FRAME_STORAGES)(
  'title, artist, album, year and cover are read from %s',
  async (_name, { version, tagFlags, flags, store }) => {
    const path = await createSound('song.mp3');
    const picture = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(60, 0x41)]);
    const frames = [
      ['TIT2', toUtf16('Smörgås ÿ')],
      ['TPE1', toUtf16('Bjørk ÿ')],
      ['TALB', toUtf16('AC/DC')],
      [version === 4 ? 'TDRC' : 'TYER', Buffer.from('\x001998')],
      ['APIC', Buffer.concat([Buffer.from('\0image/jpeg\0\x03\0', 'latin1'), picture])],
    ] as const;
    const stored = frames.map(([id, body]) => createFrame(version, id, flags, store(body)));
    await writeFile(path, Buffer.concat([writeId3(version, tagFlags, stored), await readFile(path)]));
    const expected = { artist: 'Bjørk ÿ', album: 'AC/DC', details: { year: 1998 }, picture };
    expect(await readTags(path)).toMatchObject({ title: 'Smörgås ÿ', ...expected });
    const renamed = join(path, '..', 'renamed.mp3');
    expect(await writeTags(path, renamed, { title: 'New' })).toBe(true);
    expect(await readTags(renamed)).toMatchObject({ title: 'New', ...expected });
  },
);

test('texts with several byte order marks, and one without its encoding, are read', async () => {
  const path = await createSound('song.mp3');
  const artists = Buffer.concat([toUtf16('A\0'), Buffer.from([0xfe, 0xff, 0, 0x42, 0, 0]), toUtf16('C').subarray(1)]);
  const frames = [createFrame(3, 'TPE1', 0, artists), createFrame(3, 'TIT2', 0, Buffer.from('Title'))];
  await writeFile(path, Buffer.concat([writeId3(3, 0, frames), await readFile(path)]));
  expect(await readTags(path)).toMatchObject({ title: 'Title', details: { artists: ['A', 'B', 'C'] } });
});

const createTitleTag = (title: string): Buffer =>
  writeId3(3, 0, [createFrame(3, 'TIT2', 0, Buffer.from(`\0${title}`))]);

test('a file with two tags is not renamed in the first one only, because players read the second one', async () => {
  const path = await createSound('song.mp3');
  await writeFile(path, Buffer.concat([createTitleTag('One'), createTitleTag('Two'), await readFile(path)]));
  expect(await writeTags(path, join(path, '..', 'renamed.mp3'), { title: 'New' })).toBe(false);
});

test.each([
  ['song.flac', '12.05.2019', 2019],
  ['song.ogg', 'March 2019', 2019],
  ['song.wav', '19/05/2019', 2019],
  ['song.opus', '20190512', 2019],
  ['song.wma', '2019', 2019],
  ['song.mka', '2019-05', 2019],
  ['song.m4a', '2019-05-12T07:00:00Z', 2019],
  ['song.flac', '0000', 0],
  ['song.flac', 'unknown', 0],
])('the year of a %s from %s is %d', async (name, date, year) => {
  const path = await createSound(name, '-metadata', `date=${date}`);
  expect((await readTags(path)).details.year).toBe(year);
  expect(parseProbedTags({ date }).details.year).toBe(year);
});

/** Appends bytes to a nested box. */
function appendToBox(file: Buffer, types: readonly string[], junk: Buffer): Buffer {
  const starts: number[] = [];
  let [from, end] = [0, file.length];
  for (const type of types) {
    while (file.toString('latin1', from + 4, from + 8) !== type) from += file.readUInt32BE(from);
    starts.push(from);
    end = from + file.readUInt32BE(from);
    from += type === 'meta' ? 12 : 8;
  }
  const result = Buffer.concat([file.subarray(0, end), junk, file.subarray(end)]);
  for (const start of starts) result.writeUInt32BE(result.readUInt32BE(start) + junk.length, start);
  return result;
}

test.each([[['moov', 'udta']], [['moov', 'udta', 'meta']], [['moov', 'udta', 'meta', 'ilst']]])(
  'an MP4 file with damaged boxes in %j keeps its tags: it is left to ffmpeg',
  async (types) => {
    const path = await createSound('song.m4a', '-metadata', 'title=Old', '-metadata', 'album=Album');
    await writeFile(path, appendToBox(await readFile(path), types, Buffer.from([1, 2, 3])));
    expect(await writeTags(path, join(path, '..', 'renamed.m4a'), { title: 'New' })).toBe(false);
  },
);

test('an MP4 file that ends in the middle of a large box is left to ffmpeg', async () => {
  const path = await createSound('song.m4a');
  await writeFile(path, Buffer.concat([await readFile(path), Buffer.from('\0\0\0\x01free\0\0')]));
  expect(await writeTags(path, join(path, '..', 'renamed.m4a'), { title: 'New' })).toBe(false);
});

/** Creates an APEv2 tag with a header. */
function createApeTag(items: Readonly<Record<string, string>>): Buffer {
  const body = Buffer.concat(
    Object.entries(items).map(([name, value]) => {
      const head = Buffer.alloc(8);
      head.writeUInt32LE(Buffer.byteLength(value));
      return Buffer.concat([head, Buffer.from(`${name}\0${value}`)]);
    }),
  );
  const [header, footer] = [0xa000_0000, 0x8000_0000].map((flags) => {
    const edge = Buffer.alloc(32);
    edge.write('APETAGEX');
    edge.writeUInt32LE(2000, 8);
    edge.writeUInt32LE(body.length + 32, 12);
    edge.writeUInt32LE(Object.keys(items).length, 16);
    edge.writeUInt32LE(flags, 20);
    return edge;
  });
  return Buffer.concat([header ?? body, body, footer ?? body]);
}

test('a renamed mp3 has its new title in every one of its tags, and everything else stays', async () => {
  const path = await createSound('song.mp3');
  const id3v1 = Buffer.alloc(128);
  id3v1.write('TAGOld title');
  id3v1.write('Old artist', 33);
  id3v1.write('Album', 63);
  const ape = createApeTag({
    title: 'Old title',
    Artist: 'Old artist',
    Album: 'Album',
    REPLAYGAIN_TRACK_GAIN: '-3 dB',
  });
  const sound = await readFile(path);
  await writeFile(path, Buffer.concat([sound, ape, id3v1]));
  const renamed = join(path, '..', 'renamed.mp3');
  expect(await writeTags(path, renamed, { title: 'New 日本', artists: ['A', 'B/C'] })).toBe(true);
  const bytes = await readFile(renamed);
  expect(bytes.indexOf(sound)).toBeGreaterThan(0);
  expect(bytes.includes('Old ')).toBe(false);
  expect(bytes.toString('latin1', bytes.length - 128).replaceAll('\0', '')).toBe('TAGA, B/CAlbum');
  const { native } = await parseFile(renamed);
  const apeTags = native['APEv2']?.map(({ id, value }): [string, unknown] => [id, value]);
  expect(apeTags).toEqual([
    ['Title', 'New 日本'],
    ['Artist', 'A'],
    ['Artist', 'B/C'],
    ['Album', 'Album'],
    ['REPLAYGAIN_TRACK_GAIN', '-3 dB'],
  ]);
  expect(await readTags(renamed)).toMatchObject({ title: 'New 日本', details: { artists: ['A', 'B/C'] } });
});

test('title and artist come from the same tag if a file has two', async () => {
  const path = await createSound('song.flac', '-metadata', 'title=Song', '-metadata', 'artist=AC/DC');
  const artist = createFrame(3, 'TPE1', 0, Buffer.from('\0Uploader'));
  const id3 = writeId3(3, 0, [createFrame(3, 'TIT2', 0, Buffer.from('\0Song_final')), artist]);
  await writeFile(path, Buffer.concat([id3, await readFile(path)]));
  expect(await readTags(path)).toMatchObject({ title: 'Song', artist: 'AC/DC' });
});

test('a wav without its size is left to ffprobe, which reads its tags', async () => {
  const path = await createSound('song.wav', '-metadata', 'title=Song');
  const bytes = await readFile(path);
  bytes.writeUInt32LE(0, 4);
  await writeFile(path, bytes);
  expect((await readTags(path)).needsProbe).toBe(true);
});
