import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { Kysely, PostgresDialect, sql, type ControlledTransaction } from 'kysely';
import { Client, Pool, types, type ClientConfig } from 'pg';
import { Refusal } from '#platform/contract/refusal.ts';
import { replaceUnstorable } from '#platform/contract/text.ts';
import {
  type Database,
  wrapQueries,
  createTransactionFactory,
  type ExecuteQuery,
  type RunTransaction,
} from './database.ts';

/**
 * A query of PostgreSQL with errors that may be logged: a refused row or value is not in them. By itself PostgreSQL tells both,
 * as in `Key (name)=(…) already exists`.
 */
export function redactErrors(execute: ExecuteQuery): ExecuteQuery {
  return async (query, options) => {
    try {
      return await execute(query, options);
    } catch (error) {
      throw redactValues(error);
    }
  };
}

/** Class 22 is of values that do not fit, and quotes them in the message itself. */
const redactValues = (error: unknown): unknown => {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return error;
  const told = Object.fromEntries(
    Object.entries(error).filter(([name]) => !['detail', 'where', 'internalQuery'].includes(name)),
  );
  const message = error.code.startsWith('22') ? 'a value does not fit its column' : error.message;
  return Object.assign(new Error(message), told);
};

/**
 * PostgreSQL refuses a query whose text holds U+0000, even one that only looks for it. What is kept has none (`keepable`), so whoever asks
 * for such a name is told that there is none instead of meeting a fault.
 */
export function replaceNullCharacters(execute: ExecuteQuery): ExecuteQuery {
  return (query, options) =>
    execute(
      query.parameters.some(hasNull) ? { ...query, parameters: query.parameters.map(replaceNull) } : query,
      options,
    );
}

const hasNull = (value: unknown): value is string => typeof value === 'string' && value.includes('\0');
const replaceNull = (value: unknown): unknown => (hasNull(value) ? replaceUnstorable(value) : value);

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
export async function acquireInstanceLock({ connect, log, onLost }: InstanceOptions): Promise<AsyncDisposable> {
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
}

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

const MAX_ATTEMPTS = 4;

/**
 * Transactions that start again, up to 3 times and 10 to 100 ms apart, when PostgreSQL stopped them for another's sake or the
 * connection was lost before COMMIT. A COMMIT whose answer was lost is not repeated: nobody knows whether it was done.
 */
export function createRetryingTransaction(db: Kysely<unknown>, log: FastifyBaseLogger): RunTransaction {
  return async (body) => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await runOnce(db, log, body);
      } catch (error) {
        if (tries === MAX_ATTEMPTS || !(isAbortedByDatabase(error) || isConnectionLost(error))) throw error;
        log.warn({ err: error, tries }, 'database.transaction starts again');
      }
      await pause(10 + Math.random() * 90);
    }
  };
}

const runOnce = async <T>(
  db: Kysely<unknown>,
  log: FastifyBaseLogger,
  body: (tx: ControlledTransaction<unknown>) => Promise<T>,
): Promise<T> => {
  const tx = await db.startTransaction().execute();
  const takeBack = async (): Promise<void> => {
    try {
      await tx.rollback().execute();
    } catch (err) {
      // The first error is the one to tell; a connection too broken to roll back is thrown away by the pool.
      log.debug({ err }, 'database.rollback failed');
    }
  };
  let done: T;
  try {
    done = await body(tx);
  } catch (error) {
    await takeBack();
    throw error;
  }
  try {
    await tx.commit().execute();
  } catch (error) {
    await takeBack();
    if (!isConnectionLost(error) || isUnsent(error)) throw error;
    throw new Error('the connection was lost during COMMIT: whether the rows were kept is unknown', { cause: error });
  }
  return done;
};

/** Serialization failure, or chosen to end a deadlock. */
const isAbortedByDatabase = (error: unknown): boolean => /^40(001|P01)$/.test(codeOf(error));

const isConnectionLost = (error: unknown): boolean =>
  /^(08...|57P0[123]|ECONNRESET|ECONNREFUSED|EPIPE|ENOENT|ETIMEDOUT)$/.test(codeOf(error)) ||
  (error instanceof Error && error.message.startsWith('Connection terminated')) ||
  isUnsent(error);

/** The connection was known to be broken, so that the statement never left. */
const isUnsent = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('Client has encountered a connection error');

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

