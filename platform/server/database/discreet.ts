import type { ExecuteQuery } from './eachQuery.ts';

/**
 * A query of PostgreSQL with errors that may be logged: a refused row or value is not in them. By itself PostgreSQL tells both,
 * as in `Key (name)=(…) already exists`.
 */
export const redactErrors =
  (execute: ExecuteQuery): ExecuteQuery =>
  async (query, options) => {
    try {
      return await execute(query, options);
    } catch (error) {
      throw redactValues(error);
    }
  };

/** Class 22 is of values that do not fit, and quotes them in the message itself. */
const redactValues = (error: unknown): unknown => {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return error;
  const told = Object.fromEntries(
    Object.entries(error).filter(([name]) => !['detail', 'where', 'internalQuery'].includes(name)),
  );
  const message = error.code.startsWith('22') ? 'a value does not fit its column' : error.message;
  return Object.assign(new Error(message), told);
};
