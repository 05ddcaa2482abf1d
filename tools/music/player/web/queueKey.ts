/**
 * Storage key of the queue; an empty value means none. In a separate file, because the shell reads it before the
 * player is loaded.
 */
export const QUEUE_KEY = 'music.queue';
