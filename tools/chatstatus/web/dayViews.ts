import type { AnswerOf } from '#platform/contract/call.ts';
import { DAY_SECONDS, SECOND_MS } from '#platform/contract/duration.ts';
import { padTwo } from '#platform/contract/text.ts';
import { formatDateRelativeTo, formatIsoDate } from '#platform/web/browser/formats.ts';
import type { getstatusesdiscord } from '../contract.ts';
import type { Sleep } from '../domain/sleep.ts';
import { type StatusInterval, formatDuration } from '../domain/status.ts';

type Answer = AnswerOf<typeof getstatusesdiscord>;
type WireDay = Answer['statuses'][string];

/** A day as the page shows it, in the browser's zone. Times are in seconds since the epoch. */
export interface ShownDay {
  readonly date: string;
  readonly weekday: string;
  /** '21 Nov', with the year if it is not this year. */
  readonly label: string;
  readonly isToday: boolean;
  /** Whether the day is still being recorded: the known history ends now, not at a stop. */
  readonly isOngoing: boolean;
  readonly from: number;
  /** End of the known history. */
  readonly until: number;
  /** Length of the whole day in seconds: 23, 24 or 25 hours. */
  readonly length: number;
  readonly intervals: readonly StatusInterval[];
  /** Sleep that ended on this day. */
  readonly sleep: Sleep | undefined;
}

function toLocalDate(date: string, { days = 0, hours = 0 } = {}): Date {
  const [year = 1970, month = 1, day = 1] = date.split('-').map(Number);
  return new Date(year, month - 1, day + days, hours);
}

const toIntervals = ({ statuses, endtime }: WireDay): readonly StatusInterval[] =>
  statuses.map(({ time, status }, index) => ({ from: time, until: statuses[index + 1]?.time ?? endtime, status }));

/** Tolerance for "now": answers are requested every minute, and clocks differ a little. */
const ONGOING_TOLERANCE_SECONDS = 120;

function toShownDay(
  from: number,
  day: WireDay,
  { today, isOngoing }: { readonly today: string; readonly isOngoing: boolean },
): ShownDay {
  const start = toLocalDate(day.date);
  return {
    date: day.date,
    weekday: start.toLocaleDateString('en', { weekday: 'long' }),
    label: formatDateRelativeTo(start.getTime(), toLocalDate(today).getTime()),
    isToday: day.date === today,
    isOngoing,
    from,
    until: day.endtime,
    length: toLocalDate(day.date, { days: 1 }).getTime() / SECOND_MS - from,
    intervals: toIntervals(day),
    sleep: day.slept,
  };
}

/** Days of the last answer. Only today changes from minute to minute, so the others need no redraw. */
const shownDayCache = new WeakMap<WireDay, ShownDay>();

/** Converts the days of an answer, newest first. `now` is in milliseconds since the epoch. */
export function toShownDays({ statuses }: Answer, now: number): readonly ShownDay[] {
  const today = formatIsoDate(new Date(now));
  return Object.entries(statuses)
    .map(([from, day]) => {
      const isOngoing = Math.abs(day.endtime - now / SECOND_MS) <= ONGOING_TOLERANCE_SECONDS;
      const cached = shownDayCache.get(day);
      if (cached && cached.isToday === (day.date === today) && cached.isOngoing === isOngoing) return cached;
      const shownDay = toShownDay(Number(from), day, { today, isOngoing });
      shownDayCache.set(day, shownDay);
      return shownDay;
    })
    .toSorted((one, other) => other.from - one.from);
}

/** Formats the clock time of a moment of a day. The end of the day is 24:00. */
export function formatClock({ from, length }: ShownDay, moment: number): string {
  if (moment >= from + length) return '24:00';
  const date = new Date(moment * SECOND_MS);
  return `${padTwo(date.getHours())}:${padTwo(date.getMinutes())}`;
}

/** Hours that are labelled on days of 23 or 25 hours. */
const LABELLED_HOURS = [6, 12, 18];

/** Returns the positions of hours as shares of a day of 23 or 25 hours, or an empty list for other days. */
export function listHourPositions(day: ShownDay): readonly { readonly text: string; readonly share: number }[] {
  const { date, from, length } = day;
  return length === DAY_SECONDS
    ? []
    : LABELLED_HOURS.map((hour) => ({
        text: padTwo(hour),
        share: (toLocalDate(date, { hours: hour }).getTime() / SECOND_MS - from) / length,
      }));
}

/** Formats the length of a day of 23 or 25 hours, such as '25 hours'. Returns undefined for other days. */
export function formatUnusualLength({ length }: ShownDay): string | undefined {
  return length === DAY_SECONDS ? undefined : formatDuration(length).replace(' h', ' hours');
}
