import * as z from 'zod/mini';
import { call } from '#platform/contract/call.ts';
import { clientEvent, serverEvent } from '#platform/contract/event.ts';
import { requestedId, id } from '#platform/contract/fields.ts';
import { COOKIES_LIMIT, LINK_TEXT_LIMIT, REMEDIES, UPLOAD_LIMIT, UPLOAD_PART } from './limits.ts';
import { playlistId, songId } from './shared.ts';

const failed = z.literal([0, 1, 2, 3, 4, 5]);

const queued = { downloadid: id, title: z.string(), status: z.string(), failed };

export const ytdownload = call({
  method: 'POST',
  path: '/api/ytdownload',
  summary: 'Queues the song, or the songs, of each link in a text.',
  access: 'account',
  done: 'added to queue',
  rates: [{ times: 60, seconds: 3600 }],
  bodyLimit: 4 * LINK_TEXT_LIMIT,
  request: z.object({
    /** A link, or a text with links in it. */
    url: z.string().check(z.maxLength(LINK_TEXT_LIMIT)),
    /** `url` is the address itself, to the last character. */
    exact: z.optional(z.boolean()),
    /** Into which it is put. */
    playlist: z.optional(z.union([playlistId, z.null(), z.string().check(z.maxLength(20))])),
  }),
  /** The download of the first link; `more` has those of the others, in order. */
  answer: z.object({ ...queued, more: z.optional(z.array(z.object(queued))) }),
});

const status = z.object({
  title: z.string(),
  /** One of the specification's texts. */
  status: z.string(),
  failed,
  /** The song, once it is there; empty before. */
  video_id: z.union([songId, z.literal('')]),
  // Ours
  /** 0 to 100. */
  percent: z.optional(z.number()),
  /** Why it failed, or waits: a sentence. */
  reason: z.optional(z.string()),
  /** What helps: a newer yt-dlp, cookies for the site, time, or a look at the page itself. */
  remedy: z.optional(z.enum(REMEDIES)),
  /** The link, where there is a remedy. */
  url: z.optional(z.string()),
  /** What the site said itself, in one line. */
  details: z.optional(z.string()),
  /** Of a playlist's songs: the job that found them. */
  parent: z.optional(id),
  /** Of a file of one's own: the upload that it came by. */
  upload: z.optional(id),
  /** It failed, or was cancelled, and has been closed, perhaps on another page: nothing of it is to be shown any more. */
  closed: z.optional(z.literal(true)),
});

/** To the account's music room, on every change, and as the answer to a poll. */
export const downloadProgress = serverEvent({
  name: 'download_progress',
  delivery: 'all',
  data: z.object({ downloadid: id, status }),
});

export const downloadError = serverEvent({
  name: 'download_error',
  delivery: 'all',
  data: z.object({ downloadid: id, error: z.string(), title: z.string() }),
});

/** All that are open, and those that ended in the last ten minutes. */
export const pollDownloadProgress = clientEvent({
  name: '/api/poll_download_progress',
  access: 'account',
  data: z.object({ token: z.optional(z.string()) }),
  answer: z.object({}),
});

// Ours ------------------------------------------------------------------------------------------------

const ytdlpOptions = z.object({
  channel: z.enum(['stable', 'nightly']),
  /** `HH:MM` by the server's clock; null for by hand alone. */
  dailyAt: z.nullable(z.string().check(z.regex(/^([01]\d|2[0-3]):[0-5]\d$/))),
});

export const downloads = call({
  method: 'GET',
  path: '/api/downloads',
  summary: 'What is queued, running, failed or not yet saved.',
  access: 'account',
  request: z.object({}),
  answer: z.object({
    downloads: z.array(z.object({ downloadid: id, ...status.shape })),
    /** What hinders downloads here, with the remedy; empty where nothing does. */
    hindrance: z.string(),
    /** Such as 'yt-dlp 2025.11.12, ffmpeg 5.1.9, bwrap'. */
    tools: z.string(),
    /** What an old yt-dlp cannot do; empty for a new one. */
    advice: z.optional(z.string()),
    /** Sites that the account has cookies for. */
    cookies: z.optional(z.array(z.string())),
    /** For the owner alone. */
    updates: z.optional(
      z.extend(ytdlpOptions, {
        /** The last update by itself: when, in milliseconds since the epoch, and why it failed. */
        last: z.optional(z.object({ at: z.number(), failure: z.optional(z.string()) })),
      }),
    ),
  }),
});

/** `saved` is what the save button and closing an entry do. */
export const changedownload = call({
  method: 'POST',
  path: '/api/changedownload',
  summary: 'Cancels a download, tries it again, or takes it off the list.',
  access: 'account',
  request: z.object({ downloadid: requestedId, to: z.enum(['cancelled', 'again', 'saved']) }),
  answer: z.object({}),
});

/** The same file asked for again, by its size and its digest (SHA-256, hex), goes on where it broke off. */
export const startupload = call({
  method: 'POST',
  path: '/api/startupload',
  summary: 'Announces an audio file of one’s own.',
  access: 'account',
  request: z.object({
    name: z.string().check(z.maxLength(500)),
    size: z.int().check(z.minimum(1), z.maximum(UPLOAD_LIMIT)),
    digest: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
    playlist: z.optional(playlistId),
  }),
  answer: z.object({ upload: id, /** Bytes that are there. */ offset: z.int() }),
});

/** `data` in base64. A part that does not begin where the file ends is not taken; the answer says where it goes on. The last one queues the file. */
export const uploadpart = call({
  method: 'POST',
  path: '/api/uploadpart',
  summary: 'Sends a part of an announced file.',
  access: 'account',
  bodyLimit: Math.ceil(UPLOAD_PART * 1.4),
  request: z.object({ upload: requestedId, offset: z.int().check(z.minimum(0)), data: z.string() }),
  answer: z.object({ offset: z.int(), downloadid: z.optional(id) }),
});

/** What is there of it goes, and its room is free again. One that is over, or never was, is none to drop. */
export const dropupload = call({
  method: 'POST',
  path: '/api/dropupload',
  summary: 'Gives up an announced file.',
  access: 'account',
  request: z.object({ upload: requestedId }),
  answer: z.object({}),
});

/** Fetches the newest release of yt-dlp, checked by its signature. For the owner alone. */
export const updateytdlp = call({
  method: 'POST',
  path: '/api/updateytdlp',
  summary: 'Updates yt-dlp to its newest release.',
  access: 'account',
  rates: [{ times: 20, seconds: 3600 }],
  request: z.object({}),
  answer: z.object({ version: z.string(), /** It was not here before. */ isNew: z.boolean() }),
});

export const setytdlpupdates = call({
  method: 'POST',
  path: '/api/setytdlpupdates',
  summary: 'Chooses the channel of yt-dlp, and when it is updated each day.',
  access: 'account',
  /** What is left out stays. */
  request: z.partial(ytdlpOptions),
  answer: z.object({}),
});

/** A cookies.txt in the Netscape format. It replaces the one before; no call gives it back. */
export const setcookies = call({
  method: 'POST',
  path: '/api/setcookies',
  summary: 'Stores cookies for downloads from their sites.',
  access: 'account',
  bodyLimit: 4 * COOKIES_LIMIT,
  request: z.object({ text: z.string().check(z.maxLength(COOKIES_LIMIT)) }),
  answer: z.object({ sites: z.array(z.string()) }),
});

export const removecookies = call({
  method: 'POST',
  path: '/api/removecookies',
  summary: 'Removes the cookies for downloads.',
  access: 'account',
  request: z.object({}),
  answer: z.object({}),
});
