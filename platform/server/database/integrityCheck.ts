// Runs in its own thread, for databases so large that the check would delay the start.
import { parentPort, workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import { assertIntact, explainDamage } from './sqliteConnection.ts';

const { path } = workerData as { readonly path: string };
const database = new Sqlite(path, { readonly: true });

function findDamage(): string | undefined {
  try {
    assertIntact(database);
    return undefined;
  } catch (error) {
    const explainedError = explainDamage(path, error);
    return explainedError instanceof Error ? explainedError.message : String(explainedError);
  } finally {
    database.close();
  }
}
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort?.postMessage({ damage: findDamage() });
