// What a server that is killed in the middle of its work leaves in its data folder, and how to meet it at one moment of that work.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';

/** Lets nobody else write to the database. */
export function blockWrites(dataDir: string): Disposable {
  const held = new Sqlite(join(dataDir, 'data.db'), { timeout: 10_000 });
  held.exec('begin immediate');
  return { [Symbol.dispose]: () => void held.close() };
}

/** Every file below a folder, by its path in there. */
export async function listFiles(dataDir: string): Promise<readonly string[]> {
  try {
    return (await readdir(dataDir, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(dataDir.length + 1));
  } catch (error) {
    // A folder that went while it was looked at: looked at again.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return listFiles(dataDir);
    throw error;
  }
}

/** Settles with the answer that is wanted, asked for again and again as pages do. */
export async function pollUntil<T>(ask: () => Promise<T>, isWanted: (answer: T) => boolean, pauseMs = 50): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (isWanted(answer)) return answer;
    await new Promise((resolve) => void setTimeout(resolve, pauseMs));
  }
}

/** Settles once there is such a file. Watching would miss what comes into a folder that is new itself. */
export async function waitForFile(dataDir: string, name: RegExp): Promise<void> {
  await pollUntil(
    () => listFiles(dataDir),
    (files) => files.some((file) => name.test(file)),
    10,
  );
}
