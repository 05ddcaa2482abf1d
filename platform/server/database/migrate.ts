import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Migration } from '../tool.ts';
import { isPostgres } from './columns.ts';
import type { Database } from './database.ts';

/** Migrations of one tool, or of a part of the platform. */
export interface MigrationSet {
  readonly name: string;
  /** Migrations in the order of their names: `001-…`, `002-…`. */
  readonly migrations: readonly Migration[];
}

/**
 * Runs the pending migrations of each set in order, one transaction each, and records them in `<set>_migration`.
 * @param beforeUpgrade Called before the first one, unless the database is new.
 * @throws Refusal before any change, if a newer version wrote the database.
 */
export async function migrate(
  database: Pick<Database, 'db'>,
  sets: readonly MigrationSet[],
  beforeUpgrade?: () => Promise<void>,
): Promise<void> {
  const { db } = database;
  for (const set of sets) assertOrder(set);
  const { pending, isNew } = await findPending(db, sets);
  if (pending.length > 0 && !isNew) await beforeUpgrade?.();
  for (const { set, count } of pending) {
    const migrator = new Migrator({
      db,
      migrationTableName: getTableName(set),
      migrationLockTableName: 'migration_lock',
      provider: {
        getMigrations: async () =>
          Object.fromEntries(set.migrations.map((migration) => [migration.name, { up: createUp(migration) }])),
      },
    });
    for (let remaining = count; remaining > 0; remaining -= 1) {
      const { error } = await migrator.migrateUp();
      if (error !== undefined) throw new Error(`a migration of ${set.name} failed`, { cause: error });
    }
  }
}

const getTableName = ({ name }: MigrationSet): string => `${name}_migration`;

/** Returns a migration without statement timeout, because it may take longer than the statements of a call. */
const createUp =
  ({ up }: Migration) =>
  async (db: Kysely<unknown>): Promise<void> => {
    if (isPostgres(db)) await sql`set local statement_timeout = 0`.execute(db);
    await up(db);
  };

function assertOrder({ name, migrations }: MigrationSet): void {
  const names = migrations.map((migration) => migration.name);
  if (names.some((current, index) => index > 0 && current <= (names[index - 1] ?? '')))
    throw new Error(`the migrations of ${name} are not in the order of their names`);
}

async function findPending(db: Kysely<unknown>, sets: readonly MigrationSet[]) {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  async function listApplied(set: MigrationSet): Promise<readonly string[]> {
    if (!tables.some(({ name }) => name === getTableName(set))) return [];
    const { rows } = await sql<{ name: string }>`select name from ${sql.table(getTableName(set))}`.execute(db);
    return rows.map(({ name }) => name);
  }
  const pending: { set: MigrationSet; count: number }[] = [];
  let isNew = true;
  for (const set of sets) {
    const applied = await listApplied(set);
    isNew &&= applied.length === 0;
    const unknown = applied.find((name) => !set.migrations.some((migration) => migration.name === name));
    if (unknown !== undefined)
      throw new Refusal(
        'database.newer_version',
        `This database was written by a newer Pegboard (${set.name}: ${unknown}). Start that version, or restore the backup made before the upgrade`,
      );
    pending.push({ set, count: set.migrations.length - applied.length });
  }
  return { pending: pending.filter(({ count }) => count > 0), isNew };
}
