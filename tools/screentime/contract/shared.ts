import * as z from 'zod/mini';
import { MAX_NAME_LENGTH, STATUSES } from './limits.ts';

/**
 * The caller's zone: `tz` (an IANA name) first, then `tzoffset` (hours east of UTC, with fractions), then the home
 * zone.
 */
export const zoneFields = {
  tzoffset: z.optional(z.string().check(z.maxLength(20))),
  tz: z.optional(z.string().check(z.maxLength(64))),
};

/** Id of a computer, in the form of GET fields. -1 or none means all computers. */
export const deviceid = z.optional(z.string().check(z.maxLength(20)));

/** Extension. '1': time on several devices at the same time counts once. Otherwise it is added up. */
export const wall = z.optional(z.enum(['0', '1']));

/** ISO date. */
export const date = z.string().check(z.maxLength(20));
export const rgb = z.tuple([z.number(), z.number(), z.number()]);
export const status = z.enum(STATUSES);
/** The handler counts code points. A valid name is never longer than this in UTF-16. */
export const applicationName = z.string().check(z.minLength(1), z.maxLength(2 * MAX_NAME_LENGTH));

export const title = z.string().check(z.maxLength(1000));

/** Milliseconds since the epoch. */
export const instant = z.int();
