/** The first word of every query key of this tool: what is new is asked for again by it. */
export const SCREEN_TIME = 'screentime';
