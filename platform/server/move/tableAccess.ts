import { hash } from 'node:crypto';

/** What the values of a column are. */
export type ValueKind = 'integer' | 'real' | 'text' | 'bytes';

/** A value in the form that is the same for both databases. Integers are decimal text, which is exact. */
export type Value = string | number | Buffer | null;
/** Values in the order of the table's columns. */
export type Row = readonly Value[];

export interface Column {
  readonly name: string;
  /** Undefined for types that only one database has, such as search vectors. */
  readonly kind: ValueKind | undefined;
  /** Type as the database writes it. */
  readonly type: string;
}

/** A table of one database, without what the database itself adds. */
export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  /** Names of the tables that its rows reference, other than itself. */
  readonly references: readonly string[];
  /** Column whose values the database counts, and never uses again. */
  readonly idColumn: string | undefined;
}

/** Rows and checksum of one table. */
export interface TableDigest {
  readonly rows: number;
  /** Does not depend on the order of the rows, nor on the database. */
  readonly checksum: string;
}

/** Tables of a database, for reading and copying whole tables. */
export interface TableAccess extends AsyncDisposable {
  readonly listTables: () => Promise<readonly Table[]>;
  /** Yields all rows of a table, a few at a time. @throws Refusal if a value does not have the kind of its column. */
  readonly readRows: (table: Table) => AsyncIterable<readonly Row[]>;
  /** Returns the last id that was assigned, in decimal; undefined if none was. */
  readonly readLastId: (table: Table) => Promise<string | undefined>;
  /** Runs SQL that both databases understand. */
  readonly query: (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Fills an empty table in one transaction, in which its rows may reference later ones. */
  readonly fillTable: (table: Table, write: (insert: InsertRows) => Promise<void>) => Promise<void>;
  readonly setLastId: (table: Table, lastId: string) => Promise<void>;
  /** Removes all rows of tables that only reference each other, and starts their ids again. */
  readonly clearTables: (tables: readonly Table[]) => Promise<void>;
}
export type InsertRows = (rows: readonly Row[]) => Promise<void>;

/** Quotes a name for SQL of both databases. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Quotes a text for SQL of both databases. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

const CHECKSUM_BITS = 128;
const CHECKSUM_DIGITS = CHECKSUM_BITS / 4;

/** Numbers are text, because JSON has no infinity, and both databases may return 0 for -0. */
function encodeValue(value: Value): string | null {
  if (value === null || typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : value.toString('base64');
}

/** Creates a checksum of rows: the sum of their hashes, so that databases may return them in any order. */
export function createTableChecksum() {
  let sum = 0n;
  let rowCount = 0;
  return {
    add: (rows: readonly Row[]): void => {
      for (const row of rows) {
        const digits = hash('sha256', JSON.stringify(row.map(encodeValue))).slice(0, CHECKSUM_DIGITS);
        sum = BigInt.asUintN(CHECKSUM_BITS, sum + BigInt(`0x${digits}`));
      }
      rowCount += rows.length;
    },
    getDigest: (): TableDigest => ({ rows: rowCount, checksum: sum.toString(16).padStart(CHECKSUM_DIGITS, '0') }),
  };
}

/** Reads a whole table. */
export async function computeTableDigest(access: TableAccess, table: Table): Promise<TableDigest> {
  const checksum = createTableChecksum();
  for await (const rows of access.readRows(table)) checksum.add(rows);
  return checksum.getDigest();
}

/** Orders tables so that each comes after those that it references. @throws Error if they reference each other. */
export function orderByReferences(tables: readonly Table[]): readonly Table[] {
  const ordered: Table[] = [];
  const remaining = new Map(tables.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map((table) => [table.name, table]));
  while (remaining.size > 0) {
    const next = [...remaining.values()].find(({ references }) => !references.some((name) => remaining.has(name)));
    if (!next) throw new Error(`these tables reference each other: ${[...remaining.keys()].join(', ')}`);
    ordered.push(next);
    remaining.delete(next.name);
  }
  return ordered;
}
