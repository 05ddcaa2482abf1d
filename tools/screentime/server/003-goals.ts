import type { CreateTableBuilder, Kysely } from 'kysely';
import { idColumn, referenceAccount } from '#platform/server/database/columns.ts';

const ofGoal = <Table extends string, Columns extends string>(table: CreateTableBuilder<Table, Columns>) =>
  table.addColumn('goal', 'integer', (column) => column.notNull().references('screentime_goal.id').onDelete('cascade'));

/** Days are counted since 1970-01-01, and are those of the home zone. */
export const goals = async (db: Kysely<unknown>): Promise<void> => {
  const { schema } = db;
  await schema
    .createTable('screentime_goal')
    .$call(idColumn(db))
    .addColumn('account', 'integer', referenceAccount)
    .addColumn('version', 'integer', (column) => column.notNull()) // the present one
    .addColumn('is_limit', 'integer', (column) => column.notNull()) // of the present version
    .execute();
  await schema.createIndex('screentime_goal_account').on('screentime_goal').column('account').execute();

  // What a goal was, and from which day on: what came of it before it was edited stays what it was.
  await schema
    .createTable('screentime_goal_version')
    .$call(ofGoal)
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('since', 'integer', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('target', 'text', (column) => column.notNull())
    .addColumn('measure', 'text', (column) => column.notNull())
    .addColumn('amount', 'integer', (column) => column.notNull())
    .addColumn('days', 'integer', (column) => column.notNull())
    .addColumn('device', 'integer') // null: all of them
    .addColumn('device_name', 'text') // for when it is removed
    .addColumn('begins', 'text', (column) => column.notNull())
    .addColumn('is_limit', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('screentime_goal_version_key', ['goal', 'version'])
    .execute();

  // What came of a goal by the end of a day that is over.
  await schema
    .createTable('screentime_goal_day')
    .$call(ofGoal)
    .addColumn('day', 'integer', (column) => column.notNull())
    .addColumn('done', 'bigint', (column) => column.notNull())
    .addColumn('amount', 'integer', (column) => column.notNull())
    .addColumn('is_limit', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('screentime_goal_day_key', ['goal', 'day'])
    .execute();

  // The last day on which a computer showed that a limit is at so many percent.
  await schema
    .createTable('screentime_goal_notice')
    .$call(ofGoal)
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('level', 'integer', (column) => column.notNull())
    .addColumn('day', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('screentime_goal_notice_key', ['goal', 'version', 'level'])
    .execute();
};
