import { type FileHandle, open } from 'node:fs/promises';
import type { IPicture } from 'music-metadata';
import { parseFrameName, parseFrameTexts, getId3Size, parseId3 } from './id3.ts';
import { createLoudnessPlaceholder } from './loudnessTags.ts';
import type { ProcessedSong, SongDetails, SongTags } from './media.ts';

/** What windows-1252 makes of 0x80 to 0x9F, beside the control characters that ISO 8859-1 has there. */
const HIGH = new TextDecoder('windows-1252').decode(Uint8Array.from({ length: 32 }, (_, at) => 0x80 + at));

/** The bytes that a text was read from as Latin-1 or windows-1252; undefined where it has characters of neither. */
const latinBytes = (text: string): Uint8Array | undefined => {
  const bytes = Array.from(text, (sign) => {
    const code = sign.codePointAt(0) ?? 0;
    const at = code > 0xff ? HIGH.indexOf(sign) : -1;
    return at < 0 ? code : 0x80 + at;
  });
  return bytes.some((byte) => byte > 0xff) ? undefined : Uint8Array.from(bytes);
};

const isPlain = (text: string): boolean => /^[\0-\x7f]*$/.test(text);

/** A text as it was read, its bytes as Latin-1, and what a charset makes of them. */
interface TextReading {
  readonly text: string;
  readonly bytes: string;
  readonly decoded: string;
}

interface Charset {
  readonly name: string;
  /** Whether such a text is of this charset for certain, and the file's other texts with it. */
  readonly shows: (reading: TextReading) => boolean;
  /** Whether another text of such a file is of it too. */
  readonly suits: (reading: TextReading) => boolean;
}

/**
 * Signs behind a letter at the end of a word that happen to be UTF-8: `CAFÉ’S`, `weiß…`, `été …`. UTF-8 of a language has such pairs behind
 * letters of the other case.
 */
const SIGNS_BEHIND =
  /(?:(?<=[A-Z])[\xc6-\xde]|(?<=[a-z])\xdf)[\x80\x85\x91-\x97\x99\xa0\xa9\xae\xb7\xbb]|(?<=[a-z])[\xe0-\xef][\x85\x91-\x97\x99\xa0\xbb]{2}/g;

/** Bytes from 0x80 to 0x9F that are no quotes, dashes, dots or letters in windows-1252. */
const NOT_WESTERN = /[\x81-\x83\x88-\x89\x8d\x8f\x90\x98\x9d]/;
/** A word of Japanese, half-width letters aside: Latin-1 has its accented capitals there. */
const JAPANESE = /[\p{sc=Hira}\p{sc=Han}ァ-ヺ]/u;
const JAPANESE_WORD = /(?<![\p{L}\p{N}])[\p{sc=Hira}\p{sc=Han}ァ-ヺー]{2,}(?![\p{L}\p{N}])/u;
const LATIN = /[a-z\d]/i;
/** Latin letters that have something else between or beside them. */
const TORN_WORD = /[a-z][^\0-\u{24f}]|[^\0-\u{24f}][a-z]|\p{Co}/iu;

/** `Don\x92t` is a Chinese character in the middle of a word, where nobody writes one. */
const isJapanese = ({ text, bytes, decoded }: TextReading): boolean => {
  if (!/[\x80-\x9f]/.test(text) || !JAPANESE.test(decoded)) return false;
  return NOT_WESTERN.test(bytes) || JAPANESE_WORD.test(decoded) || !LATIN.test(decoded);
};

const isLatinWord = (bytes: string): boolean => /[a-z][\xc0-\xff]|[\xc0-\xff][a-z]/i.test(bytes);

/** Whole words of letters with accents are of no language; one letter again and again, or umlauts alone, are a cry. */
const hasCyrillicWord = (bytes: string): boolean =>
  (bytes.match(/[\xc0-\xff]{4,}/g) ?? []).some(
    (word) => new Set(word.toLowerCase()).size >= 3 && !/^[\xc4\xd6\xdc\xdf\xe4\xf6\xfc]+$/.test(word),
  );

const isUtf8 = ({ bytes }: TextReading): boolean => !isPlain(bytes.replaceAll(SIGNS_BEHIND, ''));

const CHARSETS: readonly Charset[] = [
  { name: 'utf-8', shows: isUtf8, suits: isUtf8 },
  {
    // Japanese has bytes at 0x80 to 0x9F, which Latin-1 has no characters for.
    name: 'shift_jis',
    shows: isJapanese,
    suits: ({ text, decoded }) => /[\x80-\x9f]/.test(text) || !TORN_WORD.test(decoded),
  },
  {
    name: 'windows-1251',
    shows: ({ bytes }) => hasCyrillicWord(bytes) && !isLatinWord(bytes),
    suits: ({ bytes }) => !isLatinWord(bytes),
  },
];

const readingIn = (charset: string, text: string): TextReading | undefined => {
  const bytes = isPlain(text) ? undefined : latinBytes(text);
  if (!bytes) return undefined;
  try {
    const decoded = new TextDecoder(charset, { fatal: true }).decode(bytes);
    return { text, bytes: Buffer.from(bytes).toString('latin1'), decoded };
  } catch {
    return undefined;
  }
};

/**
 * How texts of one file are to be read: older programs wrote tags in the charset of their system and called it Latin-1.
 * A text that is not of the charset that another one of them shows stays as it is.
 */
export function createCharsetRepair(texts: readonly string[]): (text: string) => string {
  const charset = CHARSETS.find(({ name, shows }) =>
    texts.some((text) => {
      const reading = readingIn(name, text);
      return reading !== undefined && shows(reading);
    }),
  );
  if (!charset) return (text) => text;
  return (text) => {
    const reading = readingIn(charset.name, text);
    return reading && charset.suits(reading) ? reading.decoded : text;
  };
}

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
export function cleanTagText(text: string): string {
  const line = text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
  // An artist of zero-width spaces is none.
  return /[^\p{Cf}\p{Z}]/u.test(line) ? Array.from(line).slice(0, MAX_TEXT_LENGTH).join('') : '';
}

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
export async function readTags(path: string): Promise<FileTags> {
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
}

const numberIn = (text = ''): number => wholeNumber(Number(/^\d+/.exec(text.trim())?.[0] ?? 0));

/** What ffprobe reads of files whose tags music-metadata does not read: TTA, CAF, AVI, FLV and others. */
export function parseProbedTags(sent: Readonly<Record<string, string>>): FileTags {
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
}

/** What containers and encoders say of themselves, which is nothing of a song. */
const OF_CONTAINERS = ['major_brand', 'minor_version', 'compatible_brands', 'handler_name', 'vendor_id', 'encoder'];

/** For ffmpeg: the file's own, of some containers at its sound, with ours in their place and a place for the loudness. */
export function buildTagArguments(
  { title, artist, album }: SongTags,
  extension: ProcessedSong['extension'],
): readonly string[] {
  return [
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
}
