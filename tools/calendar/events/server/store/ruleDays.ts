import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import { toCivilDate, getMonthLength, type Day } from '#platform/contract/day.ts';
import type { Database } from '#platform/server/database/database.ts';
import { MAX_ENTRIES_PER_DAY } from '#tools/calendar/contract/events.ts';
import { getMonthIndex } from '../../domain/day.ts';
import type { CalendarTables } from './tables.ts';

export interface EventDay {
  readonly day: Day;
  readonly event: number;
}

const castToInteger = (value: number): RawBuilder<unknown> => sql`cast(${value} as integer)`;

/** A day with the values that month rules are compared to. */
function createDayRow(day: Day, offset: number): RawBuilder<unknown> {
  const civil = toCivilDate(day - offset);
  const last = getMonthLength(civil.year, civil.month);
  // The last day of a month also stands for the later dates that this month does not have.
  const dates = civil.date === last ? 31 : civil.date;
  return sql`(${castToInteger(day - offset)}, ${castToInteger(offset)}, ${castToInteger(getMonthIndex(civil))}, ${castToInteger(civil.date)}, ${castToInteger(dates)})`;
}

/** Maximum number of an account's rules that are matched against all days in one statement. */
const MAX_RULES_PER_STATEMENT = 1000;
/** Maximum number of events on days that one statement reads, because it blocks other statements meanwhile. */
const MAX_EVENTS_PER_STATEMENT = 40_000;
const MONTH_DAYS = 30;

const modulo = (value: string): RawBuilder<unknown> =>
  sql.raw(`((${value} % step.period) + step.period) % step.period`);

/** Combines a pair in one number, which is faster to compare than text. Ids have 31 bits. */
export function getKey({ day, event }: EventDay): number {
  return day * 2 ** 31 + event;
}

export function removeDuplicates(all: readonly EventDay[]): readonly EventDay[] {
  const seenKeys = new Set<number>();
  return all.filter((eventDay) => {
    const key = getKey(eventDay);
    return !seenKeys.has(key) && seenKeys.add(key);
  });
}

/** Selects the rules that match the requested days. Computes the phase of each period and day, so the index is used. */
const selectRules = (account: number, dayRows: readonly RawBuilder<unknown>[], columns: RawBuilder<unknown>) => sql`
  with requested (day, day_offset, month, date, dates) as (values ${sql.join(dayRows)}),
  wanted (day, day_offset, month_day, period, phase) as materialized (
    select requested.day, step.day_offset, step.month_day, step.period,
      case when step.month_day = 0 then ${modulo('requested.day')} else ${modulo('requested.month')} end
    from (select distinct day_offset, month_day, period from calendar_rule where account = ${account}) as step
    join requested on requested.day_offset = step.day_offset
    where step.month_day = 0 or step.month_day between requested.date and requested.dates)
  select ${columns}
  from wanted
  join calendar_rule as rule on rule.account = ${account} and rule.day_offset = wanted.day_offset
    and rule.month_day = wanted.month_day and rule.period = wanted.period and rule.phase = wanted.phase
    and rule.until_day >= wanted.day and rule.from_day <= wanted.day
  where not exists (select 1 from calendar_exception as except_on
    where except_on.event = rule.event and except_on.day = wanted.day)`;

/** What the rules of an account have in common. */
export interface RuleSummary {
  readonly account: number;
  readonly count: number;
  /** Distances between the days of rules and the days that they find. */
  readonly offsets: readonly number[];
  /** Events that the rules have on an average day. */
  readonly eventsPerDay: number;
}

/** Whether rules match more events than one statement may read. */
export function exceedsStatementLimit({ count, eventsPerDay }: RuleSummary, days: readonly Day[]): boolean {
  return count > MAX_RULES_PER_STATEMENT && days.length * eventsPerDay > MAX_EVENTS_PER_STATEMENT;
}

/** Finds the days of repeats by their rules. */
export function createRuleDays(database: Database) {
  const { db: untypedDb } = database;
  const db = untypedDb.$extendTables<CalendarTables>();

  /** Summarizes the rules of an account, from their index alone. */
  async function summarizeRules(account: number): Promise<RuleSummary> {
    const daysEach = sql`case when month_day = 0 then period else period * ${sql.lit(MONTH_DAYS)} end`;
    const { rows } = await sql<Record<'count' | 'per_day' | 'first' | 'last', number>>`select
      cast(count(*) as integer) as count, coalesce(sum(cast(1 as double precision) / ${daysEach}), 0) as per_day,
      coalesce((select min(day_offset) from calendar_rule where account = ${account}), 0) as first,
      coalesce((select max(day_offset) from calendar_rule where account = ${account}), -1) as last
      from calendar_rule where account = ${account}`.execute(untypedDb);
    const { count, per_day: eventsPerDay, first, last } = rows[0] ?? { count: 0, per_day: 0, first: 0, last: -1 };
    const offsets = Array.from({ length: last - first + 1 }, (_, index) => first + index);
    return { account, count, eventsPerDay, offsets };
  }

  /** Finds events on all days, in one statement. */
  async function findByRules({ account, offsets }: RuleSummary, days: readonly Day[]): Promise<readonly EventDay[]> {
    const dayRows = offsets.flatMap((offset) => days.map((day) => createDayRow(day, offset)));
    if (dayRows.length === 0) return [];
    const columns = sql`wanted.day + wanted.day_offset as day, rule.event as event`;
    const { rows } = await sql<EventDay>`${selectRules(account, dayRows, columns)}`.execute(untypedDb);
    // Several offsets of one rule may find the same day.
    return offsets.length < 2 ? rows : removeDuplicates(rows);
  }

  /**
   * Finds events on one day up to the list size, and counts further ones. Ignores events with spans.
   */
  async function findByRulesOnDay({ account, offsets }: RuleSummary, day: Day, ignoresSpans: boolean) {
    const dayRows = offsets.map((offset) => createDayRow(day, offset));
    const eventColumn = offsets.length === 1 ? sql`rule.event` : sql`distinct rule.event`;
    const hasNoSpans = sql` and not exists (select 1 from calendar_span as span where span.event = rule.event)`;
    const selectStarts = (columns: RawBuilder<unknown>) =>
      sql`${selectRules(account, dayRows, columns)}${ignoresSpans ? hasNoSpans : sql``}`;
    // Sorted, so that the same events are listed each time.
    const firstEvents = sql`${selectStarts(sql`${eventColumn} as event`)} order by event limit ${MAX_ENTRIES_PER_DAY}`;
    const first = await sql<Pick<EventDay, 'event'>>`${firstEvents}`.execute(untypedDb);
    const events = first.rows.map(({ event }) => event);
    if (events.length < MAX_ENTRIES_PER_DAY) return { events, more: 0 };
    const count = sql`cast(count(${eventColumn}) as integer) as count`;
    const all = await sql<{ readonly count: number }>`${selectStarts(count)}`.execute(untypedDb);
    return { events, more: Math.max(0, (all.rows[0]?.count ?? 0) - MAX_ENTRIES_PER_DAY) };
  }

  /** Reads very many events day by day up to the list size, so that other statements can run between two days. */
  async function* iterateDays(rules: RuleSummary, days: readonly Day[]) {
    const spans = db.selectFrom('calendar_span').select('event').where('account', '=', rules.account);
    const hasSpans = (await spans.limit(1).execute()).length > 0;
    for (const day of days) {
      await setImmediate();
      yield { day, ...(await findByRulesOnDay(rules, day, hasSpans)) };
    }
  }

  return { summarizeRules, findByRules, iterateDays };
}
