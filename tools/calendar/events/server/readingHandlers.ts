import { Refusal } from '#platform/contract/refusal.ts';
import { handle, type ServerContext, type Handler } from '#platform/server/tool.ts';
import { BETWEEN_DAYS, DURATIONS_LISTED, eventsbetween, getevents, eventssearch } from '../../contract/events.ts';
import { inSlices } from '../../exchange/server/ics/timeSlices.ts';
import {
  lastDayOf,
  occurrenceOn,
  occurrencesBetween,
  type Occurrence,
  ZONES_APART,
} from '../../repeat/domain/occurrence.ts';
import { dayOfLocalMs, FIRST_DAY, LAST_DAY, parseDay, toIso, type Day, toWire } from '../domain/day.ts';
import type { CalendarEvent } from '../domain/event.ts';
import { datesOf, type Entry, PAGE_GROUPS, pageLength } from '../domain/eventPage.ts';
import { excerptOf, termsOf } from '../domain/searchTerms.ts';
import { EDIT_COLOURS, BUILT_IN_TAGS } from '../domain/tags.ts';
import { namedZone, type Zone } from '../domain/timeZone.ts';
import type { LiveCalendar } from './createCalendar.ts';
import { durationEntryOf, entryOf, isPlainRow, partEntryOf, styleOfRow } from './listEntries.ts';
import type { DayGroups } from './store/occurrenceStore.ts';
import { readingStore, type ListedEvent, type ReadingStore, type TagBook, mainColour } from './store/readingStore.ts';
import { findingStore, type Filter, type SearchHit } from './store/searchStore.ts';
import { todayOf } from './viewerDays.ts';

const idsIn = (tags: TagBook['own'], name: string): readonly number[] =>
  [...tags].filter(([, tag]) => tag.name === name).map(([id]) => id);

/** Of a list joined by commas, each once. */
const namesIn = (joined: string): readonly string[] => [
  ...new Set(
    joined
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean),
  ),
];

/** What events that carry all these tags have; undefined where a name is no tag, which no event carries. */
const filterOf = (names: readonly string[], { own, subscriptions }: TagBook): Filter | undefined => {
  const each = names.map((name) => ({ name, tags: idsIn(own, name), subscriptions: idsIn(subscriptions, name) }));
  const isKnown = ({ name, tags, subscriptions: calendars }: (typeof each)[number]) =>
    tags.length > 0 || calendars.length > 0 || BUILT_IN_TAGS.some((builtIn) => builtIn === name);
  if (!each.every(isKnown)) return undefined;
  return {
    styles: [
      ...(names.includes('Repeat') ? ['repeat' as const] : []),
      ...(names.includes('Duration') ? ['duration' as const] : []),
    ],
    subscriptions: each.flatMap((one) => one.subscriptions),
    tags: each.flatMap((one) => one.tags),
    pinned: names.includes('Pinned') ? [...own.keys()] : undefined,
  };
};

const dayOfOne = ({ start }: Occurrence): Day => dayOfLocalMs(start);

/** The day by a viewer's clock of the time that comes next, else of the last one, around a day that was found by the event's own clock. */
const nearestDay = (
  event: CalendarEvent,
  { day, today, viewer }: { readonly day: Day; readonly today: Day; readonly viewer: Zone | undefined },
): Day => {
  const [next] = occurrencesBetween(event, { from: today, until: Math.max(today, day + ZONES_APART), viewer });
  if (next) return Math.max(today, dayOfOne(next));
  const last = [...occurrencesBetween(event, { from: day - ZONES_APART, until: day + ZONES_APART, viewer })].at(-1);
  return last ? dayOfOne(last) : day;
};

