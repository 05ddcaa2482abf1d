import { DELETED_TTL_MS } from './library.ts';

/** What is known of a library: whose, as of which change, and when that was. */
export interface AsOf {
  readonly account: number;
  readonly revision: number;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

/** Of deleted songs nobody knows for longer; an hour less, since clocks are read before transactions end. */
const MAX_DELTA_AGE_MS = DELETED_TTL_MS - 3_600_000;

/** Whether all that changed since can still be told. */
export const canBeTold = (since: AsOf, is: AsOf): boolean =>
  since.account === is.account &&
  since.revision <= is.revision &&
  since.time <= is.time &&
  is.time - since.time < MAX_DELTA_AGE_MS;
