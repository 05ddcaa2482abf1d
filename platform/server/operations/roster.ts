import type { Kysely } from 'kysely';
import type { IdentityTables } from '../identity/identityTables.ts';

/** An account as the server's operator sees it. */
export interface AccountSummary {
  readonly id: number;
  readonly name: string;
  readonly isOwner: boolean;
  readonly created: Temporal.Instant;
  /** Open sessions, devices' among them. */
  readonly sessions: number;
}

/** All accounts, oldest first. */
export const listAccountSummaries = async (ground: Kysely<unknown>): Promise<readonly AccountSummary[]> => {
  const rows = await ground
    .$extendTables<IdentityTables>()
    .selectFrom('account')
    .leftJoin('session', 'session.account', 'account.id')
    .select(({ fn }) => [
      'account.id',
      'account.name',
      'account.is_owner',
      'account.created',
      fn.count('session.id').as('sessions'),
    ])
    .groupBy(['account.id', 'account.name', 'account.is_owner', 'account.created'])
    .orderBy('account.id')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    isOwner: row.is_owner === 1,
    created: Temporal.Instant.fromEpochMilliseconds(row.created),
    sessions: Number(row.sessions),
  }));
};
