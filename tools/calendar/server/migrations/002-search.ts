import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import { isPostgres, referenceAccount } from '#platform/server/database/columns.ts';

/**
 * Creates tables of search texts. They are folded (`platform/contract/fold.ts`), so that both databases compare letters
 * alike.
 * Names are searched by parts, descriptions by words. Deleted events have no rows.
 */
export async function createSearchTables(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  const table = schema
    .createTable('calendar_search')
    .addColumn('account', 'integer', referenceAccount)
    .addColumn('event', 'integer', (column) =>
      column.notNull().unique().references('calendar_event.id').onDelete('cascade'),
    )
    // Copied from the event, so that the next events of a large result can be chosen without reading the events.
    .addColumn('style', 'text', (column) => column.notNull())
    .addColumn('day', 'integer', (column) => column.notNull())
    .addColumn('until_day', 'integer', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('calendar_search_once', ['account', 'event']);
  if (isPostgres(db)) {
    await table.addColumn('words', sql`tsvector`, (column) => column.notNull()).execute();
    // Without its pending list, which every search would read.
    await sql`create index calendar_search_words on calendar_search using gin (words)
      with (fastupdate = off)`.execute(db);
    // If the server lacks the extension or this user may not add it, parts of words are found by reading all names.
    await sql`do $$ begin create extension if not exists pg_trgm; exception when others then
      raise notice 'no pg_trgm: %', sqlerrm; end $$`.execute(db);
    const { rows } = await sql`select 1 from pg_extension where extname = 'pg_trgm'`.execute(db);
    if (rows.length > 0)
      await sql`create index calendar_search_parts on calendar_search using gin (name gin_trgm_ops)
        with (fastupdate = off)`.execute(db);
    return;
  }
  // Stores the names of an account together, for parts of one or two letters.
  await table.modifyEnd(sql`without rowid`).execute();
  await sql`create virtual table calendar_search_parts using fts5(
    name, content='', contentless_delete=1, tokenize='trigram case_sensitive 1')`.execute(db);
  // Its tokens are exactly our words: they are separated by spaces, and this tokenizer treats all non-ASCII characters
  // as letters.
  await sql`create virtual table calendar_search_words using fts5(
    words, content='', contentless_delete=1, detail=none, tokenize='ascii')`.execute(db);
  // Foreign keys don't apply to virtual tables. This trigger removes their rows whatever removes the row here.
  await sql`create trigger calendar_search_gone after delete on calendar_search begin
    delete from calendar_search_parts where rowid = old.event;
    delete from calendar_search_words where rowid = old.event;
  end`.execute(db);
}
