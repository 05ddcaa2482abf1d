import type { Transaction } from 'kysely';
import { LRUCache } from 'lru-cache';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Database } from '#platform/server/database/database.ts';
import { REMOVABLE } from '#tools/calendar/contract/events.ts';
import {
  newTagColour,
  BUILT_IN_COLOUR,
  BUILT_IN_TAGS,
  isReservedTag,
  PLACEHOLDER_COLOUR,
  PLACEHOLDER_TAG,
  subscriptionTags,
} from '../../domain/tags.ts';
import type { Source } from './eventStore.ts';
import { splitIntoBatches, type CalendarTables } from './tables.ts';

/** A tag as the wire describes it. */
export interface WireTag {
  readonly colour: string;
  readonly intcolours: number;
  readonly removable: number;
}

/** A tag that a user created. */
export interface OwnTag {
  readonly id: number;
  readonly name: string;
  readonly colour: string;
  readonly position: number;
  readonly deleted: number | undefined;
}

/** Maximum number of tags of an account, including deleted ones that can be restored. */
export const TAGS_LIMIT = 2000;

interface TagValues {
  readonly name?: string;
  readonly colour?: string;
  readonly deleted?: number | null;
}

export function selectTaggedEvents(tags: readonly OwnTag[]) {
  return tags.filter(({ deleted }) => deleted === undefined);
}

const findNewestId = (own: readonly OwnTag[]): number => own.reduce((newest, { id }) => Math.max(newest, id), 0);
/** Maximum number of sessions in the cache. */
const TAG_CACHE_SIZE = 10_000;

