import type { Transaction } from 'kysely';
import { LRUCache } from 'lru-cache';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Database } from '#platform/server/database/database.ts';
import { REMOVABLE } from '#tools/calendar/contract/events.ts';
import {
  getNewTagColour,
  BUILT_IN_COLOUR,
  BUILT_IN_TAGS,
  isReservedTag,
  PLACEHOLDER_COLOUR,
  PLACEHOLDER_TAG,
  toSubscriptionTags,
} from '../../domain/tags.ts';
import type { DbOrTransaction } from './eventStore.ts';
import { splitIntoBatches, type CalendarTables } from './tables.ts';

/** A tag as the wire describes it. */
export interface WireTag {
  readonly colour: string;
  readonly intcolours: number;
  readonly removable: number;
}

export interface UserTag {
  readonly id: number;
  readonly name: string;
  readonly colour: string;
  readonly position: number;
  readonly deleted: number | undefined;
}

/** Maximum number of tags of an account, including deleted ones that can be restored. */
export const MAX_TAGS = 2000;

interface TagValues {
  readonly name?: string;
  readonly colour?: string;
  readonly deleted?: number | null;
}

export function filterLiveTags(tags: readonly UserTag[]): readonly UserTag[] {
  return tags.filter(({ deleted }) => deleted === undefined);
}

const findNewestId = (userTags: readonly UserTag[]): number =>
  userTags.reduce((newest, { id }) => Math.max(newest, id), 0);
/** Maximum number of sessions in the cache. */
const TAG_CACHE_SIZE = 10_000;

