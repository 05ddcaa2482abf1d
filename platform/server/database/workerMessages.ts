import Sqlite from 'better-sqlite3';
import type { QueryResult } from 'kysely';
import type { Statement } from './sqliteConnection.ts';

/** What the main thread asks of the writing thread. It answers in the order of asking. */
export type WorkerRequest =
  /** Statements that have nothing to do with one another: each is kept or fails by itself. */
  | { readonly kind: 'batch'; readonly statements: readonly Statement[] }
  | { readonly kind: 'begin' }
  | { readonly kind: 'step'; readonly statement: Statement }
  | { readonly kind: 'commit' }
  | { readonly kind: 'rollback' }
  /** Copies the whole log into the database and empties it, unless somebody reads from it. */
  | { readonly kind: 'truncateLog' }
  | { readonly kind: 'close' };

export type Outcome = { readonly result: QueryResult<unknown> } | { readonly error: SerializedError };

/** The writing thread's first message. */
export type WorkerStartResult =
  | { readonly opened: true }
  | { readonly refused: string }
  | { readonly error: SerializedError };

/** An error as it crosses from one thread to another, where its class and `code` would be lost. */
export interface SerializedError {
  readonly name: string;
  readonly message: string;
  readonly code: string | undefined;
}

export function serializeError(error: unknown): SerializedError {
  return {
    name: error instanceof Error ? error.name : 'Error',
    message: error instanceof Error ? error.message : String(error),
    code: error instanceof Sqlite.SqliteError ? error.code : undefined,
  };
}

/** Whether the disk had no room for it; SQLite says the latter of its index of the log. */
export function isDiskFullError({ code = '' }: SerializedError): boolean {
  return /^SQLITE_(FULL|IOERR_SHMSIZE)$/.test(code);
}

/** The error as it was. To be called where its stack is to begin. */
export function deserializeError({ name, message, code }: SerializedError): Error {
  return code === undefined ? Object.assign(new Error(message), { name }) : new Sqlite.SqliteError(message, code);
}
