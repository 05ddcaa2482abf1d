import { replaceUnstorable } from '#platform/contract/text.ts';
import type { ExecuteQuery } from './eachQuery.ts';

/**
 * PostgreSQL refuses a query whose text holds U+0000, even one that only looks for it. What is kept has none (`keepable`), so whoever asks
 * for such a name is told that there is none instead of meeting a fault.
 */
export const replaceNullCharacters =
  (execute: ExecuteQuery): ExecuteQuery =>
  (query, options) =>
    execute(
      query.parameters.some(hasNull) ? { ...query, parameters: query.parameters.map(replaceNull) } : query,
      options,
    );

const hasNull = (value: unknown): value is string => typeof value === 'string' && value.includes('\0');
const replaceNull = (value: unknown): unknown => (hasNull(value) ? replaceUnstorable(value) : value);
