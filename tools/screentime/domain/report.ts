import { CLOCK_WINDOW_MS, type Status } from '../contract/limits.ts';
import { DAY_SECONDS } from './days.ts';
import type { Span } from './segment.ts';

/** A segment as a computer reports it: milliseconds since the epoch. */
export interface Reported {
  readonly app: string;
  readonly status: Status;
  readonly from: number;
  readonly until: number;
  readonly title?: string | undefined;
}

/** What of a title is kept; undefined where there is none. Only what is in focus has one. */
export const keptTitle = ({ status, title = '' }: Pick<Reported, 'status' | 'title'>): string | undefined =>
  status === 'on' && title !== '' ? title.toWellFormed().replaceAll('\0', ' ') : undefined;

/** 2000-01-01: whoever says that it is earlier has a clock without a battery. */
export const EARLIEST = 946_684_800;

/**
 * Its time in whole seconds, so that what touches goes on touching and sums stay exact; undefined for one that is no good: from the future,
 * backwards, or longer than a day. One under half a second may have no length left.
 * @param now milliseconds since the epoch.
 */
export const spanOf = ({ from, until }: Pick<Reported, 'from' | 'until'>, now: number): Span | undefined => {
  const span = { from: Math.round(from / 1000), until: Math.round(until / 1000) };
  const isGood =
    from <= until && span.from >= EARLIEST && span.until - span.from <= DAY_SECONDS && until <= now + CLOCK_WINDOW_MS;
  return isGood ? span : undefined;
};
