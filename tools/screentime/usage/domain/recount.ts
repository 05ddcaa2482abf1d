import { MIN_REOPEN_GAP_MS } from '../../contract/limits.ts';
import type { Day, ZoneDays } from './days.ts';
import { ALL_APPLICATIONS, firstAt, lengthOf, united, within, type SecondRange } from './track.ts';

/** A day's use of one application on one device. */
export interface DayUse {
  readonly day: Day;
  /** In focus. */
  readonly seconds: number;
  /** Times that it came into focus after at least 30 s elsewhere; of all applications together the sum of theirs. */
  readonly opened: number;
  /** The longest stretch in focus, in seconds, within the day. */
  readonly longest: number;
}

/** Whoever comes back sooner has not left. */
export const OPENED_AFTER = MIN_REOPEN_GAP_MS / 1000;

/** The focus of each application, from at least `OPENED_AFTER` before the first day that is asked for. */
export type Focus = ReadonlyMap<number, readonly SecondRange[]>;

const openedIn = (spans: readonly SecondRange[], { from, until }: SecondRange): number => {
  const first = firstAt(spans, from);
  let opened = 0;
  let left = spans[first - 1]?.until ?? Number.NEGATIVE_INFINITY;
  for (let at = first; at < spans.length; at += 1) {
    const span = spans[at];
    if (!span || span.from >= until) break;
    if (span.from >= from && span.from - left >= OPENED_AFTER) opened += 1;
    left = span.until;
  }
  return opened;
};

const useOf = (spans: readonly SecondRange[], bounds: SecondRange): Omit<DayUse, 'day' | 'opened'> => {
  const inside = within(spans, bounds);
  return {
    seconds: lengthOf(inside),
    longest: inside.reduce((longest, { from, until }) => Math.max(longest, until - from), 0),
  };
};

/** What a device did on days of a zone, by application; all of them together among the asked for, where that is asked. Days without use are left out. */
export const usesOf = (
  focus: Focus,
  zone: ZoneDays,
  days: readonly Day[],
  applications: readonly number[],
): ReadonlyMap<number, readonly DayUse[]> => {
  const all = united([...focus.values()].flat());
  const found = new Map<number, DayUse[]>(applications.map((application) => [application, []]));
  for (const day of days) {
    const bounds = { from: zone.startOf(day), until: zone.startOf(day + 1) };
    for (const [application, uses] of found) {
      const isAll = application === ALL_APPLICATIONS;
      const use = useOf(isAll ? all : (focus.get(application) ?? []), bounds);
      if (use.seconds === 0) continue;
      const opened = isAll
        ? [...focus.values()].reduce((sum, spans) => sum + openedIn(spans, bounds), 0)
        : openedIn(focus.get(application) ?? [], bounds);
      uses.push({ day, ...use, opened });
    }
  }
  return found;
};