export function createTagStore({ db }: Database) {
  /** Cache of the newest tag that was sent, by session. The table survives a restart. */
  const newestBySession = new LRUCache<number, number>({ max: TAG_CACHE_SIZE });

  async function listUserTags(account: number, source: DbOrTransaction = db): Promise<readonly UserTag[]> {
    const rows = await source
      .$extendTables<CalendarTables>()
      .selectFrom('calendar_tag')
      .selectAll()
      .where('account', '=', account)
      .orderBy('position')
      .orderBy('id')
      .execute();
    return rows.map(({ deleted, ...row }) => ({ ...row, deleted: deleted ?? undefined }));
  }

  /** Lists the tags of subscribed calendars. Their names differ from those of user tags. */
  async function listSubscribedTags(account: number, userTags: readonly UserTag[], source: DbOrTransaction = db) {
    const rows = await source
      .$extendTables<CalendarTables>()
      .selectFrom('calendar_subscription')
      .select(['id', 'name', 'colour'])
      .where('account', '=', account)
      .orderBy('id')
      .execute();
    return toSubscriptionTags(
      rows,
      filterLiveTags(userTags).map(({ name }) => name),
    );
  }

  async function toWireTags(account: number, userTags: readonly UserTag[]): Promise<Record<string, WireTag>> {
    const liveTags = filterLiveTags(userTags);
    const subscriptions = await listSubscribedTags(account, userTags);
    const all = [
      ...liveTags.map(({ name, colour }) => ({ name, colour, removable: REMOVABLE.own })),
      ...subscriptions.map(({ name, colour }) => ({ name, colour, removable: REMOVABLE.subscribed })),
      ...BUILT_IN_TAGS.map((name) => ({ name, colour: BUILT_IN_COLOUR, removable: REMOVABLE.builtIn })),
      { name: PLACEHOLDER_TAG, colour: PLACEHOLDER_COLOUR, removable: REMOVABLE.placeholder },
    ];
    return Object.fromEntries(all.map(({ name, ...tag }, index) => [name, { ...tag, intcolours: index }]));
  }

  /** Returns the id of the newest tag that was sent to a session, or 0. */
  async function getNewestSentTag(session: number): Promise<number> {
    const cached = newestBySession.get(session);
    if (cached !== undefined) return cached;
    const row = await db
      .$extendTables<CalendarTables>()
      .selectFrom('calendar_seen')
      .select('tag')
      .where('session', '=', session)
      .executeTakeFirst();
    const tag = Math.max(row?.tag ?? 0, newestBySession.get(session) ?? 0);
    newestBySession.set(session, tag);
    return tag;
  }

  async function markSent(session: number, tag: number): Promise<void> {
    if (tag <= (await getNewestSentTag(session))) return;
    newestBySession.set(session, tag);
    await db
      .$extendTables<CalendarTables>()
      .insertInto('calendar_seen')
      .values({ session, tag })
      .onConflict((conflict) => conflict.column('session').doUpdateSet({ tag }).where('calendar_seen.tag', '<', tag))
      .execute();
  }

  return {
    listUserTags,
    listSubscribedTags,
    getNewestSentTag,
    /** Returns the tags by name, in wire format. Marks them as sent to the session, which may then delete them. */
    list: async (account: number, session?: number): Promise<Record<string, WireTag>> => {
      const userTags = await listUserTags(account);
      if (session !== undefined) await markSent(session, findNewestId(userTags));
      return toWireTags(account, userTags);
    },
    /**
     * Creates missing tags and restores deleted ones. Returns the ids of all by name, and those that were restored.
     * @throws Refusal if there would be too many
     */
    findOrCreate: async (tx: Transaction<unknown>, account: number, names: readonly string[]) => {
      const userTags = await listUserTags(account, tx);
      const tagByName = new Map(userTags.map((tag) => [tag.name, tag]));
      const uniqueNames = [...new Set(names)].filter((name) => !isReservedTag(name));
      const newNames = uniqueNames.filter((name) => !tagByName.has(name));
      if (userTags.length + newNames.length > MAX_TAGS)
        throw new Refusal(
          'calendar.too_many_tags_total',
          `You have the maximum of ${MAX_TAGS.toLocaleString('en')} tags, including those deleted in the last 30 days. Reuse an existing tag`,
        );
      const tables = tx.$extendTables<CalendarTables>();
      const restoredIds = uniqueNames.flatMap((name) => {
        const tag = tagByName.get(name);
        return tag?.deleted === undefined ? [] : [tag.id];
      });
      for (const batch of splitIntoBatches(restoredIds))
        await tables.updateTable('calendar_tag').set({ deleted: null }).where('id', 'in', batch).execute();
      const maxPosition = userTags.reduce((highest, { position }) => Math.max(highest, position), 0);
      const rows = newNames.map((name, index) => ({
        account,
        name,
        colour: getNewTagColour(userTags.length + index),
        position: maxPosition + 1 + index,
        deleted: null,
      }));
      const idByName = new Map(userTags.map(({ name, id }) => [name, id]));
      for (const batch of splitIntoBatches(rows, 5))
        for (const { id, name } of await tables
          .insertInto('calendar_tag')
          .values(batch)
          .returning(['id', 'name'])
          .execute()) {
          idByName.set(name, id);
        }
      return { idByName, restoredIds };
    },
    /** Inserts tags of an account without any. */
    insertAll: async (
      tx: Transaction<unknown>,
      account: number,
      tags: readonly Pick<UserTag, 'name' | 'colour' | 'deleted'>[],
    ): Promise<void> => {
      const rows = tags.map(({ name, colour, deleted = null }, index) => ({
        account,
        name,
        colour,
        position: index + 1,
        deleted,
      }));
      for (const batch of splitIntoBatches(rows, 5))
        await tx.$extendTables<CalendarTables>().insertInto('calendar_tag').values(batch).execute();
    },
    /** Marks the tags of an event as sent to a session, up to the first tag that the event does not have. */
    markEventTagsSent: async (session: number, account: number, names: readonly string[]): Promise<void> => {
      const newest = await getNewestSentTag(session);
      const newerTags = (await listUserTags(account))
        .filter(({ id }) => id > newest)
        .toSorted((one, other) => one.id - other.id);
      const firstUnsent = newerTags.findIndex(({ name }) => !names.includes(name));
      const last = (firstUnsent < 0 ? newerTags : newerTags.slice(0, firstUnsent)).at(-1);
      if (last) await markSent(session, last.id);
    },
    /** Raises the revision of events with these tags, whose content did not change. */
    touchEvents: async (
      tx: Transaction<unknown>,
      account: number,
      tags: readonly number[],
      revision: number,
    ): Promise<void> => {
      for (const batch of splitIntoBatches(tags))
        await tx
          .$extendTables<CalendarTables>()
          .updateTable('calendar_event')
          .set({ revision })
          .where('account', '=', account)
          .where('deleted', 'is', null)
          .where('id', 'in', (links) =>
            links.selectFrom('calendar_event_tag').select('event').where('tag', 'in', batch),
          )
          .execute();
    },
    update: async (
      tx: Transaction<unknown>,
      account: number,
      { ids, ...values }: { readonly ids: readonly number[] } & TagValues,
    ): Promise<void> => {
      for (const batch of splitIntoBatches(ids))
        await tx
          .$extendTables<CalendarTables>()
          .updateTable('calendar_tag')
          .set(values)
          .where('account', '=', account)
          .where('id', 'in', batch)
          .execute();
    },
    /** Permanently removes tags deleted before a time. Returns their number. */
    purge: async (
      tx: Transaction<unknown>,
      { account, before }: { readonly account: number; readonly before: number },
    ): Promise<number> => {
      const removedRows = await tx
        .$extendTables<CalendarTables>()
        .deleteFrom('calendar_tag')
        .where('account', '=', account)
        .where('deleted', '<', before)
        .returning('id')
        .execute();
      return removedRows.length;
    },
  };
}
export type TagStore = ReturnType<typeof createTagStore>;
