import type Sqlite from 'better-sqlite3';
import type { QueryResult } from 'kysely';

export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

export interface Statements {
  readonly run: (statement: Statement) => QueryResult<unknown>;
  /** For after a change of the schema, which prepared statements may not know of. */
  readonly forget: () => void;
}

const KEPT = 300;

/** Runs statements on a connection and keeps the newest ones prepared. */
export const makeStatements = (file: Sqlite.Database): Statements => {
  const prepared = new Map<string, Sqlite.Statement>();
  const prepare = (sql: string): Sqlite.Statement => {
    const found = prepared.get(sql) ?? file.prepare(sql);
    prepared.delete(sql);
    prepared.set(sql, found);
    const [oldest] = prepared.keys();
    if (prepared.size > KEPT && oldest !== undefined) prepared.delete(oldest);
    return found;
  };
  return {
    run: ({ sql, parameters }) => {
      const statement = prepare(sql);
      if (statement.reader) return { rows: statement.all(...parameters) };
      const { changes, lastInsertRowid } = statement.run(...parameters);
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
    },
    forget: () => prepared.clear(),
  };
};
