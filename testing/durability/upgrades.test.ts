import { createHash } from 'node:crypto';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect } from 'vitest';
import { migrate } from '#platform/server/database/migrate.ts';
import { listMigrationSets } from '../../apps/server/migrationSets.ts';
import { testOnBothDatabases, testOnPostgres, testOnSqlite } from '../kits/server/database.ts';
import { createOldDatabase, playKilledUpgrade, playRestoredUpgrade, upgradeAndCompare } from './killedUpgrades.ts';
import { listOldSchemas } from './oldDatabases.ts';

const schemas = listOldSchemas();
const NOW = Temporal.Instant.from('2026-11-30T12:00:00Z');

// Together they have every set at several versions. `npm run test:faults upgrades` tries all of them on both databases.
for (const index of [0, 4, schemas.length - 1])
  testOnSqlite(
    `data of an earlier schema (${index + 1} of ${schemas.length}) is upgraded and kept`,
    async (storage) => {
      const old = await createOldDatabase(storage, schemas[index] ?? []);
      expect(Object.keys(old.digests)).toContain('account');
      expect(await upgradeAndCompare(storage, old)).toEqual([]);
      // The start checks all foreign keys.
      await using _ = await storage.open();
    },
  );

testOnPostgres('data of the last schema is upgraded and kept', async (storage) => {
  expect(await upgradeAndCompare(storage, await createOldDatabase(storage, schemas[0] ?? []))).toEqual([]);
});

testOnBothDatabases('an upgrade that is killed continues at the next start', async (storage) => {
  const { kills, damaged } = await playKilledUpgrade(storage, schemas[5] ?? [], 2);
  expect(kills).toBeGreaterThan(0);
  expect(damaged).toEqual([]);
});

testOnSqlite('the backup before an upgrade restores the earlier data after a kill', async (storage) => {
  const { kills, damaged } = await playRestoredUpgrade(storage, schemas[3] ?? [], NOW);
  expect(kills).toBe(1);
  expect(damaged).toEqual([]);
});

/** Returns the SQL of tables, indexes and triggers by name. */
function readSchema(path: string): ReadonlyMap<string, string> {
  const database = new Sqlite(path, { readonly: true });
  try {
    const rows = database.prepare('select name, sql from sqlite_schema where sql is not null').all();
    return new Map((rows as { name: string; sql: string }[]).map(({ name, sql }) => [name, sql]));
  } finally {
    database.close();
  }
}

testOnSqlite(
  'no migration changes after its release, so that old databases are what these tests create',
  async (storage) => {
    await using database = await storage.open();
    const path = join(storage.dataDir, 'data.db');
    const lines: string[] = [];
    let before = readSchema(path);
    for (const { name, migrations } of listMigrationSets())
      for (const [index, migration] of migrations.entries()) {
        await migrate(database, [{ name, migrations: migrations.slice(0, index + 1) }]);
        const after = readSchema(path);
        const changes = [...after].filter(([key, sql]) => before.get(key) !== sql && !key.endsWith('_migration'));
        const digest = createHash('sha256')
          .update(JSON.stringify(changes.toSorted(([one], [other]) => (one < other ? -1 : 1))))
          .digest('hex')
          .slice(0, 12);
        lines.push(`${name}/${migration.name} ${digest}\n`);
        before = after;
      }
    // After a new migration, `vitest run testing/durability/upgrades.test.ts -u` adds its line.
    await expect(lines.join('')).toMatchFileSnapshot('migrations.txt');
  },
);
