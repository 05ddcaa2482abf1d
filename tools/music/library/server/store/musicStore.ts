import type { Database } from '#platform/server/database/database.ts';
import { createUploadStore } from '#tools/music/downloads/server/uploadStore.ts';
import { createPlayStore } from './markStore.ts';
import { createPlaylistStore } from './playlistStore.ts';
import { createRevisionStore } from './revisionStore.ts';
import { createSongStore } from './songStore.ts';
import { createTicketStore } from './ticketStore.ts';

/** Creates the database access for the library. Every change must start its transaction with `revisions.increment`. */
export function createMusicStore(database: Database) {
  return {
    revisions: createRevisionStore(database),
    songs: createSongStore(database),
    playlists: createPlaylistStore(database),
    plays: createPlayStore(database),
    tickets: createTicketStore(database),
    uploads: createUploadStore(database),
  };
}

export type MusicStore = ReturnType<typeof createMusicStore>;
