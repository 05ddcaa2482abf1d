import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { openDatabase } from '#platform/server/database/openDatabase.ts';
import {
  createOldDatabase,
  playKilledUpgrade,
  playRestoredUpgrade,
  upgradeAndCompare,
  type UpgradeStorage,
} from '../durability/killedUpgrades.ts';
import { listOldSchemas } from '../durability/oldDatabases.ts';
import { startPostgres } from '../kits/server/postgres.ts';
import type { FaultSuite, SuiteResult } from './suite.ts';

const KILLS = 4;

/** Upgrades every earlier schema on one database, also when killed, and when restored from the backup before. */
async function runOn(
  name: string,
  createDatabaseUrl: () => Promise<string | undefined>,
  say: (line: string) => void,
): Promise<readonly SuiteResult[]> {
  const results: SuiteResult[] = [];
  const schemas = listOldSchemas();
  async function runCases(what: string, play: (storage: UpgradeStorage, index: number) => Promise<readonly string[]>) {
    const failures: string[] = [];
    for (const index of schemas.keys()) {
      const dataDir = await mkdtemp(join(tmpdir(), 'pegboard-upgrade-'));
      const databaseUrl = await createDatabaseUrl();
      const storage = {
        dataDir,
        databaseUrl,
        open: () => openDatabase({ dataDir, databaseUrl, log: pino({ level: 'silent' }) }),
      };
      const damaged = await play(storage, index);
      if (damaged.length > 0) failures.push(`schema ${index + 1}: ${damaged.join(', ')}`);
      await rm(dataDir, { recursive: true });
    }
    results.push({ what: `${what} (${name})`, caseCount: schemas.length, failures });
  }

  await runCases('earlier schemas upgraded', async (storage, index) =>
    upgradeAndCompare(storage, await createOldDatabase(storage, schemas[index] ?? [])),
  );
  let kills = 0;
  await runCases('upgrades killed several times', async (storage, index) => {
    const upgrade = await playKilledUpgrade(storage, schemas[index] ?? [], KILLS);
    kills += upgrade.kills;
    return upgrade.damaged;
  });
  await runCases('upgrades killed and restored', async (storage, index) => {
    const upgrade = await playRestoredUpgrade(storage, schemas[index] ?? [], Temporal.Now.instant());
    kills += upgrade.kills;
    return upgrade.damaged;
  });
  say(`${name}: ${kills} upgrades were killed`);
  return results;
}

/** Every earlier schema, on both databases. */
export const upgradesSuite: FaultSuite = {
  name: 'upgrades',
  run: async (say) => {
    const sqlite = await runOn('SQLite', async () => undefined, say);
    await using postgres = await startPostgres();
    return [...sqlite, ...(await runOn('PostgreSQL', () => postgres.createDatabase(), say))];
  },
};
