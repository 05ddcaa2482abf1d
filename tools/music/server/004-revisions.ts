import type { Kysely } from 'kysely';

/** With which change of the library each song and playlist became what it is: pages are told only what is new to them. */
export const revisions = async (db: Kysely<unknown>): Promise<void> => {
  const { schema } = db;
  for (const table of ['music_song', 'music_playlist'])
    await schema
      .alterTable(table)
      .addColumn('revision', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute();
  await schema.createIndex('music_song_revision').on('music_song').columns(['account', 'revision']).execute();
};
