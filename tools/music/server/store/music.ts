import type { Database } from '#platform/server/database/database.ts';
import { bookStore } from './book.ts';
import { playlistStore } from './playlists.ts';
import { playStore } from './plays.ts';
import { songStore } from './songs.ts';
import { ticketStore } from './tickets.ts';
import { uploadStore } from './uploads.ts';

/** All SQL of the library. Whatever changes it begins its transaction with `book.raise`. */
export const musicStore = (database: Database) => ({
  book: bookStore(database),
  songs: songStore(database),
  playlists: playlistStore(database),
  plays: playStore(database),
  tickets: ticketStore(database),
  uploads: uploadStore(database),
});

export type MusicStore = ReturnType<typeof musicStore>;
