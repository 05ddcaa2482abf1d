import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import { isPostgres } from '#platform/server/database/columns.ts';

/** PostgreSQL finds single events that go on past their first day, of which there are few, by an index of their own. */
export const searchOvernight = async (db: Kysely<unknown>): Promise<void> => {
  if (!isPostgres(db)) return;
  await sql`create index calendar_search_overnight on calendar_search (account, until_day)
    where style = 'calendar' and until_day > day`.execute(db);
};
