import { type FileHandle, open } from 'node:fs/promises';
import type { IPicture } from 'music-metadata';
import { createCharsetRepair } from './charsetRepair.ts';
import { parseFrameName, parseFrameTexts, getId3Size, parseId3, toPlainId3 } from './id3.ts';
import { createLoudnessPlaceholder } from './loudnessTags.ts';
import type { ProcessedSong, SongDetails, SongTags } from './media.ts';
import { readAt } from './tagChanges.ts';

export interface FileTags extends SongTags {
  readonly details: SongDetails;
  readonly picture: Buffer | undefined;
  /** Name of the codec, as music-metadata reports it. */
  readonly codec?: string | undefined;
  readonly seconds?: number | undefined;
  /** Set if music-metadata cannot read the file, so its tags must be read with ffprobe. */
  readonly needsProbe?: true;
}

const MAX_TEXT_LENGTH = 300;

/** Returns a text as one line of at most 300 code points without control characters, safe to pass to programs. */
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

/**
 * Wraps an open file as the Blob that music-metadata reads. Reading too much of it throws an Error.
 * @param id3 the ID3 tag at the start, if there is one
 */
async function toBlob(file: FileHandle, id3: Buffer | undefined): Promise<Blob> {
  // music-metadata misreads unsynchronized, compressed and grouped frames.
  const plainTag = (id3 && toPlainId3(id3)) ?? Buffer.alloc(0);
  const replacedBytes = plainTag.length === 0 ? 0 : (id3?.length ?? 0);
  const size = (await file.stat()).size - replacedBytes + plainTag.length;
  let remaining = MAX_READ_BYTES;
  async function read(from: number, to: number): Promise<ArrayBuffer> {
    remaining -= to - from;
    if (remaining < 0) throw new Error('the tags of this file are too large');
    const bytes = new Uint8Array(to - from);
    bytes.set(plainTag.subarray(from, to));
    const start = Math.max(from, plainTag.length);
    if (start < to) await file.read(bytes, start - from, to - start, start - plainTag.length + replacedBytes);
    return bytes.buffer;
  }
  const slice = (from = 0, to = size) => ({ arrayBuffer: () => read(from, Math.min(to, size)) });
  return { size, type: '', slice } as unknown as Blob;
}

/** Maximum size of an ID3 tag that this file parses. Larger ones are only read by music-metadata. */
const MAX_ID3_BYTES = 16 * 1024 * 1024;

/** Artists of a file, as written in its tags. */
interface ArtistTags {
  readonly artists: readonly string[];
  /** Separate artists, if the file has a tag for them. */
  readonly separateArtists: readonly string[];
  readonly albumArtists: readonly string[];
}

/** Reads the ID3 tag at the start of a file; undefined if there is none, or it is too large. */
async function readId3(file: FileHandle): Promise<Buffer | undefined> {
  const size = getId3Size(await readAt(file, 0, 10));
  return size === 0 || size > MAX_ID3_BYTES ? undefined : readAt(file, 0, size);
}

/** Reads artists from ID3 frames, because music-metadata splits names at a slash; undefined if there are none. */
function readId3Artists(id3: Buffer | undefined): ArtistTags | undefined {
  const frames = (id3 && parseId3(id3)?.frames) ?? [];
  const getTexts = (...ids: readonly string[]) => frames.filter(({ id }) => ids.includes(id)).flatMap(parseFrameTexts);
  const artists = getTexts('TPE1', 'TP1');
  const separateFrames = frames.filter(
    (frame) => ['TXXX', 'TXX'].includes(frame.id) && parseFrameName(frame).toUpperCase() === 'ARTISTS',
  );
  return artists.length === 0
    ? undefined
    : { artists, separateArtists: separateFrames.flatMap(parseFrameTexts), albumArtists: getTexts('TPE2', 'TP2') };
}

/** A tag as the file has it, in the list of music-metadata. */
interface NativeTag {
  readonly id: string;
  readonly value: unknown;
}

const ARTIST_TAG_PATTERN = /^(ARTIST|TPE1|TP1|\u00a9ART|Author|WM\/Author|IART)$/i;
const ARTISTS_TAG_PATTERN = /^(ARTISTS|TXXX:ARTISTS|----:com\.apple\.iTunes:ARTISTS|WM\/ARTISTS)$/i;
const ALBUM_ARTIST_TAG_PATTERN = /^(ALBUM[ _]?ARTIST|TPE2|TP2|aART|WM\/AlbumArtist)$/i;

/** Types of tags from which music-metadata reads the title even if the file has an ID3 tag. */
const PREFERRED_TYPES = ['matroska', 'APEv2', 'vorbis'];

/** Reads artists from tags that are not ID3, each value separately; undefined if there are none. */
function readNativeArtists(native: Readonly<Record<string, readonly NativeTag[]>>): ArtistTags | undefined {
  for (const [type, tags] of Object.entries(native)) {
    const getValues = (name: RegExp): readonly string[] =>
      tags.flatMap(({ id, value }) => (name.test(id) && typeof value === 'string' ? [value] : []));
    const artists = getValues(ARTIST_TAG_PATTERN);
    // music-metadata splits at slashes in files of other types with an ID3 tag inside.
    const joinedArtists = /^ID3v2\.[23]$/.test(type) && artists.length > 1 ? [artists.join('/')] : artists;
    // Some programs write two variants of the tag with the same content.
    const albumArtistId = tags.find(({ id }) => ALBUM_ARTIST_TAG_PATTERN.test(id))?.id;
    const albumArtists = tags.flatMap(({ id, value }) =>
      id === albumArtistId && typeof value === 'string' ? [value] : [],
    );
    if (joinedArtists.length > 0)
      return { artists: joinedArtists, separateArtists: getValues(ARTISTS_TAG_PATTERN), albumArtists };
  }
  return undefined;
}

