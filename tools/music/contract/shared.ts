import * as z from 'zod/mini';
import { MAX_TITLE_LENGTH } from './limits.ts';

/** 52 random bits, because everyone who knows the id of a song can load its picture. */
export const songId = z.int().check(z.positive());
export const playlistId = z.int();

const numberInText = z.pipe(
  z.string().check(z.regex(/^-?\d{1,16}$/)),
  z.transform((text: string) => Number(text)),
);
/** A song id in a request. Can be a text, like the keys of `mp3s` and `playlists`. */
export const requestedSong = z.union([songId, z.pipe(numberInText, songId)]);
export const requestedPlaylist = z.union([playlistId, z.pipe(numberInText, playlistId)]);

/** The handler counts code points. No text of so many code points is longer in UTF-16. */
export const title = z.string().check(z.maxLength(2 * MAX_TITLE_LENGTH));

export const mp3 = z.object({
  title: z.string(),
  /** CSS colour of its picture. */
  colour: z.string(),
  /** The newest song has the largest value. */
  order: z.number(),
  /** Initial state on the page. */
  expanded: z.boolean(),
  selected: z.boolean(),
  // Not in the specification:
  artist: z.string(),
  album: z.string(),
  /** Seconds. */
  duration: z.number(),
  /** Bytes. */
  size: z.number(),
  /** ISO 8601. */
  added: z.string(),
  plays: z.int(),
  starred: z.boolean(),
  /** ReplayGain, in dB. */
  gain: z.number(),
  peak: z.number(),
  /** Address that it was downloaded from; empty for an uploaded song. */
  source: z.string(),
  /** Whether its file is missing. */
  isMissing: z.boolean(),
  /** Whether `sendytthumb` has a picture of it. */
  hasPicture: z.boolean(),
});

export const playlist = z.object({
  title: z.string(),
  /** In order. */
  contains: z.array(songId),
  /** 0 if it can't be added to or changed. */
  user_created: z.literal([0, 1]),
  expanded: z.boolean(),
  /** Not in the specification. ISO 8601. */
  created: z.string(),
});
