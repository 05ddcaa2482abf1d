import { type Kysely, sql } from 'kysely';
import { fold } from '#platform/contract/fold.ts';
import { isPostgres } from '#platform/server/database/columns.ts';
import { splitWords } from '../../events/domain/searchTerms.ts';
import { insertIndexRows, type IndexedEvent } from '../../events/server/store/searchWords.ts';

const PAGE_SIZE = 500;

async function fillIndex(db: Kysely<unknown>): Promise<void> {
  for (let lastId = 0; ;) {
    const { rows } = await sql<Omit<IndexedEvent, 'words'> & { readonly description: string }>`
      select calendar_search.account, event, calendar_search.style, calendar_search.day,
        calendar_search.until_day as until, calendar_search.name, description
      from calendar_search join calendar_event on calendar_event.id = event
      where event > ${lastId} order by event limit ${PAGE_SIZE}`.execute(db);
    if (rows.length > 0)
      await insertIndexRows(
        db,
        rows.map((row) => ({ ...row, words: [...new Set(splitWords(fold(row.description)))] })),
      );
    if (rows.length < PAGE_SIZE) return;
    lastId = rows.at(-1)?.event ?? lastId;
  }
}

/** Replaces both search indexes of SQLite by one whose words belong to accounts and whose rows are in order of days. */
export async function separateSearchAccounts(db: Kysely<unknown>): Promise<void> {
  if (isPostgres(db)) return;
  await sql`drop trigger calendar_search_gone`.execute(db);
  await sql`drop table calendar_search_parts`.execute(db);
  await sql`drop table calendar_search_words`.execute(db);
  await sql`create virtual table calendar_search_words using fts5(
    words, content='', contentless_delete=1, tokenize='ascii')`.execute(db);
  await sql`create trigger calendar_search_gone after delete on calendar_search begin
    delete from calendar_search_words where rowid = old.event |
      case when old.style <> 'repeat' and old.until_day = old.day then old.day << 32 else 0 end;
  end`.execute(db);
  await fillIndex(db);
}
