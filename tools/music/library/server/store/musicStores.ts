import type { Database } from '#platform/server/database/database.ts';
import { uploadStore } from '#tools/music/downloads/server/uploadStore.ts';
import { playStore } from './markStore.ts';
import { playlistStore } from './playlistStore.ts';
import { bookStore } from './revisionStore.ts';
import { songStore } from './songStore.ts';
import { ticketStore } from './ticketStore.ts';

/** All SQL of the library. Every change must start its transaction with `book.raise`. */
export function musicStore(database: Database) {
  return {
    book: bookStore(database),
    songs: songStore(database),
    playlists: playlistStore(database),
    plays: playStore(database),
    tickets: ticketStore(database),
    uploads: uploadStore(database),
  };
}

export type MusicStore = ReturnType<typeof musicStore>;
