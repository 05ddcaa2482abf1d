import { formatClockTime, formatDate } from '#platform/web/browser/formats.ts';
import { toSitePath } from '#platform/web/browser/siteAddress.ts';
import type { Video } from './useGallery.ts';

/** Position of an element on the page. */
interface PagePosition {
  readonly left: number;
  readonly top: number;
}

/** Returns the element of the next row in that direction whose horizontal position is nearest. */
function findInRow(positions: readonly PagePosition[], from: PagePosition, isDown: boolean): number | undefined {
  const candidates = positions.filter(({ top }) => (isDown ? top > from.top + 1 : top < from.top - 1));
  if (candidates.length === 0) return undefined;
  const row = isDown ? Math.min(...candidates.map(({ top }) => top)) : Math.max(...candidates.map(({ top }) => top));
  let best: number | undefined;
  for (const [index, { left, top }] of positions.entries()) {
    if (Math.abs(top - row) > 1) continue;
    if (best === undefined || Math.abs(left - from.left) < Math.abs((positions[best]?.left ?? 0) - from.left))
      best = index;
  }
  return best;
}

/** Returns the index to which an arrow key leads in a grid; undefined for other keys, and at the edge. */
export function findGridNeighbour(positions: readonly PagePosition[], index: number, key: string): number | undefined {
  const from = positions[index];
  if (!from) return undefined;
  if (key === 'ArrowRight') return index + 1 < positions.length ? index + 1 : undefined;
  if (key === 'ArrowLeft') return index > 0 ? index - 1 : undefined;
  if (key === 'Home') return 0;
  if (key === 'End') return positions.length - 1;
  return key === 'ArrowDown' || key === 'ArrowUp' ? findInRow(positions, from, key === 'ArrowDown') : undefined;
}

/** Returns the neighbour of a removed item: the next remaining one, or else the previous one. */
export function findRemainingNeighbour(
  removed: string,
  previous: readonly string[],
  current: readonly string[],
): string | undefined {
  const index = previous.indexOf(removed);
  const isRemaining = (file: string): boolean => current.includes(file);
  return previous.slice(index + 1).find(isRemaining) ?? previous.slice(0, index).findLast(isRemaining);
}

/** Formats '20 Nov 2026 21:04' from seconds since the epoch. */
export function formatMoment(seconds: number): string {
  return `${formatDate(seconds * 1000)} ${formatClockTime(seconds * 1000)}`;
}

/** Formats the end of a session, without its day if that is the day of the start. */
export function formatSessionEnd(start: number, end: number): string {
  return formatDate(start * 1000) === formatDate(end * 1000) ? formatClockTime(end * 1000) : formatMoment(end);
}

export function formatVideoCount(count: number): string {
  return `${count} ${count === 1 ? 'video' : 'videos'}`;
}

/** Returns the title of a video, or its time if it has none. */
export function getVideoName({ title, start }: Video): string {
  return title === '' ? formatClockTime(start * 1000) : title;
}

const INVALID_CHARACTERS = /[\p{Cc}\p{Cf}"*/:<>?\\|]+/gu;

/** Returns the file name for a download. */
export function formatFileName(video: Video): string {
  return `${`${formatMoment(video.start).replace(':', '.')} ${video.title}`.replaceAll(INVALID_CHARACTERS, '_').trim()}.webm`;
}

export function getPictureAddress({ file, signature }: Video): string {
  return toSitePath(`/api/cwservet/${file}.png${signature}`);
}
export function getVideoAddress({ file, signature }: Video): string {
  return toSitePath(`/api/cwservev/${file}.webm${signature}`);
}
