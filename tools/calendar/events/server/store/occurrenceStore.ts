import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Kysely, RawBuilder } from 'kysely';
import { LAST_DAY, type Day } from '#platform/contract/day.ts';
import type { Database } from '#platform/server/database/database.ts';
import { MAX_ENTRIES_PER_DAY } from '#tools/calendar/contract/events.ts';
import { runInTimeSlices } from '#tools/calendar/exchange/server/ics/timeSlices.ts';
import { findNextSpanDay } from '#tools/calendar/repeat/domain/placement.ts';
import type { Rule, MultiDayRule } from '#tools/calendar/repeat/domain/placement.ts';
import { MAX_END_DAYS } from '../../domain/eventDraft.ts';
import {
  createRuleDays,
  exceedsStatementLimit,
  getKey,
  removeDuplicates,
  type EventDay,
  type RuleSummary,
} from './ruleDays.ts';
import type { CalendarTables, RuleRow, SpanRow } from './tables.ts';

export function toRule(row: RuleRow): Rule {
  return {
    monthDay: row.month_day,
    period: row.period,
    phase: row.phase,
    from: row.from_day,
    until: row.until_day,
    offset: row.day_offset,
  };
}

/** Maximum number of days between a rule's day and the days that it finds. */
const MAX_DAYS_EARLIER = MAX_END_DAYS + 2;

export function toSpan(row: SpanRow): MultiDayRule {
  return { ...toRule(row), offset: row.day_offset, count: row.day_count };
}

/** Reads the spans of an account that may touch a range of days. */
export async function readSpans(
  db: Kysely<unknown>,
  account: number,
  [from, until]: readonly [Day, Day],
): Promise<readonly SpanRow[]> {
  return (
    db
      .$extendTables<CalendarTables>()
      .selectFrom('calendar_span')
      .select(['event', 'month_day', 'period', 'phase', 'from_day', 'until_day', 'day_offset', 'day_count'])
      .where('account', '=', account)
      // Enables the index, which does not include the sums below.
      .where('until_day', '>=', from - MAX_DAYS_EARLIER)
      .where((eb) => eb(eb('from_day', '+', eb.ref('day_offset')), '<=', until))
      .where(sql<boolean>`until_day + day_offset + day_count > ${from}`)
      .orderBy('event')
      .execute()
  );
}

/** Lists those of some sorted days that a span has, by arithmetic. */
function listSpanDays(
  span: MultiDayRule,
  days: readonly Day[],
  exceptions: ReadonlySet<Day> | undefined,
): readonly Day[] {
  const matches: Day[] = [];
  for (let index = 0; index < days.length;) {
    const day = days[index] ?? 0;
    const next = findNextSpanDay(span, day, exceptions);
    if (next === undefined) break;
    if (next === day) matches.push(day);
    index += 1;
    while (index < days.length && (days[index] ?? 0) < next) index += 1;
  }
  return matches;
}

/** Creates a function that formats `column in (ids)`. The ids are one parameter, to keep the statement prepared. */
export function createIdCondition({ dialect }: Database) {
  return (column: RawBuilder<unknown>, ids: readonly number[]): RawBuilder<boolean> =>
    dialect === 'postgres'
      ? sql<boolean>`${column} = any(${ids}::int[])`
      : sql<boolean>`${column} in (select value from json_each(${JSON.stringify(ids)}))`;
}

/** Events by day, sorted, limited to the list size. `hidden` is the number of further events. */
export interface DayGroups {
  readonly groups: readonly (readonly [Day, readonly number[]])[];
  readonly hidden: ReadonlyMap<Day, number>;
}

/** Groups events by day as they are read, so that no more are in memory than are listed. */
function createDayGroups(max: number) {
  const groups = new Map<Day, number[]>();
  const hidden = new Map<Day, number>();
  return {
    add: ({ day, event }: EventDay): void => {
      const group = groups.get(day);
      if (!group) groups.set(day, [event]);
      else if (group.length < max) group.push(event);
      else hidden.set(day, (hidden.get(day) ?? 0) + 1);
    },
    /** Counts events of a day without listing them. */
    addHidden: (day: Day, count: number): void => void hidden.set(day, (hidden.get(day) ?? 0) + count),
    build: (): DayGroups => ({ groups: [...groups].toSorted(([one], [other]) => one - other), hidden }),
  };
}

/** Collects the nearest days, in order. */
function createNearestDays(count: number) {
  const days: Day[] = [];
  return {
    days,
    /** Whether a day can still be among the nearest. */
    isNear: (day: Day): boolean => days.length < count || day < (days.at(-1) ?? 0),
    add: (day: Day): void => {
      const index = days.findIndex((nearDay) => nearDay >= day);
      if (days[index] === day) return;
      days.splice(index === -1 ? days.length : index, 0, day);
      if (days.length > count) days.pop();
    },
  };
}

