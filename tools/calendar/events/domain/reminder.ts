import type { Style } from './event.ts';

/** A pinned event of the day. */
export interface PinnedEvent {
  readonly id: number;
  readonly name: string;
  /** `HH:MM`; undefined is all day. */
  readonly time: string | undefined;
  readonly style: Style;
}

export interface ReminderText {
  readonly title: string;
  /** Lines, one for each event that is named. */
  readonly body: string;
  /** Where a click leads. */
  readonly path: `/${string}`;
}

/** So many are named; the others are counted. */
const NAMED = 4;

const lineOf = ({ name, time }: PinnedEvent): string => (time === undefined ? name : `${name}, ${time}`);

/** Whole days first, the others by their time. */
const inOrder = (events: readonly PinnedEvent[]): readonly PinnedEvent[] =>
  events.toSorted((one, other) => (one.time ?? '').localeCompare(other.time ?? ''));

/** What the morning of `date` (ISO) says; undefined where nothing is pinned. */
export function reminderOf(events: readonly PinnedEvent[], date: string): ReminderText | undefined {
  const [first, ...others] = inOrder(events);
  if (!first) return undefined;
  if (others.length === 0)
    return {
      title: lineOf(first),
      body: 'Today',
      path: `/calendar?event=${first.id}&date=${date}&type=${first.style}`,
    };
  const lines = [first, ...others].map(lineOf);
  const rest = lines.length - NAMED;
  const body = rest > 1 ? [...lines.slice(0, NAMED), `and ${rest} more`] : lines;
  return { title: `Today: ${lines.length} pinned events`, body: body.join('\n'), path: '/calendar' };
}

/** So long after its time a reminder still comes: later the day's first opening of the page has it. */
const LATE_MINUTES = 180;

/** Whether a reminder is due, both in minutes of the day. */
export function isDue(now: number, at: number): boolean {
  return now >= at && now - at <= LATE_MINUTES;
}
