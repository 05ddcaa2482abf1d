import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Client } from 'pg';
import { Refusal } from '#platform/contract/refusal.ts';

/** 'PEGB'; the lock counts within one database of a PostgreSQL. */
const LOCK_KEY = 0x50454742;
const RETRY_INTERVAL_MS = 200;
/** On a busy machine PostgreSQL takes seconds to notice that a server of ours was killed. */
const MAX_FIRST_ATTEMPTS = 25;
/** As long may PostgreSQL take to notice that a connection of ours is gone. */
const RECONNECT_TIMEOUT_MS = 60_000;

interface InstanceOptions {
  readonly connect: () => Client;
  readonly log: FastifyBaseLogger;
  /** Told when another server has taken the database while our connection was broken. */
  readonly onLost: (error: Error) => void;
}

/**
 * Holds the database for this server by an advisory lock, on a connection of its own that is opened anew when it breaks.
 * @throws Refusal when another server holds it.
 */
export const acquireInstanceLock = async ({ connect, log, onLost }: InstanceOptions): Promise<AsyncDisposable> => {
  const closing = new AbortController();
  let holder: Client | undefined;
  let again = Promise.resolve();

  /** @returns whether the lock is ours. */
  const take = async (): Promise<boolean> => {
    const client = connect();
    client.on('error', (err) => log.warn({ err }, 'database.lock connection broke'));
    await client.connect();
    try {
      const { rows } = await client.query<{ is_held: boolean }>('select pg_try_advisory_lock($1) as is_held', [
        LOCK_KEY,
      ]);
      if (rows[0]?.is_held !== true) return false;
      holder = client;
    } finally {
      if (holder !== client) await client.end();
    }
    client.once('end', () => {
      holder = undefined;
      if (!closing.signal.aborted) again = takeAgain();
    });
    return true;
  };

  const takeAgain = async (): Promise<void> => {
    let refusedSince: number | undefined;
    while (!closing.signal.aborted) {
      try {
        if (await take()) return;
        refusedSince ??= performance.now();
      } catch (err) {
        refusedSince = undefined;
        log.warn({ err }, 'database.lock not taken again yet');
      }
      if (refusedSince !== undefined && performance.now() - refusedSince > RECONNECT_TIMEOUT_MS) {
        onLost(createLockedRefusal());
        return;
      }
      await pauseUnless(closing.signal);
    }
  };

  for (let tries = 1; !(await take()); tries += 1) {
    if (tries === MAX_FIRST_ATTEMPTS) throw createLockedRefusal();
    await pause(RETRY_INTERVAL_MS);
  }
  return {
    [Symbol.asyncDispose]: async () => {
      closing.abort();
      await again;
      await holder?.end();
    },
  };
};

/** Ends at once where the signal comes; the caller looks at it anyway. */
const pauseUnless = async (signal: AbortSignal): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, RETRY_INTERVAL_MS);
  signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
  clearTimeout(timer);
};

const createLockedRefusal = (): Refusal =>
  new Refusal('Another Pegboard uses this PostgreSQL database. Stop it first, or give this one a database of its own.');
