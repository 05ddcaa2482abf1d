import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import { fold, foldLetters } from '#platform/contract/fold.ts';
import { isPostgres } from '#platform/server/database/columns.ts';
import { splitWords } from '../../events/domain/searchTerms.ts';

interface SearchRow {
  readonly event: number;
  readonly name: string;
  readonly description: string;
}

const PAGE_SIZE = 1000;

const listUniqueWords = (folded: string): readonly string[] => [...new Set(splitWords(folded))];

async function rewriteInPostgres(db: Kysely<unknown>, { event, name, description }: SearchRow): Promise<void> {
  await sql`update calendar_search set name = ${fold(name)},
    words = array_to_tsvector(${listUniqueWords(fold(description))}::text[]) where event = ${event}`.execute(db);
}

async function rewriteInSqlite(db: Kysely<unknown>, { event, name, description }: SearchRow): Promise<void> {
  const words = listUniqueWords(fold(description)).join(' ');
  await sql`update calendar_search set name = ${fold(name)} where event = ${event}`.execute(db);
  await sql`delete from calendar_search_parts where rowid = ${event}`.execute(db);
  await sql`delete from calendar_search_words where rowid = ${event}`.execute(db);
  await sql`insert into calendar_search_parts (rowid, name) values (${event}, ${fold(name)})`.execute(db);
  await sql`insert into calendar_search_words (rowid, words) values (${event}, ${words})`.execute(db);
}

/** Whether `fold` returns something else than the earlier migrations stored. */
const isChanged = ({ name, description }: SearchRow): boolean =>
  [name, description].some((text) => fold(text) !== foldLetters(text));

/** Rebuilds the search texts that changed when folding started to include quotes, dashes and spaces. */
export async function refoldSearchTexts(db: Kysely<unknown>): Promise<void> {
  const rewrite = isPostgres(db) ? rewriteInPostgres : rewriteInSqlite;
  for (let lastId = 0; ;) {
    const { rows } =
      await sql<SearchRow>`select calendar_event.id as event, calendar_event.name, calendar_event.description
      from calendar_search join calendar_event on calendar_event.id = calendar_search.event
      where calendar_event.id > ${lastId} order by calendar_event.id limit ${PAGE_SIZE}`.execute(db);
    for (const row of rows.filter(isChanged)) await rewrite(db, row);
    if (rows.length < PAGE_SIZE) return;
    lastId = rows.at(-1)?.event ?? lastId;
  }
}
