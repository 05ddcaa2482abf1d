import { Migrator } from 'kysely/migration';
import type { Migration } from '../tool.ts';
import type { Database } from './database.ts';

/** The migrations of one tool, or of a part of the ground. */
export interface MigrationSet {
  readonly name: string;
  readonly migrations: readonly Migration[];
}

/** Brings the tables of every set up to date, forward only. */
export const migrate = async ({ db }: Database, sets: readonly MigrationSet[]): Promise<void> => {
  for (const { name, migrations } of sets) {
    const migrator = new Migrator({
      db,
      migrationTableName: `migration_${name}`,
      migrationLockTableName: `migration_${name}_lock`,
      provider: { getMigrations: async () => Object.fromEntries(migrations.map((one) => [one.name, one])) },
    });
    const { error } = await migrator.migrateToLatest();
    if (error !== undefined) throw error;
  }
};
