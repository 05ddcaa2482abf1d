import type { Kysely } from 'kysely';
import { idColumn, referenceAccount } from '#platform/server/database/columns.ts';
import type { Migration } from '#platform/server/tool.ts';

/** Times are milliseconds since the epoch. */
export async function library(db: Kysely<unknown>): Promise<void> {
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
}

/** What players mark of artists and albums; songs have their marks themselves. */
export async function marks(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('music_mark')
    .addColumn('account', 'integer', referenceAccount)
    // As players have it: 'ar-…' or 'al-…', made of its name.
    .addColumn('item', 'text', (column) => column.notNull())
    // Milliseconds since the epoch.
    .addColumn('starred', 'bigint')
    // 1 to 5; 0 for none.
    .addColumn('rating', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('music_mark_key', ['account', 'item'])
    .execute();
}

/** Files that are handed in, in parts. Times are milliseconds since the epoch. */
export async function uploads(db: Kysely<unknown>): Promise<void> {
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
}

/** With which change of the library each song and playlist became what it is: pages are told only what is new to them. */
export async function revisions(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  for (const table of ['music_song', 'music_playlist'])
    await schema
      .alterTable(table)
      .addColumn('revision', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute();
  await schema.createIndex('music_song_revision').on('music_song').columns(['account', 'revision']).execute();
}

/** What a player has in hand, one of an account: another player goes on with it. */
export async function playQueue(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('music_play_queue')
    .addColumn('account', 'integer', (column) => column.primaryKey().references('account.id').onDelete('cascade'))
    // Ids in order, as JSON.
    .addColumn('songs', 'text', (column) => column.notNull())
    .addColumn('current', 'bigint')
    // Milliseconds into the current one.
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('changed', 'bigint', (column) => column.notNull())
    // The player, as it calls itself.
    .addColumn('player', 'text', (column) => column.notNull())
    .execute();
}

/** What files say of a song beside its title, artist and album. Files of earlier releases were stored without it. */
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

/** The cookies.txt of an account, sealed. */
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
