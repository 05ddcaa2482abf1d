import Sqlite from 'better-sqlite3';
import type { QueryResult } from 'kysely';
import { isDiskFullCode } from '../storage/diskFullError.ts';
import type { Statement } from './sqliteConnection.ts';

/** A message to the writer thread. It answers in the order of the requests. */
export type WorkerRequest =
  /** Independent statements: each succeeds or fails alone. */
  | { readonly kind: 'batch'; readonly statements: readonly Statement[] }
  | { readonly kind: 'begin' }
  | { readonly kind: 'step'; readonly statement: Statement }
  | { readonly kind: 'commit' }
  | { readonly kind: 'rollback' }
  /** Copies the whole log into the database and empties it, unless a reader uses it. */
  | { readonly kind: 'truncateLog' }
  | { readonly kind: 'close' };

export type Outcome = { readonly result: QueryResult<unknown> } | { readonly error: SerializedError };

/** First message of the writer thread. */
export type WorkerStartResult =
  | { readonly opened: true }
  | { readonly refused: string; readonly code: string }
  | { readonly error: SerializedError };

/** An error that crosses threads, which would lose its class and `code`. */
export interface SerializedError {
  readonly name: string;
  readonly message: string;
  readonly code: string | undefined;
}

/** Converts an error for the transfer to another thread. */
export function serializeError(error: unknown): SerializedError {
  return {
    name: error instanceof Error ? error.name : 'Error',
    message: error instanceof Error ? error.message : String(error),
    code: error instanceof Sqlite.SqliteError ? error.code : undefined,
  };
}

/** Returns whether the disk was full. */
export function isDiskFull({ code = '' }: SerializedError): boolean {
  return isDiskFullCode(code);
}

/** Restores an error. Its stack starts at the caller. */
export function deserializeError({ name, message, code }: SerializedError): Error {
  return code === undefined ? Object.assign(new Error(message), { name }) : new Sqlite.SqliteError(message, code);
}
