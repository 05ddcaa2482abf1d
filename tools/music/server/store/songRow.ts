import type { Song } from '../../domain/song.ts';
import type { Tables } from './tables.ts';

/** Ids of one statement: well below what either database takes. */
export const AT_ONCE = 500;

export const columns = [
  'id',
  'title',
  'artist',
  'album',
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

export type SongRow = Pick<Tables['music_song'], (typeof columns)[number]>;

export const toSong = (row: SongRow): Song => ({
  id: row.id,
  title: row.title,
  artist: row.artist,
  album: row.album,
  type: row.type === 'm4a' ? 'm4a' : 'mp3',
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
});

export const toRow = ({ hasPicture, siteId, isMissing, played, starred, ...song }: Song): SongRow => ({
  ...song,
  has_picture: hasPicture ? 1 : 0,
  site_id: siteId,
  is_missing: isMissing ? 1 : 0,
  played: played ?? null,
  starred: starred ?? null,
});
