/** Normalizes a title: one line without invisible characters and direction overrides, and with single spaces. */
export function toOneLine(text: string): string {
  return (
    text
      .toWellFormed()
      .normalize('NFC')
      // Joiners (U+200C, U+200D) are needed by scripts and emoji.
      .replaceAll(/[\u{202a}-\u{202e}\u{2066}-\u{2069}\u{200e}\u{200f}\u{feff}]/gu, '')
      .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
      .trim()
  );
}

/** Normalizes and shortens a title from a site or a file. Returns '' if nothing remains. */
export function cutTitle(text: string, limit: number): string {
  const title = toOneLine(text);
  const characters = Array.from(title);
  return characters.length > limit
    ? `${characters
        .slice(0, limit - 1)
        .join('')
        .trimEnd()}…`
    : title;
}

/** Returns why a title is refused; undefined if it is valid. @param kind what has the title */
export function findTitleProblem(title: string, kind: 'playlist' | 'song', limit: number): string | undefined {
  if (title === '') return `Enter a title for the ${kind}`;
  const length = Array.from(title).length;
  return length > limit ? `The title is too long. Enter at most ${limit} characters` : undefined;
}

/** Star and rating of an artist or album. */
export interface Mark {
  /** Milliseconds since the epoch. */
  readonly starred: number | undefined;
  /** 1 to 5; 0 for none. */
  readonly rating: number;
}

/** Types of song files, named `<id>.<type>`. */
export const SONG_TYPES = ['mp3', 'm4a', 'flac', 'opus', 'ogg', 'wav'] as const;
export type SongType = (typeof SONG_TYPES)[number];

/** Content types of song files. */
export const MEDIA_TYPES: Readonly<Record<SongType, string>> = {
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  flac: 'audio/flac',
  opus: 'audio/ogg',
  ogg: 'audio/ogg',
  wav: 'audio/wav',
};

/** A song of a library. Times are in milliseconds since the epoch. */
export interface Song {
  /** 52 random bits. */
  readonly id: number;
  readonly title: string;
  /** Empty if unknown, like the album. */
  readonly artist: string;
  readonly album: string;
  /** The individual artists, if the file names several. */
  readonly artists: readonly string[];
  /** The artist of the album; empty if the file doesn't contain it. */
  readonly albumArtist: string;
  readonly isCompilation: boolean;
  /** 0 if the file doesn't contain it, like the disc and the year. */
  readonly track: number;
  readonly disc: number;
  readonly year: number;
  readonly genre: string;
  readonly type: SongType;
  /** Seconds. */
  readonly duration: number;
  /** Size of its file, in bytes. */
  readonly size: number;
  /** CRC-32 of its file. */
  readonly crc: number;
  /** CSS colour of its picture. */
  readonly colour: string;
  /** Whether it has a picture: `<id>.webp`. */
  readonly hasPicture: boolean;
  /** ReplayGain in decibels. */
  readonly gain: number;
  /** Peak sample; 1 is full scale. */
  readonly peak: number;
  /** The newest song has the largest value. */
  readonly place: number;
  readonly added: number;
  /** When its file was written. */
  readonly written: number;
  readonly plays: number;
  readonly played: number | undefined;
  readonly starred: number | undefined;
  /** 1 to 5; 0 for none. */
  readonly rating: number;
  /** Address that it was downloaded from; empty for an uploaded song. */
  readonly source: string;
  /** The site and its id for the song; empty if there is none. */
  readonly site: string;
  readonly siteId: string;
  /** Whether its file is missing or shorter than before. */
  readonly isMissing: boolean;
}

/** A new song, without the fields that the library adds. */
export type NewSong = Omit<Song, 'place' | 'plays' | 'played' | 'starred' | 'rating' | 'isMissing'>;

/** Tags of a song that users can change. */
export interface SongTags {
  readonly title: string;
  readonly artist: string;
  readonly album: string;
}

/** A playlist. Times are in milliseconds since the epoch. */
export interface Playlist {
  readonly id: number;
  readonly title: string;
  /** Ids of existing songs, in order. */
  readonly songs: readonly number[];
  readonly created: number;
  readonly changed: number;
}
