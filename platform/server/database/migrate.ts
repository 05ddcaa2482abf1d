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
      migrationTableName: getMigrationTable(set),
      migrationLockTableName: MIGRATION_LOCK_TABLE,
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

/** End of the names of tables with the migrations that ran. */
export const MIGRATION_TABLE_SUFFIX = '_migration';
const getMigrationTable = ({ name }: MigrationSet): string => name + MIGRATION_TABLE_SUFFIX;
/** Name of the table that the migrator uses for its own lock. */
export const MIGRATION_LOCK_TABLE = 'migration_lock';

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

/** Schema of one set in a database, compared with its migrations. */
export interface SchemaState {
  readonly set: MigrationSet;
  /** Migrations that ran in this database, in order. */
  readonly applied: readonly string[];
  /** Those that did not run yet. */
  readonly pending: readonly string[];
  /** The first one that only a newer version has. */
  readonly unknown: string | undefined;
}

/** Reads which migrations ran in a database, without changing anything. */
export async function readSchemaStates(
  db: Kysely<unknown>,
  sets: readonly MigrationSet[],
): Promise<readonly SchemaState[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  async function listApplied(set: MigrationSet): Promise<readonly string[]> {
    if (!tables.some(({ name }) => name === getMigrationTable(set))) return [];
    const { rows } = await sql<{
      name: string;
    }>`select name from ${sql.table(getMigrationTable(set))} order by name`.execute(db);
    return rows.map(({ name }) => name);
  }
  const states: SchemaState[] = [];
  for (const set of sets) {
    const names = set.migrations.map(({ name }) => name);
    const applied = await listApplied(set);
    states.push({
      set,
      applied,
      pending: names.slice(applied.length),
      unknown: applied.find((name) => !names.includes(name)),
    });
  }
  return states;
}

/** @throws Refusal if a newer version wrote the database. */
export function assertKnownSchema(states: readonly SchemaState[]): void {
  const newer = states.find(({ unknown }) => unknown !== undefined);
  if (newer)
    throw new Refusal(
      'database.newer_version',
      `This database was written by a newer Pegboard (${newer.set.name}: ${newer.unknown}). Start that version, or restore the backup made before the upgrade`,
    );
}

async function findPending(db: Kysely<unknown>, sets: readonly MigrationSet[]) {
  const states = await readSchemaStates(db, sets);
  assertKnownSchema(states);
  return {
    pending: states.flatMap(({ set, pending }) => (pending.length > 0 ? [{ set, count: pending.length }] : [])),
    isNew: states.every(({ applied }) => applied.length === 0),
  };
}
