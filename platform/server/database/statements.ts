import type Sqlite from 'better-sqlite3';
import type { QueryResult } from 'kysely';

export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

const MAX_CACHED_STATEMENTS = 300;

/** Runs statements on a connection and keeps the newest ones prepared; SQLite prepares them anew after a change of the schema. */
export const createStatementCache = (file: Sqlite.Database) => {
  const prepared = new Map<string, Sqlite.Statement>();
  const prepare = (sql: string): Sqlite.Statement => {
    const found = prepared.get(sql) ?? file.prepare(sql);
    prepared.delete(sql);
    prepared.set(sql, found);
    const [oldest] = prepared.keys();
    if (prepared.size > MAX_CACHED_STATEMENTS && oldest !== undefined) prepared.delete(oldest);
    return found;
  };
  return {
    /** As SQLite understands it, whatever word it begins with. */
    isReading: (sql: string): boolean => prepare(sql).readonly,
    perform: ({ sql, parameters }: Statement): QueryResult<unknown> => {
      const statement = prepare(sql);
      if (statement.reader) return { rows: statement.all(...parameters) };
      const { changes, lastInsertRowid } = statement.run(...parameters);
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
    },
  };
};
