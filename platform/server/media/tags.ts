import { type FileHandle, open } from 'node:fs/promises';
import type { IPicture } from 'music-metadata';
import { parseFrameName, parseFrameTexts, getId3Size, parseId3 } from './id3.ts';
import { createLoudnessPlaceholder } from './loudnessTags.ts';
import type { ProcessedSong, SongDetails, SongTags } from './media.ts';

/** Characters of 0x80 to 0x9F in windows-1252, where ISO 8859-1 has control characters. */
const HIGH_CHARACTERS = new TextDecoder('windows-1252').decode(
  Uint8Array.from({ length: 32 }, (_, index) => 0x80 + index),
);

/**
 * Returns the bytes of a text that was decoded as Latin-1 or windows-1252; undefined if it contains other characters.
 */
function toLatinBytes(text: string): Uint8Array | undefined {
  const bytes = Array.from(text, (char) => {
    const code = char.codePointAt(0) ?? 0;
    const index = code > 0xff ? HIGH_CHARACTERS.indexOf(char) : -1;
    return index < 0 ? code : 0x80 + index;
  });
  return bytes.some((byte) => byte > 0xff) ? undefined : Uint8Array.from(bytes);
}

const isPlain = (text: string): boolean => /^[\0-\x7f]*$/.test(text);

/** A text as decoded, its bytes as Latin-1, and decoded with another charset. */
interface TextReading {
  readonly text: string;
  readonly bytes: string;
  readonly decoded: string;
}

interface Charset {
  readonly name: string;
  /** Whether the text certainly has this charset, and so the whole file. */
  readonly isCertain: (reading: TextReading) => boolean;
  /** Whether another text of such a file has it too. */
  readonly isPossible: (reading: TextReading) => boolean;
}

/**
 * Punctuation after a letter at the end of a word that happens to be valid UTF-8: `CAFÉ’S`, `weiß…`, `été …`.
 * Real UTF-8 has such pairs after letters of the other case.
 */
const TRAILING_PUNCTUATION =
  /(?:(?<=[A-Z])[\xc6-\xde]|(?<=[a-z])\xdf)[\x80\x85\x91-\x97\x99\xa0\xa9\xae\xb7\xbb]|(?<=[a-z])[\xe0-\xef][\x85\x91-\x97\x99\xa0\xbb]{2}/g;

/** Bytes from 0x80 to 0x9F that are not quotes, dashes, dots or letters in windows-1252. */
const NOT_WESTERN_PATTERN = /[\x81-\x83\x88-\x89\x8d\x8f\x90\x98\x9d]/;
/** Japanese characters except half-width ones, which are accented capitals in Latin-1. */
const JAPANESE_PATTERN = /[\p{sc=Hira}\p{sc=Han}ァ-ヺ]/u;
const JAPANESE_WORD_PATTERN = /(?<![\p{L}\p{N}])[\p{sc=Hira}\p{sc=Han}ァ-ヺー]{2,}(?![\p{L}\p{N}])/u;
const LATIN_PATTERN = /[a-z\d]/i;
/** Latin letters with other characters between or next to them. */
const TORN_WORD_PATTERN = /[a-z][^\0-\u{24f}]|[^\0-\u{24f}][a-z]|\p{Co}/iu;

/** Returns whether a text is Japanese. `Don\x92t` is not: it would have a Chinese character in the middle of a word. */
function isJapanese({ text, bytes, decoded }: TextReading): boolean {
  if (!/[\x80-\x9f]/.test(text) || !JAPANESE_PATTERN.test(decoded)) return false;
  return NOT_WESTERN_PATTERN.test(bytes) || JAPANESE_WORD_PATTERN.test(decoded) || !LATIN_PATTERN.test(decoded);
}

const isLatinWord = (bytes: string): boolean => /[a-z][\xc0-\xff]|[\xc0-\xff][a-z]/i.test(bytes);

/**
 * Words made only of accented letters exist in no Latin language. Repeated letters or umlauts alone are exclamations.
 */
