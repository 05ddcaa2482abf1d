import type { Change } from '../domain/stretch.ts';

const RETENTION_SECONDS = 365 * 86_400;

/** Nothing older than this moment is kept. */
export const keptFrom = (now: number): number => now - RETENTION_SECONDS;

/** What stands at the moment from which on things are kept, in place of all that was before; undefined where nothing was. */
export const carriedOver = (last: Change | undefined, from: number): Change | undefined =>
  last === undefined || last.at > from ? undefined : { ...last, at: from };
