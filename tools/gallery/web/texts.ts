import { formatClockTime, formatShortDate } from '#platform/web/browser/formats.ts';
import type { Video } from './useGallery.ts';

/** Where something stands on the page. */
interface PagePosition {
  readonly left: number;
  readonly top: number;
}

/** In the next row in that direction, the one nearest to above or below. */
const inRow = (places: readonly PagePosition[], from: PagePosition, down: boolean): number | undefined => {
  const beyond = places.filter(({ top }) => (down ? top > from.top + 1 : top < from.top - 1));
  if (beyond.length === 0) return undefined;
  const row = down ? Math.min(...beyond.map(({ top }) => top)) : Math.max(...beyond.map(({ top }) => top));
  let best: number | undefined;
  for (const [index, { left, top }] of places.entries()) {
    if (Math.abs(top - row) > 1) continue;
    if (best === undefined || Math.abs(left - from.left) < Math.abs((places[best]?.left ?? 0) - from.left))
      best = index;
  }
  return best;
};

/** Which of the things in a grid an arrow key leads to; undefined for other keys, and where there is none. */
export function neighbour(places: readonly PagePosition[], index: number, key: string): number | undefined {
  const from = places[index];
  if (!from) return undefined;
  if (key === 'ArrowRight') return index + 1 < places.length ? index + 1 : undefined;
  if (key === 'ArrowLeft') return index > 0 ? index - 1 : undefined;
  if (key === 'Home') return 0;
  if (key === 'End') return places.length - 1;
  return key === 'ArrowDown' || key === 'ArrowUp' ? inRow(places, from, key === 'ArrowDown') : undefined;
}

/** What stands next to one that went: behind it, or else before it, of those that are still there. */
export function besideOf(gone: string, was: readonly string[], now: readonly string[]): string | undefined {
  const at = was.indexOf(gone);
  const isThere = (file: string): boolean => now.includes(file);
  return was.slice(at + 1).find(isThere) ?? was.slice(0, at).findLast(isThere);
}

const two = (value: number): string => String(value).padStart(2, '0');

/** '1:12', '1:02:03'. */
export function lengthText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const minutes = Math.floor(whole / 60) % 60;
  const hours = Math.floor(whole / 3600);
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

/** '20-11-2026 21:04', from seconds since the epoch. */
export function momentText(seconds: number): string {
  return `${formatShortDate(seconds * 1000)} ${formatClockTime(seconds * 1000)}`;
}

/** The day is named once where both lie in it. */
export function endText(start: number, end: number): string {
  return formatShortDate(start * 1000) === formatShortDate(end * 1000) ? formatClockTime(end * 1000) : momentText(end);
}

export function countText(count: number): string {
  return `${count} ${count === 1 ? 'video' : 'videos'}`;
}

/** What a video is called: its time where nobody gave it a title. */
export function nameOf({ title, start }: Video): string {
  return title === '' ? formatClockTime(start * 1000) : title;
}

const UNFIT = /[\p{Cc}\p{Cf}"*/:<>?\\|]+/gu;

/** Under which it is downloaded. */
export function fileNameOf(video: Video): string {
  return `${`${momentText(video.start).replace(':', '.')} ${video.title}`.replaceAll(UNFIT, '_').trim()}.webm`;
}

export function pictureAddress({ file, signature }: Video): string {
  return `/api/cwservet/${file}.png${signature}`;
}
export function videoAddress({ file, signature }: Video): string {
  return `/api/cwservev/${file}.webm${signature}`;
}
