import type { Kysely } from 'kysely';
import { idColumn, referenceAccount } from '#platform/server/database/columns.ts';

/** Files that are handed in, in parts. Times are milliseconds since the epoch. */
export const uploads = async (db: Kysely<unknown>): Promise<void> => {
  const { schema } = db;
  await schema
    .createTable('music_upload')
    .$call(idColumn(db))
    .addColumn('account', 'integer', referenceAccount)
    // As its owner called it.
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('size', 'bigint', (column) => column.notNull())
    // SHA-256, hex.
    .addColumn('digest', 'text', (column) => column.notNull())
    .addColumn('playlist', 'integer')
    // The job that makes a song of it, once all is there.
    .addColumn('job', 'integer')
    .addColumn('changed', 'bigint', (column) => column.notNull())
    .execute();
  await schema.createIndex('music_upload_digest').on('music_upload').columns(['account', 'digest']).unique().execute();
  await schema.createIndex('music_upload_changed').on('music_upload').column('changed').execute();
};
