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

const DAYS_PER_WEEK = 7;
const MONDAY = 4;

const createPeriod = (from: Day, until: Day): Period => ({ from: toIso(from), until: toIso(until) });
const getFirstDay = (year: number, month: number): Day =>
  parseIso(`${String(year).padStart(4, '0')}-${padTwo(month)}-01`) ?? 0;

/** Lists common periods up to today. */
export function listNamedPeriods(today: Day): readonly (Period & { readonly name: string })[] {
  const monday = today - ((((today - MONDAY) % DAYS_PER_WEEK) + DAYS_PER_WEEK) % DAYS_PER_WEEK);
  const { year, month } = toCivilDate(today);
  const lastMonth = month === 1 ? getFirstDay(year - 1, 12) : getFirstDay(year, month - 1);
  return [
    { name: 'Today', ...createPeriod(today, today) },
    { name: 'This week', ...createPeriod(monday, today) },
    { name: 'Last week', ...createPeriod(monday - DAYS_PER_WEEK, monday - 1) },
    { name: 'Past 14 days', ...createPeriod(today - 13, today) },
    { name: 'This month', ...createPeriod(getFirstDay(year, month), today) },
    { name: 'Last month', ...createPeriod(lastMonth, getFirstDay(year, month) - 1) },
    { name: 'This year', ...createPeriod(getFirstDay(year, 1), today) },
    { name: 'Last year', ...createPeriod(getFirstDay(year - 1, 1), getFirstDay(year, 1) - 1) },
  ];
}

/** Returns the period of the same length directly before. */
export function getPreviousPeriod({ from, until }: Period): Period {
  const [first, last] = [parseIso(from) ?? 0, parseIso(until) ?? 0];
  return createPeriod(first - (last - first) - 1, first - 1);
}

/** Explains why a period is invalid; undefined if it is valid. */
export function findPeriodProblem({ from, until }: Period): string | undefined {
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
  readonly first: ApplicationUse | undefined;
  readonly second: ApplicationUse | undefined;
}

/** Lists each application with its use in both periods, most used first. */
export function comparePeriods(
  firstUses: readonly ApplicationUse[],
  secondUses: readonly ApplicationUse[],
): readonly ComparedRow[] {
  const secondUseByName = new Map(secondUses.map((use) => [use.name, use]));
  const firstNames = new Set(firstUses.map(({ name }) => name));
  const rows = [
    ...firstUses.map((use) => ({
      name: use.name,
      category: use.category,
      first: use,
      second: secondUseByName.get(use.name),
    })),
    ...secondUses
      .filter(({ name }) => !firstNames.has(name))
      .map((use) => ({ name: use.name, category: use.category, first: undefined, second: use })),
  ];
  const getMaxSeconds = (row: ComparedRow): number => Math.max(row.first?.seconds ?? 0, row.second?.seconds ?? 0);
  return rows.toSorted((a, b) => getMaxSeconds(b) - getMaxSeconds(a) || (a.name < b.name ? -1 : 1));
}
