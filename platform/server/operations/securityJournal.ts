import type { FastifyBaseLogger } from 'fastify';
import type { SecurityEvent } from '#platform/contract/security.ts';
import type { Database } from '../database/database.ts';
import { getAddressKey } from '../http/address.ts';
import { realTimers, type Timers } from '../schedule/timers.ts';
import { onSecurityEvent } from './logger.ts';
import { type SecurityEventRecord, createSecurityEventStore, type StoredSecurityEvent } from './securityEventStore.ts';

const WRITE_DELAY_MS = 5000;
/** Different ones that wait to be written; what is over that is counted without its address. A flood may not fill the memory. */
const MAX_PENDING_EVENTS = 200;
/** The same within so long after the last time is counted, not listed anew. */
const MERGE_WINDOW_MS = 600_000;

/** What happened to the security of accounts and of the server: the last 200 of each account, and of the server as a whole. */
export interface SecurityJournal {
  /** Newest first. */
  readonly listByAccount: (account: number) => Promise<readonly StoredSecurityEvent[]>;
  /** Of all accounts and the server as a whole, for its owner; the newest 200. */
  readonly listAll: () => Promise<readonly StoredSecurityEvent[]>;
}

export interface SecurityJournalOptions {
  readonly database: Database;
  readonly log: FastifyBaseLogger;
  readonly now: () => Temporal.Instant;
  readonly timers?: Timers;
}

const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

interface PendingEvent extends SecurityEventRecord {
  readonly key: string;
}

const mergeEvents = (one: PendingEvent, other: PendingEvent): PendingEvent => {
  const [earlier, later] = one.time <= other.time ? [one, other] : [other, one];
  return { ...later, times: earlier.times + later.times };
};

/** Hears every `securityEvent` of this log and keeps it: written a few seconds later, many at once. Disposing writes the rest. */
export function createSecurityJournal({
  database,
  log,
  now,
  timers = realTimers,
}: SecurityJournalOptions): SecurityJournal & AsyncDisposable {
  const waiting = new Map<string, PendingEvent>();
  const rows = new Map<string, { readonly id: number; readonly time: number }>();
  let callOff: (() => void) | undefined;
  let writing = Promise.resolve();

  const wait = (one: PendingEvent): void => {
    const same = waiting.get(one.key);
    waiting.set(one.key, same ? mergeEvents(same, one) : one);
    callOff ??= timers.schedule(WRITE_DELAY_MS, () => void flush());
  };

  /** @returns the rows that they stand in now. Runs again from the start where the database wants it so. */
  const write = (batch: readonly PendingEvent[]): Promise<ReadonlyMap<string, number>> =>
    database.transaction(async ({ tx }) => {
      const store = createSecurityEventStore(tx);
      const written = new Map<string, number>();
      const added = new Set<number | undefined>();
      const present = await store.present(batch.flatMap(({ account }) => account ?? []));
      for (const { key, ...one } of batch) {
        if (one.account !== undefined && !present.has(one.account)) continue; // deleted meanwhile, with all of its rows
        const row = rows.get(key);
        const isKnown = row !== undefined && one.time - row.time < MERGE_WINDOW_MS && (await store.addTo(row.id, one));
        written.set(key, isKnown ? row.id : await store.add(one));
        if (!isKnown) added.add(one.account);
      }
      for (const account of added) await store.trim(account);
      return written;
    });

  const writeAll = async (): Promise<void> => {
    callOff?.();
    callOff = undefined;
    const batch = [...waiting.values()];
    waiting.clear();
    if (batch.length === 0) return;
    try {
      const written = await write(batch);
      for (const { key, time } of batch) {
        const id = written.get(key);
        if (id !== undefined) rows.set(key, { id, time });
      }
      const oldest = now().epochMilliseconds - MERGE_WINDOW_MS;
      for (const [key, { time }] of rows) if (time < oldest) rows.delete(key);
    } catch (error) {
      log.error({ err: error }, 'security events not written');
      for (const one of batch) wait(one);
    }
  };
  const flush = (): Promise<void> => {
    writing = writing.then(writeAll);
    return writing;
  };

  onSecurityEvent(log, (event: SecurityEvent, fields) => {
    const account = numberOf(fields['account']);
    const device = numberOf(fields['device']);
    const address = typeof fields['address'] === 'string' ? fields['address'] : '';
    const keyOf = (from: string): string => JSON.stringify([event, account, device, from]);
    const one = { event, account, device, address, times: 1, time: now().epochMilliseconds };
    const key = keyOf(getAddressKey(address));
    if (waiting.has(key) || waiting.size < MAX_PENDING_EVENTS) wait({ ...one, key });
    else wait({ ...one, address: '', key: keyOf('') });
  });

  const store = createSecurityEventStore(database.db);
  return {
    listByAccount: async (account) => {
      await flush();
      return store.ofAccount(account);
    },
    listAll: async () => {
      await flush();
      return store.ofAll();
    },
    [Symbol.asyncDispose]: async () => {
      await flush();
      callOff?.();
    },
  };
}
