import type { Generated, Kysely } from 'kysely';

/** Rows of the library (see `migrations`). Times are in milliseconds since the epoch; lists of ids are JSON. */
export type MusicTables = {
  music_song: {
    id: number;
    account: number;
    title: string;
    artist: string;
    album: string;
    artists: Generated<string>;
    album_artist: Generated<string>;
    is_compilation: Generated<number>;
    track: Generated<number>;
    disc: Generated<number>;
    year: Generated<number>;
    genre: Generated<string>;
    type: string;
    duration: number;
    size: number;
    crc: number;
    colour: string;
    has_picture: number;
    gain: number;
    peak: number;
    place: number;
    added: number;
    written: number;
    plays: number;
    played: number | null;
    starred: number | null;
    rating: number;
    source: string;
    site: string;
    site_id: string;
    is_missing: number;
    tags_due: number;
    gone: number | null;
    revision: number;
  };
  music_playlist: {
    id: Generated<number>;
    account: number;
    title: string;
    songs: string;
    created: number;
    changed: number;
    revision: number;
  };
  music_library: { account: number; revision: number };
  music_play: { account: number; play: string; time: number };
  music_ticket: { id: string; account: number; title: string; kind: string; songs: string; until: number };
};

/** Returns a connection or a transaction with the types of these tables. */
export function withMusicTables(source: Kysely<unknown>) {
  return source.$extendTables<MusicTables>();
}
