import type { Generated, Selectable, Transaction } from 'kysely';
import { deleteOldestRows } from '#platform/server/database/columns.ts';
import type { Database } from '#platform/server/database/database.ts';
import type { Letter } from '../domain/message.ts';

/** Older messages are removed. */
export const MAX_STORED_VISITOR_MESSAGES = 2000;

type VisitorTables = {
  /** `account` is the owner's; `received` is in milliseconds since the epoch. */
  messages_visitor: { id: Generated<number>; account: number; name: string; text: string; received: number };
};

export interface StoredLetter extends Letter {
  readonly id: number;
  readonly received: Temporal.Instant;
}

const toLetter = ({
  received,
  ...row
}: Omit<Selectable<VisitorTables['messages_visitor']>, 'account'>): StoredLetter => ({
  ...row,
  received: Temporal.Instant.fromEpochMilliseconds(received),
});

/** Creates the database access for visitors' messages to the owner of the server. */
export function createVisitorStore({ db: untypedDb }: Database) {
  const db = untypedDb.$extendTables<VisitorTables>();
  const selectNewestFirst = (account: number) =>
    db
      .selectFrom('messages_visitor')
      .select(['id', 'name', 'text', 'received'])
      .where('account', '=', account)
      .orderBy('id', 'desc');
  return {
    /** Inserts a message and returns it as it is stored. */
    insert: async (account: number, { name, text }: Letter, now: Temporal.Instant): Promise<StoredLetter> => {
      const received = now.epochMilliseconds;
      const { id } = await db
        .insertInto('messages_visitor')
        .values({ account, name, text, received })
        .returning('id')
        .executeTakeFirstOrThrow();
      await deleteOldestRows(untypedDb, 'messages_visitor', { account }, MAX_STORED_VISITOR_MESSAGES);
      return toLetter({ id, name, text, received });
    },
    /** Inserts messages of an import, in their order. */
    insertAll: async (
      tx: Transaction<unknown>,
      account: number,
      letters: readonly Omit<StoredLetter, 'id'>[],
    ): Promise<void> => {
      if (letters.length === 0) return;
      const rows = letters.map(({ received, ...letter }) => ({
        ...letter,
        account,
        received: received.epochMilliseconds,
      }));
      await tx.$extendTables<VisitorTables>().insertInto('messages_visitor').values(rows).execute();
    },
    /** Lists the newest messages, oldest first. */
    listNewest: async (account: number, limit: number): Promise<readonly StoredLetter[]> =>
      (await selectNewestFirst(account).limit(limit).execute()).toReversed().map(toLetter),
    listByAccount: async (account: number): Promise<readonly StoredLetter[]> =>
      (await selectNewestFirst(account).execute()).toReversed().map(toLetter),
    /** Deletes a message. Returns false if there is none. */
    remove: async (account: number, id: number): Promise<boolean> => {
      const { numDeletedRows } = await db
        .deleteFrom('messages_visitor')
        .where('account', '=', account)
        .where('id', '=', id)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}
