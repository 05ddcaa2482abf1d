import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { Database } from '#platform/server/database/database.ts';
import { civilOf, LAST_DAY, monthIndexOf, monthLength } from '../../domain/day.ts';
import type { Day } from '../../domain/day.ts';
import { MOST_END_DAYS } from '../../domain/draft.ts';
import { nextOfRule } from '../../domain/placement.ts';
import type { Rule } from '../../domain/placement.ts';
import type { Tables } from './tables.ts';

/** An event on one of its days. */
export interface Standing {
  readonly day: Day;
  readonly event: number;
}

/** A rule as its row has it. */
export interface RuleRow {
  readonly event: number;
  readonly month_day: number;
  readonly period: number;
  readonly phase: number;
  readonly from_day: number;
  readonly until_day: number;
  readonly day_offset: number;
}
export const toRule = (row: RuleRow): Rule => ({
  monthDay: row.month_day,
  period: row.period,
  phase: row.phase,
  from: row.from_day,
  until: row.until_day,
  offset: row.day_offset,
});

/** `column in (ids)` for as many ids as there are, as one parameter: the statement stays the same, and prepared. */
export const among =
  ({ dialect }: Database) =>
  (column: RawBuilder<unknown>, ids: readonly number[]): RawBuilder<boolean> =>
    dialect === 'postgres'
      ? sql<boolean>`${column} = any(${ids}::int[])`
      : sql<boolean>`${column} in (select value from json_each(${JSON.stringify(ids)}))`;

const int = (value: number): RawBuilder<unknown> => sql`cast(${value} as integer)`;

/** A day with what month rules ask about it. */
const dayRow = (day: Day, offset: number): RawBuilder<unknown> => {
  const civil = civilOf(day - offset);
  const last = monthLength(civil.year, civil.month);
  // The last day of a month is also every later one that this month does not have.
  const dates = civil.date === last ? 31 : civil.date;
  return sql`(${int(day - offset)}, ${int(offset)}, ${int(monthIndexOf(civil))}, ${int(civil.date)}, ${int(dates)})`;
};

const modulo = (value: string): RawBuilder<unknown> =>
  sql.raw(`((${value} % step.period) + step.period) % step.period`);

const once = (all: readonly Standing[]): readonly Standing[] => [
  ...new Map(all.map((one) => [`${one.day} ${one.event}`, one])).values(),
];

/** Days of rules lie so many days at most before those that they find. */
const EARLIER = MOST_END_DAYS + 2;

/** Days kept, the nearest ones, in order. */
const nearest = (count: number) => {
  const days: Day[] = [];
  return {
    days,
    /** Whether it could still be among the nearest. */
    isNear: (day: Day): boolean => days.length < count || day < (days.at(-1) ?? 0),
    add: (day: Day): void => {
      const at = days.findIndex((each) => each >= day);
      if (days[at] === day) return;
      days.splice(at === -1 ? days.length : at, 0, day);
      if (days.length > count) days.pop();
    },
  };
};

