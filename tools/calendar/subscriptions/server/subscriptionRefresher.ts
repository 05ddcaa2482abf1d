import { Refusal } from '#platform/contract/refusal.ts';
import type { ScheduledTask } from '#platform/server/schedule/scheduler.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import type { LiveCalendar } from '../../events/server/createCalendar.ts';
import { readFeed } from './remoteCalendar.ts';
import { replaceEvents, standingOf } from './replace.ts';
import { type Subscription, subscriptionStore } from './subscriptionStore.ts';

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

export const createSubscriptionRefresher = (ground: ServerContext, calendar: LiveCalendar) => {
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
};
