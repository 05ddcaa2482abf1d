import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import { isPostgres } from '#platform/server/database/columns.ts';

/**
 * A common word stands in too many events to look at each: PostgreSQL walks them by their day instead, until it has enough, and has the
 * repeating ones, whose days are worked out, in indexes of their own. SQLite is fast enough without.
 */
export const searchOrder = async (db: Kysely<unknown>): Promise<void> => {
  if (!isPostgres(db)) return;
  await sql`create index calendar_search_soon on calendar_search (account, day, event) where style <> 'repeat'`.execute(
    db,
  );
  await sql`create index calendar_search_late on calendar_search (account, until_day, event) where style <> 'repeat'`.execute(
    db,
  );
  await sql`create index calendar_search_lasting on calendar_search (account, until_day) where style = 'duration'`.execute(
    db,
  );
  await sql`create index calendar_search_repeat_words on calendar_search using gin (words)
    with (fastupdate = off) where style = 'repeat'`.execute(db);
  const { rows } = await sql`select 1 from pg_extension where extname = 'pg_trgm'`.execute(db);
  if (rows.length > 0)
    await sql`create index calendar_search_repeat_parts on calendar_search using gin (name gin_trgm_ops)
      with (fastupdate = off) where style = 'repeat'`.execute(db);
};
