/** Under which a browser keeps what the player plays; empty for nothing. The first load knows it, and nothing else of the player. */
export const QUEUE_KEY = 'music.queue';
