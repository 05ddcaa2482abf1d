import type { Generated } from 'kysely';
import type { Database } from '#platform/server/database/database.ts';
import type { InputType, Message, Sender } from '../domain/message.ts';

/** Messages kept of a conversation; older ones are removed, some at a time. */
export const KEPT_MESSAGES = 10_000;
const REMOVED_EVERY = 100;

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

export const messageStore = ({ db: ground, transaction }: Database) => {
  const db = ground.$extendTables<Tables>();
  return {
    /** Keeps a message, unless the conversation has one of that key; then gives undefined. `kept` runs once it is there for good. */
    keep: (message: Message, key: string, kept: (message: KeptMessage) => void): Promise<void> =>
      transaction(async ({ tx: ungrounded, afterCommit }) => {
        const tx = ungrounded.$extendTables<Tables>();
        const { account, device, sender, type, text, timesent } = message;
        const row = await tx
          .insertInto('messages_message')
          .values({ account, device, sender, inputtype: type, text, timesent, key })
          .onConflict((already) => already.columns(['device', 'key']).doNothing())
          .returning('id')
          .executeTakeFirst();
        if (!row) return;
        afterCommit(() => kept({ ...message, id: row.id }));
        if (row.id % REMOVED_EVERY !== 0) return;
        const last = tx
          .selectFrom('messages_message')
          .select('id')
          .where('device', '=', device)
          .orderBy('id', 'desc')
          .limit(1)
          .offset(KEPT_MESSAGES - 1);
        await tx
          .deleteFrom('messages_message')
          .where('account', '=', account)
          .where('device', '=', device)
          .where('id', '<', last)
          .execute();
      }),
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
