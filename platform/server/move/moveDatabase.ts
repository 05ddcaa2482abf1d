import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { type Kysely, sql } from 'kysely';
import { Refusal } from '#platform/contract/refusal.ts';
import { isPostgres } from '../database/columns.ts';
import type { Database } from '../database/database.ts';
import { findDifferingTable, type RowCounts } from '../database/databaseCopy.ts';
import {
  assertKnownSchema,
  migrate,
  MIGRATION_LOCK_TABLE,
  MIGRATION_TABLE_SUFFIX,
  type MigrationSet,
  readSchemaStates,
} from '../database/migrate.ts';
import { openDatabase } from '../database/openDatabase.ts';
import { type DatabaseAddress, openDatabaseReader } from '../database/readDatabase.ts';
import { acquireDataFolderLock } from '../database/sqlite.ts';
import { SQLITE_FILE } from '../database/sqliteCopy.ts';
import type { DerivedTables } from '../tool.ts';
import { openSqliteTables } from './sqliteTables.ts';
import {
  computeTableDigest,
  createTableChecksum,
  orderByReferences,
  quoteName,
  quoteText,
  type Table,
  type TableAccess,
  type TableDigest,
} from './tableAccess.ts';

/** It exists in a database while a move fills it, and lists the tables that are complete. */
const MARKER_TABLE = 'unfinished_move';

/** @throws Refusal if a move into this database did not end. */
export async function assertNoUnfinishedMove(db: Kysely<unknown>): Promise<void> {
  const { rows } = await (
    isPostgres(db)
      ? sql`select 1 where to_regclass(${MARKER_TABLE}) is not null`
      : sql`select 1 from sqlite_schema where name = ${MARKER_TABLE}`
  ).execute(db);
  if (rows.length > 0)
    throw new Refusal(
      'database.move_unfinished',
      'A move into this database was interrupted, so it lacks data. Run the same command again: npm run pegboard -- move --to <database>',
    );
}

export interface MoveOptions {
  readonly source: DatabaseAddress;
  readonly target: DatabaseAddress;
  /** Everything that the database contains. */
  readonly sets: readonly MigrationSet[];
  readonly derivedTables: readonly DerivedTables[];
  readonly log: FastifyBaseLogger;
}

export interface MovedTable {
  readonly name: string;
  readonly rows: number;
  /** Undefined for derived tables, which are not copied. */
  readonly checksum: string | undefined;
}

async function openTables({ dataDir, databaseUrl }: DatabaseAddress, isReadOnly: boolean): Promise<TableAccess> {
  if (databaseUrl === undefined) return openSqliteTables(join(dataDir, SQLITE_FILE), { isReadOnly });
  // Imported lazily, like the database itself.
  const { openPostgresTables } = await import('./postgresTables.ts');
  return openPostgresTables(databaseUrl, { isReadOnly });
}

/** @throws Refusal if a server uses the database, or if it can't be reached. */
async function openTarget(target: DatabaseAddress, log: FastifyBaseLogger): Promise<Database> {
  try {
    return await openDatabase({ ...target, log });
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'database.unavailable') throw error;
    throw new Refusal(error.code, error.message.replace('DATABASE_URL', '--to'), { cause: error });
  }
}

/** @throws Refusal if a server uses the database. */
async function lockSource({ dataDir, databaseUrl }: DatabaseAddress, log: FastifyBaseLogger) {
  // The folder stays free for a target in it.
  if (databaseUrl === undefined) return acquireDataFolderLock(dataDir);
  const { lockPostgres } = await import('../database/postgres.ts');
  return lockPostgres(databaseUrl, log);
}

/** @throws Refusal unless the database has exactly the schema of this version. */
async function assertCurrentSchema(source: DatabaseAddress, sets: readonly MigrationSet[]): Promise<void> {
  await using reader = await openDatabaseReader(source);
  const states = reader && (await readSchemaStates(reader.db, sets));
  if (!reader || !states?.some(({ applied }) => applied.length > 0))
    throw new Refusal('move.source_empty', 'There is no data to move. Check DATA_DIR and DATABASE_URL');
  await assertNoUnfinishedMove(reader.db);
  assertKnownSchema(states);
  if (states.some(({ pending }) => pending.length > 0))
    throw new Refusal(
      'move.source_outdated',
      'The data is of an earlier version. Start the server once, so that it upgrades the data, and stop it again',
    );
}

