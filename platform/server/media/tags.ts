import { type FileHandle, open } from 'node:fs/promises';
import type { IPicture } from 'music-metadata';
import { createCharsetRepair } from './charset.ts';
import { parseFrameName, parseFrameTexts, getId3Size, parseId3 } from './id3.ts';
import { createLoudnessPlaceholder } from './loudnessTags.ts';
import type { ProcessedSong, SongDetails, SongTags } from './media.ts';

/** What a file says of itself. */
export interface FileTags extends SongTags {
  readonly details: SongDetails;
  readonly picture: Buffer | undefined;
  /** As music-metadata names it. */
  readonly codec?: string | undefined;
  readonly seconds?: number | undefined;
  /** It is of a kind whose tags only ffprobe reads. */
  readonly isUnread?: true;
}

const MAX_TEXT_LENGTH = 300;

/** One line without control characters, of at most 300 code points. Nothing of it means anything to a program. */
export const cleanTagText = (text: string): string => {
  const line = text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
  // An artist of zero-width spaces is none.
  return /[^\p{Cf}\p{Z}]/u.test(line) ? Array.from(line).slice(0, MAX_TEXT_LENGTH).join('') : '';
};

/** As much of a file as is looked at for its tags, in all: whoever announces a picture of a gigabyte does not get it into the server's memory. */
const MAX_READ_BYTES = 48 * 1024 * 1024;

/** What music-metadata reads of a blob, of an open file. @throws Error where that is too much */
const blobOf = async (file: FileHandle): Promise<Blob> => {
  const { size } = await file.stat();
  let left = MAX_READ_BYTES;
  const read = async (from: number, to: number): Promise<ArrayBuffer> => {
    left -= to - from;
    if (left < 0) throw new Error('the tags of this file are too large');
    const bytes = new Uint8Array(to - from);
    await file.read(bytes, 0, bytes.length, from);
    return bytes.buffer;
  };
  const slice = (from = 0, to = size) => ({ arrayBuffer: () => read(from, Math.min(to, size)) });
  return { size, type: '', slice } as unknown as Blob;
};

/** Of a tag larger than this only what music-metadata says is known. */
const MAX_ID3_BYTES = 16 * 1024 * 1024;

interface Artists {
  readonly artists: readonly string[];
  readonly credited: readonly string[];
  readonly albumArtists: readonly string[];
}

/** By the file's own frames: music-metadata takes a slash in a name for the end of it. */
const id3Artists = async (file: FileHandle): Promise<Artists | undefined> => {
  const { buffer: head } = await file.read(Buffer.alloc(10), 0, 10, 0);
  const size = getId3Size(head);
  if (size === 0 || size > MAX_ID3_BYTES) return undefined;
  const { buffer } = await file.read(Buffer.alloc(size), 0, size, 0);
  const frames = parseId3(buffer)?.frames ?? [];
  const textsOf = (...ids: readonly string[]) => frames.filter(({ id }) => ids.includes(id)).flatMap(parseFrameTexts);
  const artists = textsOf('TPE1', 'TP1');
  const own = frames.filter(
    (frame) => ['TXXX', 'TXX'].includes(frame.id) && parseFrameName(frame).toUpperCase() === 'ARTISTS',
  );
  return artists.length === 0
    ? undefined
    : { artists, credited: own.flatMap(parseFrameTexts), albumArtists: textsOf('TPE2', 'TP2') };
};

interface NativeTag {
  readonly id: string;
  readonly value: unknown;
}

const NATIVE_ARTIST = /^(ARTIST|TPE1|TP1|\u00a9ART|Author|WM\/Author|IART)$/i;
const NATIVE_ARTISTS = /^(ARTISTS|TXXX:ARTISTS|----:com\.apple\.iTunes:ARTISTS|WM\/ARTISTS)$/i;
const NATIVE_ALBUM_ARTIST = /^(ALBUM[ _]?ARTIST|TPE2|TP2|aART|WM\/AlbumArtist)$/i;

/** The same of all other files, each value by itself. */
const nativeArtists = (native: Readonly<Record<string, readonly NativeTag[]>>): Artists | undefined => {
  for (const [type, tags] of Object.entries(native)) {
    const valuesOf = (name: RegExp): readonly string[] =>
      tags.flatMap(({ id, value }) => (name.test(id) && typeof value === 'string' ? [value] : []));
    const artists = valuesOf(NATIVE_ARTIST);
    // Slashes that it split at: in files of other kinds with such a tag inside.
    const whole = /^ID3v2\.[23]$/.test(type) && artists.length > 1 ? [artists.join('/')] : artists;
    // Some programs write two names of the tag, with the same in both.
    const first = tags.find(({ id }) => NATIVE_ALBUM_ARTIST.test(id))?.id;
    const albumArtists = tags.flatMap(({ id, value }) => (id === first && typeof value === 'string' ? [value] : []));
    if (whole.length > 0) return { artists: whole, credited: valuesOf(NATIVE_ARTISTS), albumArtists };
  }
  return undefined;
};

