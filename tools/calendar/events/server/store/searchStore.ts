import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import { FIRST_DAY, LAST_DAY, type Day } from '#platform/contract/day.ts';
import type { Database } from '#platform/server/database/database.ts';
import { MAX_SEARCH_RESULTS } from '#tools/calendar/contract/events.ts';
import { MAX_ZONE_DISTANCE_DAYS } from '#tools/calendar/repeat/domain/occurrence.ts';
import { findLastRuleDay, findNextRuleDay } from '#tools/calendar/repeat/domain/placement.ts';
import type { Rule } from '#tools/calendar/repeat/domain/placement.ts';
import type { Style } from '../../domain/event.ts';
import type { SearchTerm } from '../../domain/searchTerms.ts';
import { createIdCondition, createOccurrenceStore, toRule } from './occurrenceStore.ts';
import { getFirstRowId, INDEXED_EVENT, matchIndex, PART_LENGTH } from './searchWords.ts';
import type { CalendarTables, RuleRow } from './tables.ts';

/** Days that are searched first if very many events may match. */
const SOON_DAYS = 15;

/** Tags that an event must have. */
export interface SearchFilter {
  readonly styles: readonly Style[];
  readonly subscriptions: readonly number[];
  readonly tags: readonly number[];
  /** Ids of tags; one of them must be the pinned one. Undefined if any tag may be pinned. */
  readonly pinned: readonly number[] | undefined;
}

export interface SearchQuery {
  readonly account: number;
  readonly terms: readonly SearchTerm[];
  readonly filter: SearchFilter;
  readonly today: Day;
}

/** Conditions for rows of `calendar_search`. */
interface SearchConditions extends Pick<SearchQuery, 'today' | 'account'> {
  /** Without the indexed terms in SQLite. */
  readonly tests: readonly RawBuilder<unknown>[];
  /** Terms for which an index of parts or words can be used. */
  readonly indexedTerms: readonly SearchTerm[];
}

/** An event with its next day, or else its last or own day. */
export interface SearchHit {
  readonly event: number;
  readonly day: Day;
}

type Rules = Omit<RuleRow, 'event'>;
type CandidateRow = SearchHit & { readonly style: string } & (Rules | { readonly [column in keyof Rules]: null });

/** Whether a term is too short for an index of parts. All names are read then. */
const isShort = ({ part }: SearchTerm): boolean => Array.from(part).length < PART_LENGTH;

/** Matches a short term in SQLite. The others are found by its index. */
function matchShortTerm(account: number, term: SearchTerm): RawBuilder<unknown> {
  const inName = sql`instr(name, ${term.part}) > 0`;
  if (term.words.length === 0) return inName;
  const inWords = [true, false].map(
    (isOneDay) => sql`event in (select ${INDEXED_EVENT} from calendar_search_words
      where ${matchIndex({ account, isOneDay }, [term])})`,
  );
  return sql`(${inName} or ${sql.join(inWords, sql` or `)})`;
}