/** Whether a table has data of users, and not the state of the schema or of the move. */
const isDataTable = ({ name }: Table): boolean =>
  name !== MARKER_TABLE && name !== MIGRATION_LOCK_TABLE && !name.endsWith(MIGRATION_TABLE_SUFFIX);

/** A table of the source and of the target, with the same columns in the same order. */
interface MatchedTable {
  readonly from: Table;
  readonly to: Table;
}

/** @throws Refusal if the source has other tables or columns. */
function matchTables(sources: readonly Table[], targets: readonly Table[]): readonly MatchedTable[] {
  const extra = sources.find(({ name }) => !targets.some((table) => table.name === name));
  if (extra)
    throw new Refusal(
      'move.schema_differs',
      `The source has a table ${extra.name}, which is not of Pegboard. Remove it from this database first`,
    );
  return targets.map((to) => {
    const source = sources.find(({ name }) => name === to.name);
    const columns = to.columns.flatMap(({ name }) => source?.columns.filter((column) => column.name === name) ?? []);
    if (source?.columns.length !== to.columns.length || columns.length !== to.columns.length)
      throw new Refusal('move.schema_differs', `The table ${to.name} of the source was changed by another program`);
    const unknown = [...columns, ...to.columns].find(({ kind }) => kind === undefined);
    if (unknown) throw new Error(`no move is possible with a column of type ${unknown.type} (${to.name})`);
    return { from: { ...source, columns }, to };
  });
}

/** Marks an empty database as incomplete. @throws Refusal if it is neither empty nor marked already. */
async function markTarget(access: TableAccess): Promise<void> {
  const tables = await access.listTables();
  if (tables.some(({ name }) => name === MARKER_TABLE)) return;
  if (tables.length > 0)
    throw new Refusal(
      'move.target_not_empty',
      `The target already has data (${tables.length} tables). Name an empty database or folder`,
    );
  await access.query(`create table ${MARKER_TABLE} (name text primary key, row_count bigint, checksum text)`);
}

const recordTable = (name: string, { rows, checksum }: TableDigest): string =>
  `insert into ${MARKER_TABLE} values (${quoteText(name)}, ${rows}, ${quoteText(checksum)})`;

async function readCompleteTables({ query }: TableAccess): Promise<ReadonlyMap<string, TableDigest>> {
  const rows = await query(`select * from ${MARKER_TABLE}`);
  return new Map(
    rows.map((row) => [String(row['name']), { rows: Number(row['row_count']), checksum: String(row['checksum']) }]),
  );
}

const isSame = (one: TableDigest | undefined, other: TableDigest): boolean =>
  one?.rows === other.rows && one.checksum === other.checksum;

/** Returns the digests of tables that are complete; undefined if the source was used since they were copied. */
async function readProgress(
  source: TableAccess,
  target: TableAccess,
  tables: readonly MatchedTable[],
): Promise<Map<string, TableDigest> | undefined> {
  const complete = await readCompleteTables(target);
  const digests = new Map<string, TableDigest>();
  for (const { from, to } of tables) {
    const earlier = complete.get(to.name);
    if (!earlier) continue;
    const digest = await computeTableDigest(source, from);
    if (!isSame(earlier, digest)) return undefined;
    digests.set(to.name, digest);
  }
  return digests;
}

/** Copies a table in one transaction, which also records that it is complete. */
async function copyTable(source: TableAccess, target: TableAccess, { from, to }: MatchedTable): Promise<TableDigest> {
  const checksum = createTableChecksum();
  await target.fillTable(to, async (insert) => {
    for await (const rows of source.readRows(from)) {
      checksum.add(rows);
      await insert(rows);
    }
    const lastId = await source.readLastId(from);
    if (lastId !== undefined) await target.setLastId(to, lastId);
    await target.query(recordTable(to.name, checksum.getDigest()));
  });
  return checksum.getDigest();
}

/** Copies the tables that are not complete yet, and returns the digests of all. */
async function copyTables(
  source: TableAccess,
  target: TableAccess,
  tables: readonly MatchedTable[],
): Promise<ReadonlyMap<string, TableDigest>> {
  let digests = await readProgress(source, target, tables);
  if (!digests) await target.query(`delete from ${MARKER_TABLE}`);
  digests ??= new Map();
  if (digests.size === 0) await target.clearTables((await target.listTables()).filter(isDataTable));
  for (const table of tables)
    if (!digests.has(table.to.name)) digests.set(table.to.name, await copyTable(source, target, table));
  return digests;
}

