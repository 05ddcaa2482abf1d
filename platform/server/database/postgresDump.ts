import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from 'pg';
import { Refusal } from '#platform/contract/refusal.ts';
import { hasErrorCode } from '../storage/errorCode.ts';
import { type DatabaseCopy, findDifferingTable, type RowCounts } from './databaseCopy.ts';

/** Name of a dump. */
export const DUMP_FILE = 'database.dump';
const MAX_MESSAGE_CHARACTERS = 500;

interface RunOptions extends Pick<SpawnOptions, 'signal' | 'env'> {
  /** Reads the output. */
  readonly read?: (child: ChildProcess) => Promise<void>;
}

/**
 * Runs a program of PostgreSQL until it ends. The signal ends it.
 * @throws Error with its messages if it fails; Refusal if it is not installed.
 */
async function runPostgresProgram(
  program: string,
  args: readonly string[],
  { signal, env, read }: RunOptions,
): Promise<void> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], signal, env });
  let messages = '';
  child.stderr.on('data', (chunk: Buffer) => {
    if (messages.length < MAX_MESSAGE_CHARACTERS) messages += chunk.toString();
  });
  const exit = once(child, 'exit') as Promise<[code: number | null]>;
  try {
    const [[code]] = await Promise.all([exit, read ? read(child) : child.stdout.resume()]);
    if (code !== 0) throw new Error(`${program} failed: ${messages.trim().slice(0, MAX_MESSAGE_CHARACTERS)}`);
  } catch (error) {
    if (!hasErrorCode(error, 'ENOENT')) throw error;
    throw new Refusal(
      'backup.program_missing',
      `Backups of PostgreSQL need ${program}, which is not installed. Install PostgreSQL's client programs (on Debian: apt-get install postgresql-client)`,
    );
  }
}

/** @throws Refusal if the program that dumps databases is not installed. */
export async function assertDumpProgram(): Promise<void> {
  await runPostgresProgram('pg_dump', ['--version'], { env: process.env });
}

/** Returns the environment in which PostgreSQL's programs connect. Their arguments would show the password. */
function getPostgresEnvironment(databaseUrl: string): NodeJS.ProcessEnv {
  const { host, port, user, password, database } = new Client(databaseUrl);
  const sslMode = /[?&]sslmode=([\w-]+)/.exec(databaseUrl)?.[1];
  return {
    ...process.env,
    PGHOST: host,
    PGPORT: String(port),
    ...(user === undefined ? {} : { PGUSER: user }),
    ...(password === undefined ? {} : { PGPASSWORD: password }),
    ...(database === undefined ? {} : { PGDATABASE: database }),
    ...(sslMode === undefined ? {} : { PGSSLMODE: sslMode }),
  };
}

const COPY_PATTERN = /^COPY (?:(?:"(?:[^"]|"")+"|[^\s".]+)\.)?("(?:[^"]|"")+"|[^\s".]+) \(.*\) FROM stdin;$/;

/** Returns the table whose rows follow a line of a dump. */
function parseCopiedTable(line: string): string | undefined {
  const name = COPY_PATTERN.exec(line)?.[1];
  return name?.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name;
}

/** Counts the rows of a dump by reading it whole. */
export async function checkPostgresDump(path: string, signal?: AbortSignal): Promise<RowCounts> {
  const rows: Record<string, number> = {};
  let table: string | undefined;
  await runPostgresProgram('pg_restore', ['--data-only', '--file=-', path], {
    signal,
    env: process.env,
    read: async ({ stdout }) => {
      if (!stdout) return;
      for await (const line of createInterface({ input: stdout, crlfDelay: 0 })) {
        if (table !== undefined) {
          if (line === '\\.') table = undefined;
          else rows[table] = (rows[table] ?? 0) + 1;
          continue;
        }
        table = parseCopiedTable(line);
        if (table !== undefined) rows[table] = 0;
      }
    },
  });
  return rows;
}

/**
 * Copies a database, which may be in use, and compares the rows of the copy with those of the same moment.
 * @throws Refusal if PostgreSQL's programs are not installed.
 */