/** Events by words and tags. */
export function searchCall(ground: ServerContext, reading: ReadingStore): Handler {
  const finding = findingStore(ground.database);
  return handle(eventssearch, async ({ searchterm = '', tags: named = '', tz }, { account }) => {
    const today = await todayOf(ground, account, tz);
    const book = await reading.tagBook(account);
    const terms = termsOf(searchterm);
    const filter = filterOf(namesIn(named), book);
    const found = filter === undefined ? [] : await finding.find({ account, terms, filter, today });
    const ids = found.map(({ event }) => event);
    const events = await reading.events(account, ids, book);
    const timed = await reading.times(
      account,
      [...events.values()].filter((event) => !isPlainRow(event)).map((event) => event.id),
    );
    const viewer = namedZone(await ground.identity.resolveZone(account, tz));
    const shownDay = ({ event: id, day }: SearchHit): Day => {
      const times = timed.get(id);
      return times ? nearestDay(times, { day, today, viewer }) : day;
    };
    // By the viewer's clock the order may be another one than by those of the events.
    const isAll = terms.length === 0 && namesIn(named).length === 0;
    const shown = found
      .map((one) => ({ event: one.event, day: shownDay(one) }))
      .filter(({ day }) => !isAll || day >= today)
      .toSorted((one, other) => one.day - other.day);
    const descriptions = terms.length === 0 ? undefined : await reading.descriptions(account, ids);
    const result = ({ event: id, day }: SearchHit) => {
      const event = events.get(id);
      if (!event) return [];
      const { name, tags } = event;
      const excerpt = excerptOf({ name, description: descriptions?.get(id) ?? '' }, terms);
      return {
        id,
        name,
        date: toWire(day),
        type: styleOfRow(event),
        colour: mainColour(event),
        tags: tags.map((tag) => tag.name),
        ...(excerpt === undefined ? {} : { excerpt }),
      };
    };
    return { names: shown.flatMap(result) };
  });
}

const askedDay = (text: string): Day => {
  const day = parseDay(text);
  if (day === undefined) throw new Refusal(`“${text}” is no date. A date is written 2026-11-23`);
  return day;
};

const range = (from: Day, length: number): readonly Day[] => {
  const first = Math.max(FIRST_DAY, from);
  return Array.from({ length: Math.max(0, Math.min(length, LAST_DAY - first + 1)) }, (_, at) => first + at);
};

interface DayRange {
  readonly from: Day;
  readonly until: Day;
  readonly viewer: Zone | undefined;
}

/** Whether a time takes all of a day, and began before it. */
const isWithin = (one: Occurrence, day: Day): boolean => dayOfLocalMs(one.start) < day && day < lastDayOf(one);

/** The occurrences of an event by the days on which a part of them lies; worked out once for all days of an answer. */
const partsByDay = (event: CalendarEvent, span: DayRange): ReadonlyMap<Day, readonly Occurrence[]> => {
  const parts = new Map<Day, Occurrence[]>();
  // A duration stands in a list of its own.
  if (event.pattern.kind === 'duration') return parts;
  for (const one of occurrencesBetween(event, span))
    for (
      let day = Math.max(span.from, dayOfLocalMs(one.start));
      day <= Math.min(span.until, lastDayOf(one));
      day += 1
    ) {
      const there = parts.get(day);
      if (!there) parts.set(day, [one]);
      // A repeat that outlasts its own interval takes a whole day once, however many of its times lie there.
      else if (!isWithin(one, day) || !there.some((other) => isWithin(other, day))) there.push(one);
    }
  return parts;
};

function* partsOf(
  events: readonly (readonly [number, CalendarEvent])[],
  span: DayRange,
): Generator<undefined, ReadonlyMap<number, ReturnType<typeof partsByDay>>, undefined> {
  const parts = new Map<number, ReturnType<typeof partsByDay>>();
  for (const [id, event] of events) {
    yield undefined;
    parts.set(id, partsByDay(event, span));
  }
  return parts;
}

type Groups = DayGroups['groups'];
type DurationEntries = ReturnType<typeof durationEntryOf>[];

/** Whose calendar is looked at, and by which clock. */
interface CalendarViewer {
  readonly account: number;
  readonly book: TagBook;
  readonly viewer: Zone | undefined;
}

