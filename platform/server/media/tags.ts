import { type FileHandle, open } from 'node:fs/promises';
import type { IPicture } from 'music-metadata';
import { createCharsetRepair } from './charsetRepair.ts';
import { parseFrameName, parseFrameTexts, getId3Size, parseId3 } from './id3.ts';
import { createLoudnessPlaceholder } from './loudnessTags.ts';
import type { ProcessedSong, SongDetails, SongTags } from './media.ts';

/** Tags of a file. */
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

/** Wraps an open file as the Blob that music-metadata reads. Reading too much of it throws an Error. */
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

/** Maximum size of an ID3 tag that this file parses. Larger ones are only read by music-metadata. */
const MAX_ID3_BYTES = 16 * 1024 * 1024;

/** Artists of a file, as written in its tags. */
interface ArtistTags {
  readonly artists: readonly string[];
  /** Separate artists, if the file has a tag for them. */
  readonly separateArtists: readonly string[];
  readonly albumArtists: readonly string[];
}

/** Reads artists from ID3 frames, because music-metadata splits names at a slash; undefined if there are none. */
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

/** A tag as the file has it, in the list of music-metadata. */
interface NativeTag {
  readonly id: string;
  readonly value: unknown;
}

const ARTIST_TAG_PATTERN = /^(ARTIST|TPE1|TP1|\u00a9ART|Author|WM\/Author|IART)$/i;
const ARTISTS_TAG_PATTERN = /^(ARTISTS|TXXX:ARTISTS|----:com\.apple\.iTunes:ARTISTS|WM\/ARTISTS)$/i;
const ALBUM_ARTIST_TAG_PATTERN = /^(ALBUM[ _]?ARTIST|TPE2|TP2|aART|WM\/AlbumArtist)$/i;

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

/** Reads the tags of an untrusted file. Returns empty tags if they cannot be read. */
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
      year: parseNumber(tagByName.get('date') ?? tagByName.get('year')),
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
