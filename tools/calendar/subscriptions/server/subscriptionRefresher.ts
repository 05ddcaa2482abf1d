import { isDeepStrictEqual } from 'node:util';
import { HOUR_MS, MINUTE_MS, DAY_HOURS } from '#platform/contract/duration.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { UnitOfWork } from '#platform/server/database/database.ts';
import type { ScheduledTask } from '#platform/server/schedule/scheduler.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import type { CalendarEvent, EventDraft } from '../../events/domain/event.ts';
import type { Author, Calendar, Change, CalendarWithStores } from '../../events/server/calendar.ts';
import type { ParsedEvent } from '../../exchange/server/ics/readIcs.ts';
import { readFeed } from './remoteCalendar.ts';
import { type Subscription, createSubscriptionStore } from './subscriptionStore.ts';

const AUTHOR: Author = { address: '', by: 'subscription' };

/** Returns the stored content of a subscribed event. It has no tags of the account. */
const getContent = ({ name, description, day, time, endTime, endDays, zone, pattern, exceptions }: EventDraft) => ({
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
  isDeepStrictEqual(getContent(event), getContent(draft));

/** Returns the change that makes an event equal to the draft, or undefined if it already is. */
const toChange = (event: CalendarEvent | undefined, draft: EventDraft): Pick<Change, 'id' | 'draft'> | undefined =>
  event && isSame(event, draft) ? undefined : { id: event?.id ?? 0, draft: { ...draft, tags: [], pinned: undefined } };

/** Stored events of a subscription by UID, and their changed days by event and day. */
interface CurrentEvents {
  readonly byUid: ReadonlyMap<string, CalendarEvent>;
  readonly children: ReadonlyMap<string, CalendarEvent>;
}

/** Events of a new subscription. */
export const NO_EVENTS: CurrentEvents = { byUid: new Map(), children: new Map() };

const toChildKey = (parent: number, replaces: number): string => `${parent} ${replaces}`;

export async function loadCurrentEvents(
  calendar: Calendar,
  account: number,
  subscription: number,
): Promise<CurrentEvents> {
  const byUid = new Map<string, CalendarEvent>();
  const children = new Map<string, CalendarEvent>();
  for await (const event of calendar.iterate(account, subscription)) {
    if (event.parent === undefined || event.replaces === undefined) byUid.set(event.uid, event);
    else children.set(toChildKey(event.parent, event.replaces), event);
  }
  return { byUid, children };
}

interface ReplaceRequest {
  readonly account: number;
  readonly subscription: number;
  readonly events: readonly ParsedEvent[];
  readonly current: CurrentEvents;
}

/** Replaces the events of a subscription by those that were read. Only new, changed and removed events are written. */
export async function replaceEvents(
  calendar: Calendar,
  { account, subscription, events, current }: ReplaceRequest,
  unitOfWork: UnitOfWork,
): Promise<void> {
  const { byUid, children } = current;
  const latest = [...new Map(events.map((event) => [event.uid, event])).values()];

  const changes = latest.flatMap(({ uid, draft }) => {
    const change = toChange(byUid.get(uid), draft);
    return change ? [{ ...change, uid, subscription }] : [];
  });
  const saved = await calendar.save(account, changes, AUTHOR, unitOfWork);
  const idByUid = new Map(saved.map((event) => [event.uid, event.id]));
  const getId = (uid: string): number => byUid.get(uid)?.id ?? idByUid.get(uid) ?? 0;

  const days = latest.flatMap(({ uid, overrides }) =>
    overrides.map(({ replaces, draft }) => ({ parent: getId(uid), replaces, draft })),
  );
  const dayChanges = days.flatMap(({ parent, replaces, draft }) => {
    const change = toChange(children.get(toChildKey(parent, replaces)), draft);
    return change ? [{ ...change, parent, replaces, subscription }] : [];
  });
  await calendar.save(account, dayChanges, AUTHOR, unitOfWork);

  const remainingIds = new Set([
    ...latest.map(({ uid }) => getId(uid)),
    ...days.flatMap(({ parent, replaces }) => children.get(toChildKey(parent, replaces))?.id ?? []),
  ]);
  const removed = [...byUid.values(), ...children.values()].filter(({ id }) => !remainingIds.has(id));
  await calendar.purge(
    account,
    removed.map(({ id }) => id),
    unitOfWork,
  );
}

/** Time after which another reader may take over from one that crashed. */
const LEASE_MS = 10 * MINUTE_MS;
/** Maximum number of calendars read per minute, and concurrently. */
const MAX_DUE_PER_RUN = 40;
const MAX_CONCURRENT_REFRESHES = 4;

/** Returns the backoff after failures: one hour, two, four, … up to a day. */
const getBackoffMs = (failures: number): number => Math.min(DAY_HOURS, 2 ** Math.min(failures, 10)) * HOUR_MS;

/** Another reader has taken over the subscription, or it was removed. The result is discarded. */
class StaleReadError extends Error {
  override readonly name = 'StaleReadError';
}

export function createSubscriptionRefresher(context: ServerContext, calendar: CalendarWithStores) {
  const { database, log, now } = context;
  const store = createSubscriptionStore(database.db);
  const getNow = (): number => now().epochMilliseconds;

  async function reread(subscription: Subscription): Promise<void> {
    const { account, id, address, validators } = subscription;
    const feed = await readFeed(context, { account, address, validators });
    const result = {
      refreshed: getNow(),
      next: getNow() + HOUR_MS,
      read: feed && { validators: feed.validators, warnings: feed.read.problems },
    };
    if (!feed) {
      await store.succeed(subscription, result);
      return;
    }
    const current = await loadCurrentEvents(calendar, account, id);
    await database.transaction(async (unitOfWork) => {
      // First, as in every transaction that changes the calendar.
      await calendar.stores.revisions.raise(unitOfWork.tx, account, 0);
      if (!(await createSubscriptionStore(unitOfWork.tx).succeed(subscription, result))) throw new StaleReadError();
      await replaceEvents(calendar, { account, subscription: id, events: feed.read.events, current }, unitOfWork);
    });
  }

  /** Reads a subscription immediately. A failure is stored with it, and its events stay. */
  async function refresh(current: Subscription): Promise<void> {
    const claimed = { ...current, due: Math.max(getNow() + LEASE_MS, current.due + 1) };
    if (!(await store.claim(current, claimed.due))) return;
    try {
      await reread(claimed);
    } catch (error) {
      if (error instanceof StaleReadError) return;
      const isRefusal = error instanceof Refusal;
      if (!isRefusal)
        log.error({ err: error, account: current.account, subscription: current.id }, 'calendar.subscription.failed');
      const problem = isRefusal ? error.message : 'Something went wrong on the server. It will try again later';
      await store.fail(claimed, problem, getNow() + getBackoffMs(claimed.failures));
    }
  }

  const task: ScheduledTask = {
    name: 'calendar subscriptions',
    intervalSeconds: 60,
    run: async () => {
      const waiting = [...(await store.listDue(getNow(), MAX_DUE_PER_RUN))];
      async function runWorker(): Promise<void> {
        for (let next = waiting.shift(); next; next = waiting.shift()) await refresh(next);
      }
      await Promise.all(Array.from({ length: MAX_CONCURRENT_REFRESHES }, runWorker));
    },
  };

  return { refresh, task };
}
