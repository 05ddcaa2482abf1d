import { Client, types } from 'pg';
import { Refusal } from '#platform/contract/refusal.ts';
import { getErrorCode } from '../storage/errorCode.ts';
import {
  quoteName,
  quoteText,
  type Row,
  type Table,
  type TableAccess,
  type Value,
  type ValueKind,
} from './tableAccess.ts';

/** Rows that are read at a time: few, as each may have a text of a megabyte. */
const BATCH_ROWS = 200;

const KIND_BY_TYPE: Readonly<Record<string, ValueKind>> = {
  smallint: 'integer',
  integer: 'integer',
  bigint: 'integer',
  'double precision': 'real',
  text: 'text',
  'character varying': 'text',
  bytea: 'bytes',
};

const INTEGER_TYPES: readonly number[] = [types.builtins.INT2, types.builtins.INT4, types.builtins.INT8];

/** Leaves integers as text, which is exact. */
const getTypeParser: typeof types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  INTEGER_TYPES.includes(oid) ? String : types.getTypeParser(oid, format);

interface TableRow {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly references: readonly string[];
  readonly id_column: string | null;
}

const LIST_TABLES = `
  select c.relname as name,
    (select coalesce(json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, null)) order by a.attnum), '[]')
      from pg_attribute as a
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
    (select coalesce(json_agg(distinct r.relname), '[]') from pg_constraint as f join pg_class as r on r.oid = f.confrelid
      where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid) as references,
    (select a.attname from pg_attribute as a where a.attrelid = c.oid and a.attidentity <> '') as id_column
  from pg_class as c where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')`;

/** Constraints of rows that reference rows of the same table. */
const listOwnReferences = (table: string): string => `
  select conname as name from pg_constraint
  where contype = 'f' and conrelid = confrelid and conrelid = ${quoteText(quoteName(table))}::regclass`;

/** SQL of the name of the sequence that counts the ids of a table. */
const getSequence = ({ name, idColumn = '' }: Table): string =>
  `pg_get_serial_sequence(${quoteText(quoteName(name))}, ${quoteText(idColumn)})`;

/** Turns an error about a value into a refusal that does not quote the value. */
const explainValue = (error: unknown, table: string): unknown =>
  getErrorCode(error).startsWith('22')
    ? new Refusal(
        'move.value_unsupported',
        `A value of ${table} does not fit into PostgreSQL, so nothing more was moved`,
        { cause: error },
      )
    : error;

/**
 * Opens the tables of a database, which no server uses.
 * @param options.isReadOnly Reads everything as it was at one moment, whatever other programs write.
 */
export async function openPostgresTables(
  databaseUrl: string,
  { isReadOnly }: { readonly isReadOnly: boolean },
): Promise<TableAccess> {
  const client = new Client({
    connectionString: databaseUrl,
    application_name: 'pegboard move',
    types: { getTypeParser },
  });
  client.on('error', () => undefined); // the next query rejects with the same error
  await client.connect();
  if (isReadOnly) {
    await client.query('set idle_in_transaction_session_timeout = 0');
    await client.query('begin isolation level repeatable read read only');
  }

  const query = async (sql: string) => (await client.query<Record<string, unknown>>(sql)).rows;

  async function runInTransaction(begin: string, work: () => Promise<void>): Promise<void> {
    await client.query(begin);
    try {
      await work();
      await client.query('commit');
    } catch (error) {
      await client.query('rollback').catch(() => undefined); // the first error matters
      throw error;
    }
  }

  async function insertRows({ name, columns }: Table, rows: readonly Row[]): Promise<void> {
    const names = columns.map((column) => quoteName(column.name)).join(', ');
    // One array for each column, as statements have at most 65,535 parameters.
    const arrays = columns.map(({ type }, index) => `$${index + 1}::${type}[]`).join(', ');
    try {
      await client.query({
        name: `insert ${name}`.slice(0, 63),
        text: `insert into ${quoteName(name)} (${names}) overriding system value select * from unnest(${arrays})`,
        values: columns.map((_, index) => rows.map((row) => row[index] ?? null)),
      });
    } catch (error) {
      throw explainValue(error, name);
    }
  }

  return {
    listTables: async () => {
      const { rows } = await client.query<TableRow>(LIST_TABLES);
      return rows.map(({ name, columns, references, id_column: idColumn }) => ({
        name,
        columns: columns.map((column) => ({ ...column, kind: KIND_BY_TYPE[column.type] })),
        references,
        idColumn: idColumn ?? undefined,
      }));
    },
    readRows: async function* ({ name, columns }) {
      const names = columns.map((column) => quoteName(column.name)).join(', ');
      if (!isReadOnly) await client.query('begin read only');
      try {
        await client.query(`declare table_rows no scroll cursor for select ${names} from ${quoteName(name)}`);
        for (;;) {
          const { rows } = await client.query<Value[]>({
            text: `fetch ${BATCH_ROWS} from table_rows`,
            rowMode: 'array',
          });
          if (rows.length > 0) yield rows;
          if (rows.length < BATCH_ROWS) return;
        }
      } finally {
        await client.query(isReadOnly ? 'close table_rows' : 'rollback').catch(() => undefined); // the first error matters
      }
    },
    readLastId: async (table) => {
      if (table.idColumn === undefined) return undefined;
      const [found] = await query(`select ${getSequence(table)} as name`);
      const [state] = await query(`select last_value, is_called from ${String(found?.['name'])}`);
      return state?.['is_called'] === true ? String(state['last_value']) : undefined;
    },
    query,
    fillTable: async (table, write) => {
      const constraints = (await query(listOwnReferences(table.name))).map(({ name }) => quoteName(String(name)));
      const alterConstraints = async (change: string): Promise<void> => {
        for (const constraint of constraints)
          await client.query(`alter table ${quoteName(table.name)} alter constraint ${constraint} ${change}`);
      };
      await runInTransaction('begin', async () => {
        await alterConstraints('deferrable initially deferred');
        await write((rows) => insertRows(table, rows));
        await client.query('set constraints all immediate');
        await alterConstraints('not deferrable');
      });
    },
    setLastId: async (table, lastId) => void (await query(`select setval(${getSequence(table)}, ${lastId})`)),
    clearTables: async (tables) =>
      void (await query(`truncate ${tables.map(({ name }) => quoteName(name)).join(', ')} restart identity`)),
    [Symbol.asyncDispose]: async () => client.end(),
  };
}
