import type { Expression, ExpressionBuilder, Generated, SqlBool, Transaction } from 'kysely';
import type { InputType } from '#platform/contract/message.ts';
import { deleteOldestRows } from '#platform/server/database/columns.ts';
import type { Database } from '#platform/server/database/database.ts';
import type { Message, Sender } from '../domain/message.ts';

/** Messages stored per conversation; older ones are removed. */
export const MAX_STORED_MESSAGES = 2000;

type MessageTables = {
  /**
   * `sender` is 'person' or 'device'; `timesent` is in seconds and `received` in milliseconds since the epoch; a `key`
   * is unique per device.
   */
  messages_message: {
    id: Generated<number>;
    account: number;
    device: number;
    sender: string;
    inputtype: number;
    text: string;
    timesent: number;
    received: number;
    key: string;
    from_device: number | null;
  };
};

export interface StoredMessage extends Message {
  readonly id: number;
  /** Milliseconds since the epoch. */
  readonly received: number;
}

/** A conversation, as distinguished by `conversationOf`. */
export interface Conversation {
  readonly account: number;
  readonly device: number;
  readonly isBrowser: boolean;
  /** The browser that reads. */
  readonly reader: number | undefined;
}

export interface Extent {
  readonly limit: number;
  /** Message ids: only messages after or before them. */
  readonly after?: number | undefined;
  readonly before?: number | undefined;
}

const columns = [
  'id',
  'account',
  'device',
  'sender',
  'inputtype',
  'text',
  'timesent',
  'received',
  'from_device',
] as const;
type Row = Readonly<Record<'id' | 'account' | 'device' | 'inputtype' | 'timesent' | 'received', number>> &
  Readonly<Record<'sender' | 'text', string>> & { readonly from_device: number | null };

const toMessage = ({ sender, inputtype, from_device: from, ...row }: Row): StoredMessage => ({
  ...row,
  // Only `keep` writes this column, from these types.
  sender: sender as Sender,
  type: inputtype as InputType,
  from: from ?? undefined,
});

const isInConversation =
  ({ device, isBrowser, reader }: Conversation) =>
  (is: ExpressionBuilder<MessageTables, 'messages_message'>): Expression<SqlBool> => {
    const to = (other: number) => is('device', '=', other);
    const by = (other: number) => is('from_device', '=', other);
    if (!isBrowser) return to(device);
    if (reader === undefined) return is.or([to(device), by(device)]);
    if (reader === device) return is.and([to(device), is.or([is('from_device', 'is', null), by(device)])]);
    return is.or([is.and([to(device), by(reader)]), is.and([to(reader), by(device)])]);
  };

export function messageStore(database: Database) {
  const { db: untypedDb } = database;
  const db = untypedDb.$extendTables<MessageTables>();
  return {
    /**
     * Inserts a message and returns it. Returns undefined if the device has a message with that key.
     * @param received milliseconds since the epoch
     */
    insert: async (message: Message, key: string, received: number): Promise<StoredMessage | undefined> => {
      const { account, device, sender, from, type, text, timesent } = message;
      const row = await db
        .insertInto('messages_message')
        .values({ account, device, sender, from_device: from ?? null, inputtype: type, text, timesent, received, key })
        .onConflict((conflict) => conflict.columns(['device', 'key']).doNothing())
        .returning('id')
        .executeTakeFirst();
      return row && { ...message, id: row.id, received };
    },
    /** Deletes messages of the account. Returns the ids of those that existed. */
    remove: async (account: number, ids: readonly number[]): Promise<readonly number[]> => {
      const statement = db.deleteFrom('messages_message').where('account', '=', account).where('id', 'in', ids);
      const removed = await statement.returning('id').execute();
      await database.eraseDeleted();
      return removed.map(({ id }) => id);
    },
    /** Deletes a whole conversation and returns the ids. */
    clear: async (conversation: Conversation): Promise<readonly number[]> => {
      const statement = db
        .deleteFrom('messages_message')
        .where('account', '=', conversation.account)
        .where(isInConversation(conversation));
      const removed = await statement.returning('id').execute();
      await database.eraseDeleted();
      return removed.map(({ id }) => id);
    },
    /** Deletes the messages that the device itself wrote, in the caller's transaction. */
    removeOfDevice: async (tx: Transaction<unknown>, account: number, device: number): Promise<readonly number[]> => {
      const statement = tx.$extendTables<MessageTables>().deleteFrom('messages_message').where('account', '=', account);
      const removed = await statement
        .where('device', '=', device)
        .where('sender', '=', 'device')
        .returning('id')
        .execute();
      return removed.map(({ id }) => id);
    },
    /** Removes messages beyond the limit. */
    removeExpired: (account: number, device: number): Promise<void> =>
      deleteOldestRows(untypedDb, 'messages_message', { account, device }, MAX_STORED_MESSAGES),
    /** Lists the newest messages of a conversation, oldest first. */
    listNewest: async (
      conversation: Conversation,
      { limit, after, before }: Extent,
    ): Promise<readonly StoredMessage[]> => {
      let rows = db
        .selectFrom('messages_message')
        .select(columns)
        .where('account', '=', conversation.account)
        .where(isInConversation(conversation));
      if (after !== undefined) rows = rows.where('id', '>', after);
      if (before !== undefined) rows = rows.where('id', '<', before);
      const newestRows = await rows.orderBy('id', 'desc').limit(limit).execute();
      return newestRows.toReversed().map(toMessage);
    },
    /** Returns the last message between each pair of devices. */
    listLastIds: async (account: number) => {
      const rows = await db
        .selectFrom('messages_message')
        .select(['device', 'from_device', (is) => is.fn.max('id').as('id')])
        .where('account', '=', account)
        .groupBy(['device', 'from_device'])
        .execute();
      return rows.map(({ device, from_device: from, id }) => ({ device, from: from ?? undefined, id }));
    },
    listByIds: async (account: number, ids: readonly number[]): Promise<readonly StoredMessage[]> => {
      if (ids.length === 0) return [];
      const rows = db.selectFrom('messages_message').select(columns).where('account', '=', account);
      return (await rows.where('id', 'in', ids).execute()).map(toMessage);
    },
    /** Counts messages of the other side after a message, up to the limit. */
    countUnread: async (conversation: Conversation, { limit, after = 0 }: Extent): Promise<number> => {
      const { account, reader, isBrowser } = conversation;
      let rows = db
        .selectFrom('messages_message')
        .select('id')
        .where('account', '=', account)
        .where(isInConversation(conversation));
      if (!isBrowser) rows = rows.where('sender', '=', 'device');
      else if (reader !== undefined)
        rows = rows.where((is) => is.or([is('from_device', 'is', null), is('from_device', '!=', reader)]));
      return (await rows.where('id', '>', after).limit(limit).execute()).length;
    },
    listByAccount: async (account: number): Promise<readonly StoredMessage[]> => {
      const rows = await db
        .selectFrom('messages_message')
        .select(columns)
        .where('account', '=', account)
        .orderBy('id')
        .execute();
      return rows.map(toMessage);
    },
  };
}
