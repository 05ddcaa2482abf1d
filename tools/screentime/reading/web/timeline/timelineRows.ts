import type { Status } from '#tools/screentime/contract/limits.ts';
import { prettyTime } from '../../domain/formats.ts';
import { focusedSpan, type Lane } from '../../domain/lane.ts';
import { laneIn, secondsIn, type ApplicationData, type LoadedApplication, type Earlier } from '../useUsage.ts';
import { dayClock } from './dayClock.ts';

/** One application on one day. */
export interface RowLane {
  readonly name: string;
  readonly colour: string;
  readonly colours: Readonly<Record<Status, string>>;
  /** `3h 01m`. */
  readonly time: string;
  /** When it was first and last in focus, for readers: `09:12 to 17:40`. */
  readonly span: string;
  /** Undefined before the day's segments have come. */
  readonly lane: Lane | undefined;
}

export interface DayRow {
  /** ISO. */
  readonly date: string;
  readonly weekday: string;
  /** `21/11`, or `21/11/25` where the year is another. */
  readonly label: string;
  /** CSS, of the weekday. */
  readonly colour: string;
  readonly lanes: readonly RowLane[];
}

export function isSameLanes(before: readonly RowLane[], after: readonly RowLane[]): boolean {
  return before.length === after.length && before.every((lane, at) => lane === after[at]);
}

const spanOf = (lane: Lane | undefined, date: string): string => {
  const span = lane && focusedSpan(lane);
  if (!span) return '';
  const { textAt } = dayClock(date);
  return `${textAt(span.from)} to ${textAt(span.until)}`;
};

/** Lanes by what they are made of: an unchanged one stays itself, and its row need not be drawn again. */
const made = new WeakMap<LoadedApplication, Map<string, RowLane>>();

const laneOfDay = (loaded: LoadedApplication, date: string, earlier: readonly ApplicationData[]): RowLane => {
  const lane =
    laneIn(loaded.answered, date) ?? earlier.map((each) => laneIn(each, date)).find((each) => each !== undefined);
  const known = made.get(loaded) ?? new Map<string, RowLane>();
  made.set(loaded, known);
  const before = known.get(date);
  if (before && before.lane === lane) return before;
  const { name, colour, colours } = loaded;
  const time = prettyTime(secondsIn(loaded.answered, date));
  const row: RowLane = { name, colour, colours, time, span: spanOf(lane, date), lane };
  known.set(date, row);
  return row;
};

const isUsed = (loaded: LoadedApplication, { lane }: RowLane, date: string): boolean =>
  secondsIn(loaded.answered, date) > 0 || (lane?.froms.length ?? 0) > 0;

interface RowsOptions {
  /** Newest first. */
  readonly dates: readonly string[];
  readonly weekdays: Readonly<Record<string, string>>;
  readonly colours: Readonly<Record<string, string>>;
  /** In the order in which they stand on each day. */
  readonly loaded: readonly LoadedApplication[];
  readonly earlier: Earlier;
  /** Applications stand only on days on which they were used, and days without any are left out. */
  readonly hideUnused: boolean;
}

const labelOf = (date: string, newest: string): string => {
  const [year = '', month = '', day = ''] = date.split('-');
  return newest.startsWith(year) ? `${day}/${month}` : `${day}/${month}/${year.slice(2)}`;
};

/** The timeline: one row for each date. */
export function rowsOf({ dates, weekdays, colours, loaded, earlier, hideUnused }: RowsOptions): readonly DayRow[] {
  return dates.flatMap((date) => {
    const lanes = loaded.flatMap((each) => {
      const lane = laneOfDay(each, date, earlier.get(each.name) ?? []);
      return hideUnused && !isUsed(each, lane, date) ? [] : [lane];
    });
    if (hideUnused && lanes.length === 0) return [];
    const label = labelOf(date, dates[0] ?? date);
    return [{ date, weekday: weekdays[date] ?? '', label, colour: colours[date] ?? 'inherit', lanes }];
  });
}