/** Fills the derived tables of each tool in one transaction. */
async function fillDerivedTables({ transaction }: Database, derivedTables: readonly DerivedTables[]) {
  const moved: MovedTable[] = [];
  for (const { names, fill } of derivedTables) {
    const filled = await transaction(async ({ tx }) => {
      for (const name of names) await sql`delete from ${sql.table(name)}`.execute(tx);
      await fill({ tx });
      return Promise.all(
        names.map(async (name): Promise<MovedTable> => {
          const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(name)}`.execute(tx);
          return { name, rows: rows[0]?.count ?? 0, checksum: undefined };
        }),
      );
    });
    moved.push(...filled);
  }
  return moved;
}

/** Counts rows without reading them, so that the counts do not depend on how they are read. */
async function countRows({ query }: TableAccess, tables: readonly Table[]): Promise<RowCounts> {
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const [row] = await query(`select count(*) as count from ${quoteName(name)}`);
    counts[name] = Number(row?.['count']);
  }
  return counts;
}

/** Reads all tables of the target. @throws Refusal if one is not equal; then the next attempt starts again. */
async function checkTarget(
  target: TableAccess,
  tables: readonly MatchedTable[],
  { digests, rows }: { readonly digests: ReadonlyMap<string, TableDigest>; readonly rows: RowCounts },
): Promise<readonly MovedTable[]> {
  const moved: MovedTable[] = [];
  for (const { to: table } of tables) moved.push({ name: table.name, ...(await computeTableDigest(target, table)) });
  const differing =
    findDifferingTable(Object.fromEntries(moved.map((table) => [table.name, table.rows])), rows) ??
    moved.find(({ name, checksum }) => digests.get(name)?.checksum !== checksum)?.name;
  if (differing === undefined) return moved;
  await target.query(`delete from ${MARKER_TABLE}`);
  throw new Refusal('move.differs', `The copy of ${differing} was not equal. Run the same command again`);
}

/** @throws Refusal if there is nothing to move, or if source and target are the same. */
function assertDifferent(source: DatabaseAddress, target: DatabaseAddress): void {
  const isSameFolder = source.databaseUrl === undefined && source.dataDir === target.dataDir;
  if (source.databaseUrl === target.databaseUrl && (source.databaseUrl !== undefined || isSameFolder))
    throw new Refusal('move.same_database', 'Source and target are the same database. Name another one');
  if (source.databaseUrl === undefined && !existsSync(join(source.dataDir, SQLITE_FILE)))
    throw new Refusal('move.source_empty', `There is no database in ${source.dataDir}. Set DATA_DIR`);
}

/**
 * Moves all rows of a database that no server uses to an empty one. The source does not change. If it is interrupted,
 * the target is marked as incomplete, and the next attempt continues with the tables that are missing.
 * @returns all tables with their rows, and a checksum that is the same in source and target.
 * @throws Refusal if source or target can't be used, or if the target is not equal at the end.
 */
export async function moveDatabase(options: MoveOptions): Promise<readonly MovedTable[]> {
  const { source: from, target: to, sets, derivedTables, log } = options;
  assertDifferent(from, to);
  await using resources = new AsyncDisposableStack();
  resources.use(await lockSource(from, log));
  await assertCurrentSchema(from, sets);
  const source = resources.use(await openTables(from, true));
  const database = resources.use(await openTarget(to, log));
  const target = resources.use(await openTables(to, false));

  await markTarget(target);
  await migrate(database, sets);
  const derivedNames = new Set(derivedTables.flatMap(({ names }) => names));
  const listCopiedTables = async (access: TableAccess): Promise<readonly Table[]> =>
    orderByReferences((await access.listTables()).filter(isDataTable)).filter(({ name }) => !derivedNames.has(name));
  const tables = matchTables(await listCopiedTables(source), await listCopiedTables(target));

  const digests = await copyTables(source, target, tables);
  const derived = await fillDerivedTables(database, derivedTables);
  const fromTables = tables.map((table) => table.from);
  const moved = await checkTarget(target, tables, { digests, rows: await countRows(source, fromTables) });
  if (to.databaseUrl !== undefined) await target.query('analyze');
  await target.query(`drop table ${quoteName(MARKER_TABLE)}`);
  return [...moved, ...derived].toSorted((one, other) => (one.name < other.name ? -1 : 1));
}
