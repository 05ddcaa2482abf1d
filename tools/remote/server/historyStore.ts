import type { Generated, Transaction } from 'kysely';
import type { InputType } from '#platform/contract/message.ts';
import { deleteOldestRows } from '#platform/server/database/columns.ts';
import type { Database } from '#platform/server/database/database.ts';

/** Messages kept of each device; older ones are removed. */
export const MAX_STORED_MESSAGES = 100;

type RemoteMessageTables = {
  /**
   * `done` is 1 once the device has done it, whatever the outcome says; `received` in milliseconds since the epoch. Where `stored` is 0,
   * `text` has the message's key instead of its text.
   */
  remote_message: {
    id: Generated<number>;
    account: number;
    device: number;
    inputtype: number;
    text: string;
    timesent: number;
    outcome: string;
    done: number;
    stored: number;
    received: number;
  };
};

/** What makes two sendings the same message. */
export interface Message {
  readonly account: number;
  readonly device: number;
  readonly type: InputType;
  readonly text: string;
  /** Seconds since the epoch, as the sender says. */
  readonly timesent: number;
  /** Of a message whose text must not be stored: what tells it from others in the text's place. */
  readonly unstoredKey?: string | undefined;
}

export interface SentMessage extends Message {
  readonly id: number;
  /** Milliseconds since the epoch. */
  readonly received: number;
  /** 'ok', or the sentence that said why not; '' while it is under way. */
  readonly outcome: string;
  /** The device has done it: it is never asked again. */
  readonly isDone: boolean;
}

const columns = [
  'id',
  'account',
  'device',
  'inputtype',
  'text',
  'timesent',
  'outcome',
  'done',
  'stored',
  'received',
] as const;
type Row = { readonly [Column in (typeof columns)[number]]: Column extends 'text' | 'outcome' ? string : number };

const toMessage = ({ inputtype, done, stored, text, ...row }: Row): SentMessage => ({
  ...row,
  // The database holds what the contract let in: 1, 2 or 3.
  type: inputtype as InputType,
  isDone: done === 1,
  ...(stored === 1 ? { text } : { text: '', unstoredKey: text }),
});

/** What the columns `text` and `stored` have for a message. */
const storedText = ({ text, unstoredKey }: Message) =>
  unstoredKey === undefined ? { text, stored: 1 } : { text: unstoredKey, stored: 0 };

export function historyStore(database: Database) {
  const { db: ground } = database;
  const db = ground.$extendTables<RemoteMessageTables>();
  const same = (message: Message) =>
    db
      .selectFrom('remote_message')
      .select(columns)
      .where('account', '=', message.account)
      .where('device', '=', message.device)
      .where('timesent', '=', message.timesent)
      .where('inputtype', '=', message.type)
      .where((is) => is.and(storedText(message)));
  return {
    find: async (message: Message): Promise<SentMessage | undefined> => {
      const row = await same(message).executeTakeFirst();
      return row && toMessage(row);
    },
    /** Keeps a message as under way and gives its id. @param received milliseconds since the epoch */
    begin: async (message: Message, received: number): Promise<number> => {
      const { account, device, type, timesent } = message;
      const { id } = await db
        .insertInto('remote_message')
        .values({ account, device, inputtype: type, ...storedText(message), timesent, received, outcome: '', done: 0 })
        // An update that changes nothing: an insert that did nothing would not give the id of the row that stands there.
        .onConflict((already) => already.columns(['device', 'timesent', 'inputtype', 'text']).doUpdateSet({ timesent }))
        .returning('id')
        .executeTakeFirstOrThrow();
      await deleteOldestRows(ground, 'remote_message', { account, device }, MAX_STORED_MESSAGES);
      return id;
    },
    /** False where it was deleted meanwhile. */
    conclude: async (account: number, id: number, outcome: string, isDone: boolean): Promise<boolean> => {
      const { numUpdatedRows } = await db
        .updateTable('remote_message')
        .set({ outcome, done: isDone ? 1 : 0 })
        .where('account', '=', account)
        .where('id', '=', id)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** Deletes one message of a device. */
    remove: async (account: number, device: number, id: number): Promise<void> => {
      const own = db.deleteFrom('remote_message').where('account', '=', account).where('device', '=', device);
      await own.where('id', '=', id).execute();
      await database.eraseDeleted();
    },
    /** Deletes all messages of a device, in the caller's transaction. */
    clear: async (tx: Transaction<unknown>, account: number, device: number): Promise<void> => {
      const own = tx.$extendTables<RemoteMessageTables>().deleteFrom('remote_message').where('account', '=', account);
      await own.where('device', '=', device).execute();
    },
    /** The newest, oldest first. */
    ofDevice: async (account: number, device: number): Promise<readonly SentMessage[]> => {
      const rows = await db
        .selectFrom('remote_message')
        .select(columns)
        .where('account', '=', account)
        .where('device', '=', device)
        .orderBy('id', 'desc')
        .limit(MAX_STORED_MESSAGES)
        .execute();
      return rows.toReversed().map(toMessage);
    },
    ofAccount: async (account: number): Promise<readonly SentMessage[]> => {
      const rows = await db
        .selectFrom('remote_message')
        .select(columns)
        .where('account', '=', account)
        .orderBy('id')
        .execute();
      return rows.map(toMessage);
    },
  };
}
