import type { Kysely } from 'kysely';
import type { UsageTables } from './tables.ts';

/** The devices of one account: what every question about usage is bound to. */
export const devicesOf = (source: Kysely<unknown>, account: number) =>
  source
    .$extendTables<UsageTables>()
    .selectFrom('screentime_device')
    .select('screentime_device.device')
    .where('screentime_device.account', '=', account);

/** Whole numbers from the first to the last, both included. */
export const numbersBetween = (first: number, last: number): readonly number[] =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at);
