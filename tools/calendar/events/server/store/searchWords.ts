import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Day } from '#platform/contract/day.ts';
import type { Style } from '../../domain/event.ts';
import type { SearchTerm } from '../../domain/searchTerms.ts';

/**
 * Words of SQLite's search index belong to one account, and either to its events of one day or to those that last or
 * repeat. Rows of the former are in the order of their days. So a search reads no hits of other accounts, and of common
 * words only the next hits.
 */
interface WordScope {
  readonly account: number;
  readonly isOneDay: boolean;
}

/** What is indexed of an event, folded. */
export interface IndexedEvent {
  readonly account: number;
  readonly event: number;
  readonly style: Style;
  readonly day: Day;
  /** The last day of the event. */
  readonly until: Day;
  readonly name: string;
  /** Words of the description. */
  readonly words: readonly string[];
}

/**
 * Id of the index row of an event, from its day or 0. SQLite computes it, because numbers of JavaScript are too small.
 */
const createRowId = (day: Day, event: number) => sql`(${day} << 32 | ${event})`;
/** Event of an index row. */
export const INDEXED_EVENT: RawBuilder<number> = sql`(calendar_search_words.rowid & 4294967295)`;
/** Id before all index rows of a day. */
export const getFirstRowId = (day: Day): RawBuilder<number> => sql`(${day} << 32)`;

/** Letters of names that are found, at least. */
export const PART_LENGTH = 3;
const ESCAPE = '\u{E000}';

/** The tokenizer separates words at every ASCII character that is no letter or digit. */
function escapeCharacter(character: string): string {
  if (character === ESCAPE) return `${ESCAPE}zz`;
  return /[a-z\d]|[^\0-\u{7F}]/u.test(character)
    ? character
    : ESCAPE + character.charCodeAt(0).toString(36).padStart(2, '0');
}

function listParts(text: string): readonly string[] {
  const characters = Array.from(text, escapeCharacter);
  return characters.slice(PART_LENGTH - 1).map((_, at) => characters.slice(at, at + PART_LENGTH).join(''));
}

const formatScope = ({ account, isOneDay }: WordScope): string => `${account}${isOneDay ? 'd' : 'r'}`;
const formatParts = (scope: WordScope, text: string) => listParts(text).map((part) => `${formatScope(scope)}p${part}`);
const formatWords = (scope: WordScope, words: readonly string[]) =>
  words.map((word) => `${formatScope(scope)}w${word}`);

/** Returns a query of the index for events that match a term, except parts of names that are too short. */
function formatTerm(scope: WordScope, { part, words }: SearchTerm): string {
  const inName = formatParts(scope, part).join(' ');
  const inDescription = formatWords(scope, words).map((word) => `"${word}"`);
  return [
    ...(inName === '' ? [] : [`"${inName}"`]),
    ...(words.length === 0 ? [] : [`(${inDescription.join(' AND ')})`]),
  ].join(' OR ');
}
/** Condition of index rows whose events match all terms. */
export const matchIndex = (scope: WordScope, terms: readonly SearchTerm[]): RawBuilder<boolean> =>
  sql`calendar_search_words match ${terms.map((term) => `(${formatTerm(scope, term)})`).join(' AND ')}`;

/** Fills the index for events that are not in it. */
export async function insertIndexRows(tx: Kysely<unknown>, events: readonly IndexedEvent[]): Promise<void> {
  const rows = events.map(({ style, day, until, ...event }) => {
    const isOneDay = style !== 'repeat' && day === until;
    return { ...event, isOneDay, day: isOneDay ? day : 0 };
  });
  // Rows out of order take twice as long.
  rows.sort((one, other) => one.day - other.day || one.event - other.event);
  const values = rows.map((row) => {
    const indexed = [...formatParts(row, row.name), ...formatWords(row, row.words)].join(' ');
    return sql`(${createRowId(row.day, row.event)}, ${indexed})`;
  });
  await sql`insert into calendar_search_words (rowid, words) values ${sql.join(values)}`.execute(tx);
}
