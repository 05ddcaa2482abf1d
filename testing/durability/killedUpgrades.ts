import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { pino } from 'pino';
import { readBackup } from '#platform/server/backup/backups.ts';
import { restoreBackup } from '#platform/server/backup/restoreBackup.ts';
import { writeBackup } from '#platform/server/backup/writeBackup.ts';
import type { Database } from '#platform/server/database/database.ts';
import { migrate, type MigrationSet } from '#platform/server/database/migrate.ts';
import { openDatabase } from '#platform/server/database/openDatabase.ts';
import type { Table } from '#platform/server/move/tableAccess.ts';
import { listMigrationSets } from '../../apps/server/migrationSets.ts';
import type { TestStorage } from '../kits/server/database.ts';
import { digestTables, fillTables, listSampleTables, openTestTables } from '../kits/server/sampleRows.ts';
import { CHANGED_COLUMNS, derivedTables } from './oldDatabases.ts';

export type UpgradeStorage = Pick<TestStorage, 'dataDir' | 'databaseUrl'> & { readonly open: () => Promise<Database> };

const ROWS = 20;

/** Tables as an earlier version left them, without what upgrades change. */
interface OldData {
  readonly tables: readonly Table[];
  readonly digests: Readonly<Record<string, string>>;
}

/** Creates a database of an earlier version with rows in every table. */
export async function createOldDatabase(storage: UpgradeStorage, schema: readonly MigrationSet[]): Promise<OldData> {
  await using database = await storage.open();
  await migrate(database, schema);
  await fillTables(database, storage, { rows: ROWS, derivedTables });
  await using access = await openTestTables(storage);
  const tables = (await listSampleTables(access)).map((table) => ({
    ...table,
    columns: table.columns.filter(({ name }) => !CHANGED_COLUMNS.has(`${table.name}.${name}`)),
  }));
  return { tables, digests: await digestTables(access, tables) };
}

/** Upgrades a database, and returns the tables whose old columns are not as before. */
export async function upgradeAndCompare(
  storage: UpgradeStorage,
  { tables, digests }: OldData,
): Promise<readonly string[]> {
  await using database = await storage.open();
  await migrate(database, listMigrationSets());
  return await compareTables(storage, { tables, digests });
}

async function compareTables(storage: UpgradeStorage, { tables, digests }: OldData): Promise<readonly string[]> {
  await using access = await openTestTables(storage);
  const now = await digestTables(access, tables);
  return tables.map(({ name }) => name).filter((name) => now[name] !== digests[name]);
}

/** Statements after which an upgrade is killed, at most. An upgrade has more. */
const MAX_STATEMENTS = 40;

/** Upgrades in a process of its own, which is killed. @returns whether it was, or ended before. */
async function upgradeAndKill({ dataDir, databaseUrl }: UpgradeStorage): Promise<boolean> {
  const statements = String(randomInt(1, MAX_STATEMENTS));
  const child = spawn(process.execPath, [import.meta.filename, dataDir, databaseUrl ?? '', statements], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  if (signal !== 'SIGKILL' && code !== 0) throw new Error(`the upgrade ended with ${code ?? signal}`);
  return signal === 'SIGKILL';
}

/** What remained after killed upgrades. */
export interface KilledUpgrade {
  readonly kills: number;
  /** Tables that are not as before. */
  readonly damaged: readonly string[];
}

/** Kills an upgrade of an old database several times, and then lets it end. */
export async function playKilledUpgrade(
  storage: UpgradeStorage,
  schema: readonly MigrationSet[],
  attempts: number,
): Promise<KilledUpgrade> {
  const old = await createOldDatabase(storage, schema);
  let kills = 0;
  for (let attempt = 0; attempt < attempts; attempt += 1) if (await upgradeAndKill(storage)) kills += 1;
  return { kills, damaged: await upgradeAndCompare(storage, old) };
}

/** Kills an upgrade, and restores the backup that was made before it. */
export async function playRestoredUpgrade(
  storage: UpgradeStorage,
  schema: readonly MigrationSet[],
  now: Temporal.Instant,
): Promise<KilledUpgrade> {
  const old = await createOldDatabase(storage, schema);
  const target = { dataDir: storage.dataDir, databaseUrl: storage.databaseUrl, changingFolders: [] };
  const { path } = await writeBackup({ ...target, version: 'earlier' }, { reason: 'upgrade', now });
  const kills = (await upgradeAndKill(storage)) ? 1 : 0;
  await restoreBackup(await readBackup(path), target, { now });
  const damaged = await compareTables(storage, old);
  return { kills, damaged: [...damaged, ...(await upgradeAndCompare(storage, old))] };
}

/** The process of `upgradeAndKill`, which kills itself at about that many statements. */
async function upgradeAsProgram([dataDir = '', databaseUrl = '', statements = '']: readonly string[]): Promise<void> {
  let remaining = Number(statements);
  await using database = await openDatabase({
    dataDir,
    databaseUrl: databaseUrl === '' ? undefined : databaseUrl,
    log: pino({ level: 'error' }, process.stderr),
  });
  const db = database.db.withPlugin({
    transformQuery: ({ node }) => {
      remaining -= 1;
      // The statement itself may be running by then, or its commit.
      if (remaining === 0) setTimeout(() => process.kill(process.pid, 'SIGKILL'), Math.random() * 3);
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  await migrate({ db }, listMigrationSets());
}

if (import.meta.main) await upgradeAsProgram(process.argv.slice(2));
