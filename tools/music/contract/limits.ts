// Plain values without schemas, so that rules and pages can import them without the calls.

/** Id of the playlist with all songs. */
export const ALL_SONGS = -1;
export const ALL_SONGS_TITLE = 'All MP3s';
/** Maximum length of the title of a song or playlist, in Unicode code points. */
export const MAX_TITLE_LENGTH = 300;
export const MAX_URL_LENGTH = 2048;
/** Maximum length of a text that is searched for links, and maximum number of links that are taken from it. */
export const MAX_LINK_TEXT_LENGTH = 100_000;
export const MAX_LINKS = 200;
/** Maximum number of songs of an account. */
export const MAX_SONGS = 100_000;
export const MAX_PLAYLISTS = 2000;
/** Maximum number of songs that are taken from a playlist link. */
export const MAX_SONGS_PER_LINK = 200;
export const MAX_OPEN_JOBS = 1000;
/** Maximum size of an uploaded file, and of a chunk of it, in bytes. */
export const MAX_UPLOAD_BYTES = 1024 ** 3;
export const UPLOAD_CHUNK_BYTES = 8 * 1024 ** 2;

/** Maximum length of a cookies.txt. */
export const MAX_COOKIES_LENGTH = 500_000;

/** What can help after a failed download. */
export const REMEDIES = ['update', 'cookies', 'again', 'open'] as const;

/** Codes in the field `failed` of a download (docs/specification/music.md section 3.2). */
export const codes = { done: 0, failed: 1, finished: 2, save: 3, queued: 4, pending: 5 } as const;
export type Code = (typeof codes)[keyof typeof codes];
