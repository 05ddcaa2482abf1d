import { STATUSES, type Status } from '#tools/screentime/contract/limits.ts';

/**
 * Reference model of usage, second by second and in the simplest way. Every faster way of counting must agree with it.
 */
export interface UsageModel {
  /** Records a computer's report; focus only where no other application has it. */
  readonly report: (interval: ModelInterval) => void;
  /** Returns whether all of it is recorded. */
  readonly has: (interval: ModelInterval) => boolean;
  /** Returns whether it conflicts with nothing. */
  readonly isFree: (interval: ModelInterval) => boolean;
  readonly set: (interval: ModelInterval, isThere: boolean) => void;
  /** Seconds by `<device> <app> <status> <slot>`; 'all' sums up all applications. */
  readonly getSlots: () => ReadonlyMap<string, number>;
  /** `<seconds> <times opened> <longest>` by `<device> <app> <ISO date>`. */
  readonly getDays: (zone: string) => ReadonlyMap<string, string>;
  /** `<seconds> <first> <last>` by `<device> <app>`. */
  readonly getTotals: () => ReadonlyMap<string, string>;
}

export interface ModelInterval {
  readonly device: number;
  readonly app: string;
  readonly status: Status;
  readonly from: number;
  readonly until: number;
}

export interface ModelWindow {
  /** Seconds since the epoch, at the start of a slot. */
  readonly from: number;
  readonly until: number;
}

const SLOT_SECONDS = 900;
const OPENED_GAP_SECONDS = 30;
export const ALL_APPLICATIONS_KEY = 'all';

interface DayCount {
  seconds: number;
  opened: number;
  longest: number;
}

interface Run {
  readonly date: string;
  length: number;
  /** Whether it starts after at least 30 s without use. */
  readonly isOpened: boolean;
}

/** Calls `onSecond` with each set second, in order. */
function forEachSecond(seconds: Uint8Array, onSecond: (index: number) => void): void {
  for (
    let index = seconds.indexOf(1);
    index >= 0;
    index = seconds[index + 1] === 1 ? index + 1 : seconds.indexOf(1, index + 1)
  )
    onSecond(index);
}

/** Returns runs of seconds without gaps, on one day. */
function listRuns(seconds: Uint8Array, getDate: (index: number) => string): readonly Run[] {
  const runs: Run[] = [];
  let previousEnd = Number.NEGATIVE_INFINITY;
  forEachSecond(seconds, (index) => {
    const last = runs.at(-1);
    const date = getDate(index);
    if (last && previousEnd === index && last.date === date) last.length += 1;
    else runs.push({ date, length: 1, isOpened: index - previousEnd >= OPENED_GAP_SECONDS });
    previousEnd = index + 1;
  });
  return runs;
}

export function createUsageModel(
  { from: start, until: end }: ModelWindow,
  devices: readonly number[],
  apps: readonly string[],
): UsageModel {
  const length = end - start;
  const lineByKey = new Map(
    devices.flatMap((device) =>
      apps.flatMap((app) => STATUSES.map((status) => [`${device} ${app} ${status}`, new Uint8Array(length)] as const)),
    ),
  );
  const getLine = (device: number, app: string, status: Status): Uint8Array =>
    lineByKey.get(`${device} ${app} ${status}`) ?? new Uint8Array(length);
  const listConflictingLines = ({ device, app, status }: ModelInterval): readonly Uint8Array[] =>
    (status === 'on' ? apps : [app]).map((conflictingApp) => getLine(device, conflictingApp, status));
  const listIndexes = ({ from, until }: ModelWindow): readonly number[] =>
    Array.from({ length: Math.max(0, until - from) }, (_, index) => from - start + index);

  /** Focus of each application, and of all together. */
  function getFocusLines(device: number): ReadonlyMap<string, Uint8Array> {
    const allApplications = new Uint8Array(length);
    for (const app of apps) forEachSecond(getLine(device, app, 'on'), (index) => void (allApplications[index] = 1));
    return new Map([
      ...apps.map((app) => [app, getLine(device, app, 'on')] as const),
      [ALL_APPLICATIONS_KEY, allApplications],
    ]);
  }

  return {
    report: (interval) => {
      const others = listConflictingLines(interval);
      const seconds = getLine(interval.device, interval.app, interval.status);
      for (const index of listIndexes(interval)) if (others.every((other) => other[index] === 0)) seconds[index] = 1;
    },
    has: (interval) => {
      const seconds = getLine(interval.device, interval.app, interval.status);
      return listIndexes(interval).every((index) => seconds[index] === 1);
    },
    isFree: (interval) =>
      listIndexes(interval).every((index) => listConflictingLines(interval).every((other) => other[index] === 0)),
    set: (interval, isThere) => {
      const seconds = getLine(interval.device, interval.app, interval.status);
      for (const index of listIndexes(interval)) seconds[index] = isThere ? 1 : 0;
    },
    getSlots: () => {
      const result = new Map<string, number>();
      const count = (name: string, seconds: Uint8Array): void =>
        forEachSecond(seconds, (index) => {
          const key = `${name} ${Math.floor((start + index) / SLOT_SECONDS)}`;
          result.set(key, (result.get(key) ?? 0) + 1);
        });
      for (const [name, seconds] of lineByKey) count(name, seconds);
      for (const device of devices)
        count(
          `${device} ${ALL_APPLICATIONS_KEY} on`,
          getFocusLines(device).get(ALL_APPLICATIONS_KEY) ?? new Uint8Array(),
        );
      return result;
    },
    getDays: (zone) => {
      // No zone changes the date within a slot.
      const dates = Array.from({ length: length / SLOT_SECONDS }, (_, slot) =>
        Temporal.Instant.fromEpochMilliseconds((start + slot * SLOT_SECONDS) * 1000)
          .toZonedDateTimeISO(zone)
          .toPlainDate()
          .toString(),
      );
      const result = new Map<string, DayCount>();
      function getDayCount(key: string): DayCount {
        const day = result.get(key) ?? { seconds: 0, opened: 0, longest: 0 };
        result.set(key, day);
        return day;
      }
      function count(device: number, app: string, run: Run): void {
        const day = getDayCount(`${device} ${app} ${run.date}`);
        day.seconds += run.length;
        day.longest = Math.max(day.longest, run.length);
        if (app === ALL_APPLICATIONS_KEY || !run.isOpened) return;
        day.opened += 1;
        getDayCount(`${device} ${ALL_APPLICATIONS_KEY} ${run.date}`).opened += 1;
      }
      const getDate = (index: number): string => dates[Math.floor(index / SLOT_SECONDS)] ?? '';
      for (const device of devices)
        for (const [app, seconds] of getFocusLines(device))
          for (const run of listRuns(seconds, getDate)) count(device, app, run);
      return new Map(
        [...result].map(([key, { seconds, opened, longest }]) => [key, `${seconds} ${opened} ${longest}`]),
      );
    },
    getTotals: () =>
      new Map(
        devices.flatMap((device) =>
          [...getFocusLines(device)].flatMap(([app, seconds]) => {
            const first = seconds.indexOf(1);
            const count = seconds.reduce((sum, value) => sum + value, 0);
            return first < 0
              ? []
              : [[`${device} ${app}`, `${count} ${start + first} ${start + seconds.lastIndexOf(1) + 1}`] as const];
          }),
        ),
      ),
  };
}
