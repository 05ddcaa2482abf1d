// Runs in its own thread, for databases so large that the check would delay the start.
import { parentPort, workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import { assertIntact, explainDamage } from './sqliteConnection.ts';

const { path } = workerData as { readonly path: string };
const file = new Sqlite(path, { readonly: true });

const damage = (): string | undefined => {
  try {
    assertIntact(file);
    return undefined;
  } catch (error) {
    const explained = explainDamage(path, error);
    return explained instanceof Error ? explained.message : String(explained);
  } finally {
    file.close();
  }
};
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort?.postMessage({ damage: damage() });
