import type { Kysely } from 'kysely';

/** What files say of a song beside its title, artist and album. Files of earlier releases were stored without it. */
export const tags = async (db: Kysely<unknown>): Promise<void> => {
  const texts = ['artists', 'album_artist', 'genre'];
  const numbers = ['is_compilation', 'track', 'disc', 'year'];
  for (const name of texts)
    await db.schema
      .alterTable('music_song')
      .addColumn(name, 'text', (column) => column.notNull().defaultTo(''))
      .execute();
  for (const name of numbers)
    await db.schema
      .alterTable('music_song')
      .addColumn(name, 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
};
