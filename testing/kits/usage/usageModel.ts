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

const SLOT = 900;
const OPENED_AFTER = 30;
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

/** Calls `then` with each set second, in order. */
function eachSecond(own: Uint8Array, then: (at: number) => void): void {
  for (let at = own.indexOf(1); at >= 0; at = own[at + 1] === 1 ? at + 1 : own.indexOf(1, at + 1)) then(at);
}

/** Returns runs of seconds without gaps, on one day. */
function listRuns(own: Uint8Array, dateAt: (at: number) => string): readonly Run[] {
  const runs: Run[] = [];
  let left = Number.NEGATIVE_INFINITY;
  eachSecond(own, (at) => {
    const last = runs.at(-1);
    const date = dateAt(at);
    if (last && left === at && last.date === date) last.length += 1;
    else runs.push({ date, length: 1, isOpened: at - left >= OPENED_AFTER });
    left = at + 1;
  });
  return runs;
}

export function createUsageModel(
  { from: start, until: end }: ModelWindow,
  devices: readonly number[],
  apps: readonly string[],
): UsageModel {
  const length = end - start;
  const lines = new Map(
    devices.flatMap((device) =>
      apps.flatMap((app) => STATUSES.map((status) => [`${device} ${app} ${status}`, new Uint8Array(length)] as const)),
    ),
  );
  const line = (device: number, app: string, status: Status): Uint8Array =>
    lines.get(`${device} ${app} ${status}`) ?? new Uint8Array(length);
  const inTheWay = ({ device, app, status }: ModelInterval): readonly Uint8Array[] =>
    (status === 'on' ? apps : [app]).map((one) => line(device, one, status));
  const places = ({ from, until }: ModelWindow): readonly number[] =>
    Array.from({ length: Math.max(0, until - from) }, (_, at) => from - start + at);

  /** Focus of each application, and of all together. */
  function focus(device: number): ReadonlyMap<string, Uint8Array> {
    const all = new Uint8Array(length);
    for (const app of apps) eachSecond(line(device, app, 'on'), (at) => void (all[at] = 1));
    return new Map([...apps.map((app) => [app, line(device, app, 'on')] as const), [ALL_APPLICATIONS_KEY, all]]);
  }

  return {
    report: (interval) => {
      const others = inTheWay(interval);
      const own = line(interval.device, interval.app, interval.status);
      for (const at of places(interval)) if (others.every((other) => other[at] === 0)) own[at] = 1;
    },
    has: (interval) => {
      const own = line(interval.device, interval.app, interval.status);
      return places(interval).every((at) => own[at] === 1);
    },
    isFree: (interval) => places(interval).every((at) => inTheWay(interval).every((other) => other[at] === 0)),
    set: (interval, isThere) => {
      const own = line(interval.device, interval.app, interval.status);
      for (const at of places(interval)) own[at] = isThere ? 1 : 0;
    },
    getSlots: () => {
      const found = new Map<string, number>();
      const count = (name: string, own: Uint8Array): void =>
        eachSecond(own, (at) => {
          const key = `${name} ${Math.floor((start + at) / SLOT)}`;
          found.set(key, (found.get(key) ?? 0) + 1);
        });
      for (const [name, own] of lines) count(name, own);
      for (const device of devices)
        count(`${device} ${ALL_APPLICATIONS_KEY} on`, focus(device).get(ALL_APPLICATIONS_KEY) ?? new Uint8Array());
      return found;
    },
    getDays: (zone) => {
      // No zone changes the date within a slot.
      const dates = Array.from({ length: length / SLOT }, (_, slot) =>
        Temporal.Instant.fromEpochMilliseconds((start + slot * SLOT) * 1000)
          .toZonedDateTimeISO(zone)
          .toPlainDate()
          .toString(),
      );
      const found = new Map<string, DayCount>();
      function getDayCount(key: string): DayCount {
        const day = found.get(key) ?? { seconds: 0, opened: 0, longest: 0 };
        found.set(key, day);
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
      const dateAt = (at: number): string => dates[Math.floor(at / SLOT)] ?? '';
      for (const device of devices)
        for (const [app, own] of focus(device)) for (const run of listRuns(own, dateAt)) count(device, app, run);
      return new Map([...found].map(([key, { seconds, opened, longest }]) => [key, `${seconds} ${opened} ${longest}`]));
    },
    getTotals: () =>
      new Map(
        devices.flatMap((device) =>
          [...focus(device)].flatMap(([app, own]) => {
            const first = own.indexOf(1);
            const seconds = own.reduce((sum, is) => sum + is, 0);
            return first < 0
              ? []
              : [[`${device} ${app}`, `${seconds} ${start + first} ${start + own.lastIndexOf(1) + 1}`] as const];
          }),
        ),
      ),
  };
}
