/** Answer to everything for which the database did not respond. It may be tried again. */
export const databaseDownAnswer = {
  message: 'The database of this server does not respond. Try again in a moment',
  code: 'database.down',
} as const;

const MARK = Symbol('database down');

/** Marks an error: the database did not respond, and nothing was saved. */
export function markDatabaseDown(error: unknown): unknown {
  return error instanceof Error ? Object.assign(error, { [MARK]: true }) : error;
}

/** Returns whether an error has that mark. */
export function isDatabaseDownError(error: unknown): boolean {
  return error instanceof Error && MARK in error;
}