export async function dumpPostgres(databaseUrl: string, folder: string, signal?: AbortSignal): Promise<DatabaseCopy> {
  const path = join(folder, DUMP_FILE);
  await writeFile(path, '', { flag: 'wx', mode: 0o600 }); // pg_dump itself would let others read it
  return withClient(databaseUrl, async (client) => {
    await client.query('begin isolation level repeatable read read only');
    const { rows: snapshots } = await client.query<{ id: string }>('select pg_export_snapshot() as id');
    const expected = await countPostgresRows(client);
    await runPostgresProgram('pg_dump', ['--format=custom', `--snapshot=${snapshots[0]?.id}`, `--file=${path}`], {
      signal,
      env: getPostgresEnvironment(databaseUrl),
    });
    const rows = await checkPostgresDump(path, signal);
    assertSameRows(rows, expected);
    return { file: DUMP_FILE, rows };
  });
}

/** @throws Error that names a table whose number of rows differs. */
function assertSameRows(rows: RowCounts, expected: RowCounts): void {
  const table = findDifferingTable(rows, expected);
  if (table !== undefined) throw new Error(`${table} has ${rows[table] ?? 0} rows instead of ${expected[table] ?? 0}`);
}

/** Counts the rows of each table in the current schema. */
async function countPostgresRows(client: Client): Promise<RowCounts> {
  const { rows: tables } = await client.query<{ name: string }>(
    'select tablename as name from pg_tables where schemaname = current_schema() order by tablename',
  );
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const { rows } = await client.query<{ count: string }>(`select count(*) from ${client.escapeIdentifier(name)}`);
    counts[name] = Number(rows[0]?.count ?? 0);
  }
  return counts;
}

/** Runs a task with a connection. */
async function withClient<T>(databaseUrl: string, task: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: databaseUrl, application_name: 'pegboard backup' });
  client.on('error', () => undefined); // the next query rejects with the same error
  await client.connect();
  try {
    return await task(client);
  } finally {
    await client.end();
  }
}

/** Returns whether the database has any table. */
export function hasTables(databaseUrl: string): Promise<boolean> {
  return withClient(databaseUrl, async (client) => Object.keys(await countPostgresRows(client)).length > 0);
}

const LOCK_TIMEOUT_MS = 3000;
const LOCK_NOT_AVAILABLE = '55P03';

/** Runs a statement that needs tables alone. @throws Refusal if another program uses one of them. */
async function runExclusively(client: Client, statement: string): Promise<void> {
  try {
    await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await client.query(statement);
  } catch (error) {
    if (!hasErrorCode(error, LOCK_NOT_AVAILABLE)) throw error;
    throw new Refusal(
      'restore.database_in_use',
      'Another program uses tables of the database. End its connections, and restore again',
      { cause: error },
    );
  }
}

/** Returns the quoted names of all tables, for a statement. */
async function listTableNames(client: Client): Promise<string> {
  return Object.keys(await countPostgresRows(client))
    .map((name) => client.escapeIdentifier(name))
    .join(', ');
}

/** @throws Refusal if another program uses tables of the database, so that they can't be replaced now. */
export async function assertReplaceable(databaseUrl: string): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    await client.query('begin');
    const tables = await listTableNames(client);
    if (tables !== '') await runExclusively(client, `lock table ${tables} in access exclusive mode`);
    await client.query('rollback');
  });
}

/**
 * Replaces all tables by those of a dump.
 * @throws Error if the database then has other numbers of rows.
 */
export async function restorePostgres(databaseUrl: string, path: string, expected: RowCounts): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    await client.query('begin');
    const tables = await listTableNames(client);
    if (tables !== '') await runExclusively(client, `drop table ${tables} cascade`);
    await client.query('commit');
  });
  const env = getPostgresEnvironment(databaseUrl);
  await runPostgresProgram(
    'pg_restore',
    [
      '--no-owner',
      '--no-privileges',
      '--exit-on-error',
      '--single-transaction',
      `--dbname=${env['PGDATABASE'] ?? ''}`,
      path,
    ],
    { env },
  );
  const rows = await withClient(databaseUrl, countPostgresRows);
  assertSameRows(rows, expected);
}
