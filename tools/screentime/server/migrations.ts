import { type CreateTableBuilder, type Kysely, sql } from 'kysely';
import { idColumn, isPostgres, referenceAccount } from '#platform/server/database/columns.ts';
import type { Migration } from '#platform/server/tool.ts';

/** Links rows of a device to its account instead of the device, which may be removed while its usage stays. */
const addDeviceReference = <Table extends string, Columns extends string>(table: CreateTableBuilder<Table, Columns>) =>
  table.addColumn('device', 'integer', (column) =>
    column.notNull().references('screentime_device.device').onDelete('cascade'),
  );

/** Creates tables of usage. `store/packing.ts` packs the blobs. Times are in seconds since the epoch unless noted. */
export async function usage(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  const bytes = isPostgres(db) ? 'bytea' : 'blob';

  await schema
    .createTable('screentime_account')
    .addColumn('account', 'integer', (column) => column.primaryKey().references('account.id').onDelete('cascade'))
    .addColumn('revision', 'bigint', (column) => column.notNull())
    .addColumn('zone', 'text', (column) => column.notNull())
    .addColumn('generation', 'integer', (column) => column.notNull())
    .addColumn('next_zone', 'text')
    .execute();

  await schema
    .createTable('screentime_device')
    .addColumn('device', 'integer', (column) => column.primaryKey())
    .addColumn('account', 'integer', referenceAccount)
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('hostname', 'text')
    .execute();
  await schema
    .createIndex('screentime_device_hostname')
    .unique()
    .on('screentime_device')
    .columns(['account', 'hostname'])
    .execute();

  await schema
    .createTable('screentime_application')
    .$call(idColumn(db))
    .addColumn('account', 'integer', referenceAccount)
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('colour', 'integer', (column) => column.notNull())
    .addColumn('category', 'integer')
    .addColumn('first_seen', 'bigint', (column) => column.notNull())
    .execute();
  await schema
    .createIndex('screentime_application_name')
    .unique()
    .on('screentime_application')
    .columns(['account', 'name'])
    .execute();

  await schema
    .createTable('screentime_segment')
    .$call(addDeviceReference)
    .addColumn('day', 'integer', (column) => column.notNull())
    .addColumn('data', bytes, (column) => column.notNull())
    .addPrimaryKeyConstraint('screentime_segment_key', ['device', 'day'])
    .execute();
  await schema
    .createTable('screentime_u15')
    .$call(addDeviceReference)
    .addColumn('chunk', 'integer', (column) => column.notNull())
    .addColumn('application', 'integer', (column) => column.notNull())
    .addColumn('status', 'integer', (column) => column.notNull())
    .addColumn('data', bytes, (column) => column.notNull())
    .addPrimaryKeyConstraint('screentime_u15_key', ['device', 'chunk', 'application', 'status'])
    .execute();
  await schema
    .createTable('screentime_day')
    .$call(addDeviceReference)
    .addColumn('generation', 'integer', (column) => column.notNull())
    .addColumn('chunk', 'integer', (column) => column.notNull())
    .addColumn('application', 'integer', (column) => column.notNull())
    .addColumn('data', bytes, (column) => column.notNull())
    .addPrimaryKeyConstraint('screentime_day_key', ['device', 'generation', 'chunk', 'application'])
    .execute();
  await schema
    .createTable('screentime_total')
    .$call(addDeviceReference)
    .addColumn('application', 'integer', (column) => column.notNull())
    .addColumn('seconds', 'bigint', (column) => column.notNull())
    .addColumn('first_use', 'bigint', (column) => column.notNull())
    .addColumn('last_use', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('screentime_total_key', ['device', 'application'])
    .execute();

  await schema
    .createTable('screentime_cursor')
    .$call(addDeviceReference)
    .addColumn('boot', 'text', (column) => column.notNull())
    .addColumn('taken', 'bigint', (column) => column.notNull())
    .addColumn('until_time', 'bigint', (column) => column.notNull())
    .addColumn('used', 'bigint', (column) => column.notNull()) // milliseconds since the epoch
    .addPrimaryKeyConstraint('screentime_cursor_key', ['device', 'boot'])
    .execute();
  await schema
    .createTable('screentime_title')
    .$call(idColumn(db))
    .$call(addDeviceReference)
    .addColumn('application', 'integer', (column) => column.notNull())
    .addColumn('from_time', 'bigint', (column) => column.notNull())
    .addColumn('until_time', 'bigint', (column) => column.notNull())
    .addColumn('title', 'text', (column) => column.notNull())
    .execute();
  await schema
    .createIndex('screentime_title_time')
    .unique()
    .on('screentime_title')
    .columns(['device', 'from_time', 'application'])
    .execute();
  await schema.createIndex('screentime_title_end').on('screentime_title').column('until_time').execute();
}

/** Creates tables of categories and rules. */
export async function sorting(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  // `screentime_application.category` refers to one of these or is null.
  await schema
    .createTable('screentime_category')
    .$call(idColumn(db))
    .addColumn('account', 'integer', referenceAccount)
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('up', 'text', (column) => column.notNull())
    .addColumn('down', 'text', (column) => column.notNull())
    .addColumn('mute', 'text', (column) => column.notNull())
    .execute();
  await schema
    .createIndex('screentime_category_name')
    .unique()
    .on('screentime_category')
    .columns(['account', 'name'])
    .execute();

  // A rule names its category, and has no effect while none has that name.
  await schema
    .createTable('screentime_rule')
    .addColumn('account', 'integer', referenceAccount)
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('pattern', 'text', (column) => column.notNull())
    .addColumn('category', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('screentime_rule_key', ['account', 'position'])
    .execute();
}

const addGoalReference = <Table extends string, Columns extends string>(table: CreateTableBuilder<Table, Columns>) =>
  table.addColumn('goal', 'integer', (column) => column.notNull().references('screentime_goal.id').onDelete('cascade'));

/** Creates tables of goals. Days are counted since 1970-01-01, in the home zone. */
export async function goals(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('screentime_goal')
    .$call(idColumn(db))
    .addColumn('account', 'integer', referenceAccount)
    .addColumn('version', 'integer', (column) => column.notNull()) // the current one
    .addColumn('is_limit', 'integer', (column) => column.notNull()) // of the current version
    .execute();
  await schema.createIndex('screentime_goal_account').on('screentime_goal').column('account').execute();

  // Versions of goals with their first day, so that earlier results don't change with an edit.
  await schema
    .createTable('screentime_goal_version')
    .$call(addGoalReference)
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('since', 'integer', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('target', 'text', (column) => column.notNull())
    .addColumn('measure', 'text', (column) => column.notNull())
    .addColumn('amount', 'integer', (column) => column.notNull())
    .addColumn('days', 'integer', (column) => column.notNull())
    .addColumn('device', 'integer') // null: all devices
    .addColumn('device_name', 'text') // used after it is removed
    .addColumn('begins', 'text', (column) => column.notNull())
    .addColumn('is_limit', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('screentime_goal_version_key', ['goal', 'version'])
    .execute();

  // Results of goals at the end of each complete day.
  await schema
    .createTable('screentime_goal_day')
    .$call(addGoalReference)
    .addColumn('day', 'integer', (column) => column.notNull())
    .addColumn('done', 'bigint', (column) => column.notNull())
    .addColumn('amount', 'integer', (column) => column.notNull())
    .addColumn('is_limit', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('screentime_goal_day_key', ['goal', 'day'])
    .execute();

  // Last day on which a limit notification of a level was shown.
  await schema
    .createTable('screentime_goal_notice')
    .$call(addGoalReference)
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('level', 'integer', (column) => column.notNull())
    .addColumn('day', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('screentime_goal_notice_key', ['goal', 'version', 'level'])
    .execute();
}

/** Adds the time of deletion, in milliseconds since the epoch. A goal can be restored with its results for a day. */
export async function deletedGoals(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('screentime_goal').addColumn('gone', 'bigint').execute();
}

/** Adds what each import added, so that it can be undone, and the computer of each imported hostname. */
export async function imports(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('screentime_import')
    .$call(idColumn(db))
    .addColumn('account', 'integer', referenceAccount)
    .addColumn('device', 'integer', (column) =>
      column.notNull().references('screentime_device.device').onDelete('cascade'),
    )
    .addColumn('created', 'bigint', (column) => column.notNull()) // milliseconds since the epoch
    .addColumn('seconds', 'bigint', (column) => column.notNull())
    .execute();
  await schema.createIndex('screentime_import_device').on('screentime_import').column('device').execute();

  // Packed like `screentime_segment`.
  await schema
    .createTable('screentime_import_day')
    .addColumn('import', 'integer', (column) => column.notNull().references('screentime_import.id').onDelete('cascade'))
    .addColumn('day', 'integer', (column) => column.notNull())
    .addColumn('data', isPostgres(db) ? 'bytea' : 'blob', (column) => column.notNull())
    .addPrimaryKeyConstraint('screentime_import_day_key', ['import', 'day'])
    .execute();

  await schema
    .createTable('screentime_hostname')
    .addColumn('account', 'integer', referenceAccount)
    .addColumn('hostname', 'text', (column) => column.notNull())
    .addColumn('device', 'integer', (column) =>
      column.notNull().references('screentime_device.device').onDelete('cascade'),
    )
    .addPrimaryKeyConstraint('screentime_hostname_key', ['account', 'hostname'])
    .execute();

  // Computers imported by earlier versions have nothing but their imports.
  await sql`insert into screentime_import (account, device, created, seconds)
    select d.account, d.device, coalesce((select created from device where device.id = d.device), 0),
      coalesce((select seconds from screentime_total t where t.device = d.device and t.application = 0), 0)
    from screentime_device d where d.hostname is not null`.execute(db);
  await sql`insert into screentime_import_day (import, day, data)
    select i.id, s.day, s.data from screentime_segment s join screentime_import i on i.device = s.device`.execute(db);
}

export const migrations: readonly Migration[] = [
  { name: '001-usage', up: usage },
  { name: '002-sorting', up: sorting },
  { name: '003-goals', up: goals },
  { name: '004-gone-goals', up: deletedGoals },
  { name: '005-imports', up: imports },
];
