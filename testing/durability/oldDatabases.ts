import type { MigrationSet } from '#platform/server/database/migrate.ts';
import { listMigrationSets } from '../../apps/server/migrationSets.ts';
import { serverTools } from '../../apps/server/tools.ts';

export const derivedTables = serverTools.flatMap((tool) => tool.derivedTables ?? []);

/** Tables of accounts and sessions, which the first version of every other set references. */
const FIRST_IDENTITY_MIGRATIONS = 2;

/**
 * Returns the migrations of every earlier schema, newest first: each set lacks its last one, its last two, and so on.
 * So every version of every set occurs. The last schema has nothing but the first table.
 */
export function listOldSchemas(): readonly (readonly MigrationSet[])[] {
  const sets = listMigrationSets();
  const longest = Math.max(...sets.map(({ migrations }) => migrations.length));
  const schemas = Array.from({ length: longest - 1 }, (_, index) =>
    sets.flatMap(({ name, migrations }) => {
      const least = name === 'identity' ? FIRST_IDENTITY_MIGRATIONS : 0;
      const count = Math.max(least, migrations.length - index - 1);
      return count > 0 ? [{ name, migrations: migrations.slice(0, count) }] : [];
    }),
  );
  return [...schemas, sets.slice(0, 1).map(({ name, migrations }) => ({ name, migrations: migrations.slice(0, 1) }))];
}

/** Values that an upgrade changes on purpose. */
export const CHANGED_COLUMNS: ReadonlySet<string> = new Set([
  // Hours after a time reach into the next day.
  'calendar_event.until_day',
  'calendar_search.until_day',
  // Subscribed calendars are read again.
  'calendar_subscription.etag',
  'calendar_subscription.modified',
  'calendar_subscription.due',
]);
