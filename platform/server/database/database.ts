import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyBaseLogger } from 'fastify';
import type { Kysely, Transaction, DatabaseConnection, Dialect } from 'kysely';
import { markDatabaseDown } from '../storage/databaseDownError.ts';
import type { Coordination } from './coordination.ts';

/** Runs a callback in a transaction and commits it. It may run the callback again from the start. */
export type RunTransaction = <T>(callback: (tx: Transaction<unknown>) => Promise<T>) => Promise<T>;

/** Creates the `transaction` method of a database, and detects nested transactions. */
export interface TransactionFactory {
  /** @throws Error if the caller is inside an open transaction. */
  readonly assertOutside: () => void;
  readonly create: (runTransaction: RunTransaction) => Database['transaction'];
}

/** Creates what transactions of both databases share: calls after the commit, and a check against nesting. */
export function createTransactionFactory(log: FastifyBaseLogger): TransactionFactory {
  const currentScope = new AsyncLocalStorage<{ isOpen: boolean }>();
  function assertOutside(): void {
    if (currentScope.getStore()?.isOpen === true)
      throw new Error('inside a transaction, have every query go by its `tx` and open no second one');
  }

  /** Runs a callback in a scope. @returns its result, and the functions to call after the commit. */
  async function runInScope<T>(tx: Transaction<unknown>, callback: (unit: UnitOfWork) => Promise<T>) {
    const scope = { isOpen: true };
    const afterCommitCallbacks: (() => void)[] = [];
    function afterCommit(afterCommitCallback: () => void): void {
      if (!scope.isOpen) throw new Error('afterCommit came after the end of its transaction');
      afterCommitCallbacks.push(afterCommitCallback);
    }
    try {
      const result = await currentScope.run(scope, async () => callback({ tx, afterCommit }));
      return { result, afterCommitCallbacks };
    } finally {
      scope.isOpen = false;
    }
  }

  return {
    assertOutside,
    create: (runTransaction) => async (callback) => {
      assertOutside();
      const { result, afterCommitCallbacks } = await runTransaction(async (tx) => runInScope(tx, callback));
      for (const afterCommitCallback of afterCommitCallbacks) {
        try {
          afterCommitCallback();
        } catch (error) {
          // The rows are committed, so the caller must not get an error.
          log.error({ err: error }, 'database.after_commit.failed');
        }
      }
      return result;
    },
  };
}

export type ExecuteQuery = DatabaseConnection['executeQuery'];

interface QueryHooks {
  /** Called before a connection is acquired. An error that it throws goes to the caller. */
  readonly before: () => void;
  /** Wraps a connection's own `executeQuery`. */
  readonly wrap: (execute: ExecuteQuery) => ExecuteQuery;
}

/** Returns a dialect whose connections run each query through `wrap`. */
export function wrapQueries(dialect: Dialect, { before, wrap }: QueryHooks): Dialect {
  return {
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createDriver: () => {
      const driver = dialect.createDriver();
      const acquire = driver.acquireConnection.bind(driver);
      const wrapped = new WeakSet<DatabaseConnection>();
      driver.acquireConnection = async (options) => {
        before();
        const connection = await acquire(options).catch((error: unknown) => {
          throw markDatabaseDown(error);
        });
        if (!wrapped.has(connection)) connection.executeQuery = wrap(connection.executeQuery.bind(connection));
        wrapped.add(connection);
        return connection;
      };
      return driver;
    },
  };
}

/** A running transaction. */
export interface UnitOfWork {
  readonly tx: Transaction<unknown>;
  /** Schedules a call after a successful commit, such as a socket event. */
  readonly afterCommit: (callback: () => void) => void;
}

/** The server's database: SQLite in the data folder, or PostgreSQL with `DATABASE_URL`. */
export interface Database extends AsyncDisposable {
  readonly dialect: 'sqlite' | 'postgres';
  readonly db: Kysely<unknown>;
  readonly coordination: Coordination;
  /**
   * Runs a callback in a transaction, and returns its result. Inside, await only the database, and run all queries on
   * `tx`: other connections do not see its writes, and waiting for one can deadlock.
   */
  readonly transaction: <T>(callback: (unit: UnitOfWork) => Promise<T>) => Promise<T>;
  /** @throws if the database does not respond. */
  readonly ping: () => Promise<void>;
  /**
   * Erases deleted rows from the disk, once no backup reads them. Call it after their transaction.
   * PostgreSQL erases them at its next vacuum.
   */
  readonly eraseDeleted: () => Promise<void>;
  /** Size in bytes. */
  readonly getSizeBytes: () => Promise<number>;
  /** Bytes inside the database that deleted rows have left, and that new rows will use. 0 if they are unknown. */
  readonly getReusableBytes: () => Promise<number>;
}
