import { type BackupLoad, playBackupsUnderLoad, WRITES_PER_SECOND } from '../durability/backupsUnderLoad.ts';
import { startPostgres } from '../kits/server/postgres.ts';
import { getSkipReason } from '../machine.ts';
import type { FaultSuite, SuiteResult } from './suite.ts';

const LOAD: BackupLoad = { quietMs: 30_000, backupCount: 10, killCount: 20, fileCount: 60 };
/** How much slower the slowest writes may be while backups are made. */
const MAX_FACTOR = 2;
/** A busy machine may not reach the load. Then the figure says nothing. */
const MIN_RATE = 0.95 * WRITES_PER_SECOND;

async function tryOut(what: string, say: (line: string) => void, databaseUrl?: string): Promise<SuiteResult> {
  const { writes, backups, kills, quietP99, backupP99, backupRate, failures } = await playBackupsUnderLoad({
    ...LOAD,
    databaseUrl,
  });
  const figures = `p99 of a write ${quietP99.toFixed(1)} ms alone, ${backupP99.toFixed(1)} ms during backups at ${backupRate.toFixed(0)} writes a second`;
  const isWithinLimits = backupP99 < MAX_FACTOR * quietP99 && backupRate >= MIN_RATE;
  say(`${what}: ${writes} writes, ${backups} backups, ${kills} killed, ${figures}`);
  return {
    what: `backups under 200 writes a second on ${what}`,
    caseCount: backups + kills,
    failures: [...failures, ...(isWithinLimits ? [] : [figures])],
  };
}

/** Backups of a server that is written to all the time. Some are killed. */
export const backupSuite: FaultSuite = {
  name: 'backups',
  run: async (say) => {
    const onSqlite = await tryOut('SQLite', say);
    if (getSkipReason('initdb') !== undefined) return [onSqlite];
    await using postgres = await startPostgres();
    return [onSqlite, await tryOut('PostgreSQL', say, await postgres.createDatabase())];
  },
};
