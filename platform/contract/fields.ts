import * as z from 'zod/mini';

/** Length in Unicode code points: 👋 is one. */
export const lengthOf = (text: string): number => Array.from(text).length;

/** The largest that both databases keep in a column of ids. */
const LARGEST_ID = 2 ** 31 - 1;

/** An id of a row: a positive integer. */
export const id = z.int().check(z.positive(), z.maximum(LARGEST_ID));

/** A number in a query string. */
export const queryNumber = z.pipe(
  z.string().check(z.regex(/^-?\d{1,15}(\.\d{1,9})?$/, 'a number')),
  z.transform((text: string) => Number(text)),
);

/** A device's target id as the wire writes it: its id as text, or 'no id' for none. */
export const target = z.string().check(z.maxLength(20));
export const NO_TARGET = 'no id';

/** An instant as ISO 8601 text in UTC, as calls of our own write it. */
export const instant = z.string().check(z.maxLength(40));
