import type { Generated, Kysely } from 'kysely';

/** The devices of one account: what every question about usage is bound to. */
export function devicesOf(source: Kysely<unknown>, account: number) {
  return source
    .$extendTables<UsageTables>()
    .selectFrom('screentime_device')
    .select('screentime_device.device')
    .where('screentime_device.account', '=', account);
}

/** Whole numbers from the first to the last, both included. */
export function numbersBetween(first: number, last: number): readonly number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at);
}

/**
 * Times are seconds since the epoch where nothing else is said; `data` is packed by `packing.ts`. Application 0 is all applications
 * together, and stands in the rollups (`_u15`, `_day`, `_total`) alone. Only focus (`on`) counts in `_day` and `_total`.
 */
export type UsageTables = {
  /**
   * What an account's usage as a whole knows. `revision` is another one after every change. `_day` of `generation` holds the days of
   * `zone`; where `next_zone` stands, those of that zone are being made as the next generation.
   */
  screentime_account: {
    account: number;
    revision: number;
    zone: string;
    generation: number;
    next_zone: string | null;
  };
  /** A computer that has usage, also when it was removed: its name then is the one it had. `hostname` is ActivityWatch's, of imports. */
  screentime_device: { device: number; account: number; name: string; hostname: string | null };
  /** `colour` counts up from 0 within the account and stays; `category` null is unassigned; `first_seen` in milliseconds. */
  screentime_application: {
    id: Generated<number>;
    account: number;
    name: string;
    colour: number;
    category: number | null;
    first_seen: number;
  };
  /** The truth: every stretch of one device on one day of UTC (days since 1970-01-01). */
  screentime_segment: { device: number; day: number; data: Uint8Array };
  /** Seconds in each slot of 15 minutes of UTC; a chunk is 32 days. `status` is the place in `statuses`. */
  screentime_u15: { device: number; chunk: number; application: number; status: number; data: Uint8Array };
  /** Seconds, times opened and longest stretch of each day of the home zone; a chunk is 256 days. */
  screentime_day: { device: number; generation: number; chunk: number; application: number; data: Uint8Array };
  /** Of all time. */
  screentime_total: { device: number; application: number; seconds: number; first_use: number; last_use: number };
  /** What was taken of a boot of an agent: the last number, and where its segment ended. `used` in milliseconds. */
  screentime_cursor: { device: number; boot: string; taken: number; until_time: number; used: number };
  /** An import, and how many seconds in focus it added. `created` in milliseconds. */
  screentime_import: { id: Generated<number>; account: number; device: number; created: number; seconds: number };
  /** What an import added on one day of UTC. */
  screentime_import_day: { import: number; day: number; data: Uint8Array };
  /** Imports of this hostname go to this computer: an imported computer was merged into it. */
  screentime_hostname: { account: number; hostname: string; device: number };
  /** What document or page was in focus; kept for 30 days. */
  screentime_title: {
    id: Generated<number>;
    device: number;
    application: number;
    from_time: number;
    until_time: number;
    title: string;
  };
};
