import * as z from 'zod/mini';
import { call } from '#platform/contract/call.ts';
import { serverEvent } from '#platform/contract/event.ts';
import { MAX_SONGS } from './limits.ts';
import { requestedPlaylist, requestedSong, mp3, playlist, playlistId, songId, title } from './shared.ts';

export const ytgetdata = call({
  route: 'GET /api/ytgetdata',
  summary: 'Returns all songs and playlists.',
  access: 'account',
  request: z.object({
    /** Not in the specification: the `revision` that the page has. The answer has the changes since, or everything. */
    known: z.optional(z.string().check(z.maxLength(100))),
  }),
  isLarge: true,
  answer: z.object({
    mp3s: z.record(z.string(), mp3),
    /** `-1` is All MP3s. */
    playlists: z.record(z.string(), playlist),
    /** Not in the specification: bytes used, and the quota in bytes. */
    used: z.number(),
    quota: z.number(),
    /** Not in the specification: value for `known`. */
    revision: z.string(),
    /**
     * Not in the specification: if set, `mp3s` and `playlists` have only what changed since `known`.
     * All MP3s is not among them: it consists of all songs, sorted by `order`.
     */
    part: z.optional(
      z.object({
        /** Songs that were deleted. */
        gone: z.array(songId),
        /** Ids of all playlists that exist. */
        lists: z.array(playlistId),
      }),
    ),
  }),
});

const contains = z.array(requestedSong).check(z.maxLength(MAX_SONGS));

export const createplaylist = call({
  route: 'POST /api/createplaylist',
  summary: 'Creates a playlist.',
  access: 'account',
  bodyLimit: 4 * 1024 * 1024,
  request: z.object({ title, contains }),
  answer: z.object({ playlistid: playlistId, playlist }),
});

export const modplaylist = call({
  route: 'POST /api/modplaylist',
  summary: 'Sets the title and the songs of a playlist.',
  access: 'account',
  bodyLimit: 4 * 1024 * 1024,
  request: z.object({
    id: requestedPlaylist,
    playlistdata: z.object({
      title,
      contains,
      /** Not in the specification: the songs that this page knew. Songs that were added since stay, after them. */
      known: z.optional(contains),
    }),
  }),
  answer: z.object({ id: playlistId, playlist }),
});

export const deleteplaylist = call({
  route: 'POST /api/deleteplaylist',
  usesReserve: true,
  summary: 'Deletes a playlist, but not its songs.',
  access: 'account',
  request: z.object({ playlistid: requestedPlaylist }),
});

export const modvideo = call({
  route: 'POST /api/modvideo',
  summary: 'Renames a song and its file tags.',
  access: 'account',
  request: z.object({ id: requestedSong, title, artist: z.optional(title), album: z.optional(title) }),
  answer: z.object({ id: songId, mp3 }),
});

// Calls that are not in the specification ------------------------------------------------------------

export const deletesong = call({
  route: 'POST /api/deletesong',
  usesReserve: true,
  summary: 'Deletes a song. Its file is deleted a day later.',
  access: 'account',
  request: z.object({ id: songId }),
});

/** Restores a deleted song. */
export const restoresong = call({
  route: 'POST /api/restoresong',
  summary: 'Restores a song deleted in the last day, with its places in playlists.',
  access: 'account',
  request: z.object({ id: songId }),
  answer: z.object({ mp3 }),
});

export const starsong = call({
  route: 'POST /api/starsong',
  summary: 'Stars or unstars a song.',
  access: 'account',
  request: z.object({ id: songId, starred: z.boolean() }),
});

/** Counts a play. Sent once per playback, after half of the song or four minutes. */
export const countplay = call({
  route: 'POST /api/countplay',
  summary: 'Counts a play of a song.',
  access: 'account',
  request: z.object({ id: songId, play: z.string().check(z.regex(/^[\w-]{8,64}$/)) }),
  answer: z.object({ plays: z.int() }),
});

/** Sent to every page of the account. */
export const libraryChanged = serverEvent({ name: 'musicchanged', delivery: 'all', data: z.object({}) });
