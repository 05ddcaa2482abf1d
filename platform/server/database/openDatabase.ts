import { chmod, mkdir, readdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { Refusal } from '#platform/contract/refusal.ts';
import { createLogger } from '../operations/logger.ts';
import type { Database } from './database.ts';
import { acquireDataFolderLock, type DiskReserve, openSqlite } from './sqlite.ts';

/** Remote file systems by Linux magic number. Their locks and flushes are not reliable. */
const REMOTE_FILE_SYSTEMS = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0x65735546, 'FUSE'],
  [0x01021997, '9P'],
]);

/**
 * Creates the data folder with access for its owner only, and warns if it is on a remote file system.
 * @throws Refusal if it cannot be created or made private.
 */
export async function prepareDataFolder(dataDir: string, log: FastifyBaseLogger): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await chmod(dataDir, 0o700);
    const names = await readdir(dataDir);
    const databaseFiles = names.filter((name) => /^(data|lock)\.db(-(wal|shm|journal))?$/.test(name));
    await Promise.all(databaseFiles.map(async (name) => chmod(join(dataDir, name), 0o600)));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Refusal(
      'server.data_dir_unusable',
      `The data folder ${dataDir} cannot be used (${reason}). Set DATA_DIR to a folder that this user owns`,
      { cause: error },
    );
  }
  const fileSystem = REMOTE_FILE_SYSTEMS.get((await statfs(dataDir)).type);
  if (fileSystem !== undefined) log.warn({ dataDir, system: fileSystem }, 'database.folder.not_local');
}

export interface DatabaseOptions {
  /** Folder of all data that the server stores. */
  readonly dataDir: string;
  /** Selects PostgreSQL instead of SQLite. */
  readonly databaseUrl?: string | undefined;
  readonly log: FastifyBaseLogger;
  /** Called once when the database can no longer be used. By default, the error is uncaught and ends the server. */
  readonly onFatal?: (error: Error) => void;
  /** Whether other instances use the database too (PostgreSQL only). */
  readonly isShared?: boolean;
  /** Whether this instance can become the leader; by default it can. */
  readonly canLead?: boolean;
  /** The reserve for a full disk (SQLite only). */
  readonly disk?: DiskReserve;
}

/** Opens the server's database. @throws Refusal with a message for the operator if the server must not start. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { dataDir, databaseUrl, log, disk, onFatal = throwUncaught } = options;
  function handleFatal(error: Error): void {
    log.fatal({ err: error }, 'database.failed');
    onFatal(error);
  }
  await prepareDataFolder(dataDir, log);
  if (databaseUrl === undefined) return openSqlite({ dataDir, log, onFatal: handleFatal, disk });
  // Imported lazily, because the client takes memory that most servers do not need.
  const { openPostgres } = await import('./postgres.ts');
  const { isShared, canLead } = options;
  return openPostgres({ databaseUrl, log, onFatal: handleFatal, isShared, canLead });
}

/**
 * Locks the database without opening it, so that no server can use it meanwhile.
 * @throws Refusal if a server is using it.
 */
export async function lockDatabase({
  dataDir,
  databaseUrl,
}: Pick<DatabaseOptions, 'dataDir' | 'databaseUrl'>): Promise<AsyncDisposable> {
  const log = createLogger({ level: 'silent' });
  await prepareDataFolder(dataDir, log);
  await using locks = new AsyncDisposableStack();
  locks.use(await acquireDataFolderLock(dataDir));
  if (databaseUrl !== undefined) {
    const { lockPostgres } = await import('./postgres.ts');
    locks.use(await lockPostgres(databaseUrl, log));
  }
  return locks.move();
}

function throwUncaught(error: Error): void {
  setImmediate(() => {
    throw error;
  });
}
