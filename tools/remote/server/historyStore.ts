import type { Generated, Selectable, Transaction } from 'kysely';
import type { InputType } from '#platform/contract/message.ts';
import { deleteOldestRows, toFlag } from '#platform/server/database/columns.ts';
import type { Database } from '#platform/server/database/database.ts';

/** Messages stored per device; older ones are removed. */
export const MAX_STORED_MESSAGES = 100;

type RemoteMessageTables = {
  /**
   * `done` is 1 once the device has done it, whatever the outcome says. `received` is in milliseconds since the epoch.
   * If `stored` is 0, `text` contains the message's key instead of its text.
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

/** The fields that identify a message: two requests with the same values are the same message. */
export interface Message {
  readonly account: number;
  readonly device: number;
  readonly type: InputType;
  readonly text: string;
  /** Seconds since the epoch, by the sender's clock. */
  readonly timesent: number;
  /** For a message whose text must not be stored: identifies it instead of the text. */
  readonly unstoredKey?: string | undefined;
}

export interface SentMessage extends Message {
  readonly id: number;
  /** Milliseconds since the epoch. */
  readonly received: number;
  /** 'ok', or a sentence with the reason for a failure; '' while the message is pending. */
  readonly outcome: string;
  /** The device has done it, so it is never sent again. */
  readonly isDone: boolean;
}

type MessageRow = Selectable<RemoteMessageTables['remote_message']>;

const toMessage = ({ inputtype, done, stored, text, ...row }: MessageRow): SentMessage => ({
  ...row,
  // The contract only allows 1, 2 and 3.
  type: inputtype as InputType,
  isDone: done === 1,
  ...(stored === 1 ? { text } : { text: '', unstoredKey: text }),
});

/** Converts a message to the columns that contain its text. */
const toTextColumns = ({ text, unstoredKey }: Message) =>
  unstoredKey === undefined ? { text, stored: 1 } : { text: unstoredKey, stored: 0 };

export function createHistoryStore(database: Database) {
  const { db: untypedDb } = database;
  const db = untypedDb.$extendTables<RemoteMessageTables>();
  const selectByIdentity = (message: Message) =>
    db
      .selectFrom('remote_message')
      .selectAll()
      .where('account', '=', message.account)
      .where('device', '=', message.device)
      .where('timesent', '=', message.timesent)
      .where('inputtype', '=', message.type)
      .where((builder) => builder.and(toTextColumns(message)));
  return {
    find: async (message: Message): Promise<SentMessage | undefined> => {
      const row = await selectByIdentity(message).executeTakeFirst();
      return row && toMessage(row);
    },
    /**
     * Inserts a message as pending and returns its id.
     * @param received milliseconds since the epoch
     */
    insert: async (message: Message, received: number): Promise<number> => {
      const { account, device, type, timesent } = message;
      const { id } = await db
        .insertInto('remote_message')
        .values({
          account,
          device,
          inputtype: type,
          ...toTextColumns(message),
          timesent,
          received,
          outcome: '',
          done: 0,
        })
        // An update without a change, because an insert that does nothing would not return the id of the existing row.
        .onConflict((conflict) =>
          conflict.columns(['device', 'timesent', 'inputtype', 'text']).doUpdateSet({ timesent }),
        )
        .returning('id')
        .executeTakeFirstOrThrow();
      await deleteOldestRows(untypedDb, 'remote_message', { account, device }, MAX_STORED_MESSAGES);
      return id;
    },
    /** Stores the outcome. Returns false if the message was deleted meanwhile. */
    saveOutcome: async (account: number, id: number, outcome: string, isDone: boolean): Promise<boolean> => {
      const { numUpdatedRows } = await db
        .updateTable('remote_message')
        .set({ outcome, done: toFlag(isDone) })
        .where('account', '=', account)
        .where('id', '=', id)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    remove: async (account: number, device: number, id: number): Promise<void> => {
      const statement = db.deleteFrom('remote_message').where('account', '=', account).where('device', '=', device);
      await statement.where('id', '=', id).execute();
      await database.eraseDeleted();
    },
    /** Deletes all messages of a device, in the caller's transaction. */
    removeByDevice: async (tx: Transaction<unknown>, account: number, device: number): Promise<void> => {
      const statement = tx
        .$extendTables<RemoteMessageTables>()
        .deleteFrom('remote_message')
        .where('account', '=', account);
      await statement.where('device', '=', device).execute();
    },
    /** Lists the newest messages, oldest first. */
    listByDevice: async (account: number, device: number): Promise<readonly SentMessage[]> => {
      const rows = await db
        .selectFrom('remote_message')
        .selectAll()
        .where('account', '=', account)
        .where('device', '=', device)
        .orderBy('id', 'desc')
        .limit(MAX_STORED_MESSAGES)
        .execute();
      return rows.toReversed().map(toMessage);
    },
    listByAccount: async (account: number): Promise<readonly SentMessage[]> => {
      const rows = await db
        .selectFrom('remote_message')
        .selectAll()
        .where('account', '=', account)
        .orderBy('id')
        .execute();
      return rows.map(toMessage);
    },
  };
}
