import { HOUR_MS } from '#platform/contract/duration.ts';
import { countCodePoints } from '#platform/contract/fields.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { replaceUnstorable } from '#platform/contract/text.ts';
import type { UnitOfWork } from '#platform/server/database/database.ts';
import { maskCredentials } from '#platform/server/egress/egress.ts';
import { handle, type ServerContext, type Handler } from '#platform/server/tool.ts';
import { MAX_TAG_LENGTH } from '../../contract/events.ts';
import {
  calendarsubscriptions,
  changesubscription,
  refreshsubscription,
  subscribecalendar,
  unsubscribecalendar,
} from '../../contract/exchange.ts';
import { toOneLine } from '../../events/domain/eventDraft.ts';
import { getNewTagColour } from '../../events/domain/tags.ts';
import type { CalendarWithStores } from '../../events/server/calendar.ts';
import { normalizeAddress, getHost, readFeed } from './remoteCalendar.ts';
import { NO_EVENTS, replaceEvents, createSubscriptionRefresher } from './subscriptionRefresher.ts';
import { type Subscription, createSubscriptionStore } from './subscriptionStore.ts';

export const MAX_SUBSCRIPTIONS = 50;
const NOT_FOUND_MESSAGE = 'There is no such subscription. It may have been removed';

/** Validates a name, which is also the tag of the events. */
function validateName(text: string): string {
  const name = toOneLine(text);
  if (name === '') throw new Refusal('calendar.subscription_name_empty', 'Enter a name for the calendar');
  if (countCodePoints(name) > MAX_TAG_LENGTH)
    throw new Refusal(
      'calendar.subscription_name_too_long',
      `The calendar name is too long. Enter at most ${MAX_TAG_LENGTH} characters`,
    );
  return name;
}

function validateColour(text: string): string {
  if (!/^#[\da-f]{6}$/i.test(text))
    throw new Refusal('calendar.invalid_colour', 'This is not a valid colour. Write it like #3B82C4');
  return text.toUpperCase();
}

/** Returns the name that the calendar has, shortened to the tag limit, or else its host. */
const findOwnName = (name: string | undefined, address: string): string =>
  Array.from(toOneLine(name ?? '') || getHost(address))
    .slice(0, MAX_TAG_LENGTH)
    .join('');

const formatIso = (ms: number): string => new Date(ms).toISOString();

const toAnswer = (subscription: Subscription, events: number) => ({
  id: subscription.id,
  name: subscription.name,
  address: maskCredentials(subscription.address),
  colour: subscription.colour,
  events,
  ...(subscription.refreshed === undefined ? {} : { refreshed: formatIso(subscription.refreshed) }),
  ...(subscription.problem === undefined ? {} : { problem: subscription.problem }),
  warnings: [...subscription.warnings],
});

/** Validates that a subscription can be added. @throws Refusal */
function validateAddition(all: readonly Subscription[], address: string): void {
  if (all.some((each) => each.address === address))
    throw new Refusal('calendar.already_subscribed', 'You are already subscribed to that calendar');
  if (all.length >= MAX_SUBSCRIPTIONS)
    throw new Refusal(
      'calendar.too_many_subscriptions',
      `You have the maximum of ${MAX_SUBSCRIPTIONS} subscriptions. Remove one first`,
    );
}

export function createSubscriptionHandlers(context: ServerContext, calendar: CalendarWithStores): readonly Handler[] {
  const { database, now } = context;
  const store = createSubscriptionStore(database.db);
  const { refresh } = createSubscriptionRefresher(context, calendar);

  async function findOwned(account: number, id: number): Promise<Subscription> {
    const current = await store.find(account, id);
    if (!current) throw new Refusal('calendar.subscription_not_found', NOT_FOUND_MESSAGE);
    return current;
  }
  /**
   * Changes subscriptions in one transaction and notifies pages, because tag names and colours change too. Its lock on
   * the account's row serializes concurrent changes.
   */
  const change = <T>(account: number, action: (unitOfWork: UnitOfWork) => Promise<T>): Promise<T> =>
    database.transaction(async (unitOfWork) =>
      calendar.change(account, unitOfWork, async (tx) => {
        await calendar.stores.revisions.raise(tx, account, 1);
        return action(unitOfWork);
      }),
    );
  async function listAnswer(account: number) {
    const counts = await store.countEvents(account);
    return { subscriptions: (await store.list(account)).map((each) => toAnswer(each, counts.get(each.id) ?? 0)) };
  }
  async function getAnswer(account: number, id: number) {
    const counts = await store.countEvents(account);
    return { subscription: toAnswer(await findOwned(account, id), counts.get(id) ?? 0) };
  }

  return [
    handle(calendarsubscriptions, async (_request, { account }) => listAnswer(account)),

    handle(subscribecalendar, async ({ address: typed, name, colour }, { account }) => {
      const address = normalizeAddress(replaceUnstorable(typed));
      const fields = {
        name: name === undefined || toOneLine(name) === '' ? undefined : validateName(name),
        colour: colour === undefined ? undefined : validateColour(colour),
      };
      const before = await store.list(account);
      validateAddition(before, address);
      const feed = await readFeed(context, { account, address });
      if (!feed) throw new Refusal('calendar.source_error', 'That server responded with an error (304)');
      const id = await change(account, async (unitOfWork) => {
        const txStore = createSubscriptionStore(unitOfWork.tx);
        validateAddition(await txStore.list(account), address);
        const time = now().epochMilliseconds;
        const added = await txStore.add({
          account,
          address,
          name: fields.name ?? findOwnName(feed.read.name, address),
          colour: fields.colour ?? getNewTagColour(before.length),
          refreshed: time,
          due: time + HOUR_MS,
          validators: feed.validators,
          warnings: feed.read.problems,
        });
        await replaceEvents(
          calendar,
          { account, subscription: added, events: feed.read.events, current: NO_EVENTS },
          unitOfWork,
        );
        return added;
      });
      return getAnswer(account, id);
    }),

    handle(changesubscription, async ({ id, name, colour }, { account }) => {
      const current = await findOwned(account, id);
      const next = {
        name: name === undefined ? current.name : validateName(name),
        colour: colour === undefined ? current.colour : validateColour(colour),
      };
      await change(account, async ({ tx }) => createSubscriptionStore(tx).rename(account, id, next));
      return listAnswer(account);
    }),

    handle(refreshsubscription, async ({ id }, { account }) => {
      await refresh(await findOwned(account, id));
      return getAnswer(account, id);
    }),

    handle(unsubscribecalendar, async ({ id }, { account }) => {
      await findOwned(account, id);
      await change(account, async (unitOfWork) => {
        const txStore = createSubscriptionStore(unitOfWork.tx);
        await txStore.remove(account, id);
        await calendar.purge(account, await txStore.listEventIds(account, id), unitOfWork);
      });
      return listAnswer(account);
    }),
  ];
}
