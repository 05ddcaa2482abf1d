import { chmod, mkdir, readdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Database } from './database.ts';
import { openSqlite } from './sqlite.ts';

/** By the magic number that Linux gives: where locks and flushes are not to be relied on. */
const REMOTE = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0x65735546, 'FUSE'],
  [0x01021997, '9P'],
]);

/**
 * Makes the data folder, for its owner's eyes only, and warns of one that lies on another machine.
 * @throws Refusal when it cannot be made or made private.
 */
export async function prepareDataFolder(dataDir: string, log: FastifyBaseLogger): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await chmod(dataDir, 0o700);
    const names = await readdir(dataDir);
    const ours = names.filter((name) => /^(data|lock)\.db(-(wal|shm|journal))?$/.test(name));
    await Promise.all(ours.map(async (name) => chmod(join(dataDir, name), 0o600)));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Refusal(
      `The data folder ${dataDir} cannot be used (${why}). Set DATA_DIR to a folder of this user's own.`,
      {
        cause: error,
      },
    );
  }
  const remote = REMOTE.get((await statfs(dataDir)).type);
  if (remote !== undefined)
    log.warn({ dataDir, system: remote }, 'database.folder is not on a local disk: answered writes may be lost there');
}

export interface DatabaseOptions {
  /** The folder that everything the server keeps lies in. */
  readonly dataDir: string;
  /** PostgreSQL instead of SQLite. */
  readonly databaseUrl?: string | undefined;
  readonly log: FastifyBaseLogger;
  /** Told once when the database cannot be used any more. By default it is thrown where nobody catches it, which ends the server. */
  readonly onFatal?: (error: Error) => void;
  /** Told at every write that found no room on the disk (SQLite alone). */
  readonly onFull?: () => void;
}

/** Opens the server's one database. @throws Refusal with a sentence for the operator where the server must not start. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { dataDir, databaseUrl, log, onFull, onFatal = throwUncaught } = options;
  const fatal = (error: Error): void => {
    log.fatal({ err: error }, 'database.failed');
    onFatal(error);
  };
  await prepareDataFolder(dataDir, log);
  if (databaseUrl === undefined) return openSqlite({ dataDir, log, onFatal: fatal, onFull });
  // Loaded only where it is used: the client alone costs memory that most servers can do without.
  const { openPostgres } = await import('./postgres.ts');
  return openPostgres({ databaseUrl, log, onFatal: fatal });
}

const throwUncaught = (error: Error): void => {
  setImmediate(() => {
    throw error;
  });
};
