import { randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import * as z from 'zod/mini';
import { Refusal } from '#platform/contract/refusal.ts';
import {
  exportedDay,
  exportedText,
  exportedTime,
  iterateParsed,
  readParsed,
} from '#platform/server/storage/importSource.ts';
import type { AccountImport, ImportSource, ServerContext } from '#platform/server/tool.ts';
import { MAX_DESCRIPTION_LENGTH, MAX_NAME_LENGTH, MAX_TAG_LENGTH, MAX_TAGS_PER_EVENT } from '../../contract/events.ts';
import { isTime } from '../../events/domain/day.ts';
import type { DayPattern, EventDraft } from '../../events/domain/event.ts';
import { MAX_EXCEPTIONS, MAX_FOREIGN_DAYS, normalizeTag, toOneLine } from '../../events/domain/eventDraft.ts';
import { isReservedTag } from '../../events/domain/tags.ts';
import { findNamedZone } from '../../events/domain/timeZone.ts';
import type { CalendarWithStores, Change } from '../../events/server/calendar.ts';
import { createReminderStore } from '../../events/server/reminderStore.ts';
import { moveToBin } from '../../events/server/store/binStore.ts';
import { iterateEventPages } from '../../events/server/store/eventStore.ts';
import { saveEvents } from '../../events/server/store/saveEvents.ts';
import { MAX_TAGS } from '../../events/server/store/tagStore.ts';
import { normalizeAddress } from '../../subscriptions/server/remoteCalendar.ts';
import { MAX_SUBSCRIPTIONS } from '../../subscriptions/server/subscriptionHandlers.ts';
import { createSubscriptionStore } from '../../subscriptions/server/subscriptionStore.ts';
import { readObject } from './ics/readIcs.ts';

const clockTime = z.string().check(z.refine(isTime));
const count = z.int().check(z.minimum(0));
const from = z.union([
  z.object({ type: z.literal('forever') }),
  z.object({ type: z.enum(['today', 'date']), day: exportedDay }),
]);
const until = z.union([
  z.object({ type: z.literal('forever') }),
  z.object({ type: z.literal('times'), times: count }),
  z.object({ type: z.literal('date'), day: exportedDay }),
]);
const repeat = z.union([
  z.object({ every: count, unit: z.enum(['day', 'week', 'month', 'year']), from, until }),
  z.object({
    rule: exportedText(10_000),
    words: exportedText(10_000),
    days: z.array(exportedDay).check(z.maxLength(MAX_FOREIGN_DAYS)),
  }),
]);
const historyEntry = z.object({
  type: z.string().check(z.regex(/^[a-z]{1,20}$/)),
  at: exportedTime,
  address: exportedText(100),
});
const exportedId = z.int().check(z.positive());

const exportedEvent = z.object({
  id: exportedId,
  uid: exportedText(500),
  name: exportedText(MAX_NAME_LENGTH),
  description: exportedText(MAX_DESCRIPTION_LENGTH),
  date: exportedDay,
  time: z.optional(clockTime),
  endTime: z.optional(clockTime),
  endDate: exportedDay,
  timeZone: z.optional(z.string().check(z.refine((name) => findNamedZone(name) !== undefined))),
  repeat: z.optional(repeat),
  duration: z.optional(z.object({ amount: count, unit: z.enum(['hours', 'days', 'weeks', 'months', 'years']) })),
  exceptions: z.array(exportedDay).check(z.maxLength(MAX_EXCEPTIONS)),
  tags: z.array(z.string()).check(z.maxLength(MAX_TAGS_PER_EVENT)),
  pinned: z.optional(z.string()),
  subscription: z.optional(exportedId),
  changedDayOf: z.optional(exportedId),
  changedDay: z.optional(exportedDay),
  created: exportedTime,
  edited: exportedTime,
  deleted: z.optional(exportedTime),
  history: z.array(historyEntry).check(z.maxLength(100_000)),
  /** Missing in exports of earlier versions. */
  source: z.optional(exportedText(1024 * 1024)),
});
type ExportedEvent = z.output<typeof exportedEvent>;

const colour = z.string().check(z.regex(/^#[\da-f]{6}$/i));
const exportedTag = z.object({ name: exportedText(MAX_TAG_LENGTH), colour, deleted: z.optional(exportedTime) });
const exportedSubscription = z.object({ name: exportedText(MAX_TAG_LENGTH), address: z.string(), colour });
const exportedReminders = z.object({ isOn: z.boolean(), at: clockTime });

function toPattern({ repeat: rule, duration }: ExportedEvent): DayPattern {
  if (rule && 'rule' in rule) return { kind: 'foreign', ...rule };
  if (rule) return { kind: 'repeat', repeat: rule };
  return duration ? { kind: 'duration', duration } : { kind: 'single' };
}

function toDraft(event: ExportedEvent): EventDraft {
  const pattern = toPattern(event);
  return {
    name: event.name,
    description: event.description,
    day: event.date,
    time: event.time,
    endTime: event.endTime,
    endDays: pattern.kind === 'duration' ? 0 : event.endDate - event.date,
    zone: event.timeZone,
    pattern,
    exceptions: event.exceptions,
    tags: event.tags,
    pinned: event.pinned,
  };
}

/** Parses an event of an export to a draft. @throws if it does not fit the schema */
export function parseExportedDraft(value: unknown): EventDraft {
  return toDraft(exportedEvent.parse(value));
}

const BATCH_SIZE = 400;

/**
 * Yields events in batches, in their order. An event whose repeat is in the current batch starts the next one, because
 * it needs the repeat's new id.
 */
async function* batchEvents(source: ImportSource): AsyncGenerator<readonly ExportedEvent[]> {
  let batch: ExportedEvent[] = [];
  let ids = new Set<number>();
  for await (const event of iterateParsed(source, 'events', exportedEvent)) {
    const needsBatch = event.changedDayOf !== undefined && ids.has(event.changedDayOf);
    if (batch.length === BATCH_SIZE || needsBatch) {
      yield batch;
      batch = [];
      ids = new Set();
    }
    batch.push(event);
    ids.add(event.id);
  }
  if (batch.length > 0) yield batch;
}

/** Returns whether other programs could read the object that one of them has sent. */
function isReadable(source: string): boolean {
  try {
    return readObject(source, { zone: 'UTC' }).events.length > 0;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

/**
 * Returns the identity of an imported event. Changed days have that of their repeat; a day whose repeat is unknown
 * becomes an event of its own. A UID that another event has is replaced.
 */
function toIdentity(event: ExportedEvent, newIds: ReadonlyMap<number, number>, uids: Set<string>) {
  const { uid, changedDayOf, changedDay, deleted } = event;
  const parent = changedDayOf === undefined ? undefined : newIds.get(changedDayOf);
  if (parent !== undefined && changedDay !== undefined) return { uid, parent, replaces: changedDay };
  if (deleted !== undefined) return { uid };
  const isTaken = uids.has(uid);
  uids.add(uid);
  return { uid: isTaken ? randomUUID() : uid };
}

function toChange(event: ExportedEvent, newIds: ReadonlyMap<number, number>, uids: Set<string>): Change {
  const { created, edited, history, source } = event;
  return {
    id: 0,
    draft: toDraft(event),
    ...toIdentity(event, newIds, uids),
    ...(source !== undefined && isReadable(source) ? { source } : {}),
    past: { created, edited, history },
  };
}

/** Creates the import of events, tags, subscriptions and reminders. Subscribed calendars are read again. */
export function createCalendarImport(
  { database, now }: Pick<ServerContext, 'database' | 'now'>,
  { stores, change }: CalendarWithStores,
): AccountImport {
  const reminders = createReminderStore(database);

  async function importTags(tx: Transaction<unknown>, account: number, source: ImportSource): Promise<number> {
    const tagByName = new Map<string, z.output<typeof exportedTag>>();
    for await (const tag of iterateParsed(source, 'tags', exportedTag)) {
      const name = normalizeTag(tag.name);
      if (!isReservedTag(name)) tagByName.set(name, { ...tag, name });
      if (tagByName.size > MAX_TAGS)
        throw new Refusal('calendar.too_many_tags_total', `A calendar can have at most ${MAX_TAGS} tags`);
    }
    const tags = [...tagByName.values()].map(({ deleted, ...tag }) => ({ ...tag, deleted }));
    await stores.tags.insertAll(tx, account, tags);
    return tagByName.size;
  }

  async function importSubscriptions(tx: Transaction<unknown>, account: number, source: ImportSource): Promise<number> {
    const store = createSubscriptionStore(tx);
    const addresses = new Set<string>();
    for await (const subscription of iterateParsed(source, 'subscriptions', exportedSubscription)) {
      const address = normalizeAddress(subscription.address);
      if (addresses.has(address)) continue;
      addresses.add(address);
      if (addresses.size > MAX_SUBSCRIPTIONS)
        throw new Refusal(
          'calendar.too_many_subscriptions',
          `A calendar can have at most ${MAX_SUBSCRIPTIONS} subscriptions`,
        );
      const name = toOneLine(subscription.name) || 'Subscription';
      const time = now().epochMilliseconds;
      const validators = { etag: undefined, modified: undefined };
      // It is due at once.
      await store.add({
        ...subscription,
        name,
        address,
        account,
        refreshed: time,
        due: time,
        validators,
        warnings: [],
      });
    }
    return addresses.size;
  }

  async function importEvents(tx: Transaction<unknown>, account: number, source: ImportSource) {
    const newIds = new Map<number, number>();
    const uids = new Set<string>();
    let subscribedCount = 0;
    for await (const batch of batchEvents(source)) {
      const own = batch.filter(({ subscription }) => subscription === undefined);
      subscribedCount += batch.length - own.length;
      if (own.length === 0) continue;
      const author = { address: '', by: 'import' } as const;
      const changes = own.map((event) => toChange(event, newIds, uids));
      const writeContext = { account, author, now: now().epochMilliseconds };
      const saved = await saveEvents(tx, stores, changes, writeContext);
      const deleted = own.flatMap((event, index) => {
        const id = saved[index]?.id;
        if (id === undefined) return [];
        newIds.set(event.id, id);
        return event.deleted === undefined ? [] : [{ id, deleted: event.deleted }];
      });
      await moveToBin(tx, stores.search, deleted);
    }
    return { eventCount: newIds.size, subscribedCount };
  }

  return {
    isEmpty: async (account) => {
      const { value: page } = await iterateEventPages(database.db, account).next();
      const hasTags = (await stores.tags.listUserTags(account)).length > 0;
      const hasSubscriptions = (await createSubscriptionStore(database.db).list(account)).length > 0;
      return (page ?? []).length === 0 && !hasTags && !hasSubscriptions;
    },
    run: async (account, source) => {
      const setting = await readParsed(source, 'reminders', exportedReminders);
      const result = await database.transaction(async (unitOfWork) =>
        change(account, unitOfWork, async (tx) => {
          await stores.revisions.raise(tx, account, 1);
          const tags = await importTags(tx, account, source);
          const subscriptions = await importSubscriptions(tx, account, source);
          return { tags, subscriptions, ...(await importEvents(tx, account, source)) };
        }),
      );
      if (setting) await reminders.set(account, setting);
      const { tags, subscriptions, eventCount, subscribedCount } = result;
      return {
        counts: { events: eventCount, tags, subscriptions },
        problems: [
          ...(eventCount === 0
            ? []
            : ['Not imported: the address of your calendar feed. Connect it, and apps that sync the calendar, again']),
          ...(subscribedCount === 0
            ? []
            : [`Events of subscribed calendars (${subscribedCount}) are read from their source again`]),
        ],
      };
    },
  };
}
