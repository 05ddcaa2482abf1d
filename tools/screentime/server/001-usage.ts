import type { CreateTableBuilder, Kysely } from 'kysely';
import { idColumn, isPostgres, referenceAccount } from '#platform/server/database/columns.ts';

/** Rows of a device go with its account, and not with the device: it may be removed, and its hours stay. */
const ofDevice = <Table extends string, Columns extends string>(table: CreateTableBuilder<Table, Columns>) =>
  table.addColumn('device', 'integer', (column) =>
    column.notNull().references('screentime_device.device').onDelete('cascade'),
  );

/** What is packed, is packed by `store/packing.ts`. Times are seconds since the epoch where nothing else is said. */
export const usage = async (db: Kysely<unknown>): Promise<void> => {
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
    .$call(ofDevice)
    .addColumn('day', 'integer', (column) => column.notNull())
    .addColumn('data', bytes, (column) => column.notNull())
    .addPrimaryKeyConstraint('screentime_segment_key', ['device', 'day'])
    .execute();
  await schema
    .createTable('screentime_u15')
    .$call(ofDevice)
    .addColumn('chunk', 'integer', (column) => column.notNull())
    .addColumn('application', 'integer', (column) => column.notNull())
    .addColumn('status', 'integer', (column) => column.notNull())
    .addColumn('data', bytes, (column) => column.notNull())
    .addPrimaryKeyConstraint('screentime_u15_key', ['device', 'chunk', 'application', 'status'])
    .execute();
  await schema
    .createTable('screentime_day')
    .$call(ofDevice)
    .addColumn('generation', 'integer', (column) => column.notNull())
    .addColumn('chunk', 'integer', (column) => column.notNull())
    .addColumn('application', 'integer', (column) => column.notNull())
    .addColumn('data', bytes, (column) => column.notNull())
    .addPrimaryKeyConstraint('screentime_day_key', ['device', 'generation', 'chunk', 'application'])
    .execute();
  await schema
    .createTable('screentime_total')
    .$call(ofDevice)
    .addColumn('application', 'integer', (column) => column.notNull())
    .addColumn('seconds', 'bigint', (column) => column.notNull())
    .addColumn('first_use', 'bigint', (column) => column.notNull())
    .addColumn('last_use', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('screentime_total_key', ['device', 'application'])
    .execute();

  await schema
    .createTable('screentime_cursor')
    .$call(ofDevice)
    .addColumn('boot', 'text', (column) => column.notNull())
    .addColumn('taken', 'bigint', (column) => column.notNull())
    .addColumn('until_time', 'bigint', (column) => column.notNull())
    .addColumn('used', 'bigint', (column) => column.notNull()) // milliseconds since the epoch
    .addPrimaryKeyConstraint('screentime_cursor_key', ['device', 'boot'])
    .execute();
  await schema
    .createTable('screentime_title')
    .$call(idColumn(db))
    .$call(ofDevice)
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
};
