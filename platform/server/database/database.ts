import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyBaseLogger } from 'fastify';
import type { Kysely, Transaction, DatabaseConnection, Dialect } from 'kysely';

/** Begins a transaction, has `body` done in it, and commits. It may do so again from the start. */
export type RunTransaction = <T>(body: (tx: Transaction<unknown>) => Promise<T>) => Promise<T>;

export interface TransactionFactory {
  /** @throws where the caller stands inside the work of an open transaction. */
  readonly assertOutside: () => void;
  readonly create: (begin: RunTransaction) => Database['transaction'];
}

/** What both databases' transactions have in common: the work after the commit, and no second one inside the first. */
export function createTransactionFactory(log: FastifyBaseLogger): TransactionFactory {
  const current = new AsyncLocalStorage<{ isOpen: boolean }>();
  const assertOutside = (): void => {
    if (current.getStore()?.isOpen === true)
      throw new Error('inside a transaction, have every query go by its `tx` and open no second one');
  };

  /** @returns what the work gives, and what it left to be done after the commit. */
  const perform = async <T>(tx: Transaction<unknown>, work: (work: UnitOfWork) => Promise<T>) => {
    const scope = { isOpen: true };
    const left: (() => void)[] = [];
    const afterCommit = (then: () => void): void => {
      if (!scope.isOpen) throw new Error('afterCommit came after the end of its transaction');
      left.push(then);
    };
    try {
      return { done: await current.run(scope, async () => work({ tx, afterCommit })), left };
    } finally {
      scope.isOpen = false;
    }
  };

  return {
    assertOutside,
    create: (begin) => async (work) => {
      assertOutside();
      const { done, left } = await begin(async (tx) => perform(tx, work));
      for (const then of left) {
        try {
          then();
        } catch (error) {
          // The rows are kept: the caller must not hear that they are not.
          log.error({ err: error }, 'database.afterCommit failed');
        }
      }
      return done;
    },
  };
}

export type ExecuteQuery = DatabaseConnection['executeQuery'];

interface QueryHooks {
  /** Called before a connection is taken; what it throws, the caller gets in its place. */
  readonly before: () => void;
  /** Is given a connection's own `executeQuery`. */
  readonly wrap: (execute: ExecuteQuery) => ExecuteQuery;
}

/** A dialect whose connections run each query through `wrap`. */
export function wrapQueries(dialect: Dialect, { before, wrap }: QueryHooks): Dialect {
  return {
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createDriver: () => {
      const driver = dialect.createDriver();
      const acquire = driver.acquireConnection.bind(driver);
      const seen = new WeakSet<DatabaseConnection>();
      driver.acquireConnection = async (options) => {
        before();
        const connection = await acquire(options);
        if (!seen.has(connection)) connection.executeQuery = wrap(connection.executeQuery.bind(connection));
        seen.add(connection);
        return connection;
      };
      return driver;
    },
  };
}

/** A running transaction. `afterCommit` work (answers to others, realtime events) runs once the rows are kept, and not at all when they are not. */
export interface UnitOfWork {
  readonly tx: Transaction<unknown>;
  readonly afterCommit: (then: () => void) => void;
}

/** The one database of the server: SQLite in the data folder, or PostgreSQL by `DATABASE_URL`. */
export interface Database extends AsyncDisposable {
  readonly dialect: 'sqlite' | 'postgres';
  readonly db: Kysely<unknown>;
  /**
   * All writes of one call. No `await` on anything but the database inside, and every query by its `tx`: one beside it does not see what was
   * written, and asks for a second connection that others may hold who wait for this one.
   */
  readonly transaction: <T>(work: (work: UnitOfWork) => Promise<T>) => Promise<T>;
  /** @throws when the database does not answer. */
  readonly ping: () => Promise<void>;
  /**
   * Takes what rows held that were deleted off the disk, once no backup reads any more. To be called after their transaction.
   * PostgreSQL does it by itself, at its next vacuum.
   */
  readonly eraseDeleted: () => Promise<void>;
  /** How large it is. */
  readonly getSizeBytes: () => Promise<number>;
}
