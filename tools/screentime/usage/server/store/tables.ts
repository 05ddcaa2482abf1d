import type { Generated, Kysely } from 'kysely';

/** Selects the devices of an account. Every query about usage is limited to them. */
export function selectDevices(source: Kysely<unknown>, account: number) {
  return source
    .$extendTables<UsageTables>()
    .selectFrom('screentime_device')
    .select('screentime_device.device')
    .where('screentime_device.account', '=', account);
}

/**
 * Times are in seconds since the epoch unless noted; `packing.ts` packs `data`. Application 0 means all together, in
 * the rollups (`_u15`, `_day`, `_total`) only. `_day` and `_total` count focus (`on`) only.
 */
export type UsageTables = {
  /**
   * State of an account's usage. `revision` rises with every change. `_day` of `generation` has the days of `zone`; if
   * `next_zone` is set, the next generation is being built for it.
   */
  screentime_account: {
    account: number;
    revision: number;
    zone: string;
    generation: number;
    next_zone: string | null;
  };
  /** A computer with usage, also after its removal, with its last name. `hostname` is ActivityWatch's, for imports. */
  screentime_device: { device: number; account: number; name: string; hostname: string | null };
  /**
   * `colour` is an index within the account that never changes; `category` null is unassigned; `first_seen` is in
   * milliseconds.
   */
  screentime_application: {
    id: Generated<number>;
    account: number;
    name: string;
    colour: number;
    category: number | null;
    first_seen: number;
  };
  /** The source of truth: all intervals of one device on one UTC day (days since 1970-01-01). */
  screentime_segment: { device: number; day: number; data: Uint8Array };
  /** Seconds in each UTC slot of 15 minutes; a chunk has 32 days. `status` is the index in `STATUSES`. */
  screentime_u15: { device: number; chunk: number; application: number; status: number; data: Uint8Array };
  /** Seconds, times opened and longest interval of each day in the home zone; a chunk has 256 days. */
  screentime_day: { device: number; generation: number; chunk: number; application: number; data: Uint8Array };
  /** All recorded time. */
  screentime_total: { device: number; application: number; seconds: number; first_use: number; last_use: number };
  /**
   * What was accepted of a boot of an agent: the last number, and the end of its segment. `used` is in milliseconds.
   */
  screentime_cursor: { device: number; boot: string; taken: number; until_time: number; used: number };
  /** An import, and how many focused seconds it added. `created` is in milliseconds. */
  screentime_import: { id: Generated<number>; account: number; device: number; created: number; seconds: number };
  /** What an import added on one UTC day. */
  screentime_import_day: { import: number; day: number; data: Uint8Array };
  /** Computer that receives imports of this hostname after a merge. */
  screentime_hostname: { account: number; hostname: string; device: number };
  /** Title of a focused document or page; stored for 30 days. */
  screentime_title: {
    id: Generated<number>;
    device: number;
    application: number;
    from_time: number;
    until_time: number;
    title: string;
  };
};

/** Returns a connection or a transaction with the types of these tables. */
export function withUsageTables(source: Kysely<unknown>) {
  return source.$extendTables<UsageTables>();
}
