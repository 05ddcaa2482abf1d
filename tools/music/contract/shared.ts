import * as z from 'zod/mini';
import { TITLE_LIMIT } from './limits.ts';

/** 52 random bits: a song's picture is open to whoever knows it. */
export const songId = z.int().check(z.positive());
export const playlistId = z.int();

const numberInText = z.pipe(
  z.string().check(z.regex(/^-?\d{1,16}$/)),
  z.transform((text: string) => Number(text)),
);
/** As requests name them: as text too, which is what the keys of `mp3s` and `playlists` are. */
export const askedSong = z.union([songId, z.pipe(numberInText, songId)]);
export const askedPlaylist = z.union([playlistId, z.pipe(numberInText, playlistId)]);

/** Code points are counted by the handler; no text of so many is longer in UTF-16. */
export const title = z.string().check(z.maxLength(2 * TITLE_LIMIT));

export const mp3 = z.object({
  title: z.string(),
  /** CSS, of its picture. */
  colour: z.string(),
  /** The newest has the largest. */
  order: z.number(),
  /** Of the page, where it begins. */
  expanded: z.boolean(),
  selected: z.boolean(),
  // Ours
  artist: z.string(),
  album: z.string(),
  /** Seconds. */
  duration: z.number(),
  /** Bytes. */
  size: z.number(),
  /** ISO. */
  added: z.string(),
  plays: z.int(),
  starred: z.boolean(),
  /** ReplayGain, in dB. */
  gain: z.number(),
  peak: z.number(),
  /** Where it came from; empty for an uploaded one. */
  source: z.string(),
  /** Its file is not there. */
  isMissing: z.boolean(),
  /** Whether `sendytthumb` has a picture of it. */
  hasPicture: z.boolean(),
});

export const playlist = z.object({
  title: z.string(),
  /** In order. */
  contains: z.array(songId),
  /** 0 may be neither added to nor changed. */
  user_created: z.literal([0, 1]),
  expanded: z.boolean(),
  /** Ours, ISO. */
  created: z.string(),
});
