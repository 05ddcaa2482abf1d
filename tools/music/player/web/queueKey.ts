/**
 * Storage key of the queue; an empty value means none. In a file of its own, because the shell reads it before the
 * player is loaded.
 */
export const QUEUE_KEY = 'music.queue';
