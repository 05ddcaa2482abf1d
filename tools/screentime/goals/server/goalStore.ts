import type { Generated, Kysely, Transaction } from 'kysely';
import { getOrCreateList } from '#platform/contract/groupBy.ts';
import { splitIntoChunks, toFlag } from '#platform/server/database/columns.ts';
import type { Database } from '#platform/server/database/database.ts';
import type { Day } from '../../usage/domain/days.ts';
import type { Goal } from '../domain/goal.ts';
import type { Level, NotifiedLevels } from '../domain/goalProgress.ts';

/** A goal, in its current or an earlier version. */
export interface StoredGoal {
  readonly id: number;
  /** Starts at 1 and rises with each change. */
  readonly version: number;
  readonly goal: Goal;
  /** Name of its computer when the goal was saved. */
  readonly deviceName: string | undefined;
}

/** A version with its first day. */
export interface GoalVersion extends StoredGoal {
  readonly since: Day;
}

/** Result of a goal at the end of a complete day. */
export interface GoalDay extends Pick<Goal, 'amount' | 'isLimit'> {
  readonly day: Day;
  /** Seconds, or number of times. */
  readonly done: number;
}

/** Columns as in the migration. */
type GoalTables = {
  screentime_goal: { id: Generated<number>; account: number; version: number; is_limit: number; gone: number | null };
  screentime_goal_version: {
    goal: number;
    version: number;
    since: number;
    kind: string;
    target: string;
    measure: string;
    amount: number;
    days: number;
    device: number | null;
    device_name: string | null;
    begins: string;
    is_limit: number;
  };
  screentime_goal_day: { goal: number; day: number; done: number; amount: number; is_limit: number };
  screentime_goal_notice: { goal: number; version: number; level: number; day: number };
};

const ROWS_PER_STATEMENT = 500;
type NewGoal = Omit<GoalVersion, 'id' | 'version'>;

const withTables = (source: Kysely<unknown>) => source.$extendTables<GoalTables>();

const toVersion = (row: GoalTables['screentime_goal_version']): GoalVersion => ({
  id: row.goal,
  version: row.version,
  since: row.since,
  deviceName: row.device_name ?? undefined,
  goal: {
    target: { kind: row.kind === 'cat' ? 'cat' : 'app', name: row.target },
    measure: row.measure === 'opened' ? 'opened' : 'time',
    amount: row.amount,
    days: row.days,
    device: row.device ?? undefined,
    begins: row.begins,
    isLimit: row.is_limit === 1,
  },
});

const toVersionRow = ({ goal, since, deviceName }: NewGoal) => ({
  since,
  kind: goal.target.kind,
  target: goal.target.name,
  measure: goal.measure,
  amount: goal.amount,
  days: goal.days,
  device: goal.device ?? null,
  device_name: deviceName ?? null,
  begins: goal.begins,
  is_limit: toFlag(goal.isLimit),
});

/** Selects versions of an account's goals, without deleted ones. */
const selectVersions = (source: Kysely<unknown>, account: number) =>
  withTables(source)
    .selectFrom('screentime_goal_version')
    .innerJoin('screentime_goal', 'screentime_goal.id', 'screentime_goal_version.goal')
    .selectAll('screentime_goal_version')
    .where('screentime_goal.account', '=', account)
    .where('screentime_goal.gone', 'is', null)
    .orderBy('screentime_goal_version.goal')
    .orderBy('screentime_goal_version.version');

/** Selects the current goals of an account in order of creation. */
const selectCurrent = (source: Kysely<unknown>, account: number) =>
  selectVersions(source, account).whereRef('screentime_goal.version', '=', 'screentime_goal_version.version');

const selectCurrentIds = (source: Kysely<unknown>, account: number) =>
  withTables(source)
    .selectFrom('screentime_goal')
    .select('screentime_goal.id')
    .where('screentime_goal.account', '=', account)
    .where('screentime_goal.gone', 'is', null);

