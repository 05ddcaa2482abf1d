import { randomInt } from 'node:crypto';
import { playKilledWrites } from '../durability/killedWrites.ts';
import { startPostgres } from '../kits/server/postgres.ts';
import { startRedis } from '../kits/server/redis.ts';
import { getSkipReason } from '../machine.ts';
import type { FaultSuite, SuiteResult } from './suite.ts';

const ACKNOWLEDGED = 10_000;

async function tryOut(
  what: string,
  say: (line: string) => void,
  services: { readonly databaseUrl?: string; readonly redisUrl?: string } = {},
): Promise<SuiteResult> {
  const seed = randomInt(2 ** 30);
  const { acknowledged, kills, lost, duplicated, torn } = await playKilledWrites({
    acknowledged: ACKNOWLEDGED,
    seed,
    ...services,
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
    return [onSqlite, await tryOut('PostgreSQL', say, { databaseUrl: await postgres.createDatabase() })];
  },
};

/** The same with two instances. Each kill ends one of them. */
export const instancesWritesSuite: FaultSuite = {
  name: 'instances-writes',
  run: async (say) => {
    const skipReason = getSkipReason('initdb', 'redis-server');
    if (skipReason !== undefined)
      return [{ what: `writes to two instances (${skipReason})`, caseCount: 0, failures: [] }];
    await using postgres = await startPostgres();
    await using redis = await startRedis();
    return [await tryOut('two instances', say, { databaseUrl: await postgres.createDatabase(), redisUrl: redis.url })];
  },
};
