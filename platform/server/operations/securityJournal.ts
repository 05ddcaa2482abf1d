import type { FastifyBaseLogger } from 'fastify';
import { MINUTE_MS } from '#platform/contract/duration.ts';
import type { SecurityEvent } from '#platform/contract/security.ts';
import type { Database } from '../database/database.ts';
import { getAddressKey } from '../http/address.ts';
import { realTimers, type Timers } from '../schedule/timers.ts';
import { onSecurityEvent } from './logger.ts';
import { type SecurityEventRecord, createSecurityEventStore, type StoredSecurityEvent } from './securityEventStore.ts';

const WRITE_DELAY_MS = 5000;
/**
 * Maximum number of different unsaved events. More are counted without their address, so that a flood cannot fill the
 * memory.
 */
const MAX_PENDING_EVENTS = 200;
/** Repetitions within this time are counted on the earlier record. */
const MERGE_WINDOW_MS = 10 * MINUTE_MS;

/** Records security events: the last 200 of each account and of the whole server. */
export interface SecurityJournal {
  /** Newest first. */
  readonly listByAccount: (account: number) => Promise<readonly StoredSecurityEvent[]>;
  /** The newest 200 events of all accounts and the whole server, for its owner. */
  readonly listAll: () => Promise<readonly StoredSecurityEvent[]>;
}

export interface SecurityJournalOptions {
  readonly database: Database;
  readonly log: FastifyBaseLogger;
  readonly now: () => Temporal.Instant;
  readonly timers?: Timers;
}

const toNumber = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

interface PendingEvent extends SecurityEventRecord {
  readonly key: string;
}

function mergeEvents(first: PendingEvent, second: PendingEvent): PendingEvent {
  const [earlier, later] = first.time <= second.time ? [first, second] : [second, first];
  return { ...later, times: earlier.times + later.times };
}

/**
 * Creates a journal that stores each `logSecurityEvent` of this log in batches, a few seconds later. Disposing saves
 * the rest.
 */
export function createSecurityJournal(options: SecurityJournalOptions): SecurityJournal & AsyncDisposable {
  const { database, log, now, timers = realTimers } = options;
  const pendingByKey = new Map<string, PendingEvent>();
  const recentRows = new Map<string, { readonly id: number; readonly time: number }>();
  let cancelWrite: (() => void) | undefined;
  let currentWrite = Promise.resolve();

  function enqueue(event: PendingEvent): void {
    const pending = pendingByKey.get(event.key);
    pendingByKey.set(event.key, pending ? mergeEvents(pending, event) : event);
    cancelWrite ??= timers.schedule(WRITE_DELAY_MS, () => void flush());
  }

  /** Saves events. @returns the id of the row of each key. The database may run it again from the start. */
  const write = (batch: readonly PendingEvent[]): Promise<ReadonlyMap<string, number>> =>
    database.transaction(async ({ tx }) => {
      const store = createSecurityEventStore(tx);
      const idsByKey = new Map<string, number>();
      const changedAccounts = new Set<number | undefined>();
      const existingAccounts = await store.findExistingAccounts(batch.flatMap(({ account }) => account ?? []));
      for (const { key, ...event } of batch) {
        // The account was deleted meanwhile, with all its rows.
        if (event.account !== undefined && !existingAccounts.has(event.account)) continue;
        const row = recentRows.get(key);
        const isRepeated =
          row !== undefined && event.time - row.time < MERGE_WINDOW_MS && (await store.addOccurrences(row.id, event));
        idsByKey.set(key, isRepeated ? row.id : await store.insert(event));
        if (!isRepeated) changedAccounts.add(event.account);
      }
      for (const account of changedAccounts) await store.trim(account);
      return idsByKey;
    });

  async function writeAll(): Promise<void> {
    cancelWrite?.();
    cancelWrite = undefined;
    const batch = [...pendingByKey.values()];
    pendingByKey.clear();
    if (batch.length === 0) return;
    try {
      const idsByKey = await write(batch);
      for (const { key, time } of batch) {
        const id = idsByKey.get(key);
        if (id !== undefined) recentRows.set(key, { id, time });
      }
      const mergeableSince = now().epochMilliseconds - MERGE_WINDOW_MS;
      for (const [key, { time }] of recentRows) if (time < mergeableSince) recentRows.delete(key);
    } catch (error) {
      log.error({ err: error }, 'security.events.unsaved');
      for (const event of batch) enqueue(event);
    }
  }
  function flush(): Promise<void> {
    currentWrite = currentWrite.then(writeAll);
    return currentWrite;
  }

  onSecurityEvent(log, (event: SecurityEvent, fields) => {
    const account = toNumber(fields['account']);
    const device = toNumber(fields['device']);
    const address = typeof fields['address'] === 'string' ? fields['address'] : '';
    const getKey = (addressKey: string): string => JSON.stringify([event, account, device, addressKey]);
    const record = { event, account, device, address, times: 1, time: now().epochMilliseconds };
    const key = getKey(getAddressKey(address));
    if (pendingByKey.has(key) || pendingByKey.size < MAX_PENDING_EVENTS) enqueue({ ...record, key });
    else enqueue({ ...record, address: '', key: getKey('') });
  });

  const store = createSecurityEventStore(database.db);
  return {
    listByAccount: async (account) => {
      await flush();
      return store.listByAccount(account);
    },
    listAll: async () => {
      await flush();
      return store.listAll();
    },
    [Symbol.asyncDispose]: async () => {
      await flush();
      cancelWrite?.();
    },
  };
}
