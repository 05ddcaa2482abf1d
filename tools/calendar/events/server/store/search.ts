import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import { fold } from '#platform/contract/fold.ts';
import type { Database } from '#platform/server/database/database.ts';
import { splitIntoChunks } from '#platform/server/database/pieces.ts';
import type { Day } from '../../domain/day.ts';
import type { Style } from '../../domain/event.ts';
import { wordsOf } from '../../domain/searchWords.ts';

/** What search knows of an event, as it was written. */
export interface SearchableEvent {
  readonly event: number;
  readonly account: number;
  readonly name: string;
  readonly description: string;
  readonly style: Style;
  readonly day: Day;
  /** The last day that belongs to it. */
  readonly until: Day;
}

type SearchTables = {
  calendar_search: { account: number; event: number; name: string };
};

/** Rows of one statement: with seven values each at most well below what either database takes. */
const ROWS_PER_STATEMENT = 500;

const folded = ({ name, description, ...row }: SearchableEvent) => ({
  ...row,
  name: fold(name),
  words: [...new Set(wordsOf(fold(description)))],
});
type FoldedFields = ReturnType<typeof folded>;

const CHOOSING = sql.raw('account, event, style, day, until_day, name');
const choosing = ({ account, event, style, day, until, name }: FoldedFields) =>
  sql`${account}, ${event}, ${style}, ${day}, ${until}, ${name}`;

const unindex = async (tx: Transaction<unknown>, events: readonly number[]): Promise<void> => {
  for (const ids of splitIntoChunks(events, ROWS_PER_STATEMENT))
    await tx.$extendTables<SearchTables>().deleteFrom('calendar_search').where('event', 'in', ids).execute();
};

const inPostgres = async (tx: Transaction<unknown>, rows: readonly FoldedFields[]): Promise<void> => {
  const values = rows.map((row) => sql`(${choosing(row)}, array_to_tsvector(${row.words}::text[]))`);
  await sql`insert into calendar_search (${CHOOSING}, words) values ${sql.join(values)}`.execute(tx);
};

const inSqlite = async (tx: Transaction<unknown>, rows: readonly FoldedFields[]): Promise<void> => {
  const ids = rows.map((row) => sql`(${choosing(row)})`);
  await sql`insert into calendar_search (${CHOOSING}) values ${sql.join(ids)}`.execute(tx);
  const names = rows.map(({ event, name }) => sql`(${event}, ${name})`);
  await sql`insert into calendar_search_parts (rowid, name) values ${sql.join(names)}`.execute(tx);
  const words = rows.map((row) => sql`(${row.event}, ${row.words.join(' ')})`);
  await sql`insert into calendar_search_words (rowid, words) values ${sql.join(words)}`.execute(tx);
};

/** What search finds events by. `index` and `unindex` are part of the transaction that changes the events. */
export const searchStore = ({ dialect }: Database) => ({
  /** Makes events found by these texts, and no longer by others. */
  index: async (tx: Transaction<unknown>, rows: readonly SearchableEvent[]): Promise<void> => {
    await unindex(
      tx,
      rows.map(({ event }) => event),
    );
    for (const chunk of splitIntoChunks(rows.map(folded), ROWS_PER_STATEMENT))
      await (dialect === 'postgres' ? inPostgres(tx, chunk) : inSqlite(tx, chunk));
  },
  unindex,
});
export type SearchStore = ReturnType<typeof searchStore>;
