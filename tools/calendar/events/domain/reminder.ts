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
  /** One line for each event that is named. */
  readonly body: string;
  /** Where a click leads. */
  readonly path: `/${string}`;
}

/** Number of events that are named. The others are counted. */
const MAX_NAMED_EVENTS = 4;

const formatLine = ({ name, time }: PinnedEvent): string => (time === undefined ? name : `${name}, ${time}`);

/** Sorts all-day events first, then by time. */
const sortEvents = (events: readonly PinnedEvent[]): readonly PinnedEvent[] =>
  events.toSorted((one, other) => (one.time ?? '').localeCompare(other.time ?? ''));

/** Returns the reminder of `date` (ISO), or undefined if nothing is pinned. */
export function createReminderText(events: readonly PinnedEvent[], date: string): ReminderText | undefined {
  const [first, ...others] = sortEvents(events);
  if (!first) return undefined;
  if (others.length === 0)
    return {
      title: formatLine(first),
      body: 'Today',
      path: `/calendar?event=${first.id}&date=${date}&type=${first.style}`,
    };
  const lines = [first, ...others].map(formatLine);
  const rest = lines.length - MAX_NAMED_EVENTS;
  const body = rest > 1 ? [...lines.slice(0, MAX_NAMED_EVENTS), `and ${rest} more`] : lines;
  return { title: `Today: ${lines.length} pinned events`, body: body.join('\n'), path: '/calendar' };
}

/** How long after its time a reminder is still sent. Later, the first page that opens that day shows it. */
const MAX_DELAY_MINUTES = 180;

/** Whether a reminder is due. Both times are minutes of the day. */
export function isDue(now: number, at: number): boolean {
  return now >= at && now - at <= MAX_DELAY_MINUTES;
}