/** Finds which events happen on which days. Events in the bin have no days. */
export function createOccurrenceStore(database: Database) {
  const { db: untypedDb } = database;
  const db = untypedDb.$extendTables<CalendarTables>();
  const isInList = createIdCondition(database);
  const { summarizeRules, findByRules, iterateDays } = createRuleDays(database);

  async function findByDays(account: number, days: readonly Day[]): Promise<readonly EventDay[]> {
    const [first, last] = [days[0], days.at(-1)];
    const rows = db.selectFrom('calendar_day').select(['day', 'event']).where('account', '=', account);
    if (first !== undefined && last !== undefined && last - first === days.length - 1)
      return rows.where('day', '>=', first).where('day', '<=', last).execute();
    return rows.where(isInList(sql.ref('day'), days)).execute();
  }

  /** Reads exceptions of events, starting some days before a day. */
  async function readExceptions(events: readonly number[], from: Day): Promise<ReadonlyMap<number, ReadonlySet<Day>>> {
    const daysByEvent = new Map<number, Set<Day>>();
    if (events.length === 0) return daysByEvent;
    const rows = await db
      .selectFrom('calendar_exception')
      .selectAll()
      .where(isInList(sql.ref('event'), [...new Set(events)]))
      .where('day', '>=', from - MAX_DAYS_EARLIER)
      .execute();
    for (const { event, day } of rows) daysByEvent.set(event, (daysByEvent.get(event) ?? new Set()).add(day));
    return daysByEvent;
  }

  /** Adds events of many days one at a time: a long one may be on every day. */
  async function addSpanDays(account: number, days: readonly Day[], add: (eventDay: EventDay) => void): Promise<void> {
    const [first = 0, last = 0] = [days[0], days.at(-1)];
    const rows = await readSpans(untypedDb, account, [first, last]);
    const exceptions = await readExceptions(
      rows.map(({ event }) => event),
      first,
    );
    const scan = function* (): Generator<undefined, void, undefined> {
      for (const row of rows) {
        yield undefined;
        for (const day of listSpanDays(toSpan(row), days, exceptions.get(row.event))) add({ day, event: row.event });
      }
    };
    await runInTimeSlices(scan());
  }

  const findStarts = async (rules: RuleSummary, days: readonly Day[]): Promise<readonly EventDay[]> => [
    ...(await findByDays(rules.account, days)),
    ...(await findByRules(rules, days)),
  ];

  return {
    readExceptions,
    /** Lists events by day. `days` must be sorted and without duplicates. */
    listByDays: async (account: number, days: readonly Day[]): Promise<readonly EventDay[]> => {
      if (days.length === 0) return [];
      const eventDays: EventDay[] = [];
      const rules = await summarizeRules(account);
      const parts = exceedsStatementLimit(rules, days) ? days.map((day) => [day]) : [days];
      for (const part of parts) {
        if (parts.length > 1) await setImmediate();
        for (const eventDay of await findStarts(rules, part)) eventDays.push(eventDay);
      }
      const { length } = eventDays;
      await addSpanDays(account, days, (eventDay) => eventDays.push(eventDay));
      return eventDays.length === length ? eventDays : removeDuplicates(eventDays);
    },
    /** Groups events by day, up to the list size. Events of several days come last. */
    groupByDay: async (account: number, days: readonly Day[]): Promise<DayGroups> => {
      const groups = createDayGroups(MAX_ENTRIES_PER_DAY);
      if (days.length === 0) return groups.build();
      const rules = await summarizeRules(account);
      const isTooLarge = exceedsStatementLimit(rules, days);
      const eventDays = isTooLarge ? await findByDays(account, days) : await findStarts(rules, days);
      // Only lists beyond the limit are cut, and always in the same order.
      const sortedDays =
        eventDays.length > MAX_ENTRIES_PER_DAY
          ? eventDays.toSorted((one, other) => one.event - other.event)
          : eventDays;
      for (const eventDay of sortedDays) groups.add(eventDay);
      if (isTooLarge)
        for await (const { day, events, more } of iterateDays(rules, days)) {
          for (const event of events) groups.add({ day, event });
          if (more > 0) groups.addHidden(day, more);
        }
      let seenKeys: Set<number> | undefined;
      await addSpanDays(account, days, (eventDay) => {
        seenKeys ??= new Set(eventDays.map(getKey));
        const key = getKey(eventDay);
        if (!seenKeys.has(key)) groups.add(eventDay);
        seenKeys.add(key);
      });
      return groups.build();
    },
    /** Lists the next days with events, in order. Computed from all rules, because events may be far apart. */
    listNextDays: async (account: number, from: Day, count: number): Promise<readonly Day[]> => {
      const nearestDays = createNearestDays(count);
      const storedDays = await db
        .selectFrom('calendar_day')
        .select('day')
        .distinct()
        .where('account', '=', account)
        .where('day', '>=', from)
        .orderBy('day')
        .limit(count)
        .execute();
      for (const { day } of storedDays) nearestDays.add(day);
      const rules = await db
        .selectFrom('calendar_rule')
        .select(['event', 'month_day', 'period', 'phase', 'from_day', 'until_day', 'day_offset'])
        .where('account', '=', account)
        .where((eb) => eb(eb('until_day', '+', eb.ref('day_offset')), '>=', from))
        .execute();
      const spans = await readSpans(untypedDb, account, [from, LAST_DAY]);
      const exceptions = await readExceptions(
        [...rules, ...spans].map(({ event }) => event),
        from,
      );
      function addDays(nextFrom: (day: Day) => Day | undefined): void {
        let next = nextFrom(from);
        for (let dayCount = 0; dayCount < count && next !== undefined && nearestDays.isNear(next); dayCount += 1) {
          nearestDays.add(next);
          next = next < LAST_DAY ? nextFrom(next + 1) : undefined;
        }
      }
      const all = [...rules.map((rule) => ({ ...rule, day_count: 1 })), ...spans];
      const scan = function* (): Generator<undefined, void, undefined> {
        for (const row of all) {
          yield undefined;
          const span = toSpan(row);
          const eventExceptions = exceptions.get(row.event);
          addDays((day) => findNextSpanDay(span, day, eventExceptions));
        }
      };
      await runInTimeSlices(scan());
      return nearestDays.days;
    },
  };
}
