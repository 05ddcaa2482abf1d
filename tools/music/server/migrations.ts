import type { Kysely } from 'kysely';
import { idColumn, referenceAccount } from '#platform/server/database/columns.ts';
import type { Migration } from '#platform/server/tool.ts';

/** Times are in milliseconds since the epoch. */
export async function library(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('music_song')
    // 52 random bits of our own, because everyone who knows the id can load the picture.
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
    // CSS colour of its picture.
    .addColumn('colour', 'text', (column) => column.notNull())
    .addColumn('has_picture', 'integer', (column) => column.notNull())
    // ReplayGain: decibels, and the peak sample.
    .addColumn('gain', 'double precision', (column) => column.notNull())
    .addColumn('peak', 'double precision', (column) => column.notNull())
    // Increases within the account: the newest song has the largest value.
    .addColumn('place', 'integer', (column) => column.notNull())
    .addColumn('added', 'bigint', (column) => column.notNull())
    // Modification time of the file in archives.
    .addColumn('written', 'bigint', (column) => column.notNull())
    .addColumn('plays', 'integer', (column) => column.notNull())
    .addColumn('played', 'bigint')
    .addColumn('starred', 'bigint')
    // 1 to 5, set by players that support it; 0 for none.
    .addColumn('rating', 'integer', (column) => column.notNull())
    // Address of the source, and the site's own id for it.
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('site', 'text', (column) => column.notNull())
    .addColumn('site_id', 'text', (column) => column.notNull())
    // The file is missing or shorter than before.
    .addColumn('is_missing', 'integer', (column) => column.notNull())
    // The title was not written into the file yet.
    .addColumn('tags_due', 'integer', (column) => column.notNull())
    // When it was deleted. It can be restored for a day.
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
    // Ids in order, as JSON: always read and written as a whole. A deleted song is removed when it can't be restored
    // any more.
    .addColumn('songs', 'text', (column) => column.notNull())
    .addColumn('created', 'bigint', (column) => column.notNull())
    .addColumn('changed', 'bigint', (column) => column.notNull())
    .execute();
  await schema.createIndex('music_playlist_account').on('music_playlist').column('account').execute();

  // State of the library as a whole: its revision.
  await schema
    .createTable('music_library')
    .addColumn('account', 'integer', (column) => column.primaryKey().references('account.id').onDelete('cascade'))
    .addColumn('revision', 'bigint', (column) => column.notNull())
    .execute();

  // Plays that were counted, so that none counts twice. Removed after a day.
  await schema
    .createTable('music_play')
    .addColumn('account', 'integer', referenceAccount)
    .addColumn('play', 'text', (column) => column.notNull())
    .addColumn('time', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('music_play_key', ['account', 'play'])
    .execute();

  // Contents of a download address, while it is valid.
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
}

/** Stars and ratings that players gave to artists and albums. Those of songs are in their rows. */
export async function marks(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('music_mark')
    .addColumn('account', 'integer', referenceAccount)
    // Id that players use: 'ar-…' or 'al-…', derived from the name.
    .addColumn('item', 'text', (column) => column.notNull())
    // Milliseconds since the epoch.
    .addColumn('starred', 'bigint')
    // 1 to 5; 0 for none.
    .addColumn('rating', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('music_mark_key', ['account', 'item'])
    .execute();
}

/** Files that are uploaded in chunks. Times are in milliseconds since the epoch. */
export async function uploads(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('music_upload')
    .$call(idColumn(db))
    .addColumn('account', 'integer', referenceAccount)
    // File name on the user's device.
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('size', 'bigint', (column) => column.notNull())
    // SHA-256, hex.
    .addColumn('digest', 'text', (column) => column.notNull())
    .addColumn('playlist', 'integer')
    // The job that makes a song of it, once it is complete.
    .addColumn('job', 'integer')
    .addColumn('changed', 'bigint', (column) => column.notNull())
    .execute();
  await schema.createIndex('music_upload_digest').on('music_upload').columns(['account', 'digest']).unique().execute();
  await schema.createIndex('music_upload_changed').on('music_upload').column('changed').execute();
}

/** The revision in which each song and playlist last changed, so that pages only get changes. */
export async function revisions(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  for (const table of ['music_song', 'music_playlist'])
    await schema
      .alterTable(table)
      .addColumn('revision', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute();
  await schema.createIndex('music_song_revision').on('music_song').columns(['account', 'revision']).execute();
}

/** The play queue of an account, so that another player can continue it. */
export async function playQueue(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('music_play_queue')
    .addColumn('account', 'integer', (column) => column.primaryKey().references('account.id').onDelete('cascade'))
    // Ids in order, as JSON.
    .addColumn('songs', 'text', (column) => column.notNull())
    .addColumn('current', 'bigint')
    // Position in the current song, in milliseconds.
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('changed', 'bigint', (column) => column.notNull())
    // Name of the player.
    .addColumn('player', 'text', (column) => column.notNull())
    .execute();
}

/** More tags of the file. Songs of earlier releases were stored without them. */
export async function tags(db: Kysely<unknown>): Promise<void> {
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
}

/** The encrypted cookies.txt of an account. */
export async function cookies(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('music_cookies')
    .addColumn('account', 'integer', (column) => column.primaryKey().references('account.id').onDelete('cascade'))
    .addColumn('sealed', 'text', (column) => column.notNull())
    .addColumn('changed', 'bigint', (column) => column.notNull())
    .execute();
}

export const migrations: readonly Migration[] = [
  { name: '001-library', up: library },
  { name: '002-marks', up: marks },
  { name: '003-uploads', up: uploads },
  { name: '004-revisions', up: revisions },
  { name: '005-play-queue', up: playQueue },
  { name: '006-tags', up: tags },
  { name: '007-cookies', up: cookies },
];
