import { randomInt } from 'node:crypto';
import { startPostgres } from '../kits/server/postgres.ts';
import { getSkipReason } from '../machine.ts';
import { playHistories } from '../sync/play.ts';
import type { SuiteResult, FaultSuite } from './suite.ts';

const HISTORIES = 200;
/** Histories per progress line. */
const PROGRESS_INTERVAL = 20;

async function tryOut(what: string, say: (line: string) => void, databaseUrl?: string): Promise<SuiteResult> {
  const seed = randomInt(2 ** 30);
  const { histories, kills, hit, failures } = await playHistories({
    histories: HISTORIES,
    seed,
    databaseUrl,
    onProgress: (so) => {
      if (so.histories % PROGRESS_INTERVAL !== 0) return;
      say(`${what}: ${so.histories} of ${HISTORIES} histories, ${so.kills} kills, ${so.failures.length} failed`);
    },
  });
  say(`${what}: seed ${seed}, ${kills} kills fell into ${hit} histories`);
  return { what: `a real server on ${what}, killed ${kills} times`, caseCount: histories, failures };
}

/** Histories of lists through real calls and sockets, with a server that is killed repeatedly. */
export const serverSuite: FaultSuite = {
  name: 'server',
  run: async (say) => {
    const testOnSqlite = await tryOut('SQLite', say);
    const skipReason = getSkipReason('initdb');
    if (skipReason !== undefined) {
      say(`PostgreSQL: ${skipReason}`);
      return [testOnSqlite];
    }
    await using postgres = await startPostgres();
    return [testOnSqlite, await tryOut('PostgreSQL', say, await postgres.createDatabase())];
  },
};
