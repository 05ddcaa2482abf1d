import { FIRST_DAY, LAST_DAY, toIso, type Day } from '#platform/contract/day.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { handle, type ServerContext, type Handler } from '#platform/server/tool.ts';
import {
  MAX_DAYS_PER_REQUEST,
  MAX_LISTED_DURATIONS,
  eventsbetween,
  getevents,
  eventssearch,
} from '../../contract/events.ts';
import { runInTimeSlices } from '../../exchange/server/ics/timeSlices.ts';
import {
  getLastDay,
  getOccurrence,
  iterateOccurrences,
  type Occurrence,
  MAX_ZONE_DISTANCE_DAYS,
} from '../../repeat/domain/occurrence.ts';
import { toLocalDay, parseDay, toWire } from '../domain/day.ts';
import type { CalendarEvent } from '../domain/event.ts';
import { toDates, type DayEntries, type Entry, MAX_PAGE_DAYS, getPageLength } from '../domain/eventPage.ts';
import { findExcerpt, parseTerms } from '../domain/searchTerms.ts';
import { EDIT_COLOURS, BUILT_IN_TAGS } from '../domain/tags.ts';
import { findNamedZone, type Zone } from '../domain/timeZone.ts';
import type { CalendarWithStores } from './calendar.ts';
import { toDurationEntry, toEntry, toPartEntry, getRowStyle } from './listEntries.ts';
import {
  createEventListStore,
  type ListedEvent,
  type EventListStore,
  type TagBook,
  getMainColour,
  isRowSufficient,
} from './store/eventListStore.ts';
import type { DayGroups } from './store/occurrenceStore.ts';
import { createSearchStore, type SearchFilter, type SearchHit } from './store/searchStore.ts';
import { getToday } from './viewerDays.ts';

const findIds = (tags: TagBook['userTags'], name: string): readonly number[] =>
  [...tags].filter(([, tag]) => tag.name === name).map(([id]) => id);

/** Splits a comma-separated list, without duplicates. */
const splitNames = (joined: string): readonly string[] => [
  ...new Set(
    joined
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean),
  ),
];

/** Converts tag names to a filter. Undefined if a name is no tag, because no event can match. */
function toFilter(names: readonly string[], { userTags, subscriptions }: TagBook): SearchFilter | undefined {
  const matches = names.map((name) => ({
    name,
    tags: findIds(userTags, name),
    subscriptions: findIds(subscriptions, name),
  }));
  const isKnown = ({ name, tags, subscriptions: calendars }: (typeof matches)[number]) =>
    tags.length > 0 || calendars.length > 0 || BUILT_IN_TAGS.some((builtIn) => builtIn === name);
  if (!matches.every(isKnown)) return undefined;
  return {
    styles: [
      ...(names.includes('Repeat') ? ['repeat' as const] : []),
      ...(names.includes('Duration') ? ['duration' as const] : []),
    ],
    subscriptions: matches.flatMap((match) => match.subscriptions),
    tags: matches.flatMap((match) => match.tags),
    pinned: names.includes('Pinned') ? [...userTags.keys()] : undefined,
  };
}

const getStartDay = ({ start }: Occurrence): Day => toLocalDay(start);

/**
 * Returns the viewer's day of the next occurrence, or else of the last one. `day` is the day that was found in the
 * event's own zone. Only occurrences around it are considered.
 */
function findNearestDay(
  event: CalendarEvent,
  { day, today, viewer }: { readonly day: Day; readonly today: Day; readonly viewer: Zone | undefined },
): Day {
  const [next] = iterateOccurrences(event, {
    from: today,
    until: Math.max(today, day + MAX_ZONE_DISTANCE_DAYS),
    viewer,
  });
  if (next) return Math.max(today, getStartDay(next));
  const last = [
    ...iterateOccurrences(event, { from: day - MAX_ZONE_DISTANCE_DAYS, until: day + MAX_ZONE_DISTANCE_DAYS, viewer }),
  ].at(-1);
  return last ? getStartDay(last) : day;
}

