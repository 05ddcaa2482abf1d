import { setImmediate as othersFirst } from 'node:timers/promises';
import { boundsOf, numbersOf, partsOf } from '../domain/daySums.ts';
import { OPENED_AFTER, usesOf, type Focus } from '../domain/recount.ts';
import { byBook, type Asked, type Scope } from './reading.ts';
import type { Book } from './store/book.ts';
import type { DeviceTracks } from './store/segments.ts';
import type { UsageStore } from './store/usage.ts';

/** How often an application came into focus, and for how long at once, on days of a range. */
export interface Openings {
  readonly opened: number;
  /** In seconds, within a day. */
  readonly longest: number;
}

/** Days that are looked through segment by segment at once, so that others are answered in between. */
const DAYS_AT_ONCE = 32;

interface DayOpenings extends Openings {
  readonly application: number;
}

const focusOf = (tracks: DeviceTracks['tracks']): Focus =>
  new Map(tracks.filter(({ status }) => status === 'on').map(({ application, spans }) => [application, spans]));

/** The days of another zone than the home are counted from the segments. */
const recounted = async (
  { segments }: UsageStore,
  { account, device, days }: Scope,
  { applications, ...range }: Asked,
): Promise<readonly DayOpenings[]> => {
  const found: DayOpenings[] = [];
  for (const part of partsOf(range, DAYS_AT_ONCE)) {
    await othersFirst();
    const { from, until } = boundsOf(days, part);
    for (const { tracks } of await segments.between(account, { device, from: from - OPENED_AFTER, until })) {
      const focus = focusOf(tracks);
      const uses = usesOf(focus, days, numbersOf(part), applications ?? [...focus.keys()]);
      for (const [application, own] of uses) found.push(...own.map((use) => ({ application, ...use })));
    }
  }
  return found;
};

const kept = async (
  { days: dayStore }: UsageStore,
  { account, device }: Scope,
  asked: Asked,
  { generation }: Book,
): Promise<readonly DayOpenings[]> => {
  const all = await dayStore.between(account, { generation, device, ...asked });
  return all.map(({ application, opened, longest }) => ({
    application,
    opened: opened.reduce((sum, times) => sum + times, 0),
    longest: longest.reduce((most, seconds) => Math.max(most, seconds), 0),
  }));
};

/** By application, those of several computers added up. */
export const openings = async (
  store: UsageStore,
  scope: Scope,
  asked: Asked,
): Promise<ReadonlyMap<number, Openings>> => {
  const all = await byBook(store, scope.account, async (book) =>
    book.zone === scope.days.zone ? kept(store, scope, asked, book) : recounted(store, scope, asked),
  );
  const found = new Map<number, Openings>();
  for (const { application, opened, longest } of all ?? []) {
    const before = found.get(application);
    found.set(application, {
      opened: opened + (before?.opened ?? 0),
      longest: Math.max(longest, before?.longest ?? 0),
    });
  }
  return found;
};
