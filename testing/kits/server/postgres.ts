import { execFileSync, spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from 'pg';
import { findProgram } from '#testing/machine.ts';
import { findMemoryFolder } from '#testing/temporary.ts';

/** A PostgreSQL server only for the tests. */
export interface TestPostgres extends AsyncDisposable {
  /** Creates a database, empty or as a copy of the one named `like`; returns its address. */
  readonly createDatabase: (options?: {
    readonly name?: string;
    readonly like?: string | undefined;
  }) => Promise<string>;
  /** Returns the address of a new database that `prepareDatabase` creates once its template is known. */
  readonly reserveDatabase: () => string;
}

export interface PostgresOptions {
  /** Data folder of a stopped server, to start from a copy. */
  readonly from?: string | undefined;
  /** Folder for the data after a stop. */
  readonly keepIn?: string;
}

/** Maximum size of one process's databases. Copying one in memory takes a third of the time. */
const DATA_BYTES = 512 * 1024 ** 2;

/**
 * Starts PostgreSQL in a temporary folder with realistic settings (the server requires fsync), on a local socket.
 * As root it runs as the user `postgres`, because PostgreSQL refuses to run as root.
 */
export async function startPostgres({ from, keepIn }: PostgresOptions = {}): Promise<TestPostgres> {
  const folder = await mkdtemp(join(findMemoryFolder(DATA_BYTES) ?? tmpdir(), `pegboard-postgres-${process.pid}-`));
  const user = process.getuid?.() === 0 ? { uid: getId('-u'), gid: getId('-g') } : undefined;
  if (user) for (const path of [folder, keepIn ?? folder]) await chown(path, user.uid, user.gid);
  const options: SpawnOptions = { ...user, cwd: folder, env: { LC_ALL: 'C', TZ: 'UTC', PATH: process.env['PATH'] } };
  const data = join(keepIn ?? folder, 'data');
  await (from === undefined
    ? run(getProgramPath('initdb'), ['-D', data, ...INIT], options)
    : run('cp', ['-a', join(from, 'data'), data], options));

  const server = spawn(
    'sh',
    [
      '-c',
      GUARD,
      folder,
      getProgramPath('postgres'),
      '-D',
      data,
      '-k',
      folder,
      '-c',
      'listen_addresses=',
      '-c',
      'shared_buffers=32MB',
    ],
    { ...options, stdio: ['pipe', 'ignore', 'pipe'] },
  );
  await waitUntilReady(server);

  const getUrl = (database: string): string => `postgres://postgres@/${database}?host=${encodeURIComponent(folder)}`;
  let count = 0;
  const createName = (): string => `test_${process.pid}_${(count += 1)}`;
  const createDatabase: TestPostgres['createDatabase'] = async ({ name = createName(), like = 'template1' } = {}) => {
    const client = new Client(getUrl('postgres'));
    await client.connect();
    // Copied as files, so that the pages are not written to the log.
    await client.query(`create database ${name} template ${like} strategy file_copy`);
    await client.end();
    return getUrl(name);
  };
  async function stop(): Promise<void> {
    const exit = once(server, 'exit');
    server.stdin?.end();
    await exit;
  }
  return {
    createDatabase,
    reserveDatabase: () => {
      const name = createName();
      reservations.set(getUrl(name), { create: async (like) => void (await createDatabase({ name, like })) });
      return getUrl(name);
    },
    [Symbol.asyncDispose]: stop,
  };
}

interface Reservation {
  readonly create: (like: string | undefined) => Promise<void>;
  created?: Promise<void>;
}
const reservations = new Map<string, Reservation>();

/** Creates the database of a reserved address once, empty or as a copy of the one named `like`. */
export async function prepareDatabase(databaseUrl: string | undefined, like?: string): Promise<void> {
  const reservation = databaseUrl === undefined ? undefined : reservations.get(databaseUrl);
  if (reservation) await (reservation.created ??= reservation.create(like));
}

/**
 * A script that stops a database and removes its folder when our end of the pipe closes, even if the test is killed.
 * SIGINT does not wait for open sessions.
 */
export const GUARD = '"$@" & read -r line; kill -INT $!; wait $!; rm -rf "$0"';

const INIT = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync', '--no-instructions'];

async function run(program: string, args: readonly string[], options: SpawnOptions): Promise<void> {
  const [code] = await once(spawn(program, args, { ...options, stdio: ['ignore', 'ignore', 'inherit'] }), 'exit');
  if (code !== 0) throw new Error(`${program} ended with ${String(code)}`);
}

const getId = (option: '-u' | '-g'): number => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));

function getProgramPath(program: 'initdb' | 'postgres'): string {
  const path = findProgram(program);
  if (path === undefined) throw new Error(`${program} is not installed`);
  return path;
}

/** Reads to the end, as a full pipe would block PostgreSQL. */
async function waitUntilReady(server: ChildProcess): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const lines: string[] = [];
  if (!server.stderr) throw new Error('PostgreSQL has no log');
  createInterface(server.stderr).on('line', (line) => {
    lines.push(line);
    if (line.includes('ready to accept connections')) resolve();
  });
  server.once('error', reject);
  server.once('exit', () => reject(new Error(`PostgreSQL did not start:\n${lines.slice(-10).join('\n')}`)));
  return promise;
}
