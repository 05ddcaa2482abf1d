// Helpers to find what a killed server leaves in its data folder, and to kill it at a certain moment.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';

/** Blocks all other writes to the database. */
export function blockWrites(dataDir: string): Disposable {
  const database = new Sqlite(join(dataDir, 'data.db'), { timeout: 10_000 });
  database.exec('begin immediate');
  return { [Symbol.dispose]: () => void database.close() };
}

/** Returns every file below a folder, by relative path. */
export async function listFiles(dataDir: string): Promise<readonly string[]> {
  try {
    return (await readdir(dataDir, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(dataDir.length + 1));
  } catch (error) {
    // A folder disappeared while it was listed: try again.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return listFiles(dataDir);
    throw error;
  }
}

/** Polls until the result is as expected. */
export async function pollUntil<T>(
  read: () => Promise<T>,
  isExpected: (result: T) => boolean,
  intervalMs = 50,
): Promise<T> {
  for (;;) {
    const result = await read();
    if (isExpected(result)) return result;
    await new Promise((resolve) => void setTimeout(resolve, intervalMs));
  }
}

/** Polls until such a file exists. A watcher would miss files in a folder that is new itself. */
export async function waitForFile(dataDir: string, name: RegExp): Promise<void> {
  await pollUntil(
    () => listFiles(dataDir),
    (files) => files.some((file) => name.test(file)),
    10,
  );
}
