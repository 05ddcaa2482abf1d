import { handle, type ServerContext, type Handler } from '#platform/server/tool.ts';
import { eventssearch } from '../../contract/events.ts';
import { occurrencesBetween, ZONES_APART, type Occurrence } from '../../repeat/domain/occurrence.ts';
import { dayOfLocalMs, toWire, type Day } from '../domain/day.ts';
import type { CalendarEvent } from '../domain/event.ts';
import { excerptOf, termsOf } from '../domain/searchTerms.ts';
import { BUILT_IN_TAGS } from '../domain/tags.ts';
import { namedZone, type Zone } from '../domain/timeZone.ts';
import { isPlainRow, styleOfRow } from './listEntries.ts';
import { mainColour, type ReadingStore, type TagBook } from './store/readingStore.ts';
import { findingStore, type Filter, type SearchHit } from './store/searchStore.ts';
import { todayOf } from './today.ts';

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
export const searchCall = (ground: ServerContext, reading: ReadingStore): Handler => {
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
};
