import type { Kysely, Selectable, Transaction } from 'kysely';
import { splitIntoChunks } from '#platform/server/database/columns.ts';
import type { Database } from '#platform/server/database/database.ts';
import { selectDevices, type UsageTables, withUsageTables } from './tables.ts';

export interface Application {
  readonly id: number;
  /** Name reported by the computer; see `toWireName`. */
  readonly name: string;
  /** Index within the account, starting at 0; never changes. */
  readonly colour: number;
  /** Undefined if unassigned. */
  readonly category: number | undefined;
  /** Milliseconds since the epoch. */
  readonly firstSeen: number;
}

const ROWS_PER_STATEMENT = 500;
const COLUMNS = ['id', 'name', 'colour', 'category', 'first_seen'] as const;
type Row = Pick<Selectable<UsageTables['screentime_application']>, (typeof COLUMNS)[number]>;

const toApplication = ({ id, name, colour, category, first_seen: firstSeen }: Row): Application => ({
  id,
  name,
  colour,
  category: category ?? undefined,
  firstSeen,
});

const selectApplications = (account: number, source: Kysely<unknown>) =>
  withUsageTables(source).selectFrom('screentime_application').select(COLUMNS).where('account', '=', account);

export function createApplicationStore({ db }: Database) {
  return {
    /**
     * Lists an account's applications by first use. To name rows, call it after reading them, or else new applications
     * lack a name.
     */
    list: async (account: number, source: Kysely<unknown> = db): Promise<readonly Application[]> =>
      (await selectApplications(account, source).orderBy('id').execute()).map(toApplication),
    findByName: async (
      account: number,
      name: string,
      source: Kysely<unknown> = db,
    ): Promise<Application | undefined> => {
      const row = await selectApplications(account, source).where('name', '=', name).executeTakeFirst();
      return row && toApplication(row);
    },
    /** Finds existing applications by name. */
    listByNames: async (
      account: number,
      names: readonly string[],
      source: Kysely<unknown> = db,
    ): Promise<readonly Application[]> => {
      const applications: Application[] = [];
      for (const chunk of splitIntoChunks(names, ROWS_PER_STATEMENT))
        applications.push(
          ...(await selectApplications(account, source).where('name', 'in', chunk).execute()).map(toApplication),
        );
      return applications;
    },
    count: async (tx: Transaction<unknown>, account: number): Promise<number> => {
      const { count } = await withUsageTables(tx)
        .selectFrom('screentime_application')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('account', '=', account)
        .executeTakeFirstOrThrow();
      return count;
    },
    insert: async (
      tx: Transaction<unknown>,
      account: number,
      newApplications: readonly Omit<Application, 'id'>[],
    ): Promise<readonly Application[]> => {
      const inserted: Application[] = [];
      for (const chunk of splitIntoChunks(newApplications, ROWS_PER_STATEMENT)) {
        const values = chunk.map(({ name, colour, category, firstSeen }) => ({
          account,
          name,
          colour,
          category: category ?? null,
          first_seen: firstSeen,
        }));
        const rows = await withUsageTables(tx)
          .insertInto('screentime_application')
          .values(values)
          .returning(COLUMNS)
          .execute();
        inserted.push(...rows.map(toApplication));
      }
      return inserted;
    },
    /** Removes unassigned applications without usage. */
    removeUnused: async (tx: Transaction<unknown>, account: number): Promise<number> => {
      const { numDeletedRows } = await withUsageTables(tx)
        .deleteFrom('screentime_application')
        .where('account', '=', account)
        .where('category', 'is', null)
        .where(
          'id',
          'not in',
          withUsageTables(tx)
            .selectFrom('screentime_u15')
            .select('application')
            .distinct()
            .where('device', 'in', selectDevices(tx, account)),
        )
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
    /** Moves applications to a category, or to none. */
    setCategory: async (
      tx: Transaction<unknown>,
      account: number,
      ids: readonly number[],
      category: number | undefined,
    ): Promise<void> => {
      for (const chunk of splitIntoChunks(ids, ROWS_PER_STATEMENT))
        await withUsageTables(tx)
          .updateTable('screentime_application')
          .set({ category: category ?? null })
          .where('account', '=', account)
          .where('id', 'in', chunk)
          .execute();
    },
  };
}
