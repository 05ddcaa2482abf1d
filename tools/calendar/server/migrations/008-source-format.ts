import type { Kysely } from 'kysely';

/** By which reader an event's source was read last: those of 0 are read again (`rereadSources.ts`). */
export const sourceFormat = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .alterTable('calendar_source')
    .addColumn('format', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.createIndex('calendar_source_format').on('calendar_source').column('format').execute();
};
