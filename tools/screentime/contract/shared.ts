import * as z from 'zod/mini';
import { NAME_LIMIT, statuses } from './limits.ts';

/** Where days begin for whoever asks: `tz`, an IANA name, rules; else `tzoffset`, hours east of UTC with fractions; else the account's home zone. */
export const place = {
  tzoffset: z.optional(z.string().check(z.maxLength(20))),
  tz: z.optional(z.string().check(z.maxLength(64))),
};

/** A computer's id, as fields of a GET are written; -1 and none at all are all of them. */
export const deviceid = z.optional(z.string().check(z.maxLength(20)));

/** Ours, '1': time that several devices were used at once counts once; otherwise devices are added up. */
export const wall = z.optional(z.enum(['0', '1']));

/** ISO. */
export const date = z.string().check(z.maxLength(20));
export const rgb = z.tuple([z.number(), z.number(), z.number()]);
export const status = z.enum(statuses);
/** Code points are counted by the handler; no text of so many is longer in UTF-16. */
export const applicationName = z.string().check(z.minLength(1), z.maxLength(2 * NAME_LIMIT));

export const title = z.string().check(z.maxLength(1000));

/** Milliseconds since the epoch. */
export const instant = z.int();
