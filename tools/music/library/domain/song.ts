/** A title as it is kept: one line, without what is not seen or turns the writing round, each run of spaces one. */
export function oneLine(text: string): string {
  return (
    text
      .toWellFormed()
      .normalize('NFC')
      // Joiners (U+200C, U+200D) belong to scripts and emoji.
      .replaceAll(/[\u{202a}-\u{202e}\u{2066}-\u{2069}\u{200e}\u{200f}\u{feff}]/gu, '')
      .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
      .trim()
  );
}

/** A title that nobody typed, as sites and files have them. Empty where nothing of it is left. */
export function cutTitle(text: string, limit: number): string {
  const title = oneLine(text);
  const signs = Array.from(title);
  return signs.length > limit
    ? `${signs
        .slice(0, limit - 1)
        .join('')
        .trimEnd()}…`
    : title;
}

/** Why a title is not taken; undefined where it is. `of` is what it is a title of. */
export function titleProblem(title: string, of: 'playlist' | 'song', limit: number): string | undefined {
  if (title === '') return `Give the ${of} a title`;
  const length = Array.from(title).length;
  return length > limit ? `The title is too long at ${length} characters, limit is ${limit}` : undefined;
}

/** What a person has said of an artist or an album. */
export interface Mark {
  /** Milliseconds since the epoch. */
  readonly starred: number | undefined;
  /** 1 to 5; 0 for none. */
  readonly rating: number;
}

/** What a song's file is: `<id>.<type>`. */
export const SONG_TYPES = ['mp3', 'm4a', 'flac', 'opus', 'ogg', 'wav'] as const;
export type SongType = (typeof SONG_TYPES)[number];

/** Songs are answered under these. */
export const MEDIA_TYPES: Readonly<Record<SongType, string>> = {
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  flac: 'audio/flac',
  opus: 'audio/ogg',
  ogg: 'audio/ogg',
  wav: 'audio/wav',
};

/** A song of a library. Times are milliseconds since the epoch. */
export interface Song {
  /** 52 random bits. */
  readonly id: number;
  readonly title: string;
  /** Empty where nobody knows, as the album. */
  readonly artist: string;
  readonly album: string;
  /** Those who play it one by one, where its file names several; else none. */
  readonly artists: readonly string[];
  /** Whose the album is; empty where the file does not say. */
  readonly albumArtist: string;
  readonly isCompilation: boolean;
  /** 0 where the file does not say, as the disc and the year. */
  readonly track: number;
  readonly disc: number;
  readonly year: number;
  readonly genre: string;
  readonly type: SongType;
  /** Seconds. */
  readonly duration: number;
  /** Of its file, in bytes. */
  readonly size: number;
  /** CRC-32 of its file. */
  readonly crc: number;
  /** CSS, of its picture. */
  readonly colour: string;
  /** Whether it has a picture: `<id>.webp`. */
  readonly hasPicture: boolean;
  /** ReplayGain in decibels. */
  readonly gain: number;
  /** The loudest sample, 1 being full scale. */
  readonly peak: number;
  /** The newest has the largest. */
  readonly place: number;
  readonly added: number;
  /** When its file was made. */
  readonly written: number;
  readonly plays: number;
  readonly played: number | undefined;
  readonly starred: number | undefined;
  /** 1 to 5; 0 for none. */
  readonly rating: number;
  /** The address that it came from; empty for an uploaded one. */
  readonly source: string;
  /** The site that it came from, and its name there; empty where it has none. */
  readonly site: string;
  readonly siteId: string;
  /** Its file is not there, or shorter than it was. */
  readonly isMissing: boolean;
}

/** A song that comes into the library: what is counted there it has not yet. */
export type FreshSong = Omit<Song, 'place' | 'plays' | 'played' | 'starred' | 'rating' | 'isMissing'>;

/** What of a song its owner may write. */
export interface SongWords {
  readonly title: string;
  readonly artist: string;
  readonly album: string;
}

/** A list of songs that its owner made. Times are milliseconds since the epoch. */
export interface Playlist {
  readonly id: number;
  readonly title: string;
  /** Ids in order, of songs that are there. */
  readonly songs: readonly number[];
  readonly created: number;
  readonly changed: number;
}
