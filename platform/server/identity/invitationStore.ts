import type { Kysely, Selectable, Transaction } from 'kysely';
import type { InvitationInfo } from './identity.ts';
import { withIdentityTables, type IdentityTables } from './identityTables.ts';

interface NewInvitation {
  readonly hash: string;
  readonly name: string;
  readonly created: number;
  readonly expires: number;
  readonly maxUses: number;
}

const toInvitationInfo = (row: Selectable<IdentityTables['invitation']>): InvitationInfo => ({
  id: row.id,
  name: row.name,
  created: Temporal.Instant.fromEpochMilliseconds(row.created),
  expires: Temporal.Instant.fromEpochMilliseconds(row.expires),
  maxUses: row.max_uses,
  uses: row.uses,
});

/** Creates the store of invitations. Times are milliseconds since the epoch. */
export function createInvitationStore(untypedDb: Kysely<unknown>) {
  const db = untypedDb.$extendTables<IdentityTables>();
  return {
    list: async (now: number): Promise<readonly InvitationInfo[]> => {
      const rows = await db
        .selectFrom('invitation')
        .selectAll()
        .where('expires', '>', now)
        .orderBy('id', 'desc')
        .execute();
      return rows.map(toInvitationInfo);
    },

    insert: async ({ maxUses, ...invitation }: NewInvitation): Promise<InvitationInfo> => {
      const row = await db
        .insertInto('invitation')
        .values({ ...invitation, max_uses: maxUses })
        .returningAll()
        .executeTakeFirstOrThrow();
      return toInvitationInfo(row);
    },

    removeExpired: async (now: number): Promise<void> => {
      await db.deleteFrom('invitation').where('expires', '<=', now).execute();
    },

    /** Returns whether it existed. */
    remove: async (id: number): Promise<boolean> => {
      const result = await db.deleteFrom('invitation').where('id', '=', id).executeTakeFirst();
      return result.numDeletedRows > 0n;
    },

    isUsable: async (hash: string, now: number): Promise<boolean> => {
      const row = await db
        .selectFrom('invitation')
        .select('id')
        .where('hash', '=', hash)
        .where('expires', '>', now)
        .whereRef('uses', '<', 'max_uses')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Counts a use, in the transaction that creates the account. Returns whether the invitation is usable. */
    use: async (tx: Transaction<unknown>, hash: string, now: number): Promise<boolean> => {
      const result = await withIdentityTables(tx)
        .updateTable('invitation')
        .set((eb) => ({ uses: eb('uses', '+', 1) }))
        .where('hash', '=', hash)
        .where('expires', '>', now)
        .whereRef('uses', '<', 'max_uses')
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },
  };
}

export type InvitationStore = ReturnType<typeof createInvitationStore>;
