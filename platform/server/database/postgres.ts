import type { FastifyBaseLogger } from 'fastify';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { Client, Pool, types, type ClientConfig } from 'pg';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Database } from './database.ts';
import { redactErrors } from './discreet.ts';
import { wrapQueries } from './eachQuery.ts';
import { acquireInstanceLock } from './instance.ts';
import { replaceNullCharacters } from './nullFree.ts';
import { createRetryingTransaction } from './retry.ts';
import { createTransactionFactory } from './transaction.ts';

export interface PostgresOptions {
  readonly databaseUrl: string;
  readonly log: FastifyBaseLogger;
  /** Told once when another server has taken the database. */
  readonly onFatal: (error: Error) => void;
}

/** Opens the database that `databaseUrl` names. @throws Refusal where the server must not start. Source: reliability.md, section 5. */
export const openPostgres = async ({ databaseUrl, log, onFatal }: PostgresOptions): Promise<Database> => {
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
};

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
