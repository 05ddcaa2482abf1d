import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { sql } from 'kysely';
import type { Client } from 'pg';
import { MINUTE_MS } from '#platform/contract/duration.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { markDatabaseDown } from '../storage/databaseDownError.ts';
import type { Coordination } from './coordination.ts';

/** Keys of advisory locks: 'PEGB' and the numbers after it. Their scope is one database. */
const LOCK_KEYS = { instance: 0x50454742, startup: 0x50454743, leader: 0x50454744 };
const CHANNEL = 'pegboard';
const RETRY_INTERVAL_MS = 200;
/** How often work that must run alone looks whether it may, and how long it waits. */
const TURN_INTERVAL_MS = 20;
const TURN_TIMEOUT_MS = 30_000;
/** Attempts to lock at the start. PostgreSQL may take seconds to notice that an earlier server was killed. */
const MAX_LOCK_ATTEMPTS = 25;
/** Another instance may be running long migrations. */
const STARTUP_TIMEOUT_MS = 10 * MINUTE_MS;
/** PostgreSQL may take this long to notice that our connection has closed. */
const RECONNECT_TIMEOUT_MS = MINUTE_MS;
const CHECK_INTERVAL_MS = 1000;
/** A connection that does not answer for this long is replaced. */
const CHECK_TIMEOUT_MS = 3000;
/** PostgreSQL ends our session, and with it the locks, soon after the network has failed: by default after hours. */
const KEEPALIVE = 'set tcp_keepalives_idle = 3; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 3';

export interface CoordinationOptions {
  readonly connect: () => Client;
  readonly log: FastifyBaseLogger;
  /** Whether other instances may use the database too. */
  readonly isShared?: boolean | undefined;
  /** Whether this instance can become the leader. */
  readonly canLead?: boolean | undefined;
  /** Called when PostgreSQL does not answer on our connection. Then other connections may be broken as well. */
  readonly onSilent?: () => void;
  /** Called if another server took the lock while our connection was broken. */
  readonly onLost: (error: Error) => void;
}

interface Notification {
  readonly topic: string;
  readonly data: unknown;
}

/** Coordination with its lifecycle. Disposing it releases the locks. */
export interface CoordinationService extends Coordination, AsyncDisposable {}

type LockName = keyof typeof LOCK_KEYS;

/** Returns the key of a lock: a reserved one, or 64 bits of a hash. */
const toKey = (name: string): string =>
  Object.hasOwn(LOCK_KEYS, name)
    ? String(LOCK_KEYS[name as LockName])
    : String(BigInt.asIntN(64, BigInt(`0x${hash('sha256', name).slice(0, 16)}`)));

async function tryLock(client: Client, name: string, isShared = false): Promise<boolean> {
  const { rows } = await client.query<{ is_held: boolean }>(
    `select pg_try_advisory_lock${isShared ? '_shared' : ''}($1) as is_held`,
    [toKey(name)],
  );
  return rows[0]?.is_held === true;
}
const unlock = (client: Client, name: string) => client.query('select pg_advisory_unlock($1)', [toKey(name)]);

/** Repeats an attempt until it succeeds. @returns whether it did within `attempts` */
async function retry(
  attempts: number,
  attempt: () => Promise<boolean>,
  intervalMs = RETRY_INTERVAL_MS,
): Promise<boolean> {
  for (let count = 1; !(await attempt()); count += 1) {
    if (count >= attempts) return false;
    await sleep(intervalMs);
  }
  return true;
}

/**
 * Coordinates the instances on one database, over a connection of its own that reconnects if it breaks. Locks the
 * database for this instance, or together with the others if it is shared (docs/adr/0043-several-instances.md).
 * @throws Refusal if another server has the lock.
 */
