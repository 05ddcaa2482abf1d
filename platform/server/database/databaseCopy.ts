/** Rows of each table. */
export type RowCounts = Readonly<Record<string, number>>;

/** A copy of a whole database. */
export interface DatabaseCopy {
  /** Name of its file. */
  readonly file: string;
  readonly rows: RowCounts;
}
