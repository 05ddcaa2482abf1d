import type { Generated } from 'kysely';
import { idColumn, referenceAccount } from '../database/columns.ts';
import type { Database } from '../database/database.ts';
import { isOfActiveAccount } from '../identity/accountStore.ts';
import type { IdentityTables } from '../identity/identityTables.ts';
import type { Migration } from '../tool.ts';
import type { SubscriptionKeys } from './webPush.ts';

export const pushMigrations: readonly Migration[] = [
  {
    name: '001-subscriptions',
    up: async (db) => {
      await db.schema
        .createTable('push_subscription')
        .$call(idColumn(db))
        .addColumn('account', 'integer', referenceAccount)
        .addColumn('session', 'integer', (column) => column.notNull().references('session.id').onDelete('cascade'))
        .addColumn('endpoint', 'text', (column) => column.notNull().unique())
        .addColumn('p256dh', 'text', (column) => column.notNull())
        .addColumn('auth', 'text', (column) => column.notNull())
        .execute();
      for (const column of ['account', 'session'] as const)
        await db.schema.createIndex(`push_subscription_${column}`).on('push_subscription').column(column).execute();
    },
  },
];

/** A browser that receives notifications. */
export interface Subscription {
  /** Address at the push service of the browser. Anyone who knows it can send to it. */
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

/** Maximum number of notified browsers per account; the newest ones count. */
export const MAX_SUBSCRIPTIONS_PER_ACCOUNT = 20;

export function createSubscriptionStore(database: Database) {
  const db = database.db.$extendTables<PushTables>();
  const selectActive = (now: number) =>
    db
      .selectFrom('push_subscription')
      .innerJoin('session', 'session.id', 'push_subscription.session')
      .where('session.expires', '>', now)
      .where(isOfActiveAccount('push_subscription.account'));
  return {
    /** Stores a subscription. A browser has one endpoint, which belongs to the account that subscribed last. */
    save: async (account: number, session: number, { endpoint, keys }: Subscription): Promise<void> =>
      database.transaction(async ({ tx }) => {
        const tables = tx.$extendTables<PushTables>();
        // Replace the row, so that its id shows when it was created.
        await tables.deleteFrom('push_subscription').where('endpoint', '=', endpoint).execute();
        await tables
          .insertInto('push_subscription')
          .values({ account, session, endpoint, ...keys })
          // Two pages of a browser may subscribe concurrently, without seeing each other's row.
          .onConflict((conflict) => conflict.column('endpoint').doUpdateSet({ account, session, ...keys }))
          .execute();
        const newest = await tables
          .selectFrom('push_subscription')
          .select('id')
          .where('account', '=', account)
          .orderBy('id', 'desc')
          .limit(MAX_SUBSCRIPTIONS_PER_ACCOUNT)
          .execute();
        await tables
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

    /** Lists subscriptions whose sessions have not ended, of an account that is not suspended. */
    list: async (account: number, now: number): Promise<readonly Subscription[]> => {
      const rows = await selectActive(now)
        .select(['push_subscription.endpoint', 'p256dh', 'auth'])
        .where('push_subscription.account', '=', account)
        .orderBy('push_subscription.id')
        .execute();
      return rows.map(({ endpoint, p256dh, auth }) => ({ endpoint, keys: { p256dh, auth } }));
    },

    listAccounts: async (now: number): Promise<readonly number[]> => {
      const rows = await selectActive(now)
        .select('push_subscription.account')
        .distinct()
        .orderBy('push_subscription.account')
        .execute();
      return rows.map(({ account }) => account);
    },
  };
}