export function createTagStore({ db }: Database) {
  /** Cache of the newest tag that was sent, by session. The table survives a restart. */
  const newestBySession = new LRUCache<number, number>({ max: TAG_CACHE_SIZE });

  const ownTags = async (account: number, source: Source = db): Promise<readonly OwnTag[]> => {
    const rows = await source
      .$extendTables<CalendarTables>()
      .selectFrom('calendar_tag')
      .selectAll()
      .where('account', '=', account)
      .orderBy('position')
      .orderBy('id')
      .execute();
    return rows.map(({ deleted, ...row }) => ({ ...row, deleted: deleted ?? undefined }));
  };

  /** The tags of subscribed calendars, by subscription. */
  const listSubscribedTags = async (account: number, taken: readonly string[], source: Source = db) => {
    const rows = await source
      .$extendTables<CalendarTables>()
      .selectFrom('calendar_subscription')
      .select(['id', 'name', 'colour'])
      .where('account', '=', account)
      .orderBy('id')
      .execute();
    return subscriptionTags(rows, taken);
  };

  const toWireTags = async (account: number, own: readonly OwnTag[]): Promise<Record<string, WireTag>> => {
    const liveTags = selectTaggedEvents(own);
    const subscriptions = await listSubscribedTags(
      account,
      liveTags.map(({ name }) => name),
    );
    const all = [
      ...liveTags.map(({ name, colour }) => ({ name, colour, removable: REMOVABLE.own })),
      ...subscriptions.map(({ name, colour }) => ({ name, colour, removable: REMOVABLE.subscribed })),
      ...BUILT_IN_TAGS.map((name) => ({ name, colour: BUILT_IN_COLOUR, removable: REMOVABLE.builtIn })),
      { name: PLACEHOLDER_TAG, colour: PLACEHOLDER_COLOUR, removable: REMOVABLE.placeholder },
    ];
    return Object.fromEntries(all.map(({ name, ...tag }, at) => [name, { ...tag, intcolours: at }]));
  };

  const newestSeen = async (session: number): Promise<number> => {
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
  };

  const remember = async (session: number, tag: number): Promise<void> => {
    if (tag <= (await newestSeen(session))) return;
    newestBySession.set(session, tag);
    await db
      .$extendTables<CalendarTables>()
      .insertInto('calendar_seen')
      .values({ session, tag })
      .onConflict((already) => already.column('session').doUpdateSet({ tag }).where('calendar_seen.tag', '<', tag))
      .execute();
  };

  return {
    ownTags,
    listSubscribedTags,
    /** The newest tag that was sent to a session; 0 if none. */
    newestSeen,
    /**
     * Returns the tags as the wire writes them, by name. Marks them as sent to the session, which may delete them from
     * now on.
     */
    list: async (account: number, session?: number): Promise<Record<string, WireTag>> => {
      const own = await ownTags(account);
      if (session !== undefined) await remember(session, findNewestId(own));
      return toWireTags(account, own);
    },
    /**
     * Returns tag ids by name. Creates missing tags and restores deleted ones; also returns the ids of those. @throws
     * Refusal if there would be too many
     */
    ensure: async (tx: Transaction<unknown>, account: number, names: readonly string[]) => {
      const own = await ownTags(account, tx);
      const byName = new Map(own.map((tag) => [tag.name, tag]));
      const uniqueNames = [...new Set(names)].filter((name) => !isReservedTag(name));
      const newNames = uniqueNames.filter((name) => !byName.has(name));
      if (own.length + newNames.length > TAGS_LIMIT)
        throw new Refusal(
          'calendar.too_many_tags_total',
          `You have the maximum of ${TAGS_LIMIT.toLocaleString('en')} tags, including those deleted in the last 30 days. Reuse an existing tag`,
        );
      const tables = tx.$extendTables<CalendarTables>();
      const back = uniqueNames.flatMap((name) => {
        const tag = byName.get(name);
        return tag?.deleted === undefined ? [] : [tag.id];
      });
      for (const piece of splitIntoBatches(back))
        await tables.updateTable('calendar_tag').set({ deleted: null }).where('id', 'in', piece).execute();
      const last = own.reduce((highest, { position }) => Math.max(highest, position), 0);
      const rows = newNames.map((name, at) => ({
        account,
        name,
        colour: newTagColour(own.length + at),
        position: last + 1 + at,
        deleted: null,
      }));
      const ids = new Map(own.map(({ name, id }) => [name, id]));
      const fresh: number[] = [];
      for (const piece of splitIntoBatches(rows, 5))
        for (const { id, name } of await tables
          .insertInto('calendar_tag')
          .values(piece)
          .returning(['id', 'name'])
          .execute()) {
          ids.set(name, id);
          fresh.push(id);
        }
      return { ids, fresh, back };
    },
    /** Marks the tags of an event as sent to a session, but no tags that others created before or after them. */
    sentOne: async (session: number, account: number, names: readonly string[]): Promise<void> => {
      const newest = await newestSeen(session);
      const behind = (await ownTags(account))
        .filter(({ id }) => id > newest)
        .toSorted((one, other) => one.id - other.id);
      const unknown = behind.findIndex(({ name }) => !names.includes(name));
      const last = (unknown < 0 ? behind : behind.slice(0, unknown)).at(-1);
      if (last) await remember(session, last.id);
    },
    /** Raises the revision of events with these tags, whose content did not change. */
    touch: async (
      tx: Transaction<unknown>,
      account: number,
      tags: readonly number[],
      revision: number,
    ): Promise<void> => {
      for (const piece of splitIntoBatches(tags))
        await tx
          .$extendTables<CalendarTables>()
          .updateTable('calendar_event')
          .set({ revision })
          .where('account', '=', account)
          .where('deleted', 'is', null)
          .where('id', 'in', (links) =>
            links.selectFrom('calendar_event_tag').select('event').where('tag', 'in', piece),
          )
          .execute();
    },
    change: async (
      tx: Transaction<unknown>,
      account: number,
      { ids, ...values }: { readonly ids: readonly number[] } & TagValues,
    ): Promise<void> => {
      for (const piece of splitIntoBatches(ids))
        await tx
          .$extendTables<CalendarTables>()
          .updateTable('calendar_tag')
          .set(values)
          .where('account', '=', account)
          .where('id', 'in', piece)
          .execute();
    },
    /** Permanently removes tags deleted before a time. Returns their number. */
    purge: async (
      tx: Transaction<unknown>,
      { account, before }: { readonly account: number; readonly before: number },
    ): Promise<number> => {
      const removed = await tx
        .$extendTables<CalendarTables>()
        .deleteFrom('calendar_tag')
        .where('account', '=', account)
        .where('deleted', '<', before)
        .returning('id')
        .execute();
      return removed.length;
    },
  };
}
export type TagStore = ReturnType<typeof createTagStore>;