export async function createPostgresCoordination({
  connect,
  log,
  isShared = false,
  canLead = true,
  onSilent,
  onLost,
}: CoordinationOptions): Promise<CoordinationService> {
  const closeController = new AbortController();
  let client: Client | undefined;
  let isLeader = false;
  /** Whether there was a connection before this one. */
  let hasListened = false;
  let pendingReacquire = Promise.resolve();
  let cancelCheck: (() => void) | undefined;
  const listeners = new Map<string, ((data: unknown) => void)[]>();
  const interruptionListeners: (() => void)[] = [];
  const notifyInterruption = (): void => {
    for (const listener of interruptionListeners) listener();
  };

  function handleNotification(sender: Client, processId: number, payload: string | undefined): void {
    // PostgreSQL also delivers the notifications of this instance, which come from connections of the pool.
    if (sender !== client || payload === undefined) return;
    const { topic, data, from } = JSON.parse(payload) as Notification & { readonly from: string };
    if (from === instanceKey) return;
    log.debug({ topic, processId }, 'database.notification.received');
    for (const listener of listeners.get(topic) ?? []) listener(data);
  }

  /** Becomes the leader if there is none, and replaces a connection that does not answer. */
  async function check(current: Client): Promise<void> {
    const timer = setTimeout(() => {
      log.warn('database.lock.connection_silent');
      void current.end(); // with a query that waits, this closes the connection
      onSilent?.();
    }, CHECK_TIMEOUT_MS);
    try {
      if (canLead && !isLeader) {
        const hasLock = await tryLock(current, 'leader');
        if (hasLock && current === client) {
          isLeader = true;
          log.info('database.leader.elected');
        }
      } else await current.query('select 1');
    } catch (err) {
      log.debug({ err }, 'database.lock.check_failed');
    } finally {
      clearTimeout(timer);
    }
  }
  function startChecks(current: Client): () => void {
    let pending: Promise<void> | undefined;
    const timer = setInterval(() => {
      pending ??= check(current).finally(() => (pending = undefined));
    }, CHECK_INTERVAL_MS);
    timer.unref();
    return () => clearInterval(timer);
  }

  /** Tries to acquire the lock. @returns whether it succeeded. */
  async function tryAcquire(prepare?: (candidate: Client) => Promise<void>): Promise<boolean> {
    const candidate = connect();
    candidate.on('error', (err) => log.warn({ err }, 'database.lock.connection_lost'));
    await candidate.connect();
    // Closes the connection if it breaks during the next queries. A start may have to wait for other instances.
    const timer = prepare ? undefined : setTimeout(() => void candidate.end(), CHECK_TIMEOUT_MS);
    try {
      await candidate.query(KEEPALIVE);
      await prepare?.(candidate);
      if (!(await tryLock(candidate, 'instance', isShared))) return false;
      if (isShared) {
        candidate.on('notification', ({ processId, payload }) => handleNotification(candidate, processId, payload));
        await candidate.query(`listen ${CHANNEL}`);
      }
      client = candidate;
    } finally {
      clearTimeout(timer);
      if (client !== candidate) await candidate.end();
    }
    candidate.once('end', () => {
      client = undefined;
      isLeader = false;
      cancelCheck?.();
      if (isShared) notifyInterruption();
      if (!closeController.signal.aborted) pendingReacquire = reacquire();
    });
    if (!isShared) return true;
    await check(candidate);
    cancelCheck = startChecks(candidate);
    if (hasListened) notifyInterruption();
    hasListened = true;
    return true;
  }

  /** Tries to acquire the lock again, until it succeeds, is closed, or another server has had it for too long. */
  async function reacquire(): Promise<void> {
    let refusedSince: number | undefined;
    while (!closeController.signal.aborted) {
      try {
        if (await tryAcquire()) return;
        refusedSince ??= performance.now();
      } catch (err) {
        refusedSince = undefined;
        log.warn({ err }, 'database.lock.retrying');
      }
      if (refusedSince !== undefined && performance.now() - refusedSince > RECONNECT_TIMEOUT_MS) {
        onLost(createLockedRefusal());
        return;
      }
      // Closing aborts the wait, and then ends the loop.
      await sleep(RETRY_INTERVAL_MS, undefined, { signal: closeController.signal }).catch(() => undefined);
    }
  }

  const instanceKey = crypto.randomUUID();
  const waitForStartup = async (candidate: Client): Promise<void> => {
    if (!(await retry(STARTUP_TIMEOUT_MS / RETRY_INTERVAL_MS, () => tryLock(candidate, 'startup'))))
      throw new Refusal(
        'database.startup_busy',
        'Another instance has been starting for ten minutes. Look at its log, or stop it',
      );
  };
  if (!(await retry(MAX_LOCK_ATTEMPTS, () => tryAcquire(isShared ? waitForStartup : undefined))))
    throw createLockedRefusal();

  return {
    isShared,
    isLeader: () => (isShared ? isLeader : true),
    notify: async (tx, topic, data) => {
      if (!isShared) return;
      const payload = JSON.stringify({ topic, data, from: instanceKey });
      await sql`select pg_notify(${CHANNEL}, ${payload})`.execute(tx);
    },
    onNotification: (topic, listener) => {
      listeners.set(topic, [...(listeners.get(topic) ?? []), listener]);
    },
    onInterruption: (listener) => void interruptionListeners.push(listener),
    runAlone: async (name, work) => {
      const current = client;
      if (!isShared) return work();
      if (current === undefined) throw markDatabaseDown(new Error('there is no connection for locks'));
      if (!(await retry(TURN_TIMEOUT_MS / TURN_INTERVAL_MS, () => tryLock(current, name), TURN_INTERVAL_MS)))
        throw new Error(`another instance has been busy with ${name} for too long`);
      try {
        return await work();
      } finally {
        // Ended with the connection if that broke.
        await unlock(current, name).catch((err: unknown) => log.debug({ err }, 'database.lock.unlock_failed'));
      }
    },
    assertAlone: async () => {
      const current = client;
      if (!isShared || current === undefined) return;
      if (!(await retry(MAX_LOCK_ATTEMPTS, () => tryLock(current, 'instance'))))
        throw new Refusal(
          'database.upgrade_blocked',
          'This version changes the database, but instances of another version are still running. Stop all of them first',
        );
      await unlock(current, 'instance'); // the shared lock remains
    },
    finishStartup: async () => {
      if (isShared && client) await unlock(client, 'startup');
    },
    [Symbol.asyncDispose]: async () => {
      closeController.abort();
      cancelCheck?.();
      await pendingReacquire;
      await client?.end();
    },
  };
}

const createLockedRefusal = (): Refusal =>
  new Refusal(
    'database.in_use',
    'Another Pegboard is using this PostgreSQL database. Stop it, use another database, or set REDIS_URL for all of them to run several instances',
  );