/** Returns cleaned texts without empty and repeated ones. */
const cleanTexts = (values: readonly string[]): readonly string[] => [
  ...new Set(values.map(cleanTagText).filter(Boolean)),
];

/** Returns all artists as one line, and a list of them if there are several. */
function joinArtists({ artists, separateArtists: taggedSeparately }: Omit<ArtistTags, 'albumArtists'>): {
  readonly artist: string;
  readonly artists: readonly string[];
} {
  const names = cleanTexts(artists);
  const separateArtists = cleanTexts(taggedSeparately.length > 1 ? taggedSeparately : artists);
  return { artist: cleanTagText(names.join(', ')), artists: separateArtists.length > 1 ? separateArtists : [] };
}

/** Returns a positive integer below 100,000, and 0 for anything else. */
const toWholeNumber = (value: number | null | undefined): number =>
  value != null && Number.isSafeInteger(value) && value > 0 && value < 100_000 ? value : 0;

/** Names of dates in all types of tags. */
const DATE_TAG_PATTERN =
  /^(?:\w+:)?(?:TDRC|TYER|TYE|TDRL|DATE|YEAR|DATE_RELEASED|DATE_RECORDED|\u00a9day|ICRD|WM\/Year)$/i;

/** Returns the year of a date in any order of day and month, such as '12.05.2019' or 'March 2019'; 0 if it has none. */
const parseYear = (date: string): number =>
  Number(/(?<!\d)[12]\d{3}(?!\d)|^\s*[12]\d{3}(?=\d{4}\s*$)/.exec(date)?.[0] ?? 0);

/** Returns the first year in the dates of a file. music-metadata takes the first digits of a date, such as its day. */
function findYear(native: Readonly<Record<string, readonly NativeTag[]>>): number {
  for (const { id, value } of Object.values(native).flat()) {
    const isDate = DATE_TAG_PATTERN.test(id) && (typeof value === 'string' || typeof value === 'number');
    const year = isDate ? parseYear(String(value)) : 0;
    if (year > 0) return year;
  }
  return 0;
}

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

/** Returns the front cover, else the first picture. Files may also contain icons, the back or the band. */
function findCover(pictures: readonly IPicture[]): Buffer | undefined {
  const nonEmptyPictures = pictures.filter(({ data }) => data.length > 0);
  const cover = nonEmptyPictures.find(({ type }) => type === 'Cover (front)') ?? nonEmptyPictures[0];
  return cover && Buffer.from(cover.data);
}

/** Reads the artists from the same tag as music-metadata reads the title; undefined if it has none. */
function readArtists(
  native: Readonly<Record<string, readonly NativeTag[]>>,
  id3: Buffer | undefined,
): ArtistTags | undefined {
  const preferredTags = Object.fromEntries(
    PREFERRED_TYPES.flatMap((type) => (native[type] ? [[type, native[type]] as const] : [])),
  );
  return readNativeArtists(preferredTags) ?? readId3Artists(id3) ?? readNativeArtists(native);
}

/** Whether music-metadata has given up without an error, as at a wrong size. */
const isUnread = (codec: string | undefined, native: object): boolean =>
  codec === undefined && Object.keys(native).length === 0;

/** Reads the tags of an untrusted file. Returns empty tags if they cannot be read. */
export async function readTags(path: string): Promise<FileTags> {
  const { parseBlob } = await import('music-metadata');
  const file = await open(path, 'r');
  try {
    const id3 = await readId3(file);
    const { common, format, native } = await parseBlob(await toBlob(file, id3), { duration: false });
    const { title = '', album = '', albumartist = '', genre = [] } = common;
    const fileArtists = readArtists(native, id3) ?? {
      artists: [common.artist ?? ''],
      separateArtists: [],
      albumArtists: [],
    };
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
        year: findYear(native),
        genre: cleanTagText(repairAll(genre).join('; ')),
      },
      picture: findCover(common.picture ?? []),
      codec: format.codec,
      seconds: format.duration,
      ...(isUnread(format.codec, native) ? { needsProbe: true } : {}),
    };
  } catch {
    return { ...NO_TAGS, needsProbe: true }; // ffmpeg decides whether it is a song at all
  } finally {
    await file.close();
  }
}

/** Parses the digits at the start of a text, such as `3/12`; 0 if there are none. */
const parseNumber = (text = ''): number => toWholeNumber(Number(/^\d+/.exec(text.trim())?.[0] ?? 0));

/** Converts tags that ffprobe has read, for files that music-metadata does not support: TTA, CAF, AVI, FLV… */
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
      year: parseYear(tagByName.get('date') ?? '') || parseYear(tagByName.get('year') ?? ''),
      genre: getText('genre'),
    },
    picture: undefined,
  };
}

/** Tags that describe the container or encoder, not the song. */
const CONTAINER_TAGS = ['major_brand', 'minor_version', 'compatible_brands', 'handler_name', 'vendor_id', 'encoder'];

/** Builds ffmpeg arguments that copy the file's tags, replace some by ours, and add a placeholder for loudness. */
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
