import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { Kysely, PostgresDialect, sql, type ControlledTransaction } from 'kysely';
import { Client, Pool, types, type ClientConfig } from 'pg';
import { Refusal } from '#platform/contract/refusal.ts';
import { replaceUnstorable } from '#platform/contract/text.ts';
import { markDatabaseDown } from '../storage/databaseDownError.ts';
import { getErrorCode } from '../storage/errorCode.ts';
import type { Coordination } from './coordination.ts';
import {
  type Database,
  wrapQueries,
  createTransactionFactory,
  type ExecuteQuery,
  type RunTransaction,
} from './database.ts';
import { createPostgresCoordination } from './postgresCoordination.ts';

/**
 * Removes refused rows and values from errors, so that they may be logged.
 * PostgreSQL reports them, as in `Key (name)=(…) already exists`.
 */
export function redactErrors(execute: ExecuteQuery): ExecuteQuery {
  return async (query, options) => {
    try {
      return await execute(query, options);
    } catch (error) {
      const redacted = redactValues(error);
      throw isConnectionLost(error) ? markDatabaseDown(redacted) : redacted;
    }
  };
}

/** Returns an error without values. The message of class 22 errors (invalid values) quotes one, so it is replaced. */
function redactValues(error: unknown): unknown {
  const code = getErrorCode(error);
  if (!(error instanceof Error) || code === '') return error;
  const redacted = Object.fromEntries(
    Object.entries(error).filter(([name]) => !['detail', 'where', 'internalQuery'].includes(name)),
  );
  const message = code.startsWith('22') ? 'a value does not fit its column' : error.message;
  return Object.assign(new Error(message), redacted);
}

/**
 * Replaces U+0000 in query parameters, which PostgreSQL refuses even in comparisons.
 * Stored texts never contain it (`replaceUnstorable`), so such a query finds nothing instead of failing.
 */
export function replaceNullCharacters(execute: ExecuteQuery): ExecuteQuery {
  return (query, options) =>
    execute(
      query.parameters.some(hasNullCharacter) ? { ...query, parameters: query.parameters.map(replaceNull) } : query,
      options,
    );
}

const hasNullCharacter = (value: unknown): value is string => typeof value === 'string' && value.includes('\0');
const replaceNull = (value: unknown): unknown => (hasNullCharacter(value) ? replaceUnstorable(value) : value);

const MAX_TRANSACTION_ATTEMPTS = 4;

/**
 * Retries transactions up to 3 times, after 10 to 100 ms, if PostgreSQL aborted them or the connection broke before
 * COMMIT. A COMMIT without an answer is not repeated, because it may have succeeded.
 */
export function createRetryingTransaction(db: Kysely<unknown>, log: FastifyBaseLogger): RunTransaction {
  return async (callback) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await runOnce(db, log, callback);
      } catch (error) {
        if (attempt === MAX_TRANSACTION_ATTEMPTS || !(isAbortedByDatabase(error) || isConnectionLost(error)))
          throw error;
        log.warn({ err: error, tries: attempt }, 'database.transaction.retried');
      }
      await sleep(10 + Math.random() * 90);
    }
  };
}

/** Runs a callback in one transaction, and returns its result. */
async function runOnce<T>(
  db: Kysely<unknown>,
  log: FastifyBaseLogger,
  callback: (tx: ControlledTransaction<unknown>) => Promise<T>,
): Promise<T> {
  const tx = await db.startTransaction().execute();
  async function rollBack(): Promise<void> {
    try {
      await tx.rollback().execute();
    } catch (err) {
      // Report the first error. The pool discards a connection that is too broken to roll back.
      log.debug({ err }, 'database.rollback.failed');
    }
  }
  let result: T;
  try {
    result = await callback(tx);
  } catch (error) {
    await rollBack();
    throw error;
  }
  try {
    await tx.commit().execute();
  } catch (error) {
    await rollBack();
    if (!isConnectionLost(error) || isUnsent(error)) throw error;
    throw new Error('the connection was lost during COMMIT: whether the rows were saved is unknown', { cause: error });
  }
  return result;
}

/** Returns whether PostgreSQL ended the transaction: a serialization failure, or the victim of a deadlock. */
const isAbortedByDatabase = (error: unknown): boolean => /^40(001|P01)$/.test(getErrorCode(error));

const isConnectionLost = (error: unknown): boolean =>
  /^(08...|57P0[123]|ECONNRESET|ECONNREFUSED|EPIPE|ENOENT|ETIMEDOUT)$/.test(getErrorCode(error)) ||
  (error instanceof Error && error.message.startsWith('Connection terminated')) ||
  isUnsent(error);

/** Returns whether the connection was already broken, so that the statement was not sent. */
const isUnsent = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('Client has encountered a connection error');

/** A client with its socket, which the package does not declare. */
interface ClientWithStream {
  readonly connection: { readonly stream: { readonly destroy: () => void } };
}

export interface PostgresOptions {
  readonly databaseUrl: string;
  readonly log: FastifyBaseLogger;
  /** Called once if another server took the database. */
  readonly onFatal: (error: Error) => void;
  readonly isShared?: boolean | undefined;
  readonly canLead?: boolean | undefined;
}

