import type { Kysely } from 'kysely';

/** When a goal was deleted, in milliseconds since the epoch: it can be brought back for a day, with what came of it. */
export const goneGoals = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema.alterTable('screentime_goal').addColumn('gone', 'bigint').execute();
};