/** Which events stand on which days. Events in the bin stand nowhere. */
export const standingStore = (database: Database) => {
  const { db: ground } = database;
  const db = ground.$extendTables<Tables>();
  const isAmong = among(database);

  /** How far from the days of rules, at least and at most, the days lie that they find. */
  const offsetsOf = async (account: number): Promise<readonly number[]> => {
    const { rows } = await sql<{ readonly first: number | null; readonly last: number | null }>`select
      (select min(day_offset) from calendar_rule where account = ${account}) as first,
      (select max(day_offset) from calendar_rule where account = ${account}) as last`.execute(ground);
    const [first, last] = [rows[0]?.first ?? 0, rows[0]?.last ?? -1];
    return Array.from({ length: last - first + 1 }, (_, at) => first + at);
  };

  /** Our repeats: for each period that there is and each day the phase is known, so that an index leads to the rules. */
  const byRules = async (account: number, days: readonly Day[]): Promise<readonly Standing[]> => {
    const offsets = await offsetsOf(account);
    const asked = offsets.flatMap((offset) => days.map((day) => dayRow(day, offset)));
    if (asked.length === 0) return [];
    const { rows } = await sql<Standing>`
      with asked (day, day_offset, month, date, dates) as (values ${sql.join(asked)}),
      wanted (day, day_offset, month_day, period, phase) as materialized (
        select asked.day, step.day_offset, step.month_day, step.period,
          case when step.month_day = 0 then ${modulo('asked.day')} else ${modulo('asked.month')} end
        from (select distinct day_offset, month_day, period from calendar_rule where account = ${account}) as step
        join asked on asked.day_offset = step.day_offset
        where step.month_day = 0 or step.month_day between asked.date and asked.dates)
      select wanted.day + wanted.day_offset as day, rule.event as event
      from wanted
      join calendar_rule as rule on rule.account = ${account} and rule.day_offset = wanted.day_offset
        and rule.month_day = wanted.month_day and rule.period = wanted.period and rule.phase = wanted.phase
        and rule.until_day >= wanted.day and rule.from_day <= wanted.day
      where not exists (select 1 from calendar_exception as except_on
        where except_on.event = rule.event and except_on.day = wanted.day)`.execute(ground);
    // A day may be found by several offsets of one rule.
    return offsets.length < 2 ? rows : once(rows);
  };

  const byDays = async (account: number, days: readonly Day[]): Promise<readonly Standing[]> => {
    const [first, last] = [days[0], days.at(-1)];
    const rows = db.selectFrom('calendar_day').select(['day', 'event']).where('account', '=', account);
    if (first !== undefined && last !== undefined && last - first === days.length - 1)
      return rows.where('day', '>=', first).where('day', '<=', last).execute();
    return rows.where(isAmong(sql.ref('day'), days)).execute();
  };

  const exceptionsFrom = async (account: number, from: Day): Promise<ReadonlyMap<number, ReadonlySet<Day>>> => {
    const rows = await db
      .selectFrom('calendar_exception as left_out')
      .innerJoin('calendar_rule as rule', 'rule.event', 'left_out.event')
      .select(['left_out.event', 'left_out.day'])
      .where('rule.account', '=', account)
      .where('left_out.day', '>=', from - EARLIER)
      .execute();
    const found = new Map<number, Set<Day>>();
    for (const { event, day } of rows) found.set(event, (found.get(event) ?? new Set()).add(day));
    return found;
  };

  return {
    /** On the days given, which are in order and each once. */
    on: async (account: number, days: readonly Day[]): Promise<readonly Standing[]> =>
      days.length === 0 ? [] : [...(await byDays(account, days)), ...(await byRules(account, days))],
    /** The next days on which anything stands, in order: arithmetic over all rules, for calendars with much room between events. */
    nextDays: async (account: number, from: Day, count: number): Promise<readonly Day[]> => {
      const near = nearest(count);
      const single = await db
        .selectFrom('calendar_day')
        .select('day')
        .distinct()
        .where('account', '=', account)
        .where('day', '>=', from)
        .orderBy('day')
        .limit(count)
        .execute();
      for (const { day } of single) near.add(day);
      const rules = await db
        .selectFrom('calendar_rule')
        .select(['event', 'month_day', 'period', 'phase', 'from_day', 'until_day', 'day_offset'])
        .where('account', '=', account)
        .where((is) => is(is('until_day', '+', is.ref('day_offset')), '>=', from))
        .execute();
      const exceptions = rules.length === 0 ? new Map() : await exceptionsFrom(account, from);
      for (const row of rules) {
        const rule = toRule(row);
        const { day_offset: offset } = row;
        const left = exceptions.get(row.event);
        let next = nextOfRule(rule, from - offset);
        for (let found = 0; found < count && next !== undefined && near.isNear(next + offset);) {
          if (!left?.has(next)) {
            near.add(next + offset);
            found += 1;
          }
          next = next < LAST_DAY ? nextOfRule(rule, next + 1) : undefined;
        }
      }
      return near.days;
    },
  };
};
