import type { Kysely, Transaction } from 'kysely';

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
