import type { Kysely } from 'kysely';
import { idColumn, referenceAccount } from '#platform/server/database/columns.ts';

/** Times are milliseconds since the epoch. */
export const library = async (db: Kysely<unknown>): Promise<void> => {
  const { schema } = db;
  await schema
    .createTable('music_song')
    // 52 random bits, given by us: its picture is open to whoever knows it.
    .addColumn('id', 'bigint', (column) => column.primaryKey())
    .addColumn('account', 'integer', referenceAccount)
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('artist', 'text', (column) => column.notNull())
    .addColumn('album', 'text', (column) => column.notNull())
    // 'mp3' or 'm4a': the file is <id>.<type>.
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('duration', 'double precision', (column) => column.notNull())
    .addColumn('size', 'bigint', (column) => column.notNull())
    .addColumn('crc', 'bigint', (column) => column.notNull())
    // CSS, of its picture.
    .addColumn('colour', 'text', (column) => column.notNull())
    .addColumn('has_picture', 'integer', (column) => column.notNull())
    // ReplayGain: decibels, and the loudest sample.
    .addColumn('gain', 'double precision', (column) => column.notNull())
    .addColumn('peak', 'double precision', (column) => column.notNull())
    // Counts up within the account: the newest has the largest.
    .addColumn('place', 'integer', (column) => column.notNull())
    .addColumn('added', 'bigint', (column) => column.notNull())
    // The file's own time, in archives.
    .addColumn('written', 'bigint', (column) => column.notNull())
    .addColumn('plays', 'integer', (column) => column.notNull())
    .addColumn('played', 'bigint')
    .addColumn('starred', 'bigint')
    // 1 to 5, of players that have it; 0 for none.
    .addColumn('rating', 'integer', (column) => column.notNull())
    // Where it came from: its address, and the site's own name for it.
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('site', 'text', (column) => column.notNull())
    .addColumn('site_id', 'text', (column) => column.notNull())
    // Its file is not there, or shorter than it was.
    .addColumn('is_missing', 'integer', (column) => column.notNull())
    // Its title is not in the file yet.
    .addColumn('tags_due', 'integer', (column) => column.notNull())
    // When it was deleted; it can be brought back for a day.
    .addColumn('gone', 'bigint')
    .execute();
  await schema.createIndex('music_song_place').on('music_song').columns(['account', 'place']).unique().execute();
  await schema.createIndex('music_song_source').on('music_song').columns(['account', 'source']).execute();
  await schema.createIndex('music_song_site').on('music_song').columns(['account', 'site', 'site_id']).execute();
  await schema.createIndex('music_song_gone').on('music_song').column('gone').where('gone', 'is not', null).execute();

  await schema
    .createTable('music_playlist')
    .$call(idColumn(db))
    .addColumn('account', 'integer', referenceAccount)
    .addColumn('title', 'text', (column) => column.notNull())
    // Ids in order, as JSON: it is read and written whole. A deleted song stays in it as long as it can come back.
    .addColumn('songs', 'text', (column) => column.notNull())
    .addColumn('created', 'bigint', (column) => column.notNull())
    .addColumn('changed', 'bigint', (column) => column.notNull())
    .execute();
  await schema.createIndex('music_playlist_account').on('music_playlist').column('account').execute();

  // What a library as a whole knows: how often it was changed.
  await schema
    .createTable('music_library')
    .addColumn('account', 'integer', (column) => column.primaryKey().references('account.id').onDelete('cascade'))
    .addColumn('revision', 'bigint', (column) => column.notNull())
    .execute();

  // Playings that were counted, so that none counts twice; kept for a day.
  await schema
    .createTable('music_play')
    .addColumn('account', 'integer', referenceAccount)
    .addColumn('play', 'text', (column) => column.notNull())
    .addColumn('time', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('music_play_key', ['account', 'play'])
    .execute();

  // What a download's address stands for, as long as it holds.
  await schema
    .createTable('music_ticket')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account', 'integer', referenceAccount)
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    // Ids in order, as JSON.
    .addColumn('songs', 'text', (column) => column.notNull())
    .addColumn('until', 'bigint', (column) => column.notNull())
    .execute();
  await schema.createIndex('music_ticket_account').on('music_ticket').column('account').execute();
};
