import { sql, type Kysely } from 'kysely';
import { idColumn, isPostgres, referenceAccount } from '#platform/server/database/columns.ts';

/** What each import added, so that it can be undone, and which computer a hostname of an import belongs to. */
export const imports = async (db: Kysely<unknown>): Promise<void> => {
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

  // Computers imported by earlier versions hold nothing but their imports.
  await sql`insert into screentime_import (account, device, created, seconds)
    select d.account, d.device, coalesce((select created from device where device.id = d.device), 0),
      coalesce((select seconds from screentime_total t where t.device = d.device and t.application = 0), 0)
    from screentime_device d where d.hostname is not null`.execute(db);
  await sql`insert into screentime_import_day (import, day, data)
    select i.id, s.day, s.data from screentime_segment s join screentime_import i on i.device = s.device`.execute(db);
};
