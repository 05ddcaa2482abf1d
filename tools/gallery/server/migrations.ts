import { idColumn, referenceAccount } from '#platform/server/database/columns.ts';
import type { Migration } from '#platform/server/tool.ts';

export const migrations: readonly Migration[] = [
  {
    name: '001-video',
    up: async (db) => {
      await db.schema
        .createTable('gallery_video')
        .$call(idColumn(db))
        .addColumn('account', 'integer', referenceAccount)
        .addColumn('file', 'text', (column) => column.notNull().unique())
        .addColumn('title', 'text', (column) => column.notNull())
        .addColumn('start', 'bigint', (column) => column.notNull()) // milliseconds since the epoch
        .addColumn('duration', 'bigint', (column) => column.notNull()) // milliseconds
        .addColumn('width', 'integer', (column) => column.notNull())
        .addColumn('height', 'integer', (column) => column.notNull())
        .addColumn('bytes', 'bigint', (column) => column.notNull())
        .addColumn('is_public', 'integer', (column) => column.notNull())
        .addColumn('is_cut', 'integer', (column) => column.notNull())
        .execute();
      await db.schema.createIndex('gallery_video_account').on('gallery_video').column('account').execute();
      await db.schema.createIndex('gallery_video_public').on('gallery_video').column('is_public').execute();
      await db.schema
        .createTable('gallery_setting')
        .addColumn('account', 'integer', (column) => referenceAccount(column).primaryKey())
        .addColumn('new_public', 'integer', (column) => column.notNull())
        .execute();
      await db.schema
        .createTable('gallery_broken')
        .$call(idColumn(db))
        .addColumn('account', 'integer', referenceAccount)
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('file', 'text', (column) => column.notNull()) // in the folder with unreadable recordings
        .addColumn('reason', 'text', (column) => column.notNull())
        .addColumn('created', 'bigint', (column) => column.notNull()) // milliseconds since the epoch
        .execute();
      await db.schema
        .createIndex('gallery_broken_file')
        .unique()
        .on('gallery_broken')
        .columns(['account', 'file'])
        .execute();
      // Recordings that were uploaded completely. A computer that lost the answer sends the request again.
      await db.schema
        .createTable('gallery_capture')
        .$call(idColumn(db))
        .addColumn('account', 'integer', referenceAccount)
        .addColumn('device', 'integer', (column) => column.notNull())
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('created', 'bigint', (column) => column.notNull()) // milliseconds since the epoch
        .execute();
      await db.schema
        .createIndex('gallery_capture_name')
        .unique()
        .on('gallery_capture')
        .columns(['device', 'name'])
        .execute();
      await db.schema.createIndex('gallery_capture_account').on('gallery_capture').column('account').execute();
    },
  },
];
