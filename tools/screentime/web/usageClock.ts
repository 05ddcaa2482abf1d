import { getTimeZone } from '#platform/web/browser/formats.ts';

/** The first word of every query key of this tool: what is new is asked for again by it. */
export const SCREEN_TIME = 'screentime';

const MINUTES = 60;

/** Hours east of UTC, as they are now. */
export function offsetHours(): number {
  return -new Date().getTimezoneOffset() / MINUTES;
}

/** `+1`, `-3.5`, `0`: as the specification writes it. */
export function offsetText(hours: number): string {
  return `${hours > 0 ? '+' : ''}${hours}`;
}

/** Where the browser's days begin, for every call that has `tzoffset` and `tz`. */
export function place(): { readonly tzoffset: string; readonly tz: string } {
  return {
    tzoffset: String(offsetHours()),
    tz: getTimeZone(),
  };
}
