/** Rows of each table. */
export type RowCounts = Readonly<Record<string, number>>;

/** A copy of a whole database. */
export interface DatabaseCopy {
  /** Name of its file. */
  readonly file: 'data.db' | 'database.dump';
  readonly rows: RowCounts;
}

/** Returns a table whose number of rows differs; undefined if all are the same. */
export function findDifferingTable(rows: RowCounts, expected: RowCounts): string | undefined {
  return Object.keys({ ...expected, ...rows }).find((table) => expected[table] !== rows[table]);
}
