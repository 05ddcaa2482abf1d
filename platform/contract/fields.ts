import * as z from 'zod/mini';

/** Length in Unicode code points: 👋 is one. */
export function countCodePoints(text: string): number {
  return Array.from(text).length;
}

/** An id of a row, as answers give it: a positive integer. */
export const id = z.int().check(z.positive());

/** The largest that both databases keep in a column of ids. */
const MAX_ID = 2 ** 31 - 1;

/** An id of a row, as requests ask for it. One that is larger than ids can be becomes 0, which is no row's: unknown like any other, and no fault of the database. */
export const requestedId = z.pipe(
  id,
  z.transform((asked: number) => (asked > MAX_ID ? 0 : asked)),
);

/** A device's target id as the wire writes it: its id as text, or 'no id' for none. */
export const target = z.string().check(z.maxLength(20));
export const NO_TARGET = 'no id';