const hasCyrillicWord = (bytes: string): boolean =>
  (bytes.match(/[\xc0-\xff]{4,}/g) ?? []).some(
    (word) => new Set(word.toLowerCase()).size >= 3 && !/^[\xc4\xd6\xdc\xdf\xe4\xf6\xfc]+$/.test(word),
  );

const isUtf8 = ({ bytes }: TextReading): boolean => !isPlain(bytes.replaceAll(TRAILING_PUNCTUATION, ''));

const CHARSETS: readonly Charset[] = [
  { name: 'utf-8', isCertain: isUtf8, isPossible: isUtf8 },
  {
    // Japanese uses bytes from 0x80 to 0x9F, which are no characters in Latin-1.
    name: 'shift_jis',
    isCertain: isJapanese,
    isPossible: ({ text, decoded }) => /[\x80-\x9f]/.test(text) || !TORN_WORD_PATTERN.test(decoded),
  },
  {
    name: 'windows-1251',
    isCertain: ({ bytes }) => hasCyrillicWord(bytes) && !isLatinWord(bytes),
    isPossible: ({ bytes }) => !isLatinWord(bytes),
  },
];

function decodeAs(charset: string, text: string): TextReading | undefined {
  const bytes = isPlain(text) ? undefined : toLatinBytes(text);
  if (!bytes) return undefined;
  try {
    const decoded = new TextDecoder(charset, { fatal: true }).decode(bytes);
    return { text, bytes: Buffer.from(bytes).toString('latin1'), decoded };
  } catch {
    return undefined;
  }
}

/**
 * Creates a function that repairs texts of one file, which older programs wrote in the system's charset but labelled
 * Latin-1. Texts that do not fit the detected charset stay unchanged.
 */
export function createCharsetRepair(texts: readonly string[]): (text: string) => string {
  const charset = CHARSETS.find(({ name, isCertain }) =>
    texts.some((text) => {
      const reading = decodeAs(name, text);
      return reading !== undefined && isCertain(reading);
    }),
  );
  if (!charset) return (text) => text;
  return (text) => {
    const reading = decodeAs(charset.name, text);
    return reading && charset.isPossible(reading) ? reading.decoded : text;
  };
}

/** Tags of a file. */
export interface FileTags extends SongTags {
  readonly details: SongDetails;
  readonly picture: Buffer | undefined;
  /** music-metadata's name. */
  readonly codec?: string | undefined;
  readonly seconds?: number | undefined;
  /** Set if only ffprobe can read its tags. */
  readonly isUnread?: true;
}

const MAX_TEXT_LENGTH = 300;

/** Returns one line without control characters, at most 300 code points, which is harmless for programs. */
export function cleanTagText(text: string): string {
  const line = text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
  // An artist of zero-width spaces counts as empty.
  return /[^\p{Cf}\p{Z}]/u.test(line) ? Array.from(line).slice(0, MAX_TEXT_LENGTH).join('') : '';
}

/** Maximum bytes of a file that are read for its tags, so that a huge picture cannot fill the memory. */
const MAX_READ_BYTES = 48 * 1024 * 1024;

/** Wraps an open file as the Blob that music-metadata reads. @throws Error if that reads too much. */
async function toBlob(file: FileHandle): Promise<Blob> {
  const { size } = await file.stat();
  let remaining = MAX_READ_BYTES;
  async function read(from: number, to: number): Promise<ArrayBuffer> {
    remaining -= to - from;
    if (remaining < 0) throw new Error('the tags of this file are too large');
    const bytes = new Uint8Array(to - from);
    await file.read(bytes, 0, bytes.length, from);
    return bytes.buffer;
  }
  const slice = (from = 0, to = size) => ({ arrayBuffer: () => read(from, Math.min(to, size)) });
  return { size, type: '', slice } as unknown as Blob;
}

/** Larger tags are only read by music-metadata. */
const MAX_ID3_BYTES = 16 * 1024 * 1024;

