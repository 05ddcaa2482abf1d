import type { FastifyBaseLogger } from 'fastify';
import type { SecurityEvent } from '#platform/contract/security.ts';
import { addressKey } from '../address.ts';
import type { Database } from '../database/database.ts';
import { hearSecurityEvents } from '../log.ts';
import { realTimers, type Timers } from '../realtime/timers.ts';
import { type Happening, happeningStore, type KeptHappening } from './store.ts';

const WRITTEN_AFTER_MS = 5000;
/** Different ones that wait to be written; what is over that is counted without its address. A flood may not fill the memory. */
const WAITING = 200;
/** The same within so long after the last time is counted, not listed anew. */
const SAME_MS = 600_000;

/** What happened to the security of accounts and of the server: the last 200 of each account, and of the server as a whole. */
export interface SecurityJournal {
  /** Newest first. */
  readonly ofAccount: (account: number) => Promise<readonly KeptHappening[]>;
  /** Of all accounts and the server as a whole, for its owner; the newest 200. */
  readonly ofAll: () => Promise<readonly KeptHappening[]>;
}

export interface JournalOptions {
  readonly database: Database;
  readonly log: FastifyBaseLogger;
  readonly now: () => Temporal.Instant;
  readonly timers?: Timers;
}

const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

interface Waiting extends Happening {
  readonly key: string;
}

const together = (one: Waiting, other: Waiting): Waiting => {
  const [earlier, later] = one.time <= other.time ? [one, other] : [other, one];
  return { ...later, times: earlier.times + later.times };
};

/** Hears every `securityEvent` of this log and keeps it: written a few seconds later, many at once. Disposing writes the rest. */
export const makeJournal = ({
  database,
  log,
  now,
  timers = realTimers,
}: JournalOptions): SecurityJournal & AsyncDisposable => {
  const waiting = new Map<string, Waiting>();
  const rows = new Map<string, { readonly id: number; readonly time: number }>();
  let callOff: (() => void) | undefined;
  let writing = Promise.resolve();

  const wait = (one: Waiting): void => {
    const same = waiting.get(one.key);
    waiting.set(one.key, same ? together(same, one) : one);
    callOff ??= timers.after(WRITTEN_AFTER_MS, () => void flush());
  };

  /** @returns the rows that they stand in now. Runs again from the start where the database wants it so. */
  const write = (batch: readonly Waiting[]): Promise<ReadonlyMap<string, number>> =>
    database.transaction(async ({ tx }) => {
      const store = happeningStore(tx);
      const written = new Map<string, number>();
      const added = new Set<number | undefined>();
      const present = await store.present(batch.flatMap(({ account }) => account ?? []));
      for (const { key, ...one } of batch) {
        if (one.account !== undefined && !present.has(one.account)) continue; // deleted meanwhile, with all of its rows
        const row = rows.get(key);
        const isKnown = row !== undefined && one.time - row.time < SAME_MS && (await store.addTo(row.id, one));
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
      const oldest = now().epochMilliseconds - SAME_MS;
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

  hearSecurityEvents(log, (event: SecurityEvent, fields) => {
    const account = numberOf(fields['account']);
    const device = numberOf(fields['device']);
    const address = typeof fields['address'] === 'string' ? fields['address'] : '';
    const keyOf = (from: string): string => JSON.stringify([event, account, device, from]);
    const one = { event, account, device, address, times: 1, time: now().epochMilliseconds };
    const key = keyOf(addressKey(address));
    if (waiting.has(key) || waiting.size < WAITING) wait({ ...one, key });
    else wait({ ...one, address: '', key: keyOf('') });
  });

  const store = happeningStore(database.db);
  return {
    ofAccount: async (account) => {
      await flush();
      return store.ofAccount(account);
    },
    ofAll: async () => {
      await flush();
      return store.ofAll();
    },
    [Symbol.asyncDispose]: async () => {
      await flush();
      callOff?.();
    },
  };
};
