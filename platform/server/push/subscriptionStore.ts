import type { Generated } from 'kysely';
import type { Database } from '../database/database.ts';
import type { IdentityTables } from '../identity/identityTables.ts';
import type { SubscriptionKeys } from './webPush.ts';

/** A browser that wants to be notified. */
export interface Subscription {
  /** The address at the push service of its maker; who knows it can send to it. */
  readonly endpoint: string;
  readonly keys: SubscriptionKeys;
}

type PushTables = Pick<IdentityTables, 'session'> & {
  push_subscription: {
    id: Generated<number>;
    account: number;
    session: number;
    endpoint: string;
    p256dh: string;
    auth: string;
  };
};

/** So many browsers of an account are notified; the newest ones. */
export const MAX_SUBSCRIPTIONS_PER_ACCOUNT = 20;

export function createSubscriptionStore(database: Database) {
  const db = database.db.$extendTables<PushTables>();
  const alive = (now: number) =>
    db
      .selectFrom('push_subscription')
      .innerJoin('session', 'session.id', 'push_subscription.session')
      .where('session.expires', '>', now);
  return {
    /** A browser has one endpoint, whoever is signed in there: the last one counts. */
    keep: async (account: number, session: number, { endpoint, keys }: Subscription): Promise<void> =>
      database.transaction(async ({ tx }) => {
        const inside = tx.$extendTables<PushTables>();
        // Made anew and not changed, so that its id says when it came.
        await inside.deleteFrom('push_subscription').where('endpoint', '=', endpoint).execute();
        await inside
          .insertInto('push_subscription')
          .values({ account, session, endpoint, ...keys })
          // Two pages of a browser may say so at once: none of them sees the row of the other before.
          .onConflict((there) => there.column('endpoint').doUpdateSet({ account, session, ...keys }))
          .execute();
        const newest = await inside
          .selectFrom('push_subscription')
          .select('id')
          .where('account', '=', account)
          .orderBy('id', 'desc')
          .limit(MAX_SUBSCRIPTIONS_PER_ACCOUNT)
          .execute();
        await inside
          .deleteFrom('push_subscription')
          .where('account', '=', account)
          .where('id', '<', newest.at(-1)?.id ?? 0)
          .execute();
      }),

    remove: async (account: number, endpoint: string): Promise<void> => {
      await db
        .deleteFrom('push_subscription')
        .where('account', '=', account)
        .where('endpoint', '=', endpoint)
        .execute();
    },

    /** Those whose sessions have not ended. */
    of: async (account: number, now: number): Promise<readonly Subscription[]> => {
      const rows = await alive(now)
        .select(['push_subscription.endpoint', 'p256dh', 'auth'])
        .where('push_subscription.account', '=', account)
        .orderBy('push_subscription.id')
        .execute();
      return rows.map(({ endpoint, p256dh, auth }) => ({ endpoint, keys: { p256dh, auth } }));
    },

    accounts: async (now: number): Promise<readonly number[]> => {
      const rows = await alive(now)
        .select('push_subscription.account')
        .distinct()
        .orderBy('push_subscription.account')
        .execute();
      return rows.map(({ account }) => account);
    },
  };
}
