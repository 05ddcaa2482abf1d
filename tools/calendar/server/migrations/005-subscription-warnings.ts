import type { Kysely } from 'kysely';

type Tables = { calendar_subscription: { etag: string | null; modified: string | null } };

/** What could not be taken when a subscription was last read, as JSON. */
export const subscriptionWarnings = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema.alterTable('calendar_subscription').addColumn('warnings', 'text').execute();
  // Every file is read anew: a zone that was not known when it was last read may be by now.
  await db.$extendTables<Tables>().updateTable('calendar_subscription').set({ etag: null, modified: null }).execute();
};
