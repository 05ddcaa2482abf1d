import type { UsageInterval } from './deviceRecord.ts';
import { parseInstant } from './instant.ts';
import { uncovered, united, type SecondRange } from './track.ts';
import { EARLIEST_IMPORT } from './usageReport.ts';

/** An event of ActivityWatch: ISO 8601, and seconds. */
export interface WatchedEvent {
  readonly timestamp: string;
  readonly duration: number;
}
export interface WatchedWindow extends WatchedEvent {
  readonly app: string;
}

/** What was in focus by an event; no parts where it was not, or where the event is no good. */
export interface WatchedFocus {
  readonly app: string;
  readonly parts: readonly Omit<UsageInterval, 'application'>[];
}

/** No window is longer than a week: a watcher that was left alone says nothing of a person. */
const MAX_WINDOW_SECONDS = 7 * 86_400;

const spanOf = ({ timestamp, duration }: WatchedEvent): SecondRange | undefined => {
  const at = parseInstant(timestamp);
  if (at === undefined || !Number.isFinite(duration) || duration < 0) return undefined;
  return { from: Math.round(at / 1000), until: Math.round(at / 1000 + duration) };
};

/** What of it can be use: nothing of the future, and nothing that is too early or too long. */
const usedOf = ({ from, until }: SecondRange, now: number): readonly SecondRange[] => {
  if (from < EARLIEST_IMPORT || until - from > MAX_WINDOW_SECONDS || from >= Math.min(until, now)) return [];
  return [{ from, until: Math.min(until, now) }];
};

/**
 * The focus that events of the active window tell, without the times in which the person was away.
 * @param now seconds since the epoch: nothing is of later.
 */
export const focusWatched = (
  windows: readonly WatchedWindow[],
  away: readonly WatchedEvent[],
  now: number,
): readonly WatchedFocus[] => {
  const gone = united(away.flatMap((event) => spanOf(event) ?? []));
  return windows.map((event) => {
    const span = spanOf(event);
    const parts = (span ? usedOf(span, now) : []).flatMap((used) => uncovered(gone, used));
    return { app: event.app, parts: parts.map((part) => ({ status: 'on', ...part })) };
  });
};
