import { parseIso, toIso } from '../../usage/domain/date.ts';

/** Seconds of use by day and application, as `getsoundinfo` answers them. */
export type SecondsByDay = Readonly<Record<string, Readonly<Record<string, number>>>>;

export interface ApplicationHours {
  readonly name: string;
  /** One for each day. */
  readonly hours: readonly number[];
}

export interface DaySeries {
  /** ISO, in order. Of more than a year without use only its first and its last day are there. */
  readonly days: readonly string[];
  /** Most used first. */
  readonly applications: readonly ApplicationHours[];
}

const HOUR_SECONDS = 3600;

/** Days without use that are drawn at most, one by one. A single wrong date would else fill the charts with decades of nothing. */
const MAX_GAP_DAYS = 366;

/** Every day from the first to the last that something was recorded on, except in long gaps. */
const daysBetween = (labels: readonly string[]): readonly string[] => {
  const used = labels.flatMap((label) => parseIso(label) ?? []).toSorted((one, other) => one - other);
  const days: number[] = [];
  for (const day of used) {
    const last = days.at(-1);
    if (last !== undefined && day - last - 1 > MAX_GAP_DAYS) days.push(last + 1, day - 1);
    else for (let empty = (last ?? day) + 1; empty < day; empty += 1) days.push(empty);
    days.push(day);
  }
  return days.map(toIso);
};

/** Hours of each application day by day; a day on which one was not used is 0. */
export const daySeries = (seconds: SecondsByDay): DaySeries => {
  const days = daysBetween(Object.keys(seconds));
  const found = new Map<string, { readonly hours: number[]; total: number }>();
  for (const [index, day] of days.entries())
    for (const [name, spent] of Object.entries(seconds[day] ?? {})) {
      const one = found.get(name) ?? { hours: Array.from<number>({ length: days.length }).fill(0), total: 0 };
      one.hours[index] = spent / HOUR_SECONDS;
      one.total += spent;
      found.set(name, one);
    }
  const applications = [...found]
    .toSorted(([one, { total }], [other, { total: more }]) => more - total || (one < other ? -1 : 1))
    .map(([name, { hours }]) => ({ name, hours }));
  return { days, applications };
};

/** What came together up to each day. */
export const runningTotal = (values: readonly number[]): readonly number[] => {
  let sum = 0;
  return values.map((value) => (sum += value));
};
