import { idColumn } from '#platform/server/database/columns.ts';
import type { Migration } from '#platform/server/tool.ts';

export const migrations: readonly Migration[] = [
  {
    name: '001-pairing',
    up: async (db) => {
      await db.schema
        .createTable('devices_pairing')
        .$call(idColumn(db))
        // SHA-256 of each: neither the code nor the secret is stored.
        .addColumn('code_hash', 'text', (column) => column.notNull())
        .addColumn('secret_hash', 'text', (column) => column.notNull().unique())
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('system', 'text', (column) => column.notNull())
        .addColumn('expires', 'bigint', (column) => column.notNull()) // milliseconds since the epoch
        .addColumn('account', 'integer', (column) => column.references('account.id').onDelete('cascade'))
        .addColumn('device', 'integer', (column) => column.references('device.id').onDelete('cascade'))
        .execute();
      await db.schema.createIndex('devices_pairing_code').on('devices_pairing').column('code_hash').execute();
      await db.schema.createIndex('devices_pairing_account').on('devices_pairing').column('account').execute();
      await db.schema.createIndex('devices_pairing_device').on('devices_pairing').column('device').execute();
      await db.schema
        .createTable('devices_tries')
        .addColumn('account', 'integer', (column) => column.primaryKey().references('account.id').onDelete('cascade'))
        .addColumn('wrong', 'integer', (column) => column.notNull())
        .addColumn('last', 'bigint', (column) => column.notNull()) // milliseconds since the epoch
        .execute();
    },
  },
];
