import { Refusal } from '#platform/contract/refusal.ts';
import { handle, type Ground, type Handler } from '#platform/server/tool.ts';
import { BETWEEN_DAYS, DURATIONS_LISTED, eventsbetween, getevents } from '../../contract.ts';
import { EDIT_COLOURS } from '../../domain/colours.ts';
import { FIRST_DAY, LAST_DAY, parseDay, toIso } from '../../domain/day.ts';
import type { Day } from '../../domain/day.ts';
import { occurrenceOn, occurrencesBetween } from '../../domain/occurrence.ts';
import { datesOf, type Entry, PAGE_GROUPS, pageLength } from '../../domain/page.ts';
import { namedZone, type Zone } from '../../domain/zone.ts';
import { durationEntryOf, entryOf, isPlainRow, partEntryOf } from '../entries.ts';
import type { LiveCalendar } from '../makeCalendar.ts';
import { readingStore, type Listed, type ReadingStore, type TagBook } from '../store/reading.ts';
import type { Standing } from '../store/standing.ts';
import { todayOf } from '../today.ts';
import { searchCall } from './search.ts';

const askedDay = (text: string): Day => {
  const day = parseDay(text);
  if (day === undefined) throw new Refusal(`“${text}” is no date. A date is written 2026-11-23`);
  return day;
};

const range = (from: Day, length: number): readonly Day[] => {
  const first = Math.max(FIRST_DAY, from);
  return Array.from({ length: Math.max(0, Math.min(length, LAST_DAY - first + 1)) }, (_, at) => first + at);
};

/** Events by the days on which they stand, days in order. */
const grouped = (standing: readonly Standing[]): readonly (readonly [Day, readonly number[]])[] => {
  const groups = new Map<Day, number[]>();
  for (const { day, event } of standing) {
    const group = groups.get(day);
    if (group) group.push(event);
    else groups.set(day, [event]);
  }
  return [...groups].toSorted(([one], [other]) => one - other);
};
type Groups = ReturnType<typeof grouped>;
type DurationEntries = ReturnType<typeof durationEntryOf>[];

/** Whose calendar is looked at, and by which clock. */
interface Viewing {
  readonly account: number;
  readonly book: TagBook;
  readonly viewer: Zone | undefined;
}

export const readingCalls = (ground: Ground, { stores }: LiveCalendar): readonly Handler[] => {
  const reading: ReadingStore = readingStore(ground.database, stores.tags);
  const { standing } = reading;

  /** The next days that have events, one more than a page has: that one tells that there is more. */
  const groupsFrom = async (account: number, from: Day): Promise<Groups> => {
    const wanted = PAGE_GROUPS + 1;
    const near = range(from, wanted);
    const found = grouped(await standing.on(account, near));
    const last = near.at(-1);
    if (found.length === wanted || last === undefined || last >= LAST_DAY) return found;
    const farther = await standing.nextDays(account, last + 1, wanted - found.length);
    return [...found, ...grouped(await standing.on(account, farther))];
  };

  /** What days and durations hold, read at once. Between two reads an event may have gone. */
  const entriesOf = async (
    { account, book, viewer }: Viewing,
    groups: Groups,
    durations: readonly number[],
  ): Promise<{ readonly days: readonly (readonly [Day, readonly Entry[]])[]; readonly durations: DurationEntries }> => {
    const ids = new Set([...groups.flatMap(([, events]) => events), ...durations]);
    const events = await reading.events(account, [...ids], book);
    const timed = await reading.times(
      account,
      [...events.values()].filter((event) => !isPlainRow(event)).map(({ id }) => id),
    );
    const known = (own: readonly number[]) => own.flatMap((id) => events.get(id) ?? []);
    const on = (event: Listed, day: Day): readonly Entry[] => {
      if (isPlainRow(event)) return [entryOf(event)];
      const times = timed.get(event.id);
      if (!times) return [];
      return [...occurrencesBetween(times, { from: day, until: day, viewer })].map((one) =>
        partEntryOf(event, one, day),
      );
    };
    const lasting = (event: Listed) => {
      const times = timed.get(event.id);
      return durationEntryOf(event, times && occurrenceOn(times, times.day, viewer));
    };
    const days = groups.map(([day, own]) => [day, known(own).flatMap((event) => on(event, day))] as const);
    return { days: days.filter(([, entries]) => entries.length > 0), durations: known(durations).map(lasting) };
  };

  /** A page of days. Of days that only seem to have events, for they have them by the clock of others, none is a page by itself. */
  const pageFrom = async (viewing: Viewing, from: Day, durations: readonly number[]) => {
    for (let next = from; ;) {
      const groups = await groupsFrom(viewing.account, next);
      const length = pageLength(groups.map(([, events]) => events.length));
      const page = await entriesOf(viewing, groups.slice(0, length), durations);
      const more = groups.length > length;
      if (page.days.length > 0 || !more) return { ...page, more };
      next = (groups[length - 1]?.[0] ?? LAST_DAY) + 1;
    }
  };

  const viewingOf = async (account: number, tz: string | undefined): Promise<Viewing> => ({
    account,
    book: await reading.tagBook(account),
    viewer: namedZone(await ground.identity.zone(account, tz)),
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
      const { days, durations, more } = await pageFrom(viewing, before === undefined ? today : before + 1, ids);
      return {
        dates: datesOf(days, { today, before: before ?? today }),
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
      const [viewing, standings, ids] = await Promise.all([
        viewingOf(account, tz),
        standing.on(account, range(from, until - from + 1)),
        reading.durationsBetween(account, from, until),
      ]);
      const { days, durations } = await entriesOf(viewing, grouped(standings), ids);
      return {
        dates: datesOf(days, { today }),
        durations,
        today: toIso(today),
        revision,
      };
    }),
    searchCall(ground, reading),
  ];
};
