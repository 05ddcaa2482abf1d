import type { Generated } from 'kysely';
import type { Database } from '#platform/server/database/database.ts';
import type { InputType, Message, Sender } from '../domain/message.ts';

/** Messages kept of each conversation; older ones are removed. */
export const KEPT_MESSAGES = 2000;
const SWEPT_AT_ONCE = 100;

type Tables = {
  /** `sender` is 'person' or 'device'; `timesent` in seconds since the epoch; a `key` stands once in a conversation. */
  messages_message: {
    id: Generated<number>;
    account: number;
    device: number;
    sender: string;
    inputtype: number;
    text: string;
    timesent: number;
    key: string;
  };
};

export interface KeptMessage extends Message {
  readonly id: number;
}

const columns = ['id', 'account', 'device', 'sender', 'inputtype', 'text', 'timesent'] as const;
type Row = Readonly<Record<'id' | 'account' | 'device' | 'inputtype' | 'timesent', number>> &
  Readonly<Record<'sender' | 'text', string>>;

const toMessage = ({ sender, inputtype, ...row }: Row): KeptMessage => ({
  ...row,
  // Written by `keep` alone, from these very types.
  sender: sender as Sender,
  type: inputtype as InputType,
});

export const messageStore = ({ db: ground }: Database) => {
  const db = ground.$extendTables<Tables>();
  const nth = (device: number, place: number) =>
    db
      .selectFrom('messages_message')
      .select('id')
      .where('device', '=', device)
      .orderBy('id', 'desc')
      .limit(1)
      .offset(place - 1);
  /** Removes what is beyond the limit, some rows at once: a sweep that removes none costs no disk. */
  const sweep = async (account: number, device: number): Promise<void> => {
    await db
      .deleteFrom('messages_message')
      .where('account', '=', account)
      .where('device', '=', device)
      .where('id', '<', nth(device, KEPT_MESSAGES))
      .where((is) => is.exists(nth(device, KEPT_MESSAGES + SWEPT_AT_ONCE)))
      .execute();
  };
  return {
    /** Keeps a message and gives it back, unless the conversation has one of that key. */
    keep: async (message: Message, key: string): Promise<KeptMessage | undefined> => {
      const { account, device, sender, type, text, timesent } = message;
      const row = await db
        .insertInto('messages_message')
        .values({ account, device, sender, inputtype: type, text, timesent, key })
        .onConflict((already) => already.columns(['device', 'key']).doNothing())
        .returning('id')
        .executeTakeFirst();
      if (!row) return undefined;
      await sweep(account, device);
      return { ...message, id: row.id };
    },
    /** The newest of a conversation, oldest first. */
    newest: async (account: number, device: number, limit: number): Promise<readonly KeptMessage[]> => {
      const rows = await db
        .selectFrom('messages_message')
        .select(columns)
        .where('account', '=', account)
        .where('device', '=', device)
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.toReversed().map(toMessage);
    },
    ofAccount: async (account: number): Promise<readonly KeptMessage[]> => {
      const rows = await db
        .selectFrom('messages_message')
        .select(columns)
        .where('account', '=', account)
        .orderBy('id')
        .execute();
      return rows.map(toMessage);
    },
  };
};
