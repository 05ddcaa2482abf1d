import type Sqlite from 'better-sqlite3';
import {
  SqliteIntrospector,
  SqliteQueryCompiler,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type DialectAdapter,
  type Driver,
  type QueryResult,
} from 'kysely';
import { createStatementCache } from './statements.ts';
import { deserializeError, type Outcome } from './workerMessages.ts';
import type { WriteQueue, WriteTransaction } from './writeQueue.ts';

interface DialectDeps {
  /** Reads outside of transactions, on the main thread. */
  readonly reader: Sqlite.Database;
  readonly writes: WriteQueue;
  /** @throws where the caller stands inside a transaction of its own, which a write beside it would wait for for ever. */
  readonly assertOutside: () => void;
}

/** SQLite with its writes in a thread of their own. What a write has answered, every read that begins later sees. */
export const createThreadedSqliteDialect = (parts: DialectDeps): Dialect => ({
  createAdapter: () => adapter,
  createDriver: () => createDriver(parts),
  createIntrospector: (db) => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteQueryCompiler(),
});

const adapter: DialectAdapter = {
  supportsCreateIfNotExists: true,
  supportsMultipleConnections: true,
  supportsOutput: false,
  supportsReturning: true,
  supportsTransactionalDdl: true,
  // One server at a time has the folder, and `migrate` runs one migration after another.
  acquireMigrationLock: async () => undefined,
  releaseMigrationLock: async () => undefined,
};

const createDriver = ({ reader, writes, assertOutside }: DialectDeps): Driver => {
  const { perform: read, isReading } = createStatementCache(reader);
  const transactions = new WeakMap<DatabaseConnection, WriteTransaction>();

  const runOutside = async (query: CompiledQuery): Promise<QueryResult<unknown>> => {
    assertOutside();
    const kind = kindOf(query, isReading);
    if (kind === 'read') return read(query);
    const statement = { sql: query.sql, parameters: query.parameters };
    return resultOf(await (kind === 'write' ? writes.run(statement) : writes.runExclusive(statement)));
  };

  const connect = (): DatabaseConnection => {
    const connection: DatabaseConnection = {
      executeQuery: async <Row>(query: CompiledQuery) => {
        const transaction = transactions.get(connection);
        const result = transaction
          ? resultOf(await transaction.execute({ sql: query.sql, parameters: query.parameters }))
          : await runOutside(query);
        // The caller of Kysely says what the rows of its query are.
        return result as QueryResult<Row>;
      },
      streamQuery: () => {
        throw new Error('rows come all at once: read large tables page by page');
      },
    };
    return connection;
  };
  const transactionOf = (connection: DatabaseConnection): WriteTransaction => {
    const transaction = transactions.get(connection);
    if (!transaction) throw new Error('no transaction has begun here');
    return transaction;
  };

  return {
    init: async () => undefined,
    acquireConnection: async () => connect(),
    beginTransaction: async (connection) => {
      assertOutside();
      transactions.set(connection, await writes.begin());
    },
    commitTransaction: async (connection) => {
      resultOf(await transactionOf(connection).commit());
    },
    rollbackTransaction: async (connection) => {
      resultOf(await transactionOf(connection).rollback());
    },
    releaseConnection: async () => undefined,
    destroy: async () => undefined,
  };
};

type StatementKind = 'read' | 'write' | 'other';
const KINDS: Readonly<Record<string, StatementKind>> = {
  select: 'read',
  insert: 'write',
  update: 'write',
  delete: 'write',
};

/** By the first word, so that written SQL is told as well; what begins with another may do anything. */
const kindOf = (query: CompiledQuery, isReading: (text: string) => boolean): StatementKind => {
  if (query.query.kind === 'SelectQueryNode') return 'read';
  const word = /^\s*(\w+)/.exec(query.sql)?.[1]?.toLowerCase() ?? '';
  if (word === 'with') return isReading(query.sql) ? 'read' : 'write';
  return KINDS[word] ?? 'other';
};

const resultOf = (outcome: Outcome): QueryResult<unknown> => {
  if ('error' in outcome) throw deserializeError(outcome.error);
  return { ...outcome.result, rows: outcome.result.rows.map(withBuffers) };
};

/** Between threads a Buffer becomes a plain Uint8Array. */
const withBuffers = (row: unknown): unknown =>
  typeof row !== 'object' || row === null || !Object.values(row).some((value) => value instanceof Uint8Array)
    ? row
    : Object.fromEntries(
        Object.entries(row).map(([name, value]) => [name, value instanceof Uint8Array ? Buffer.from(value) : value]),
      );
