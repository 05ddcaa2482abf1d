import type { Generated } from 'kysely';
import type { InputType } from '#platform/contract/message.ts';
import type { Database } from '#platform/server/database/database.ts';
import { keepNewest } from '#platform/server/database/keepNewest.ts';

/** Messages kept of each device; older ones are removed. */
export const KEPT_MESSAGES = 100;

type Tables = {
  /** `done` is 1 once the device has done it, whatever the outcome says. */
  remote_message: {
    id: Generated<number>;
    account: number;
    device: number;
    inputtype: number;
    text: string;
    timesent: number;
    outcome: string;
    done: number;
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
}

export interface SentMessage extends Message {
  readonly id: number;
  /** 'ok', or the sentence that said why not; '' while it is under way. */
  readonly outcome: string;
  /** The device has done it: it is never asked again. */
  readonly isDone: boolean;
}

const columns = ['id', 'account', 'device', 'inputtype', 'text', 'timesent', 'outcome', 'done'] as const;
type Row = { readonly [Column in (typeof columns)[number]]: Column extends 'text' | 'outcome' ? string : number };

const toMessage = ({ inputtype, done, ...row }: Row): SentMessage => ({
  ...row,
  // The database holds what the contract let in: 1, 2 or 3.
  type: inputtype as InputType,
  isDone: done === 1,
});

export const historyStore = ({ db: ground }: Database) => {
  const db = ground.$extendTables<Tables>();
  const same = ({ account, device, type, text, timesent }: Message) =>
    db
      .selectFrom('remote_message')
      .select(columns)
      .where('account', '=', account)
      .where('device', '=', device)
      .where('timesent', '=', timesent)
      .where('inputtype', '=', type)
      .where('text', '=', text);
  return {
    find: async (message: Message): Promise<SentMessage | undefined> => {
      const row = await same(message).executeTakeFirst();
      return row && toMessage(row);
    },
    /** Keeps a message as under way and gives its id. */
    begin: async (message: Message): Promise<number> => {
      const { account, device, type, text, timesent } = message;
      const { id } = await db
        .insertInto('remote_message')
        .values({ account, device, inputtype: type, text, timesent, outcome: '', done: 0 })
        // An update that changes nothing: an insert that did nothing would not give the id of the row that stands there.
        .onConflict((already) => already.columns(['device', 'timesent', 'inputtype', 'text']).doUpdateSet({ timesent }))
        .returning('id')
        .executeTakeFirstOrThrow();
      await keepNewest(ground, 'remote_message', { account, device }, KEPT_MESSAGES);
      return id;
    },
    conclude: async (account: number, id: number, outcome: string, isDone: boolean): Promise<void> => {
      await db
        .updateTable('remote_message')
        .set({ outcome, done: isDone ? 1 : 0 })
        .where('account', '=', account)
        .where('id', '=', id)
        .execute();
    },
    /** The newest, oldest first. */
    ofDevice: async (account: number, device: number): Promise<readonly SentMessage[]> => {
      const rows = await db
        .selectFrom('remote_message')
        .select(columns)
        .where('account', '=', account)
        .where('device', '=', device)
        .orderBy('id', 'desc')
        .limit(KEPT_MESSAGES)
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
};