const texts = (values: readonly string[]): readonly string[] => [...new Set(values.map(cleanTagText).filter(Boolean))];

/** One line for all, and each by itself where there are several. */
const artistsOf = ({
  artists,
  credited,
}: Omit<Artists, 'albumArtists'>): { readonly artist: string; readonly artists: readonly string[] } => {
  const names = texts(artists);
  const each = texts(credited.length > 1 ? credited : artists);
  return { artist: cleanTagText(names.join(', ')), artists: each.length > 1 ? each : [] };
};

const wholeNumber = (value: number | null | undefined): number =>
  value != null && Number.isSafeInteger(value) && value > 0 && value < 100_000 ? value : 0;

const NO_DETAILS: SongDetails = {
  artists: [],
  albumArtist: '',
  isCompilation: false,
  track: 0,
  disc: 0,
  year: 0,
  genre: '',
};

const NO_TAGS: FileTags = { title: '', artist: '', album: '', details: NO_DETAILS, picture: undefined };

/** The front of the cover, where a file has other pictures too: icons, the back, the band. */
const coverIn = (pictures: readonly IPicture[]): Buffer | undefined => {
  const whole = pictures.filter(({ data }) => data.length > 0);
  const cover = whole.find(({ type }) => type === 'Cover (front)') ?? whole[0];
  return cover && Buffer.from(cover.data);
};

/** Reads what a file that somebody else made says of itself; nothing where that cannot be read. */
export const readTags = async (path: string): Promise<FileTags> => {
  const { parseBlob } = await import('music-metadata');
  const file = await open(path, 'r');
  try {
    const { common, format, native } = await parseBlob(await blobOf(file), { duration: false });
    const { title = '', album = '', albumartist = '', genre = [] } = common;
    const known = (await id3Artists(file)) ??
      nativeArtists(native) ?? { artists: [common.artist ?? ''], credited: [], albumArtists: [] };
    const albumArtists = known.albumArtists.length === 0 ? [albumartist] : known.albumArtists;
    const repair = createCharsetRepair([title, album, ...known.artists, ...albumArtists, ...genre]);
    const each = (values: readonly string[]): readonly string[] => texts(values.map(repair));
    const { artist, artists } = artistsOf({ artists: each(known.artists), credited: each(known.credited) });
    return {
      title: cleanTagText(repair(title)),
      artist,
      album: cleanTagText(repair(album)),
      details: {
        artists,
        albumArtist: cleanTagText(each(albumArtists).join(', ')),
        isCompilation: common.compilation === true,
        track: wholeNumber(common.track.no),
        disc: wholeNumber(common.disk.no),
        year: wholeNumber(common.year),
        genre: cleanTagText(each(genre).join('; ')),
      },
      picture: coverIn(common.picture ?? []),
      codec: format.codec,
      seconds: format.duration,
    };
  } catch {
    return { ...NO_TAGS, isUnread: true }; // whether it is a song at all, ffmpeg says
  } finally {
    await file.close();
  }
};

const numberIn = (text = ''): number => wholeNumber(Number(/^\d+/.exec(text.trim())?.[0] ?? 0));

/** What ffprobe reads of files whose tags music-metadata does not read: TTA, CAF, AVI, FLV and others. */
export const parseProbedTags = (sent: Readonly<Record<string, string>>): FileTags => {
  const said = new Map(Object.entries(sent).map(([name, value]) => [name.toLowerCase().replace(' ', '_'), value]));
  const repair = createCharsetRepair([...said.values()]);
  const text = (name: string): string => cleanTagText(repair(said.get(name) ?? ''));
  return {
    title: text('title'),
    artist: text('artist'),
    album: text('album'),
    details: {
      artists: [],
      albumArtist: text('album_artist') || text('albumartist'),
      isCompilation: /^(1|true|yes)$/i.test(text('compilation')),
      track: numberIn(said.get('track')),
      disc: numberIn(said.get('disc')),
      year: numberIn(said.get('date') ?? said.get('year')),
      genre: text('genre'),
    },
    picture: undefined,
  };
};

/** What containers and encoders say of themselves, which is nothing of a song. */
const OF_CONTAINERS = ['major_brand', 'minor_version', 'compatible_brands', 'handler_name', 'vendor_id', 'encoder'];

/** For ffmpeg: the file's own, of some containers at its sound, with ours in their place and a place for the loudness. */
export const buildTagArguments = (
  { title, artist, album }: SongTags,
  extension: ProcessedSong['extension'],
): readonly string[] => [
  '-map_metadata:g',
  '0:g',
  '-map_metadata:g',
  '0:s:a:0',
  ...OF_CONTAINERS.flatMap((name) => ['-metadata', `${name}=`]),
  '-map_chapters',
  '-1',
  ...Object.entries({ title, artist, album, ...createLoudnessPlaceholder(extension) })
    .filter(([, value]) => value !== '')
    .flatMap(([name, value]) => ['-metadata', `${name}=${cleanTagText(value)}`]),
];
