import * as z from 'zod/mini';
import { call, fileAnswer } from '#platform/contract/call.ts';
import { MAX_SONGS } from './limits.ts';
import { requestedSong, playlistId, songId } from './shared.ts';

/** `songs` takes precedence over `playlist`. Without it the whole playlist is sent. null and '' are no playlist. */
const songSelection = z.object({
  songs: z.optional(z.nullable(z.array(requestedSong).check(z.maxLength(MAX_SONGS)))),
  playlist: z.optional(z.union([playlistId, z.null(), z.string().check(z.maxLength(20))])),
  justsendm3u: z.optional(z.boolean()),
  Iwanttostream: z.optional(z.boolean()),
});

export const sendsongplaylist = call({
  route: 'POST /api/sendsongplaylist',
  summary: 'Returns a song, a zip of several songs, or an m3u8.',
  access: 'account',
  bodyLimit: 4 * 1024 * 1024,
  request: songSelection,
  answer: fileAnswer(
    'audio/mpeg',
    'audio/mp4',
    'audio/flac',
    'audio/ogg',
    'audio/wav',
    'application/zip',
    'audio/x-mpegurl',
  ),
});

/**
 * Not in the specification: the same as an address, which the browser itself can download, pause and resume. Valid for
 * 6 h.
 */
export const downloadticket = call({
  route: 'POST /api/downloadticket',
  summary: 'Returns the signed address of a song, a zip or an m3u8.',
  access: 'account',
  bodyLimit: 4 * 1024 * 1024,
  request: songSelection,
  answer: z.object({ address: z.string(), name: z.string(), size: z.number() }),
});

/** Not in the specification: addresses for playback, valid for 6 h. */
export const streamaddresses = call({
  route: 'POST /api/streamaddresses',
  summary: 'Returns signed addresses for playing songs.',
  access: 'account',
  request: z.object({ songs: z.array(songId).check(z.maxLength(200)) }),
  answer: z.object({ addresses: z.record(z.string(), z.string()), /** ISO 8601. */ until: z.string() }),
});
