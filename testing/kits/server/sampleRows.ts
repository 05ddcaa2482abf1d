import type { Database } from '#platform/server/database/database.ts';
import type { DatabaseAddress } from '#platform/server/database/readDatabase.ts';
import { openPostgresTables } from '#platform/server/move/postgresTables.ts';
import { openSqliteTables } from '#platform/server/move/sqliteTables.ts';
import {
  computeTableDigest,
  orderByReferences,
  quoteText,
  type Column,
  type Table,
  type TableAccess,
  type Value,
} from '#platform/server/move/tableAccess.ts';
import type { DerivedTables } from '#platform/server/tool.ts';

/** Opens the tables of a database, also beside an open one. */
export async function openTestTables({ dataDir, databaseUrl }: DatabaseAddress): Promise<TableAccess> {
  return databaseUrl === undefined
    ? openSqliteTables(`${dataDir}/data.db`, { isReadOnly: false })
    : openPostgresTables(databaseUrl, { isReadOnly: false });
}

interface Reference {
  readonly column: string;
  readonly parent: string;
  readonly parentColumn: string;
}

async function listReferences(access: TableAccess, table: string, isPostgres: boolean): Promise<readonly Reference[]> {
  const rows = await access.query(
    isPostgres
      ? `select a.attname as column, r.relname as parent, b.attname as parent_column from pg_constraint as f
          join pg_class as c on c.oid = f.conrelid join pg_class as r on r.oid = f.confrelid
          join pg_attribute as a on a.attrelid = c.oid and a.attnum = f.conkey[1]
          join pg_attribute as b on b.attrelid = r.oid and b.attnum = f.confkey[1]
          where f.contype = 'f' and c.relname = ${quoteText(table)}`
      : `select "from" as "column", "table" as parent, "to" as parent_column
          from pragma_foreign_key_list(${quoteText(table)})`,
  );
  return rows.map((row) => ({
    column: String(row['column']),
    parent: String(row['parent']),
    parentColumn: String(row['parent_column']),
  }));
}

/** Values that migrations read. */
const MEANINGFUL_VALUES: Readonly<Record<string, (row: number) => Value>> = {
  'calendar_event.style': () => 'duration',
  'calendar_event.duration': () => '30',
  'calendar_event.duration_unit': () => 'hours',
  'calendar_event.time': (row) => `1${row % 10}:30`,
  'calendar_event.end_time': () => null,
  'calendar_event.deleted': (row) => (row % 7 === 0 ? '1700000000000' : null),
};

const TEXTS = ['plain', '“quoted” – ŝtelo', 'two\nlines\t\\ {a,"b"}', '日本語 🎵', ''];

function createValue(table: string, { name, kind }: Column, position: number, row: number): Value {
  const meaningful = MEANINGFUL_VALUES[`${table}.${name}`];
  if (meaningful) return meaningful(row);
  if (kind === 'integer') return String(row + position * 100_000);
  if (kind === 'real') return 1_700_000_000.123 + row;
  if (kind === 'bytes') return Buffer.from([row % 256, 0, 255, 92, 39, position]);
  return `${name} ${row} ${TEXTS[row % TEXTS.length]}`;
}

/** Ids have gaps, and later ones were deleted. */
const getId = (row: number): string => String(row * 3);
const LAST_ID = '900000';

/**
 * Fills all tables of a database with rows, whose values depend on the table and the number of the row only. A row
 * references the row of the same number in other tables, and the next one in its own.
 */
export async function fillTables(
  database: Database,
  location: DatabaseAddress,
  { rows: rowCount, derivedTables }: { readonly rows: number; readonly derivedTables: readonly DerivedTables[] },
): Promise<void> {
  await using access = await openTestTables(location);
  const derivedNames = derivedTables.flatMap(({ names }) => names);
  const all = await listSampleTables(access);
  const valuesByTable = new Map<string, readonly (readonly Value[])[]>();
  for (const table of all.filter(({ name }) => !derivedNames.includes(name))) {
    const references = await listReferences(access, table.name, location.databaseUrl !== undefined);
    const rows = Array.from({ length: rowCount }, (_, index) =>
      table.columns.map((column, position): Value => {
        const row = index + 1;
        const reference = references.find((each) => each.column === column.name);
        if (column.name === table.idColumn) return getId(row);
        if (!reference) return createValue(table.name, column, position + 1, row);
        if (reference.parent === table.name) return row === rowCount ? null : getId(row + 1);
        const parent = all.find(({ name }) => name === reference.parent);
        const parentPosition = parent?.columns.findIndex(({ name }) => name === reference.parentColumn) ?? -1;
        return valuesByTable.get(reference.parent)?.[index]?.[parentPosition] ?? null;
      }),
    );
    valuesByTable.set(table.name, rows);
    await access.fillTable(table, async (insert) => {
      for (let first = 0; first < rows.length; first += 500) await insert(rows.slice(first, first + 500));
      if (table.idColumn !== undefined) await access.setLastId(table, LAST_ID);
    });
  }
  for (const { names, fill } of derivedTables)
    if (names.every((name) => all.some((table) => table.name === name)))
      await database.transaction(({ tx }) => fill({ tx }));
}

/** Lists the tables with data of users, parents first. */
export async function listSampleTables(access: TableAccess): Promise<readonly Table[]> {
  const tables = await access.listTables();
  return orderByReferences(tables.filter(({ name }) => !/_migration$|^migration_lock$/.test(name)));
}

/** Returns the rows and the checksum of each table, as text by name. */
export async function digestTables(
  access: TableAccess,
  tables: readonly Table[],
): Promise<Readonly<Record<string, string>>> {
  const digests: Record<string, string> = {};
  for (const table of tables) {
    const columns = table.columns.filter(({ kind }) => kind !== undefined);
    const { rows, checksum } = await computeTableDigest(access, { ...table, columns });
    digests[table.name] = `${rows} ${checksum} ${(await access.readLastId(table)) ?? ''}`;
  }
  return digests;
}