export interface PostgresOptions {
  readonly databaseUrl: string;
  readonly log: FastifyBaseLogger;
  /** Told once when another server has taken the database. */
  readonly onFatal: (error: Error) => void;
}

/** Opens the database that `databaseUrl` names. @throws Refusal where the server must not start. Source: reliability.md, section 5. */
export async function openPostgres({ databaseUrl, log, onFatal }: PostgresOptions): Promise<Database> {
  const config: ClientConfig = {
    connectionString: databaseUrl,
    application_name: 'pegboard',
    keepAlive: true,
    connectionTimeoutMillis: 5_000,
    statement_timeout: 10_000,
    lock_timeout: 5_000,
    idle_in_transaction_session_timeout: 10_000,
    types: { getTypeParser },
  };
  await using opened = new AsyncDisposableStack();
  try {
    await assertSafe(config);
    opened.use(await acquireInstanceLock({ connect: () => new Client(config), log, onLost: onFatal }));
  } catch (error) {
    throw error instanceof Refusal ? error : unreachable(error);
  }

  const pool = new Pool({ ...config, max: 10, idleTimeoutMillis: 30_000 });
  // Without these two a connection that breaks ends the server: one is for those that rest, one for those at work.
  pool.on('error', (err) => log.warn({ err }, 'database.connection broke'));
  pool.on('connect', (client) => client.on('error', (err) => log.debug({ err }, 'database.connection broke at work')));
  const { assertOutside, create } = createTransactionFactory(log);
  const db = new Kysely<unknown>({
    dialect: wrapQueries(new PostgresDialect({ pool }), {
      before: assertOutside,
      wrap: (execute) => redactErrors(replaceNullCharacters(execute)),
    }),
  });
  opened.defer(async () => db.destroy());

  const all = opened.move();
  return {
    dialect: 'postgres',
    db,
    transaction: create(createRetryingTransaction(db, log)),
    ping: async () => {
      await sql`select 1`.execute(db);
    },
    eraseDeleted: async () => undefined,
    getSizeBytes: async () => {
      const { rows } = await sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`.execute(db);
      return rows[0]?.bytes ?? 0;
    },
    [Symbol.asyncDispose]: async () => all.disposeAsync(),
  };
}

const NUMBERS: readonly number[] = [types.builtins.INT8, types.builtins.NUMERIC];

/** Integers come back as numbers, as SQLite gives them: `bigint`, and `numeric`, which sums of it are. */
const getTypeParser: typeof types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  NUMBERS.includes(oid) ? toNumber : types.getTypeParser(oid, format);

const toNumber = (text: string): number => {
  const number = Number(text);
  if (Number.isInteger(number) && !Number.isSafeInteger(number))
    throw new RangeError('an integer beyond 2^53 came back');
  return number;
};

/** @throws Refusal when an answered write could be lost, or some text could not be kept. */
const assertSafe = async (config: ClientConfig): Promise<void> => {
  const client = new Client(config);
  // What breaks here rejects the query as well.
  client.on('error', () => undefined);
  await client.connect();
  try {
    for (const { name, isGood, remedy } of SETTINGS) {
      const { rows } = await client.query<{ value: string }>('select current_setting($1) as value', [name]);
      const value = rows[0]?.value ?? '';
      if (!isGood(value)) throw new Refusal(`PostgreSQL has ${name} = ${value}: ${remedy}`);
    }
  } finally {
    await client.end();
  }
};

const SETTINGS = [
  {
    name: 'synchronous_commit',
    isGood: (value: string) => value !== 'off',
    remedy: 'answered writes could be lost. Set it to on.',
  },
  {
    name: 'fsync',
    isGood: (value: string) => value === 'on',
    remedy: 'a power cut could spoil everything. Set it to on.',
  },
  {
    name: 'server_encoding',
    isGood: (value: string) => value === 'UTF8',
    remedy: "not every text can be kept. Create the database with encoding 'UTF8'.",
  },
];

/** In PostgreSQL's or the network's words, which do not hold the password. */
const unreachable = (error: unknown): Refusal => {
  const why = error instanceof AggregateError ? error.errors.map(String).join(', ') : String(error);
  return new Refusal(`PostgreSQL cannot be used (${why}). Check DATABASE_URL, and that the database runs.`, {
    cause: error,
  });
};
