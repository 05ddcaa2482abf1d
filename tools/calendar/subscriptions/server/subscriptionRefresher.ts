import { isDeepStrictEqual } from 'node:util';
import { Refusal } from '#platform/contract/refusal.ts';
import type { UnitOfWork } from '#platform/server/database/database.ts';
import type { ScheduledTask } from '#platform/server/schedule/scheduler.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import type { CalendarEvent, EventDraft } from '../../events/domain/event.ts';
import type { Author, Calendar, Change } from '../../events/server/calendar.ts';
import type { LiveCalendar } from '../../events/server/createCalendar.ts';
import type { ReadEvent } from '../../exchange/server/ics/readIcs.ts';
import { readFeed } from './remoteCalendar.ts';
import { type Subscription, subscriptionStore } from './subscriptionStore.ts';

const AUTHOR: Author = { address: '', by: 'subscription' };

/** What is kept of a subscribed event: it has no tags of the account. */
const contentOf = ({ name, description, day, time, endTime, endDays, zone, pattern, exceptions }: EventDraft) => ({
  name,
  description,
  day,
  time,
  endTime,
  endDays: endDays ?? 0,
  zone,
  pattern,
  exceptions,
});

const isSame = (event: CalendarEvent, draft: EventDraft): boolean =>
  isDeepStrictEqual(contentOf(event), contentOf(draft));

/** The event as it shall be, where it is not there or not so. */
const changeOf = (event: CalendarEvent | undefined, draft: EventDraft): Pick<Change, 'id' | 'draft'> | undefined =>
  event && isSame(event, draft) ? undefined : { id: event?.id ?? 0, draft: { ...draft, tags: [], pinned: undefined } };

/** A subscription's events as they stand: by their uid, and their changed days by event and day. */
interface CurrentEvents {
  readonly byUid: ReadonlyMap<string, CalendarEvent>;
  readonly children: ReadonlyMap<string, CalendarEvent>;
}

/** Of a subscription that is new. */
export const NONE: CurrentEvents = { byUid: new Map(), children: new Map() };

const childKey = (parent: number, replaces: number): string => `${parent} ${replaces}`;

export async function standingOf(calendar: Calendar, account: number, subscription: number): Promise<CurrentEvents> {
  const byUid = new Map<string, CalendarEvent>();
  const children = new Map<string, CalendarEvent>();
  for await (const event of calendar.all(account, subscription)) {
    if (event.parent === undefined || event.replaces === undefined) byUid.set(event.uid, event);
    else children.set(childKey(event.parent, event.replaces), event);
  }
  return { byUid, children };
}

interface ReplaceRequest {
  readonly account: number;
  readonly subscription: number;
  readonly read: readonly ReadEvent[];
  readonly standing: CurrentEvents;
}

/** Makes a subscription's events what was read: only those that are new, other than before or gone are touched. */
export async function replaceEvents(
  calendar: Calendar,
  { account, subscription, read, standing }: ReplaceRequest,
  work: UnitOfWork,
): Promise<void> {
  const { byUid, children } = standing;
  const latest = [...new Map(read.map((event) => [event.uid, event])).values()];

  const wanted = latest.flatMap(({ uid, draft }) => {
    const change = changeOf(byUid.get(uid), draft);
    return change ? [{ ...change, uid, subscription }] : [];
  });
  const saved = await calendar.save(account, wanted, AUTHOR, work);
  const made = new Map(saved.map((event) => [event.uid, event.id]));
  const idOf = (uid: string): number => byUid.get(uid)?.id ?? made.get(uid) ?? 0;

  const days = latest.flatMap(({ uid, overrides }) =>
    overrides.map(({ replaces, draft }) => ({ parent: idOf(uid), replaces, draft })),
  );
  const wantedDays = days.flatMap(({ parent, replaces, draft }) => {
    const change = changeOf(children.get(childKey(parent, replaces)), draft);
    return change ? [{ ...change, parent, replaces, subscription }] : [];
  });
  await calendar.save(account, wantedDays, AUTHOR, work);

  const staying = new Set([
    ...latest.map(({ uid }) => idOf(uid)),
    ...days.flatMap(({ parent, replaces }) => children.get(childKey(parent, replaces))?.id ?? []),
  ]);
  const gone = [...byUid.values(), ...children.values()].filter(({ id }) => !staying.has(id));
  await calendar.drop(
    account,
    gone.map(({ id }) => id),
    work,
  );
}

const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
const DAY_HOURS = 24;
/** For one that reads it: if it ends in between, the next one may after this. */
const TAKEN_MS = 10 * MINUTE_MS;
/** Read in one minute, and at the same time. */
const AT_A_TURN = 40;
const MAX_CONCURRENT_REFRESHES = 4;

/** After so many tries that failed: an hour, two, four, … and a day at most. */
const pauseMs = (failures: number): number => Math.min(DAY_HOURS, 2 ** Math.min(failures, 10)) * HOUR_MS;

/** Somebody else reads the subscription, or it is gone: what was read here is not kept. */
class StaleReadError extends Error {
  override readonly name = 'Overtaken';
}

export function createSubscriptionRefresher(ground: ServerContext, calendar: LiveCalendar) {
  const { database, log, now } = ground;
  const store = subscriptionStore(database.db);
  const time = (): number => now().epochMilliseconds;

  const readAnew = async (subscription: Subscription): Promise<void> => {
    const { account, id, address, validators } = subscription;
    const feed = await readFeed(ground, { account, address, known: validators });
    const done = {
      refreshed: time(),
      next: time() + HOUR_MS,
      read: feed && { validators: feed.validators, warnings: feed.read.problems },
    };
    if (!feed) {
      await store.succeed(subscription, done);
      return;
    }
    const standing = await standingOf(calendar, account, id);
    await database.transaction(async (work) => {
      // First, as in every transaction that changes the calendar.
      await calendar.stores.book.raise(work.tx, account, 0);
      if (!(await subscriptionStore(work.tx).succeed(subscription, done))) throw new StaleReadError();
      await replaceEvents(calendar, { account, subscription: id, read: feed.read.events, standing }, work);
    });
  };

  /** Reads it now, whenever it is due; a failure is kept with it, and its events as they were. */
  const refresh = async (found: Subscription): Promise<void> => {
    const taken = { ...found, due: Math.max(time() + TAKEN_MS, found.due + 1) };
    if (!(await store.take(found, taken.due))) return;
    try {
      await readAnew(taken);
    } catch (error) {
      if (error instanceof StaleReadError) return;
      const isSaid = error instanceof Refusal;
      if (!isSaid) log.error({ err: error, account: found.account, subscription: found.id }, 'subscription not read');
      const problem = isSaid ? error.message : 'This server failed to read it; it is tried again later';
      await store.fail(taken, problem, time() + pauseMs(taken.failures));
    }
  };

  const job: ScheduledTask = {
    name: 'calendar subscriptions',
    intervalSeconds: 60,
    run: async () => {
      const waiting = [...(await store.due(time(), AT_A_TURN))];
      const work = async (): Promise<void> => {
        for (let next = waiting.shift(); next; next = waiting.shift()) await refresh(next);
      };
      await Promise.all(Array.from({ length: MAX_CONCURRENT_REFRESHES }, work));
    },
  };

  return { refresh, job };
}