interface ArtistTags {
  readonly artists: readonly string[];
  /** Separate artists, if the file has a tag for them. */
  readonly separateArtists: readonly string[];
  readonly albumArtists: readonly string[];
}

/** Reads artists from the file's own frames, because music-metadata splits names at a slash. */
async function readId3Artists(file: FileHandle): Promise<ArtistTags | undefined> {
  const { buffer: head } = await file.read(Buffer.alloc(10), 0, 10, 0);
  const size = getId3Size(head);
  if (size === 0 || size > MAX_ID3_BYTES) return undefined;
  const { buffer } = await file.read(Buffer.alloc(size), 0, size, 0);
  const frames = parseId3(buffer)?.frames ?? [];
  const getTexts = (...ids: readonly string[]) => frames.filter(({ id }) => ids.includes(id)).flatMap(parseFrameTexts);
  const artists = getTexts('TPE1', 'TP1');
  const separateFrames = frames.filter(
    (frame) => ['TXXX', 'TXX'].includes(frame.id) && parseFrameName(frame).toUpperCase() === 'ARTISTS',
  );
  return artists.length === 0
    ? undefined
    : { artists, separateArtists: separateFrames.flatMap(parseFrameTexts), albumArtists: getTexts('TPE2', 'TP2') };
}

interface NativeTag {
  readonly id: string;
  readonly value: unknown;
}

const NATIVE_ARTIST = /^(ARTIST|TPE1|TP1|\u00a9ART|Author|WM\/Author|IART)$/i;
const NATIVE_ARTISTS = /^(ARTISTS|TXXX:ARTISTS|----:com\.apple\.iTunes:ARTISTS|WM\/ARTISTS)$/i;
const NATIVE_ALBUM_ARTIST = /^(ALBUM[ _]?ARTIST|TPE2|TP2|aART|WM\/AlbumArtist)$/i;

/** Reads artists of all other files, each value separately. */
function readNativeArtists(native: Readonly<Record<string, readonly NativeTag[]>>): ArtistTags | undefined {
  for (const [type, tags] of Object.entries(native)) {
    const getValues = (name: RegExp): readonly string[] =>
      tags.flatMap(({ id, value }) => (name.test(id) && typeof value === 'string' ? [value] : []));
    const artists = getValues(NATIVE_ARTIST);
    // music-metadata splits at slashes in files of other types with an ID3 tag inside.
    const joinedArtists = /^ID3v2\.[23]$/.test(type) && artists.length > 1 ? [artists.join('/')] : artists;
    // Some programs write two variants of the tag with the same content.
    const albumArtistId = tags.find(({ id }) => NATIVE_ALBUM_ARTIST.test(id))?.id;
    const albumArtists = tags.flatMap(({ id, value }) =>
      id === albumArtistId && typeof value === 'string' ? [value] : [],
    );
    if (joinedArtists.length > 0)
      return { artists: joinedArtists, separateArtists: getValues(NATIVE_ARTISTS), albumArtists };
  }
  return undefined;
}

const cleanTexts = (values: readonly string[]): readonly string[] => [
  ...new Set(values.map(cleanTagText).filter(Boolean)),
];

/** Returns one line for all artists, and each separately if there are several. */
function joinArtists({ artists, separateArtists: taggedSeparately }: Omit<ArtistTags, 'albumArtists'>): {
  readonly artist: string;
  readonly artists: readonly string[];
} {
  const names = cleanTexts(artists);
  const separateArtists = cleanTexts(taggedSeparately.length > 1 ? taggedSeparately : artists);
  return { artist: cleanTagText(names.join(', ')), artists: separateArtists.length > 1 ? separateArtists : [] };
}

const toWholeNumber = (value: number | null | undefined): number =>
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

/** Returns the front cover, since files may contain other pictures too: icons, the back, the band. */
function findCover(pictures: readonly IPicture[]): Buffer | undefined {
  const nonEmptyPictures = pictures.filter(({ data }) => data.length > 0);
  const cover = nonEmptyPictures.find(({ type }) => type === 'Cover (front)') ?? nonEmptyPictures[0];
  return cover && Buffer.from(cover.data);
}

