import Sqlite from 'better-sqlite3';
import { Refusal } from '#platform/contract/refusal.ts';
import { setPragmas } from '../database/sqliteConnection.ts';
import {
  quoteName,
  quoteText,
  type Column,
  type Row,
  type TableAccess,
  type Value,
  type ValueKind,
} from './tableAccess.ts';

/** Rows that are read at a time, and bytes after which fewer are. */
const BATCH_ROWS = 500;
const BATCH_BYTES = 4 * 1024 * 1024;

const KINDS: readonly (readonly [pattern: RegExp, kind: ValueKind])[] = [
  [/^(integer|bigint)$/i, 'integer'],
  [/^(double precision|real)$/i, 'real'],
  [/^(text|varchar)/i, 'text'],
  [/^blob$/i, 'bytes'],
];

type SqliteValue = string | number | bigint | Buffer | null;

/** A column may have values of any type, whatever its own is. */
function toValue(value: SqliteValue, kind: ValueKind | undefined): Value | undefined {
  if (value === null) return null;
  if (kind === 'integer') return typeof value === 'bigint' ? String(value) : undefined;
  if (kind === 'real') return typeof value === 'number' ? value : undefined;
  if (kind === 'text') return typeof value === 'string' ? value : undefined;
  return Buffer.isBuffer(value) ? value : undefined;
}

const toSqliteValue = (value: Value, kind: ValueKind | undefined): SqliteValue =>
  kind === 'integer' && typeof value === 'string' ? BigInt(value) : value;

const getSize = (value: SqliteValue): number =>
  typeof value === 'string' || Buffer.isBuffer(value) ? value.length : 8;

/**
 * Opens the tables of a database file, which no server uses.
 * @param options.isReadOnly Reads everything as it was at one moment, whatever other programs write.
 */
export function openSqliteTables(path: string, { isReadOnly }: { readonly isReadOnly: boolean }): TableAccess {
  const database = new Sqlite(path, { readonly: isReadOnly, fileMustExist: true });
  database.defaultSafeIntegers();
  if (isReadOnly) {
    database.pragma('trusted_schema = OFF');
    database.exec('begin');
  } else setPragmas(database);

  function readColumns(table: string): readonly Column[] {
    const rows = database.prepare('select name, type from pragma_table_xinfo(?) where hidden = 0').all(table);
    return (rows as { name: string; type: string }[]).map(({ name, type }) => ({
      name,
      type,
      kind: KINDS.find(([pattern]) => pattern.test(type))?.[1],
    }));
  }
  function readReferences(table: string): readonly string[] {
    const names = database.prepare('select distinct "table" from pragma_foreign_key_list(?)').pluck().all(table);
    return (names as string[]).filter((name) => name !== table);
  }
  /** Copies the log into the database, so that it stays small. */
  const checkpoint = (): void => void database.pragma('wal_checkpoint(PASSIVE)');

  return {
    listTables: async () => {
      const tables = database
        .prepare(
          String.raw`select t.name, s.sql from pragma_table_list as t join sqlite_schema as s on s.name = t.name
            where t.schema = 'main' and t.type = 'table' and t.name not like 'sqlite\_%' escape '\'`,
        )
        .all() as { name: string; sql: string }[];
      return tables.map(({ name, sql }) => ({
        name,
        columns: readColumns(name),
        references: readReferences(name),
        idColumn: /"?(\w+)"? integer[^,]* autoincrement/i.exec(sql)?.[1],
      }));
    },
    readRows: async function* ({ name, columns }) {
      const names = columns.map((column) => quoteName(column.name)).join(', ');
      const rows = database
        .prepare(`select ${names} from ${quoteName(name)}`)
        .raw()
        .iterate();
      let batch: Row[] = [];
      let bytes = 0;
      for (const row of rows as IterableIterator<SqliteValue[]>) {
        batch.push(
          row.map((value, index) => {
            const converted = toValue(value, columns[index]?.kind);
            if (converted !== undefined) return converted;
            throw new Refusal(
              'move.value_unsupported',
              `The column ${columns[index]?.name} of ${name} has a value of another type, which can't be moved`,
            );
          }),
        );
        for (const value of row) bytes += getSize(value);
        if (batch.length < BATCH_ROWS && bytes < BATCH_BYTES) continue;
        yield batch;
        batch = [];
        bytes = 0;
      }
      if (batch.length > 0) yield batch;
    },
    readLastId: async ({ name, idColumn }) => {
      if (idColumn === undefined) return undefined;
      const id = database.prepare('select seq from sqlite_sequence where name = ?').pluck().get(name) as
        | bigint
        | undefined;
      return id === undefined || id === 0n ? undefined : String(id);
    },
    query: async (sql) => {
      const statement = database.prepare(sql);
      if (statement.reader) return statement.all() as Record<string, unknown>[];
      statement.run();
      return [];
    },
    fillTable: async ({ name, columns }, write) => {
      const insert = database.prepare(
        `insert into ${quoteName(name)} (${columns.map((column) => quoteName(column.name)).join(', ')})
          values (${columns.map(() => '?').join(', ')})`,
      );
      database.exec('begin immediate');
      try {
        database.pragma('defer_foreign_keys = on');
        await write(async (rows) => {
          for (const row of rows) insert.run(row.map((value, index) => toSqliteValue(value, columns[index]?.kind)));
        });
        database.exec('commit');
      } finally {
        if (database.inTransaction) database.exec('rollback');
      }
      checkpoint();
    },
    setLastId: async ({ name }, lastId) => {
      database.prepare('delete from sqlite_sequence where name = ?').run(name);
      database.prepare('insert into sqlite_sequence (name, seq) values (?, ?)').run(name, BigInt(lastId));
    },
    clearTables: async (tables) => {
      const clear = database.transaction(() => {
        database.pragma('defer_foreign_keys = on');
        for (const { name } of tables) database.exec(`delete from ${quoteName(name)}`);
        const names = tables.map(({ name }) => quoteText(name)).join(', ');
        if (tables.some(({ idColumn }) => idColumn !== undefined))
          database.exec(`delete from sqlite_sequence where name in (${names})`);
      });
      clear.immediate();
      checkpoint();
    },
    [Symbol.asyncDispose]: async () => void database.close(),
  };
}
