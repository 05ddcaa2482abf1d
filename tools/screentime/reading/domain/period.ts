import { toCivilDate } from '#platform/contract/day.ts';
import { padTwo } from '#platform/contract/text.ts';
import { parseIso, toIso, type Day } from '../../usage/domain/days.ts';

/** Max days per request. */
const MAX_DAYS_PER_REQUEST = 62;

/** Inclusive ISO dates. */
export interface Period {
  readonly from: string;
  readonly until: string;
}

/** Covers these days (ISO, newest first) with as few ranges as possible, none longer than a request allows. */
export function toPeriods(dates: readonly string[]): readonly Period[] {
  const periods: Period[] = [];
  for (const date of dates) {
    const last = periods.at(-1);
    const length = last && (parseIso(last.until) ?? 0) - (parseIso(date) ?? 0) + 1;
    if (last && length !== undefined && length <= MAX_DAYS_PER_REQUEST)
      periods[periods.length - 1] = { ...last, from: date };
    else periods.push({ from: date, until: date });
  }
  return periods;
}

const WEEK = 7;
const MONDAY = 4;

const period = (from: Day, until: Day): Period => ({ from: toIso(from), until: toIso(until) });
const getFirstDay = (year: number, month: number): Day =>
  parseIso(`${String(year).padStart(4, '0')}-${padTwo(month)}-01`) ?? 0;

/** Lists common periods up to today. */
export function namedPeriods(today: Day): readonly (Period & { readonly name: string })[] {
  const monday = today - ((((today - MONDAY) % WEEK) + WEEK) % WEEK);
  const { year, month } = toCivilDate(today);
  const lastMonth = month === 1 ? getFirstDay(year - 1, 12) : getFirstDay(year, month - 1);
  return [
    { name: 'Today', ...period(today, today) },
    { name: 'This week', ...period(monday, today) },
    { name: 'Last week', ...period(monday - WEEK, monday - 1) },
    { name: 'Past 14 days', ...period(today - 13, today) },
    { name: 'This month', ...period(getFirstDay(year, month), today) },
    { name: 'Last month', ...period(lastMonth, getFirstDay(year, month) - 1) },
    { name: 'This year', ...period(getFirstDay(year, 1), today) },
    { name: 'Last year', ...period(getFirstDay(year - 1, 1), getFirstDay(year, 1) - 1) },
  ];
}

/** Returns the period of the same length directly before. */
export function getPreviousPeriod({ from, until }: Period): Period {
  const [first, last] = [parseIso(from) ?? 0, parseIso(until) ?? 0];
  return period(first - (last - first) - 1, first - 1);
}

/** Explains why a period is invalid; undefined if it is valid. */
export function findProblem({ from, until }: Period): string | undefined {
  const [first, last] = [parseIso(from), parseIso(until)];
  if (first === undefined || last === undefined) return 'Choose a first and a last day';
  return last < first ? 'The last day must not be before the first day' : undefined;
}

export interface ApplicationUse {
  readonly name: string;
  readonly category: string;
  readonly seconds: number;
  readonly opened: number;
  readonly longest: number;
}

export interface ComparedRow {
  readonly name: string;
  readonly category: string;
  readonly one: ApplicationUse | undefined;
  readonly other: ApplicationUse | undefined;
}

/** Lists each application with its use in both periods, most used first. */
export function compareUse(one: readonly ApplicationUse[], other: readonly ApplicationUse[]): readonly ComparedRow[] {
  const theirs = new Map(other.map((used) => [used.name, used]));
  const names = new Set(one.map(({ name }) => name));
  const rows = [
    ...one.map((used) => ({ name: used.name, category: used.category, one: used, other: theirs.get(used.name) })),
    ...other
      .filter(({ name }) => !names.has(name))
      .map((used) => ({ name: used.name, category: used.category, one: undefined, other: used })),
  ];
  const max = (row: ComparedRow): number => Math.max(row.one?.seconds ?? 0, row.other?.seconds ?? 0);
  return rows.toSorted((a, b) => max(b) - max(a) || (a.name < b.name ? -1 : 1));
}
