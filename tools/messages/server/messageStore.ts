import { randomUUID } from 'node:crypto';
import type { Expression, ExpressionBuilder, Generated, Selectable, SqlBool, Transaction } from 'kysely';
import type { InputType } from '#platform/contract/message.ts';
import { deleteOldestRows } from '#platform/server/database/columns.ts';
import type { Database } from '#platform/server/database/database.ts';
import type { Message, Sender } from '../domain/message.ts';

/** Messages that are stored per device. Older ones are removed. */
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

/** A conversation, as `getConversation` distinguishes them. */
export interface Conversation {
  readonly account: number;
  readonly device: number;
  readonly isBrowser: boolean;
  /** The browser that reads. */
  readonly reader: number | undefined;
}

export interface MessageRange {
  readonly limit: number;
  /** Ids: only messages after or before them. */
  readonly after?: number | undefined;
  readonly before?: number | undefined;
}

const MESSAGE_COLUMNS = [
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
type MessageRow = Pick<Selectable<MessageTables['messages_message']>, (typeof MESSAGE_COLUMNS)[number]>;

const toMessage = ({ sender, inputtype, from_device: from, ...row }: MessageRow): StoredMessage => ({
  ...row,
  // Only `insert` writes these columns, from these types.
  sender: sender as Sender,
  type: inputtype as InputType,
  from: from ?? undefined,
});

const isInConversation =
  ({ device, isBrowser, reader }: Conversation) =>
  (eb: ExpressionBuilder<MessageTables, 'messages_message'>): Expression<SqlBool> => {
    const isTo = (id: number) => eb('device', '=', id);
    const isFrom = (id: number) => eb('from_device', '=', id);
    if (!isBrowser) return isTo(device);
    if (reader === undefined) return eb.or([isTo(device), isFrom(device)]);
    if (reader === device) return eb.and([isTo(device), eb.or([eb('from_device', 'is', null), isFrom(device)])]);
    return eb.or([eb.and([isTo(device), isFrom(reader)]), eb.and([isTo(reader), isFrom(device)])]);
  };

export function createMessageStore(database: Database) {
  const db = database.db.$extendTables<MessageTables>();
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
    /** Inserts messages of an import, in their order. Their keys are new. */
    insertAll: async (tx: Transaction<unknown>, messages: readonly Omit<StoredMessage, 'id'>[]): Promise<void> => {
      if (messages.length === 0) return;
      await tx
        .$extendTables<MessageTables>()
        .insertInto('messages_message')
        .values(
          messages.map(({ from, type, ...message }) => ({
            ...message,
            from_device: from ?? null,
            inputtype: type,
            key: randomUUID(),
          })),
        )
        .execute();
    },
    /** Deletes messages of the account. Returns the ids of those that existed. */
    remove: async (account: number, ids: readonly number[]): Promise<readonly number[]> => {
      const removedRows = await db
        .deleteFrom('messages_message')
        .where('account', '=', account)
        .where('id', 'in', ids)
        .returning('id')
        .execute();
      await database.eraseDeleted();
      return removedRows.map(({ id }) => id);
    },
    /** Deletes a whole conversation and returns the ids. */
    clear: async (conversation: Conversation): Promise<readonly number[]> => {
      const removedRows = await db
        .deleteFrom('messages_message')
        .where('account', '=', conversation.account)
        .where(isInConversation(conversation))
        .returning('id')
        .execute();
      await database.eraseDeleted();
      return removedRows.map(({ id }) => id);
    },
    /** Deletes the messages that the device itself wrote, in the caller's transaction. */
    removeByDevice: async (tx: Transaction<unknown>, account: number, device: number): Promise<readonly number[]> => {
      const removedRows = await tx
        .$extendTables<MessageTables>()
        .deleteFrom('messages_message')
        .where('account', '=', account)
        .where('device', '=', device)
        .where('sender', '=', 'device')
        .returning('id')
        .execute();
      return removedRows.map(({ id }) => id);
    },
    /** Removes the oldest messages of a device beyond the limit. */
    removeExpired: (account: number, device: number): Promise<void> =>
      deleteOldestRows(database.db, 'messages_message', { account, device }, MAX_STORED_MESSAGES),
    /** Lists the newest messages of a conversation, oldest first. */
    listNewest: async (
      conversation: Conversation,
      { limit, after, before }: MessageRange,
    ): Promise<readonly StoredMessage[]> => {
      let query = db
        .selectFrom('messages_message')
        .select(MESSAGE_COLUMNS)
        .where('account', '=', conversation.account)
        .where(isInConversation(conversation));
      if (after !== undefined) query = query.where('id', '>', after);
      if (before !== undefined) query = query.where('id', '<', before);
      return (await query.orderBy('id', 'desc').limit(limit).execute()).toReversed().map(toMessage);
    },
    /** Returns the last message between each pair of devices. */
    listLastIds: async (account: number) => {
      const rows = await db
        .selectFrom('messages_message')
        .select(['device', 'from_device', (eb) => eb.fn.max('id').as('id')])
        .where('account', '=', account)
        .groupBy(['device', 'from_device'])
        .execute();
      return rows.map(({ device, from_device: from, id }) => ({ device, from: from ?? undefined, id }));
    },
    listByIds: async (account: number, ids: readonly number[]): Promise<readonly StoredMessage[]> => {
      if (ids.length === 0) return [];
      const query = db.selectFrom('messages_message').select(MESSAGE_COLUMNS).where('account', '=', account);
      return (await query.where('id', 'in', ids).execute()).map(toMessage);
    },
    /** Counts the messages that others wrote after a message, up to the limit. */
    countUnread: async (conversation: Conversation, { limit, after = 0 }: MessageRange): Promise<number> => {
      const { account, reader, isBrowser } = conversation;
      let query = db
        .selectFrom('messages_message')
        .select('id')
        .where('account', '=', account)
        .where(isInConversation(conversation));
      if (!isBrowser) query = query.where('sender', '=', 'device');
      else if (reader !== undefined)
        query = query.where((eb) => eb.or([eb('from_device', 'is', null), eb('from_device', '!=', reader)]));
      return (await query.where('id', '>', after).limit(limit).execute()).length;
    },
    listByAccount: async (account: number): Promise<readonly StoredMessage[]> => {
      const rows = await db
        .selectFrom('messages_message')
        .select(MESSAGE_COLUMNS)
        .where('account', '=', account)
        .orderBy('id')
        .execute();
      return rows.map(toMessage);
    },
  };
}