/** Creates the handler that finds events by words and tags. */
function createSearchHandler(context: ServerContext, listStore: EventListStore): Handler {
  const searchStore = createSearchStore(context.database);
  return handle(eventssearch, async ({ searchterm = '', tags: tagNames = '', tz }, { account }) => {
    const today = await getToday(context, account, tz);
    const book = await listStore.readTagBook(account);
    const terms = parseTerms(searchterm);
    const filter = toFilter(splitNames(tagNames), book);
    const hits = filter === undefined ? [] : await searchStore.find({ account, terms, filter, today });
    const ids = hits.map(({ event }) => event);
    const events = await listStore.readEvents(account, ids, book);
    const timedEvents = await listStore.readTimes(account, events.values());
    const viewer = findNamedZone(await context.identity.resolveZone(account, tz));
    function getViewerDay({ event: id, day }: SearchHit): Day {
      const times = timedEvents.get(id);
      return times ? findNearestDay(times, { day, today, viewer }) : day;
    }
    // The order in the viewer's zone may differ from the order in the events' own zones.
    const isAll = terms.length === 0 && splitNames(tagNames).length === 0;
    const sortedHits = hits
      .map((hit) => ({ event: hit.event, day: getViewerDay(hit) }))
      .filter(({ day }) => !isAll || day >= today)
      .toSorted((one, other) => one.day - other.day);
    const descriptions = terms.length === 0 ? undefined : await listStore.readDescriptions(account, ids);
    function toResult({ event: id, day }: SearchHit) {
      const event = events.get(id);
      if (!event) return [];
      const { name, tags } = event;
      const excerpt = findExcerpt({ name, description: descriptions?.get(id) ?? '' }, terms);
      return {
        id,
        name,
        date: toWire(day),
        type: getRowStyle(event),
        colour: getMainColour(event),
        tags: tags.map((tag) => tag.name),
        ...(excerpt === undefined ? {} : { excerpt }),
      };
    }
    return { names: sortedHits.flatMap(toResult) };
  });
}

function parseRequestedDay(text: string): Day {
  const day = parseDay(text);
  if (day === undefined)
    throw new Refusal('calendar.invalid_date', `'${text}' is not a date. Write it like 2026-11-23`);
  return day;
}

function listDaysFrom(from: Day, length: number): readonly Day[] {
  const first = Math.max(FIRST_DAY, from);
  return Array.from({ length: Math.max(0, Math.min(length, LAST_DAY - first + 1)) }, (_, index) => first + index);
}

interface DayRange {
  readonly from: Day;
  readonly until: Day;
  readonly viewer: Zone | undefined;
}

/** Whether an occurrence covers the whole day and started before it. */
const coversDay = (occurrence: Occurrence, day: Day): boolean =>
  toLocalDay(occurrence.start) < day && day < getLastDay(occurrence);

/** Groups the occurrences of an event by the days they touch, for all days of an answer at once. */
function groupPartsByDay(event: CalendarEvent, dayRange: DayRange): ReadonlyMap<Day, readonly Occurrence[]> {
  const parts = new Map<Day, Occurrence[]>();
  // Durations are listed separately.
  if (event.pattern.kind === 'duration') return parts;
  for (const occurrence of iterateOccurrences(event, dayRange))
    for (
      let day = Math.max(dayRange.from, toLocalDay(occurrence.start));
      day <= Math.min(dayRange.until, getLastDay(occurrence));
      day += 1
    ) {
      const dayParts = parts.get(day);
      if (!dayParts) parts.set(day, [occurrence]);
      // A repeat that outlasts its own interval appears once on a day that it covers completely.
      else if (!coversDay(occurrence, day) || !dayParts.some((other) => coversDay(other, day)))
        dayParts.push(occurrence);
    }
  return parts;
}

function* iterateParts(
  events: readonly (readonly [number, CalendarEvent])[],
  dayRange: DayRange,
): Generator<undefined, ReadonlyMap<number, ReturnType<typeof groupPartsByDay>>, undefined> {
  const parts = new Map<number, ReturnType<typeof groupPartsByDay>>();
  for (const [id, event] of events) {
    yield undefined;
    parts.set(id, groupPartsByDay(event, dayRange));
  }
  return parts;
}

type Groups = DayGroups['groups'];
type DurationEntries = ReturnType<typeof toDurationEntry>[];

/** The account whose calendar is read, and the viewer's zone. */
interface CalendarViewer {
  readonly account: number;
  readonly book: TagBook;
  readonly viewer: Zone | undefined;
}

