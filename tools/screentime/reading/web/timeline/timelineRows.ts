import type { Status } from '#tools/screentime/contract/limits.ts';
import { formatDuration } from '../../../usage/domain/formats.ts';
import { getFocusedRange, type Lane } from '../../domain/lane.ts';
import {
  findDayLane,
  getDaySeconds,
  type ApplicationData,
  type LoadedApplication,
  type EarlierUsage,
} from '../useUsage.ts';
import { getDayClock } from './dayClock.ts';

/** A lane with the name and colours of its application. */
export interface LabelledLane {
  readonly name: string;
  readonly colour: string;
  readonly colours: Readonly<Record<Status, string>>;
  /** Formatted like `3h 01m`. */
  readonly time: string;
  /** First and last focus for screen readers: `09:12 to 17:40`. */
  readonly focusTimes: string;
  /** Undefined until the day's segments are loaded. */
  readonly lane: Lane | undefined;
}

/** A drawn day. */
export interface DayBar {
  /** ISO date. */
  readonly date: string;
  readonly weekday: string;
  /** `21/11`, or `21/11/25` if the year differs. */
  readonly label: string;
  /** CSS colour of the weekday. */
  readonly colour: string;
  readonly lanes: readonly LabelledLane[];
}

export function isSameLanes(before: readonly LabelledLane[], after: readonly LabelledLane[]): boolean {
  return before.length === after.length && before.every((lane, index) => lane === after[index]);
}

function formatFocusTimes(lane: Lane | undefined, date: string): string {
  const focusedRange = lane && getFocusedRange(lane);
  if (!focusedRange) return '';
  const { formatTimeAt } = getDayClock(date);
  return `${formatTimeAt(focusedRange.from)} to ${formatTimeAt(focusedRange.until)}`;
}

/** Cache of lanes by their input: an unchanged lane keeps its identity, so its row doesn't render again. */
const laneCache = new WeakMap<LoadedApplication, Map<string, LabelledLane>>();

function getLabelledLane(loaded: LoadedApplication, date: string, earlier: readonly ApplicationData[]): LabelledLane {
  const lane =
    findDayLane(loaded.data, date) ??
    earlier.map((data) => findDayLane(data, date)).find((dayLane) => dayLane !== undefined);
  const lanesByDate = laneCache.get(loaded) ?? new Map<string, LabelledLane>();
  laneCache.set(loaded, lanesByDate);
  const cachedLane = lanesByDate.get(date);
  if (cachedLane && cachedLane.lane === lane) return cachedLane;
  const { name, colour, colours } = loaded;
  const time = formatDuration(getDaySeconds(loaded.data, date));
  const row: LabelledLane = { name, colour, colours, time, focusTimes: formatFocusTimes(lane, date), lane };
  lanesByDate.set(date, row);
  return row;
}

const isUsed = (loaded: LoadedApplication, { lane }: LabelledLane, date: string): boolean =>
  getDaySeconds(loaded.data, date) > 0 || (lane?.froms.length ?? 0) > 0;

interface RowsOptions {
  /** Newest first. */
  readonly dates: readonly string[];
  readonly weekdays: Readonly<Record<string, string>>;
  readonly colours: Readonly<Record<string, string>>;
  /** Applications in the order of their lanes. */
  readonly loaded: readonly LoadedApplication[];
  readonly earlier: EarlierUsage;
  /** Hides applications on days without use, and days without any. */
  readonly hideUnused: boolean;
}

function formatLabel(date: string, newest: string): string {
  const [year = '', month = '', day = ''] = date.split('-');
  return newest.startsWith(year) ? `${day}/${month}` : `${day}/${month}/${year.slice(2)}`;
}

/** Creates one row per date. */
export function createRows({ dates, weekdays, colours, loaded, earlier, hideUnused }: RowsOptions): readonly DayBar[] {
  return dates.flatMap((date) => {
    const lanes = loaded.flatMap((application) => {
      const lane = getLabelledLane(application, date, earlier.get(application.name) ?? []);
      return hideUnused && !isUsed(application, lane, date) ? [] : [lane];
    });
    if (hideUnused && lanes.length === 0) return [];
    const label = formatLabel(date, dates[0] ?? date);
    return [{ date, weekday: weekdays[date] ?? '', label, colour: colours[date] ?? 'inherit', lanes }];
  });
}