/**
 * Locks the database without opening it.
 * @throws Refusal if a server is using it, or it cannot be reached.
 */
export async function lockPostgres(databaseUrl: string, log: FastifyBaseLogger): Promise<AsyncDisposable> {
  const connect = (): Client => new Client({ connectionString: databaseUrl, application_name: 'pegboard' });
  try {
    return await createPostgresCoordination({ connect, log, onLost: () => undefined });
  } catch (error) {
    throw error instanceof Refusal ? error : createUnreachableRefusal(error);
  }
}

/**
 * Opens the database at `databaseUrl` (docs/design/reliability.md section 3).
 * @throws Refusal if the server must not start.
 */
export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const { databaseUrl, log, onFatal, isShared, canLead } = options;
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
  await using startupResources = new AsyncDisposableStack();
  let coordination: Coordination;
  const clients = new Set<ClientWithStream>();
  /** Closes connections that may be broken without the system knowing. What waits on them fails, and may be retried. */
  function closeConnections(): void {
    for (const { connection } of clients) connection.stream.destroy();
  }
  try {
    await assertSafe(config);
    coordination = startupResources.use(
      await createPostgresCoordination({
        connect: () => new Client(config),
        log,
        isShared,
        canLead,
        onSilent: () => closeConnections(),
        onLost: onFatal,
      }),
    );
  } catch (error) {
    throw error instanceof Refusal ? error : createUnreachableRefusal(error);
  }

  const pool = new Pool({ ...config, max: 10, idleTimeoutMillis: 30_000 });
  // Without these listeners, a broken connection would end the server. The first is for idle connections.
  pool.on('error', (err) => log.warn({ err }, 'database.connection.lost'));
  pool.on('connect', (client) => {
    clients.add(client);
    client.on('error', (err) => log.debug({ err }, 'database.connection.lost_in_use'));
  });
  pool.on('remove', (client) => void clients.delete(client));
  const { assertOutside, create } = createTransactionFactory(log);
  const db = new Kysely<unknown>({
    dialect: wrapQueries(new PostgresDialect({ pool }), {
      before: assertOutside,
      wrap: (execute) => redactErrors(replaceNullCharacters(execute)),
    }),
  });
  startupResources.defer(async () => db.destroy());

  const resources = startupResources.move();
  return {
    dialect: 'postgres',
    db,
    coordination,
    transaction: create(createRetryingTransaction(db, log)),
    ping: async () => {
      await sql`select 1`.execute(db);
    },
    eraseDeleted: async () => undefined,
    getSizeBytes: async () => {
      const { rows } = await sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`.execute(db);
      return rows[0]?.bytes ?? 0;
    },
    getReusableBytes: async () => 0,
    [Symbol.asyncDispose]: async () => resources.disposeAsync(),
  };
}

const NUMERIC_TYPES: readonly number[] = [types.builtins.INT8, types.builtins.NUMERIC];

/** Parses `bigint` and `numeric` (sums of it) as numbers, as SQLite returns them. */
const getTypeParser: typeof types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  NUMERIC_TYPES.includes(oid) ? toNumber : types.getTypeParser(oid, format);

function toNumber(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && !Number.isSafeInteger(number))
    throw new RangeError('PostgreSQL returned an integer beyond 2^53');
  return number;
}

/** @throws Refusal if settings could lose a committed write, or if the encoding cannot store every text. */
async function assertSafe(config: ClientConfig): Promise<void> {
  const client = new Client(config);
  // The query rejects with the same error.
  client.on('error', () => undefined);
  await client.connect();
  try {
    for (const { name, isGood, remedy } of REQUIRED_SETTINGS) {
      const { rows } = await client.query<{ value: string }>('select current_setting($1) as value', [name]);
      const value = rows[0]?.value ?? '';
      if (!isGood(value)) throw new Refusal('database.unsafe_setting', `PostgreSQL has ${name} = ${value}: ${remedy}`);
    }
  } finally {
    await client.end();
  }
}

const REQUIRED_SETTINGS = [
  {
    name: 'synchronous_commit',
    isGood: (value: string) => value !== 'off',
    remedy: 'confirmed writes could be lost. Set it to on',
  },
  {
    name: 'fsync',
    isGood: (value: string) => value === 'on',
    remedy: 'a power failure could corrupt the database. Set it to on',
  },
  {
    name: 'server_encoding',
    isGood: (value: string) => value === 'UTF8',
    remedy: "some text can't be stored. Create the database with encoding 'UTF8'",
  },
];

/** Creates a refusal that quotes PostgreSQL or the network. Their messages do not contain the password. */
export function createUnreachableRefusal(error: unknown): Refusal {
  const reason = error instanceof AggregateError ? error.errors.map(String).join(', ') : String(error);
  return new Refusal(
    'database.unavailable',
    `PostgreSQL cannot be used (${reason}). Check DATABASE_URL, and that the database is running`,
    { cause: error },
  );
}