function matchInPostgres(term: SearchTerm): RawBuilder<unknown> {
  const { part, words } = term;
  const inName = isShort(term)
    ? sql`strpos(name, ${part}) > 0`
    : sql`name like ${`%${part.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`}`;
  if (words.length === 0) return inName;
  // Words have only letters and digits, so quotes are sufficient to escape them in a tsquery.
  return sql`(${inName} or words @@ ${words.map((word) => `'${word}'`).join(' & ')}::tsquery)`;
}

function createConditions(
  account: number,
  { styles, subscriptions, tags, pinned }: SearchFilter,
): readonly RawBuilder<unknown>[] {
  const matchEvent = (test: RawBuilder<unknown>) =>
    sql`event in (select id from calendar_event where account = ${account} and ${test})`;
  return [
    ...styles.map((style) => sql`style = ${style}`),
    ...subscriptions.map((subscription) => matchEvent(sql`subscription = ${subscription}`)),
    ...tags.map((tag) => sql`event in (select event from calendar_event_tag where tag = ${tag})`),
    ...(pinned === undefined
      ? []
      : [pinned.length === 0 ? sql`1 = 0` : matchEvent(sql`pinned in (${sql.join(pinned)})`)]),
  ];
}

const joinTests = (tests: readonly RawBuilder<unknown>[]) => sql.join(tests, sql` and `);

/** Selects repeating events with their rules, from hits (event, style, day). */
const selectRepeats = (hits: RawBuilder<unknown>) => sql`
  select hit.*, rule.month_day, rule.period, rule.phase, rule.from_day, rule.until_day, rule.day_offset
  from ${hits} as hit left join calendar_rule as rule
    on rule.event = hit.event and rule.day_offset = 0 where style = 'repeat'`;
/** Selects the first of some hits (event, style, day) that do not repeat. */
const selectFirst = (hits: RawBuilder<unknown>) => sql`
  select best.*, null, null, null, null, null, null from (${hits} limit ${MAX_SEARCH_RESULTS}) as best`;

/**
 * Selects candidates. SQLite reads events of one day from its index in order of days until there are enough, and checks
 * all other hits.
 */
function selectCandidatesInSqlite({ account, today, tests, indexedTerms }: SearchConditions): RawBuilder<CandidateRow> {
  const isIndexed = indexedTerms.length > 0;
  const selectIndexed = (isOneDay: boolean, selected: RawBuilder<unknown>) =>
    sql`select event, style, ${selected} from calendar_search_words
      cross join calendar_search on account = ${account} and event = ${INDEXED_EVENT}
      where ${joinTests([matchIndex({ account, isOneDay }, indexedTerms), ...tests])}`;
  const shownDay = sql`case when until_day < ${today} then until_day when day < ${today} then ${today} else day end`;
  const hits = isIndexed
    ? selectIndexed(false, shownDay)
    : sql`select event, style, ${shownDay} from calendar_search where ${joinTests(tests)}`;
  const selectOneDay = (bound: RawBuilder<unknown>) =>
    sql` union all ${selectFirst(sql`${selectIndexed(true, sql`day`)} and calendar_search_words.rowid ${bound}`)}`;
  const id = sql`order by calendar_search_words.rowid`;
  return sql<CandidateRow>`
  with hit (event, style, day) as materialized (${hits})
  ${selectRepeats(sql`hit`)}
  union all ${selectFirst(sql`select * from hit where style <> 'repeat' and day >= ${today} order by day, event`)}
  union all ${selectFirst(sql`select * from hit where style <> 'repeat' and day < ${today} order by day desc, event desc`)}
  ${isIndexed ? sql`${selectOneDay(sql`>= ${getFirstRowId(today)} ${id}`)} ${selectOneDay(sql`< ${getFirstRowId(today)} ${id} desc`)}` : sql``}`;
}

/** Selects candidates. The planner reads the hits of rare words, and walks the days for common ones (migration 004). */
function selectCandidatesInPostgres({
  account,
  today,
  tests,
  indexedTerms,
}: SearchConditions): RawBuilder<CandidateRow> {
  const selectMatches = (day: RawBuilder<unknown>, test: RawBuilder<unknown>) =>
    sql`select event, style, ${day} as day from calendar_search where ${joinTests([...tests, test])}`;
  // The sign prevents an index on the account from being preferred to those indexes.
  const repeats = sql`(select event, style, day from calendar_search
    where ${joinTests([sql`${sql.raw(indexedTerms.length > 0 ? '+account' : 'account')} = ${account}`, ...tests.slice(1), sql`style = 'repeat'`])})`;
  return sql<CandidateRow>`${selectRepeats(repeats)}
    union all ${selectFirst(sql`${selectMatches(sql`day`, sql`style <> 'repeat' and day >= ${today}`)} order by day, event`)}
    union all ${selectFirst(selectMatches(sql`${today}::integer`, sql`style = 'duration' and until_day >= ${today} and day < ${today}`))}
    union all ${selectFirst(selectMatches(sql`${today}::integer`, sql`style = 'calendar' and until_day > day and until_day >= ${today} and day < ${today}`))}
    union all ${selectFirst(sql`${selectMatches(sql`until_day`, sql`style <> 'repeat' and until_day < ${today}`)}
      order by until_day desc, event desc`)}`;
}

/**
 * Selects upcoming events, then past ones up to the limit, in date order. Events of `zonedIds` may still be
 * upcoming for the viewer, so they count as upcoming.
 */
function selectHits(all: readonly SearchHit[], today: Day, zonedIds: ReadonlySet<number>): readonly SearchHit[] {
  const inOrder = all.toSorted((one, other) => one.day - other.day || one.event - other.event);
  const isUpcoming = ({ event, day }: SearchHit): boolean => day >= today || zonedIds.has(event);
  const upcoming = inOrder.filter(isUpcoming).slice(0, MAX_SEARCH_RESULTS);
  const past = inOrder.filter((hit) => !isUpcoming(hit));
  return [...past.slice(Math.max(0, past.length + upcoming.length - MAX_SEARCH_RESULTS)), ...upcoming];
}

function skipExceptions(
  step: (from: Day) => Day | undefined,
  from: Day,
  by: 1 | -1,
  exceptions: ReadonlySet<Day>,
): Day | undefined {
  let day = step(from);
  while (day !== undefined && exceptions.has(day)) day = step(day + by);
  return day;
}
const NO_EXCEPTIONS: ReadonlySet<Day> = new Set();
const findRuleDay = (rule: Rule, today: Day, exceptions = NO_EXCEPTIONS): Day | undefined =>
  skipExceptions((from) => findNextRuleDay(rule, from), today, 1, exceptions) ??
  skipExceptions((until) => findLastRuleDay(rule, until), today - 1, -1, exceptions);

/** Finds events by words and tags. */
export function createSearchStore(database: Database) {
  const { db: untypedDb, dialect } = database;
  const db = untypedDb.$extendTables<CalendarTables>();
  const isInList = createIdCondition(database);
  const occurrences = createOccurrenceStore(database);

  function toConditions({ account, terms, filter, today }: SearchQuery): SearchConditions {
    const indexedTerms = terms.filter((term) => !isShort(term));
    const termTests =
      dialect === 'sqlite'
        ? terms.filter(isShort).map((term) => matchShortTerm(account, term))
        : terms.map(matchInPostgres);
    return {
      account,
      today,
      tests: [sql`account = ${account}`, ...termTests, ...createConditions(account, filter)],
      indexedTerms,
    };
  }

  /** Searches only the next days. Undefined if they have too few events. */
  async function findSoon({ account, today, tests }: SearchConditions): Promise<readonly SearchHit[] | undefined> {
    const days = Array.from(
      { length: Math.max(0, Math.min(SOON_DAYS, LAST_DAY - today + 1)) },
      (_, index) => today + index,
    );
    const durations = await db
      .selectFrom('calendar_event')
      .select(['id as event', 'day'])
      .where('account', '=', account)
      .where('style', '=', 'duration')
      .where('deleted', 'is', null)
      .where('until_day', '>=', today)
      .where('day', '<', today + SOON_DAYS)
      .execute();
    const firstDays = new Map(durations.map(({ event, day }) => [event, Math.max(day, today)]));
    for (const { event, day } of await occurrences.listByDays(account, days))
      firstDays.set(event, Math.min(day, firstDays.get(event) ?? LAST_DAY));
    const { rows } = await sql<{ readonly event: number }>`select event from calendar_search
      where ${sql.join([...tests, isInList(sql.ref('event'), [...firstDays.keys()])], sql` and `)}`.execute(untypedDb);
    if (rows.length < MAX_SEARCH_RESULTS) return undefined;
    return rows.map(({ event }) => ({ event, day: firstDays.get(event) ?? LAST_DAY }));
  }

  /** Reads the next or last days of events whose days are stored individually. */
  async function readStoredDays(ids: readonly number[], today: Day): Promise<ReadonlyMap<number, Day | null>> {
    if (ids.length === 0) return new Map();
    const { rows } = await sql<{ readonly id: number; readonly day: Day | null }>`
      select event.id as id, coalesce(
        (select min(day) from calendar_day where calendar_day.event = event.id and day >= ${today}),
        (select max(day) from calendar_day where calendar_day.event = event.id)) as day
      from calendar_event as event where ${isInList(sql.ref('event.id'), ids)}`.execute(untypedDb);
    return new Map(rows.map(({ id, day }) => [id, day]));
  }
  async function computeRepeatDays(rows: readonly CandidateRow[], today: Day): Promise<readonly SearchHit[]> {
    if (rows.length === 0) return [];
    const exceptions = await occurrences.readExceptions(
      rows.map(({ event }) => event),
      FIRST_DAY,
    );
    const storedIds = rows.filter(({ period }) => period === null).map(({ event }) => event);
    const storedDays = await readStoredDays(storedIds, today);
    return rows.map((row) => {
      const { event, day } = row;
      const nextDay =
        row.period === null ? storedDays.get(event) : findRuleDay(toRule(row), today, exceptions.get(event));
      return { event, day: nextDay ?? day };
    });
  }

  /** Finds all candidates. The database selects single events and durations by day; days of repeats are computed. */
  async function findCandidates(conditions: SearchConditions): Promise<readonly SearchHit[]> {
    const candidates =
      dialect === 'sqlite' ? selectCandidatesInSqlite(conditions) : selectCandidatesInPostgres(conditions);
    const { rows } = await candidates.execute(untypedDb);
    return [
      ...rows.filter(({ style }) => style !== 'repeat').map(({ event, day }) => ({ event, day })),
      ...(await computeRepeatDays(
        rows.filter(({ style }) => style === 'repeat'),
        conditions.today,
      )),
    ];
  }

  /** Finds events with a zone just before today: in the viewer's zone they may be on a later day. */
  async function findZonedBefore(hits: readonly SearchHit[], today: Day): Promise<ReadonlySet<number>> {
    const nearIds = hits
      .filter(({ day }) => day < today && day >= today - MAX_ZONE_DISTANCE_DAYS)
      .map(({ event }) => event);
    if (nearIds.length === 0) return new Set();
    const zonedEvents = db.selectFrom('calendar_event').select('id').where('zone', 'is not', null);
    const rows = await zonedEvents.where(isInList(sql.ref('id'), nearIds)).execute();
    return new Set(rows.map(({ id }) => id));
  }

  return {
    /** Finds at most `MAX_SEARCH_RESULTS` events, in date order. Without words and tags, only upcoming ones. */
    find: async (query: SearchQuery): Promise<readonly SearchHit[]> => {
      const { terms, today } = query;
      const conditions = toConditions(query);
      const isAll = terms.length === 0 && conditions.tests.length === 1;
      // One or two letters may be in most names.
      const mayMatchMost = conditions.tests.length === 1 + terms.length && terms.every(isShort);
      const hits = (mayMatchMost ? await findSoon(conditions) : undefined) ?? (await findCandidates(conditions));
      const zonedIds = await findZonedBefore(hits, today);
      return selectHits(
        isAll ? hits.filter(({ day, event }) => day >= today || zonedIds.has(event)) : hits,
        today,
        zonedIds,
      );
    },
  };
}
