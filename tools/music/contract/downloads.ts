import * as z from 'zod/mini';
import { call } from '#platform/contract/call.ts';
import { HOUR_SECONDS } from '#platform/contract/duration.ts';
import { clientEvent, serverEvent } from '#platform/contract/event.ts';
import { requestedId, id } from '#platform/contract/fields.ts';
import { MAX_COOKIES_LENGTH, MAX_LINK_TEXT_LENGTH, REMEDIES, MAX_UPLOAD_BYTES, UPLOAD_CHUNK_BYTES } from './limits.ts';
import { playlistId, songId } from './shared.ts';

const failed = z.literal([0, 1, 2, 3, 4, 5]);

const queued = { downloadid: id, title: z.string(), status: z.string(), failed };

export const ytdownload = call({
  route: 'POST /api/ytdownload',
  summary: 'Queues downloads for every link in a text.',
  access: 'account',
  done: 'added to queue',
  rates: [{ times: 60, seconds: HOUR_SECONDS }],
  bodyLimit: 4 * MAX_LINK_TEXT_LENGTH,
  request: z.object({
    /** A link, or a text that contains links. */
    url: z.string().check(z.maxLength(MAX_LINK_TEXT_LENGTH)),
    /** If set, `url` is a single address and is used unchanged. */
    exact: z.optional(z.boolean()),
    /** The playlist that the song is added to. */
    playlist: z.optional(z.union([playlistId, z.null(), z.string().check(z.maxLength(20))])),
  }),
  /** The download of the first link; `more` has those of the other links, in order. */
  answer: z.object({ ...queued, more: z.optional(z.array(z.object(queued))) }),
});

const status = z.object({
  title: z.string(),
  /** One of the texts of docs/specification/music.md section 3.2. */
  status: z.string(),
  failed,
  /** Id of the song once it is stored; empty before. */
  video_id: z.union([songId, z.literal('')]),
  // Not in the specification:
  /** 0 to 100. */
  percent: z.optional(z.number()),
  /** Why the download failed or is waiting: a sentence. */
  reason: z.optional(z.string()),
  /** What can help: a newer yt-dlp, cookies for the site, time, or a look at the page itself. */
  remedy: z.optional(z.enum(REMEDIES)),
  /** The link, if there is a remedy. */
  url: z.optional(z.string()),
  /** The site's own message, in one line. */
  details: z.optional(z.string()),
  /** For songs of a playlist: the job that found them. */
  parent: z.optional(id),
  /** For uploaded files: the upload. */
  upload: z.optional(id),
  /** The failed or cancelled download was closed, perhaps on another page: it is not shown any more. */
  closed: z.optional(z.literal(true)),
});

/** Sent to the account's music room on every change, and as the answer to a poll. */
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

/** Requests all open downloads, and those that ended in the last ten minutes. */
export const pollDownloadProgress = clientEvent({
  name: '/api/poll_download_progress',
  access: 'account',
  data: z.object({ token: z.optional(z.string()) }),
});

// Calls that are not in the specification ------------------------------------------------------------

const ytdlpOptions = z.object({
  channel: z.enum(['stable', 'nightly']),
  /** `HH:MM` in the server's time zone; null to update manually only. */
  dailyAt: z.nullable(z.string().check(z.regex(/^([01]\d|2[0-3]):[0-5]\d$/))),
});

export const downloads = call({
  route: 'GET /api/downloads',
  summary: 'Returns the downloads that are queued, running, failed or not saved yet.',
  access: 'account',
  answer: z.object({
    downloads: z.array(z.object({ downloadid: id, ...status.shape })),
    /** Why downloads are impossible on this server, with the remedy; empty if they are possible. */
    hindrance: z.string(),
    /** For example 'yt-dlp 2025.11.12, ffmpeg 5.1.9, bwrap'. */
    tools: z.string(),
    /** What an outdated yt-dlp can't do; empty for a current one. */
    advice: z.optional(z.string()),
    /** Sites for which the account has cookies. */
    cookies: z.optional(z.array(z.string())),
    /** For the owner only. */
    updates: z.optional(
      z.extend(ytdlpOptions, {
        /** The last automatic update: its time in milliseconds since the epoch, and why it failed. */
        last: z.optional(z.object({ at: z.number(), failure: z.optional(z.string()) })),
      }),
    ),
  }),
});

/** Updates a download. `saved` is sent by the save button and when an entry is closed. */
export const changedownload = call({
  route: 'POST /api/changedownload',
  usesReserve: true,
  summary: 'Cancels, retries or dismisses a download.',
  access: 'account',
  request: z.object({ downloadid: requestedId, to: z.enum(['cancelled', 'again', 'saved']) }),
});

/** Starts an upload. A file with the same size and digest (SHA-256, hex) resumes where its upload stopped. */
export const startupload = call({
  route: 'POST /api/startupload',
  summary: 'Starts the upload of an audio file.',
  access: 'account',
  request: z.object({
    name: z.string().check(z.maxLength(500)),
    size: z.int().check(z.minimum(1), z.maximum(MAX_UPLOAD_BYTES)),
    digest: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
    playlist: z.optional(playlistId),
  }),
  answer: z.object({ upload: id, /** Number of bytes that the server has. */ offset: z.int() }),
});

/**
 * Sends a chunk, `data` in base64. A chunk at a wrong offset is ignored; the answer contains the right one.
 * The last chunk queues the file.
 */
export const uploadpart = call({
  route: 'POST /api/uploadpart',
  summary: 'Uploads a part of a file.',
  access: 'account',
  bodyLimit: Math.ceil(UPLOAD_CHUNK_BYTES * 1.4),
  request: z.object({ upload: requestedId, offset: z.int().check(z.minimum(0)), data: z.string() }),
  answer: z.object({ offset: z.int(), downloadid: z.optional(id) }),
});

/** Cancels an upload, deletes its bytes and frees its space. Does nothing for an unknown or finished one. */
export const dropupload = call({
  route: 'POST /api/dropupload',
  usesReserve: true,
  summary: 'Cancels an upload.',
  access: 'account',
  request: z.object({ upload: requestedId }),
});

/** Installs the newest release of yt-dlp after a check of its signature. For the owner only. */
export const updateytdlp = call({
  route: 'POST /api/updateytdlp',
  summary: 'Updates yt-dlp to its newest release.',
  access: 'account',
  rates: [{ times: 20, seconds: HOUR_SECONDS }],
  answer: z.object({ version: z.string(), /** Whether the version was not installed before. */ isNew: z.boolean() }),
});

export const setytdlpupdates = call({
  route: 'POST /api/setytdlpupdates',
  summary: 'Sets the yt-dlp channel and the time of its daily update.',
  access: 'account',
  /** Fields that are absent keep their value. */
  request: z.partial(ytdlpOptions),
});

/** Stores a cookies.txt (Netscape format). It replaces the one before. No call returns it. */
export const setcookies = call({
  route: 'POST /api/setcookies',
  summary: 'Stores cookies for downloads.',
  access: 'account',
  bodyLimit: 4 * MAX_COOKIES_LENGTH,
  request: z.object({ text: z.string().check(z.maxLength(MAX_COOKIES_LENGTH)) }),
  answer: z.object({ sites: z.array(z.string()) }),
});

export const removecookies = call({
  route: 'POST /api/removecookies',
  usesReserve: true,
  summary: 'Deletes the cookies for downloads.',
  access: 'account',
});
