import { randomInt } from 'node:crypto';
import { playKilledWrites } from '../durability/killedWrites.ts';
import { startPostgres } from '../kits/server/postgres.ts';
import { getSkipReason } from '../machine.ts';
import type { FaultSuite, SuiteResult } from './suite.ts';

const ACKNOWLEDGED = 10_000;

async function tryOut(what: string, say: (line: string) => void, databaseUrl?: string): Promise<SuiteResult> {
  const seed = randomInt(2 ** 30);
  const { acknowledged, kills, lost, duplicated, torn } = await playKilledWrites({
    acknowledged: ACKNOWLEDGED,
    seed,
    databaseUrl,
  });
  const figures = `${acknowledged} acknowledged, ${kills} kills, ${lost} lost, ${duplicated} duplicated, ${torn} torn`;
  say(`${what}: seed ${seed}, ${figures}`);
  return {
    what: `writes of all tools on ${what}, killed ${kills} times`,
    caseCount: acknowledged,
    failures: lost + duplicated + torn === 0 ? [] : [`seed ${seed}: ${figures}`],
  };
}

/** Writes of all tools to a server that is killed repeatedly. */
export const writesSuite: FaultSuite = {
  name: 'writes',
  run: async (say) => {
    const onSqlite = await tryOut('SQLite', say);
    const skipReason = getSkipReason('initdb');
    if (skipReason !== undefined) {
      say(`PostgreSQL: ${skipReason}`);
      return [onSqlite];
    }
    await using postgres = await startPostgres();
    return [onSqlite, await tryOut('PostgreSQL', say, await postgres.createDatabase())];
  },
};
