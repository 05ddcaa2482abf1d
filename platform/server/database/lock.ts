import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { Refusal } from '#platform/contract/refusal.ts';

/**
 * Holds the data folder for this process, until disposed of or until the process ends, however it ends.
 * @throws Refusal at once when another process holds it.
 */
export const acquireDataFolderLock = async (dataDir: string): Promise<Disposable> => {
  const path = join(dataDir, 'lock.db');
  const file = new Sqlite(path, { timeout: 0 });
  try {
    await chmod(path, 0o600);
    // Nothing is written: no journal needs to lie in the folder.
    file.pragma('journal_mode = MEMORY');
    file.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    file.close();
    if (error instanceof Sqlite.SqliteError && error.code === 'SQLITE_BUSY')
      throw new Refusal(
        `Another Pegboard uses the folder ${dataDir}. Stop it first, or give this one a DATA_DIR of its own.`,
      );
    throw error;
  }
  return { [Symbol.dispose]: () => void file.close() };
};