export function createGoalStore({ db }: Database) {
  return {
    list: async (account: number, source: Kysely<unknown> = db): Promise<readonly StoredGoal[]> =>
      (await selectCurrent(source, account).execute()).map(toVersion),
    listLimits: async (account: number): Promise<readonly StoredGoal[]> =>
      (await selectCurrent(db, account).where('screentime_goal.is_limit', '=', 1).execute()).map(toVersion),
    find: async (account: number, id: number, source: Kysely<unknown> = db): Promise<StoredGoal | undefined> => {
      const row = await selectCurrent(source, account).where('screentime_goal.id', '=', id).executeTakeFirst();
      return row && toVersion(row);
    },
    count: async (tx: Transaction<unknown>, account: number): Promise<number> => {
      const { count } = await withTables(tx)
        .selectFrom('screentime_goal')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('account', '=', account)
        .where('gone', 'is', null)
        .executeTakeFirstOrThrow();
      return count;
    },
    /**
     * Inserts a goal.
     * @returns the id
     */
    insert: async (tx: Transaction<unknown>, account: number, newVersion: NewGoal): Promise<number> => {
      const row = toVersionRow(newVersion);
      const { id } = await withTables(tx)
        .insertInto('screentime_goal')
        .values({ account, version: 1, is_limit: row.is_limit })
        .returning('id')
        .executeTakeFirstOrThrow();
      await withTables(tx)
        .insertInto('screentime_goal_version')
        .values({ goal: id, version: 1, ...row })
        .execute();
      return id;
    },
    /** Adds a version. The caller has checked the account. */
    update: async (tx: Transaction<unknown>, { id, version, ...newVersion }: GoalVersion): Promise<void> => {
      const row = toVersionRow(newVersion);
      await withTables(tx)
        .insertInto('screentime_goal_version')
        .values({ goal: id, version, ...row })
        .execute();
      await withTables(tx)
        .updateTable('screentime_goal')
        .set({ version, is_limit: row.is_limit })
        .where('id', '=', id)
        .execute();
    },
    /** Moves all goals of a computer to another, including deleted ones and earlier versions. */
    moveDevice: async (
      tx: Transaction<unknown>,
      account: number,
      { from, into, name }: { readonly from: number; readonly into: number; readonly name: string },
    ): Promise<void> => {
      await withTables(tx)
        .updateTable('screentime_goal_version')
        .set({ device: into, device_name: name })
        .where('device', '=', from)
        .where(
          'goal',
          'in',
          withTables(tx).selectFrom('screentime_goal').select('screentime_goal.id').where('account', '=', account),
        )
        .execute();
    },
    /**
     * Marks a goal as deleted.
     * @param time milliseconds since the epoch
     * @returns whether it existed
     */
    remove: async (tx: Transaction<unknown>, account: number, id: number, time: number): Promise<boolean> => {
      const { numUpdatedRows } = await withTables(tx)
        .updateTable('screentime_goal')
        .set({ gone: time })
        .where('account', '=', account)
        .where('id', '=', id)
        .where('gone', 'is', null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /**
     * Restores a goal that was deleted after `after`.
     * @returns whether there was one
     */
    restore: async (tx: Transaction<unknown>, account: number, id: number, after: number): Promise<boolean> => {
      const { numUpdatedRows } = await withTables(tx)
        .updateTable('screentime_goal')
        .set({ gone: null })
        .where('account', '=', account)
        .where('id', '=', id)
        .where('gone', '>', after)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** Removes goals that were deleted up to this time, with their results. */
    purge: async (until: number): Promise<void> => {
      await withTables(db).deleteFrom('screentime_goal').where('gone', '<=', until).execute();
    },

    /** Lists the versions of all goals, by goal and then oldest first. */
    listVersions: async (account: number): Promise<readonly GoalVersion[]> =>
      (await selectVersions(db, account).execute()).map(toVersion),
    /** Returns the results of all goals since a day by goal, oldest first. */
    listResults: async (account: number, from: Day): Promise<ReadonlyMap<number, readonly GoalDay[]>> => {
      const rows = await withTables(db)
        .selectFrom('screentime_goal_day')
        .selectAll()
        .where('goal', 'in', selectCurrentIds(db, account))
        .where('day', '>=', from)
        .orderBy('day')
        .execute();
      const resultsByGoal = new Map<number, GoalDay[]>();
      for (const { goal, is_limit, ...day } of rows) {
        getOrCreateList(resultsByGoal, goal).push({ ...day, isLimit: is_limit === 1 });
      }
      return resultsByGoal;
    },
    /** Returns the last day with a result, by goal. */
    getLastResultDays: async (account: number): Promise<ReadonlyMap<number, Day>> => {
      const rows = await withTables(db)
        .selectFrom('screentime_goal_day')
        .select((eb) => ['goal', eb.fn.max<number>('day').as('day')])
        .where('goal', 'in', selectCurrentIds(db, account))
        .groupBy('goal')
        .execute();
      return new Map(rows.map(({ goal, day }) => [goal, day]));
    },
    /** Inserts or replaces results. Skips those whose goal was deleted meanwhile. */
    saveResults: async (
      tx: Transaction<unknown>,
      account: number,
      results: ReadonlyMap<number, readonly GoalDay[]>,
    ): Promise<void> => {
      const existingIds = new Set((await selectCurrentIds(tx, account).execute()).map(({ id }) => id));
      const rows = [...results].flatMap(([goal, days]) =>
        existingIds.has(goal)
          ? days.map(({ day, done, amount, isLimit }) => ({ goal, day, done, amount, is_limit: toFlag(isLimit) }))
          : [],
      );
      for (const chunk of splitIntoChunks(rows, ROWS_PER_STATEMENT))
        await withTables(tx)
          .insertInto('screentime_goal_day')
          .values(chunk)
          .onConflict((conflict) =>
            conflict.columns(['goal', 'day']).doUpdateSet((eb) => ({
              done: eb.ref('excluded.done'),
              amount: eb.ref('excluded.amount'),
              is_limit: eb.ref('excluded.is_limit'),
            })),
          )
          .execute();
    },
    /** Lists accounts with goals. */
    listAccounts: async (): Promise<readonly number[]> => {
      const rows = await withTables(db)
        .selectFrom('screentime_goal')
        .select('account')
        .where('gone', 'is', null)
        .distinct()
        .orderBy('account')
        .execute();
      return rows.map(({ account }) => account);
    },

    /** Returns the notified levels of the account's current limits. */
    getNotifiedLevels: async (account: number): Promise<ReadonlyMap<number, NotifiedLevels>> => {
      const rows = await withTables(db)
        .selectFrom('screentime_goal_notice')
        .innerJoin('screentime_goal', (join) =>
          join
            .onRef('screentime_goal.id', '=', 'screentime_goal_notice.goal')
            .onRef('screentime_goal.version', '=', 'screentime_goal_notice.version'),
        )
        .select(['goal', 'level', 'day'])
        .where('account', '=', account)
        .execute();
      const levelsByGoal = new Map<number, Map<Level, number>>();
      for (const { goal, level, day } of rows) {
        const levels = levelsByGoal.get(goal) ?? new Map<Level, number>();
        levelsByGoal.set(goal, levels.set(level === 80 ? 80 : 100, day));
      }
      return levelsByGoal;
    },
    /** Stores a level before it is notified, so that a crash in between doesn't lead to a second notification. */
    insertNotice: async (
      tx: Transaction<unknown>,
      { id, version }: Pick<StoredGoal, 'id' | 'version'>,
      level: Level,
      day: Day,
    ): Promise<void> => {
      await withTables(tx)
        .insertInto('screentime_goal_notice')
        .values({ goal: id, version, level, day })
        .onConflict((conflict) => conflict.columns(['goal', 'version', 'level']).doUpdateSet({ day }))
        .execute();
    },
    /** Removes a level whose notification no computer showed. */
    removeNotice: async ({ id, version }: Pick<StoredGoal, 'id' | 'version'>, level: Level): Promise<void> => {
      await withTables(db)
        .deleteFrom('screentime_goal_notice')
        .where('goal', '=', id)
        .where('version', '=', version)
        .where('level', '=', level)
        .execute();
    },
  };
}
export type GoalStore = ReturnType<typeof createGoalStore>;