export function createEventListHandlers(context: ServerContext, { stores }: CalendarWithStores): readonly Handler[] {
  const listStore = createEventListStore(context.database, stores.tags);
  const { occurrences } = listStore;

  /** Returns the next days with events, one more than a page has: the extra day shows that more follow. */
  async function readGroups(account: number, from: Day): Promise<DayGroups> {
    const groupCount = MAX_PAGE_DAYS + 1;
    const nearDays = listDaysFrom(from, groupCount);
    const nearGroups = await occurrences.groupByDay(account, nearDays);
    const { length } = nearGroups.groups;
    const last = nearDays.at(-1);
    if (length === groupCount || last === undefined || last >= LAST_DAY) return nearGroups;
    const farther = await occurrences.groupByDay(
      account,
      await occurrences.listNextDays(account, last + 1, groupCount - length),
    );
    return {
      groups: [...nearGroups.groups, ...farther.groups],
      hidden: new Map([...nearGroups.hidden, ...farther.hidden]),
    };
  }

  /** Reads the entries of days and durations together. An event may be deleted between two reads. */
  async function loadEntries(
    { account, book, viewer }: CalendarViewer,
    groups: Groups,
    durations: readonly number[],
  ): Promise<{ readonly days: DayEntries; readonly durations: DurationEntries }> {
    const ids = new Set([...groups.flatMap(([, events]) => events), ...durations]);
    const events = await listStore.readEvents(account, [...ids], book);
    const timedEvents = await listStore.readTimes(account, events.values());
    const dayRange = { from: groups[0]?.[0] ?? 0, until: groups.at(-1)?.[0] ?? -1, viewer };
    const partsByEvent = await runInTimeSlices(iterateParts([...timedEvents], dayRange));
    const findEvents = (eventIds: readonly number[]) => eventIds.flatMap((id) => events.get(id) ?? []);
    function listEntriesOn(event: ListedEvent, day: Day): readonly Entry[] {
      if (isRowSufficient(event)) return [toEntry(event)];
      const parts = partsByEvent.get(event.id)?.get(day) ?? [];
      return parts.map((occurrence) => toPartEntry(event, occurrence, day));
    }
    function toEntryOfDuration(event: ListedEvent) {
      const times = timedEvents.get(event.id);
      return toDurationEntry(event, times && getOccurrence(times, times.day, viewer));
    }
    const days = groups.map(
      ([day, eventIds]) => [day, findEvents(eventIds).flatMap((event) => listEntriesOn(event, day))] as const,
    );
    return {
      days: days.filter(([, entries]) => entries.length > 0),
      durations: findEvents(durations).map(toEntryOfDuration),
    };
  }

  /** Reads a page of days. Days whose events are all on other days in the viewer's zone are skipped. */
  async function readPage(viewer: CalendarViewer, from: Day, durations: readonly number[]) {
    for (let next = from; ;) {
      const { groups, hidden } = await readGroups(viewer.account, next);
      const length = getPageLength(groups.map(([, events]) => events.length));
      const page = await loadEntries(viewer, groups.slice(0, length), durations);
      const more = groups.length > length;
      if (page.days.length > 0 || !more) return { ...page, more, hidden };
      next = (groups[length - 1]?.[0] ?? LAST_DAY) + 1;
    }
  }

  const createViewer = async (account: number, tz: string | undefined): Promise<CalendarViewer> => ({
    account,
    book: await listStore.readTagBook(account),
    viewer: findNamedZone(await context.identity.resolveZone(account, tz)),
  });

  return [
    handle(getevents, async ({ specificload, tz }, { account, session }) => {
      const today = await getToday(context, account, tz);
      const before = specificload === undefined ? undefined : parseRequestedDay(specificload);
      // Read first: a later change has a higher revision, and the page loads again.
      const revision = await stores.revisions.getRevision(account);
      const [tags, viewer, ids] = await Promise.all([
        stores.tags.list(account, session),
        createViewer(account, tz),
        listStore.listDurationsFrom(account, today, MAX_LISTED_DURATIONS),
      ]);
      const { days, durations, more, hidden } = await readPage(viewer, before === undefined ? today : before + 1, ids);
      return {
        dates: toDates(days, { today, before: before ?? today, hidden }),
        datesduration: durations,
        tags,
        editcolours: EDIT_COLOURS,
        today: toIso(today),
        more,
        revision,
      };
    }),
    handle(eventsbetween, async ({ from: first, until: last, tz }, { account }) => {
      const [from, until] = [parseRequestedDay(first), parseRequestedDay(last)];
      if (until < from) throw new Refusal('calendar.range_reversed', 'The last day must not be before the first day');
      if (until - from >= MAX_DAYS_PER_REQUEST)
        throw new Refusal('calendar.range_too_long', `Request at most ${MAX_DAYS_PER_REQUEST} days at once`);
      const today = await getToday(context, account, tz);
      const revision = await stores.revisions.getRevision(account);
      const requestedDays = listDaysFrom(from, until - from + 1);
      const [viewer, { groups, hidden }, listedDurations] = await Promise.all([
        createViewer(account, tz),
        occurrences.groupByDay(account, requestedDays),
        listStore.readDurationsBetween(account, from, until),
      ]);
      const { days, durations } = await loadEntries(viewer, groups, listedDurations.ids);
      const entries = new Map(days);
      const counts = requestedDays.map(
        (day) => [day, (hidden.get(day) ?? 0) + (listedDurations.hidden.get(day) ?? 0)] as const,
      );
      const notListed = new Map(counts.filter(([, count]) => count > 0));
      // A day without listed entries still reports how many events it has.
      const listedDays = requestedDays.filter((day) => entries.has(day) || notListed.has(day));
      return {
        dates: toDates(
          listedDays.map((day) => [day, entries.get(day) ?? []]),
          { today, hidden: notListed },
        ),
        durations,
        today: toIso(today),
        revision,
      };
    }),
    createSearchHandler(context, listStore),
  ];
}
