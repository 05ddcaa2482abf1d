import type { FastifyBaseLogger } from 'fastify';
import type { Kysely } from 'kysely';
import { MINUTE_MS } from '#platform/contract/duration.ts';
import { getRetentionMs, retentionPeriod, type RetentionPeriod } from '#platform/contract/retention.ts';
import { createSerialQueue } from '#platform/contract/serialQueue.ts';
import { referenceAccount } from '../database/columns.ts';
import type { Database } from '../database/database.ts';
import { realTimers, type Timers } from '../schedule/timers.ts';

/** A row that was removed because its retention ended. */
export interface ExpiredRow {
  readonly id: number;
  readonly device: number;
}

export interface RetentionOptions {
  readonly database: Database;
  /** Has columns `id`, `account`, `device` and `received` (milliseconds since the epoch). */
  readonly table: string;
  /** Created by `createRetentionTable`. */
  readonly settingsTable: string;
  readonly now: () => Temporal.Instant;
  readonly log: FastifyBaseLogger;
  readonly onExpired: (account: number, rows: readonly ExpiredRow[]) => void;
  readonly timers?: Timers;
}

/** Removes an account's rows when they are older than its retention period. */
export interface Retention {
  readonly get: (account: number) => Promise<RetentionPeriod>;
  /** Also removes rows that are too old for the new period. */
  readonly set: (account: number, period: RetentionPeriod) => Promise<void>;
  /** Call after each insert, since the new row may be the next to expire. */
  readonly onInserted: (account: number) => void;
  /** Removes expired rows, and schedules the next purge. An account that fails is logged and retried later. */
  readonly purge: () => Promise<void>;
  /** Starts a purge without waiting for it. */
  readonly start: () => void;
  readonly stop: () => Promise<void>;
}

type RetainedTables = Record<string, { id: number; account: number; device: number; received: number }>;
type SettingTables = Record<string, { account: number; period: string }>;

const RETRY_DELAY_MS = MINUTE_MS;
/** Longest possible timer; longer ones would fire immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Returns undefined for unknown periods, because a period of a newer version must not delete anything. */
const parsePeriod = (text: string | undefined): RetentionPeriod | undefined => retentionPeriod.safeParse(text).data;

/** Creates the table of accounts with a retention period, in a migration of a tool. */
export async function createRetentionTable(db: Kysely<unknown>, name: string): Promise<void> {
  await db.schema
    .createTable(name)
    .addColumn('account', 'integer', (column) => referenceAccount(column).primaryKey())
    .addColumn('period', 'text', (column) => column.notNull())
    .execute();
}

/** Creates the retention of a table, with one timer for the next row that expires. */
export function createRetention(options: RetentionOptions): Retention {
  const { database, table, settingsTable, now, log, onExpired, timers = realTimers } = options;
  const rows = database.db.$extendTables<RetainedTables>();
  const settings = database.db.$extendTables<SettingTables>();
  const periods = new Map<number, RetentionPeriod>();
  let cancelTimer: (() => void) | undefined;
  let dueAt = Number.POSITIVE_INFINITY;
  const enqueue = createSerialQueue();
  let hasExpired = false;
  let isStopped = false;

  function startTimer(at: number): void {
    if (isStopped || at >= dueAt) return;
    cancelTimer?.();
    dueAt = at;
    const delayMs = Math.min(Math.max(at - now().epochMilliseconds, 0), MAX_TIMER_MS);
    cancelTimer = timers.schedule(delayMs, start);
  }

  /** Removes expired rows, and returns when the account's oldest remaining row expires. */
  async function purgeAccount(account: number, period: RetentionPeriod): Promise<number> {
    const expired = await rows
      .deleteFrom(table)
      .where('account', '=', account)
      .where('received', '<=', now().epochMilliseconds - getRetentionMs(period))
      .returning(['id', 'device'])
      .execute();
    hasExpired ||= expired.length > 0;
    if (expired.length > 0) onExpired(account, expired);
    const oldest = await rows
      .selectFrom(table)
      .select(({ fn }) => fn.min<number | null>('received').as('received'))
      .where('account', '=', account)
      .executeTakeFirst();
    return oldest?.received == null ? Number.POSITIVE_INFINITY : oldest.received + getRetentionMs(period);
  }

  function handleFailure(error: unknown, account?: number): void {
    log.error({ err: error, table, account }, 'retention.purge.failed');
    startTimer(now().epochMilliseconds + RETRY_DELAY_MS);
  }

  async function loadPeriods(): Promise<void> {
    const settingsRows = await settings.selectFrom(settingsTable).select(['account', 'period']).execute();
    periods.clear();
    for (const { account, period } of settingsRows) {
      const parsedPeriod = parsePeriod(period);
      if (parsedPeriod === undefined) log.error({ table, account, period }, 'retention.period.unknown');
      else periods.set(account, parsedPeriod);
    }
  }

  async function purgeAll(): Promise<void> {
    cancelTimer?.();
    cancelTimer = undefined;
    dueAt = Number.POSITIVE_INFINITY;
    await loadPeriods().catch((error: unknown) => handleFailure(error));
    for (const [account, period] of periods)
      await purgeAccount(account, period).then(startTimer, (error: unknown) => handleFailure(error, account));
  }

  /** Runs work one by one, and erases deleted rows from the disk afterwards, even after an error. */
  const runSerially = (work: () => Promise<void>): Promise<void> =>
    enqueue(async () => {
      if (isStopped) return;
      hasExpired = false;
      try {
        await work();
      } finally {
        if (hasExpired) await database.eraseDeleted();
      }
    });

  const purge = (): Promise<void> => runSerially(purgeAll);

  function start(): void {
    purge().catch(handleFailure);
  }

  return {
    get: async (account) => {
      const query = settings.selectFrom(settingsTable).select('period').where('account', '=', account);
      return parsePeriod((await query.executeTakeFirst())?.period) ?? 'forever';
    },
    set: async (account, period) => {
      if (period === 'forever') await settings.deleteFrom(settingsTable).where('account', '=', account).execute();
      else
        await settings
          .insertInto(settingsTable)
          .values({ account, period })
          .onConflict((conflict) => conflict.column('account').doUpdateSet({ period }))
          .execute();
      await runSerially(async () => {
        periods.delete(account);
        if (period === 'forever') return;
        periods.set(account, period);
        try {
          startTimer(await purgeAccount(account, period));
        } catch (error) {
          handleFailure(error, account);
          throw error;
        }
      });
    },
    onInserted: (account) => {
      const period = periods.get(account);
      if (period !== undefined) startTimer(now().epochMilliseconds + getRetentionMs(period));
    },
    purge,
    start,
    stop: async () => {
      isStopped = true;
      cancelTimer?.();
      await enqueue(async () => undefined);
    },
  };
}