/** Reads the tags of an untrusted file; none if they cannot be read. */
export async function readTags(path: string): Promise<FileTags> {
  const { parseBlob } = await import('music-metadata');
  const file = await open(path, 'r');
  try {
    const { common, format, native } = await parseBlob(await toBlob(file), { duration: false });
    const { title = '', album = '', albumartist = '', genre = [] } = common;
    const fileArtists = (await readId3Artists(file)) ??
      readNativeArtists(native) ?? { artists: [common.artist ?? ''], separateArtists: [], albumArtists: [] };
    const albumArtists = fileArtists.albumArtists.length === 0 ? [albumartist] : fileArtists.albumArtists;
    const repair = createCharsetRepair([title, album, ...fileArtists.artists, ...albumArtists, ...genre]);
    const repairAll = (values: readonly string[]): readonly string[] => cleanTexts(values.map(repair));
    const { artist, artists } = joinArtists({
      artists: repairAll(fileArtists.artists),
      separateArtists: repairAll(fileArtists.separateArtists),
    });
    return {
      title: cleanTagText(repair(title)),
      artist,
      album: cleanTagText(repair(album)),
      details: {
        artists,
        albumArtist: cleanTagText(repairAll(albumArtists).join(', ')),
        isCompilation: common.compilation === true,
        track: toWholeNumber(common.track.no),
        disc: toWholeNumber(common.disk.no),
        year: toWholeNumber(common.year),
        genre: cleanTagText(repairAll(genre).join('; ')),
      },
      picture: findCover(common.picture ?? []),
      codec: format.codec,
      seconds: format.duration,
    };
  } catch {
    return { ...NO_TAGS, isUnread: true }; // ffmpeg decides whether it is a song at all
  } finally {
    await file.close();
  }
}

const parseNumber = (text = ''): number => toWholeNumber(Number(/^\d+/.exec(text.trim())?.[0] ?? 0));

/**
 * Converts the tags that ffprobe reads from files that music-metadata does not support: TTA, CAF, AVI, FLV and others.
 */
export function parseProbedTags(probedTags: Readonly<Record<string, string>>): FileTags {
  const tagByName = new Map(
    Object.entries(probedTags).map(([name, value]) => [name.toLowerCase().replace(' ', '_'), value]),
  );
  const repair = createCharsetRepair([...tagByName.values()]);
  const getText = (name: string): string => cleanTagText(repair(tagByName.get(name) ?? ''));
  return {
    title: getText('title'),
    artist: getText('artist'),
    album: getText('album'),
    details: {
      artists: [],
      albumArtist: getText('album_artist') || getText('albumartist'),
      isCompilation: /^(1|true|yes)$/i.test(getText('compilation')),
      track: parseNumber(tagByName.get('track')),
      disc: parseNumber(tagByName.get('disc')),
      year: parseNumber(tagByName.get('date') ?? tagByName.get('year')),
      genre: getText('genre'),
    },
    picture: undefined,
  };
}

/** Tags that describe the container or encoder, not the song. */
const CONTAINER_TAGS = ['major_brand', 'minor_version', 'compatible_brands', 'handler_name', 'vendor_id', 'encoder'];

/** Builds tag arguments for ffmpeg: the file's own tags, replaced by ours, and a placeholder for the loudness. */
export function buildTagArguments(
  { title, artist, album }: SongTags,
  extension: ProcessedSong['extension'],
): readonly string[] {
  return [
    '-map_metadata:g',
    '0:g',
    '-map_metadata:g',
    '0:s:a:0',
    ...CONTAINER_TAGS.flatMap((name) => ['-metadata', `${name}=`]),
    '-map_chapters',
    '-1',
    ...Object.entries({ title, artist, album, ...createLoudnessPlaceholder(extension) })
      .filter(([, value]) => value !== '')
      .flatMap(([name, value]) => ['-metadata', `${name}=${cleanTagText(value)}`]),
  ];
}