export function readingCalls(ground: ServerContext, { stores }: LiveCalendar): readonly Handler[] {
  const reading: ReadingStore = readingStore(ground.database, stores.tags);
  const { standing } = reading;

  /** The next days that have events, one more than a page has: that one tells that there is more. */
  const groupsFrom = async (account: number, from: Day): Promise<DayGroups> => {
    const wanted = PAGE_GROUPS + 1;
    const near = range(from, wanted);
    const found = await standing.groupsOn(account, near);
    const { length } = found.groups;
    const last = near.at(-1);
    if (length === wanted || last === undefined || last >= LAST_DAY) return found;
    const farther = await standing.groupsOn(account, await standing.nextDays(account, last + 1, wanted - length));
    return { groups: [...found.groups, ...farther.groups], hidden: new Map([...found.hidden, ...farther.hidden]) };
  };

  /** What days and durations hold, read at once. Between two reads an event may have gone. */
  const entriesOf = async (
    { account, book, viewer }: CalendarViewer,
    groups: Groups,
    durations: readonly number[],
  ): Promise<{ readonly days: readonly (readonly [Day, readonly Entry[]])[]; readonly durations: DurationEntries }> => {
    const ids = new Set([...groups.flatMap(([, events]) => events), ...durations]);
    const events = await reading.events(account, [...ids], book);
    const timed = await reading.times(
      account,
      [...events.values()].filter((event) => !isPlainRow(event)).map(({ id }) => id),
    );
    const span = { from: groups[0]?.[0] ?? 0, until: groups.at(-1)?.[0] ?? -1, viewer };
    const partsByEvent = await inSlices(partsOf([...timed], span));
    const known = (own: readonly number[]) => own.flatMap((id) => events.get(id) ?? []);
    const on = (event: ListedEvent, day: Day): readonly Entry[] => {
      if (isPlainRow(event)) return [entryOf(event)];
      const parts = partsByEvent.get(event.id)?.get(day) ?? [];
      return parts.map((one) => partEntryOf(event, one, day));
    };
    const lasting = (event: ListedEvent) => {
      const times = timed.get(event.id);
      return durationEntryOf(event, times && occurrenceOn(times, times.day, viewer));
    };
    const days = groups.map(([day, own]) => [day, known(own).flatMap((event) => on(event, day))] as const);
    return { days: days.filter(([, entries]) => entries.length > 0), durations: known(durations).map(lasting) };
  };

  /** A page of days. None is a page by itself of those that have events by the clock of others alone. */
  const pageFrom = async (viewing: CalendarViewer, from: Day, durations: readonly number[]) => {
    for (let next = from; ;) {
      const { groups, hidden } = await groupsFrom(viewing.account, next);
      const length = pageLength(groups.map(([, events]) => events.length));
      const page = await entriesOf(viewing, groups.slice(0, length), durations);
      const more = groups.length > length;
      if (page.days.length > 0 || !more) return { ...page, more, hidden };
      next = (groups[length - 1]?.[0] ?? LAST_DAY) + 1;
    }
  };

  const viewingOf = async (account: number, tz: string | undefined): Promise<CalendarViewer> => ({
    account,
    book: await reading.tagBook(account),
    viewer: namedZone(await ground.identity.resolveZone(account, tz)),
  });

  return [
    handle(getevents, async ({ specificload, tz }, { account, session }) => {
      const today = await todayOf(ground, account, tz);
      const before = specificload === undefined ? undefined : askedDay(specificload);
      // First: what is changed meanwhile has a higher one, and the page asks again.
      const revision = await stores.book.revision(account);
      const [tags, viewing, ids] = await Promise.all([
        stores.tags.of(account, session),
        viewingOf(account, tz),
        reading.durationsFrom(account, today, DURATIONS_LISTED),
      ]);
      const { days, durations, more, hidden } = await pageFrom(viewing, before === undefined ? today : before + 1, ids);
      return {
        dates: datesOf(days, { today, before: before ?? today, hidden }),
        datesduration: durations,
        tags,
        editcolours: EDIT_COLOURS,
        today: toIso(today),
        more,
        revision,
      };
    }),
    handle(eventsbetween, async ({ from: first, until: last, tz }, { account }) => {
      const [from, until] = [askedDay(first), askedDay(last)];
      if (until < from) throw new Refusal('The last day lies before the first one');
      if (until - from >= BETWEEN_DAYS) throw new Refusal(`At most ${BETWEEN_DAYS} days can be asked for at once`);
      const today = await todayOf(ground, account, tz);
      const revision = await stores.book.revision(account);
      const asked = range(from, until - from + 1);
      const [viewing, { groups, hidden }, lasting] = await Promise.all([
        viewingOf(account, tz),
        standing.groupsOn(account, asked),
        reading.durationsBetween(account, from, until),
      ]);
      const { days, durations } = await entriesOf(viewing, groups, lasting.ids);
      const entries = new Map(days);
      const counts = asked.map((day) => [day, (hidden.get(day) ?? 0) + (lasting.hidden.get(day) ?? 0)] as const);
      const notListed = new Map(counts.filter(([, count]) => count > 0));
      // A day of which nothing is listed says still how many events it has.
      const shown = asked.filter((day) => entries.has(day) || notListed.has(day));
      return {
        dates: datesOf(
          shown.map((day) => [day, entries.get(day) ?? []]),
          { today, hidden: notListed },
        ),
        durations,
        today: toIso(today),
        revision,
      };
    }),
    searchCall(ground, reading),
  ];
}
