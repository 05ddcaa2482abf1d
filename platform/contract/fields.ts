import * as z from 'zod/mini';

/** Counts Unicode code points: 👋 is one. */
export function countCodePoints(text: string): number {
  return Array.from(text).length;
}

/** Id of a row in an answer: a positive integer. */
export const id = z.int().check(z.positive());

/** Largest id that both databases can store. */
const MAX_ID = 2 ** 31 - 1;

/**
 * Id of a row in a request. Ids beyond the range of the column become 0, which matches no row, so the database query
 * does not fail.
 */
export const requestedId = z.pipe(
  id,
  z.transform((value: number) => (value > MAX_ID ? 0 : value)),
);

/** Target of a message: the id of a device as text, or 'no id' for none. */
export const target = z.string().check(z.maxLength(20));
export const NO_TARGET = 'no id';
