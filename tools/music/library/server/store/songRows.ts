import type { Selectable } from 'kysely';
import { toFlag } from '#platform/server/database/columns.ts';
import { SONG_TYPES, type Song, type SongType } from '../../domain/song.ts';
import type { MusicTables } from './tables.ts';

/** Ids per statement, well below the limits of both databases. */
export const IDS_PER_STATEMENT = 500;

export const SONG_COLUMNS = [
  'id',
  'title',
  'artist',
  'album',
  'artists',
  'album_artist',
  'is_compilation',
  'track',
  'disc',
  'year',
  'genre',
  'type',
  'duration',
  'size',
  'crc',
  'colour',
  'has_picture',
  'gain',
  'peak',
  'place',
  'added',
  'written',
  'plays',
  'played',
  'starred',
  'rating',
  'source',
  'site',
  'site_id',
  'is_missing',
] as const;

export type SongRow = Pick<Selectable<MusicTables['music_song']>, (typeof SONG_COLUMNS)[number]>;

const NO_ARTISTS: readonly string[] = [];

/** Parses a song type; unknown ones are treated as MP3. */
export function parseSongType(type: string): SongType {
  return SONG_TYPES.find((known) => known === type) ?? 'mp3';
}

export function toSong(row: SongRow): Song {
  return {
    id: row.id,
    title: row.title,
    artist: row.artist,
    album: row.album,
    // Written by `toRow` only. Most songs have no separate artists.
    artists: row.artists === '' ? NO_ARTISTS : (JSON.parse(row.artists) as readonly string[]),
    albumArtist: row.album_artist,
    isCompilation: row.is_compilation === 1,
    track: row.track,
    disc: row.disc,
    year: row.year,
    genre: row.genre,
    type: parseSongType(row.type),
    duration: row.duration,
    size: row.size,
    crc: row.crc,
    colour: row.colour,
    hasPicture: row.has_picture === 1,
    gain: row.gain,
    peak: row.peak,
    place: row.place,
    added: row.added,
    written: row.written,
    plays: row.plays,
    played: row.played ?? undefined,
    starred: row.starred ?? undefined,
    rating: row.rating,
    source: row.source,
    site: row.site,
    siteId: row.site_id,
    isMissing: row.is_missing === 1,
  };
}

export function toRow({
  hasPicture,
  siteId,
  isMissing,
  played,
  starred,
  artists,
  albumArtist,
  isCompilation,
  ...song
}: Song): SongRow {
  return {
    ...song,
    artists: artists.length === 0 ? '' : JSON.stringify(artists),
    album_artist: albumArtist,
    is_compilation: toFlag(isCompilation),
    has_picture: toFlag(hasPicture),
    site_id: siteId,
    is_missing: toFlag(isMissing),
    played: played ?? null,
    starred: starred ?? null,
  };
}
