import { getTimeZone } from '#platform/web/browser/formats.ts';

/** The first word of every query key of this tool: what is new is asked for again by it. */
export const SCREEN_TIME = 'screentime';

const MINUTES = 60;

/** Hours east of UTC, as they are now. */
export const offsetHours = (): number => -new Date().getTimezoneOffset() / MINUTES;

/** `+1`, `-3.5`, `0`: as the specification writes it. */
export const offsetText = (hours: number): string => `${hours > 0 ? '+' : ''}${hours}`;

/** Where the browser's days begin, for every call that has `tzoffset` and `tz`. */
export const place = (): { readonly tzoffset: string; readonly tz: string } => ({
  tzoffset: String(offsetHours()),
  tz: getTimeZone(),
});
