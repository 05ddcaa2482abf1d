// Plain values, and no shapes: the rules and whatever a page loads may have them without the calls.

/** The playlist of all songs. */
export const ALL_SONGS = -1;
export const ALL_TITLE = 'All MP3s';
/** Of a song's or playlist's title, in Unicode code points. */
export const TITLE_LIMIT = 300;
export const URL_LIMIT = 2048;
/** Of a text that is pasted for the links in it, and of those that are taken from it. */
export const LINK_TEXT_LIMIT = 100_000;
export const LINKS_LIMIT = 200;
/** Songs of one account. */
export const SONGS_LIMIT = 100_000;
export const PLAYLISTS_LIMIT = 2000;
/** Songs that one playlist link brings. */
export const FIRST_OF_LINK = 200;
export const OPEN_JOBS_LIMIT = 1000;
/** Of one uploaded file, and of one part of it. */
export const UPLOAD_LIMIT = 1024 ** 3;
export const UPLOAD_PART = 8 * 1024 ** 2;

/** Of a cookies.txt. */
export const COOKIES_LIMIT = 500_000;

/** What helps a download that failed. */
export const REMEDIES = ['update', 'cookies', 'again', 'open'] as const;

/** `failed` of a download (specification 2, section 4). */
export const codes = { done: 0, failed: 1, finished: 2, save: 3, queued: 4, pending: 5 } as const;
export type Code = (typeof codes)[keyof typeof codes];
