import type { AnswerOf } from '#platform/contract/call.ts';
import type { JsonChunks } from '#platform/server/tool.ts';
import type { modplaylist, modvideo } from '../../contract.ts';
import { ALL_SONGS, ALL_TITLE } from '../../contract/limits.ts';
import type { Playlist, Song } from '../domain/song.ts';

export type Mp3OnWire = AnswerOf<typeof modvideo>['mp3'];
export type PlaylistOnWire = AnswerOf<typeof modplaylist>['playlist'];

/** ISO 8601 of milliseconds since the epoch. By `Date`: of 20,000 songs, Temporal's took longer than all else together. */
const instant = (ms: number): string => new Date(ms).toISOString();

export const songOnWire = ({
  title,
  artist,
  album,
  colour,
  duration,
  size,
  plays,
  gain,
  peak,
  ...song
}: Song): Mp3OnWire => ({
  title,
  colour,
  order: song.place,
  expanded: false,
  selected: false,
  artist,
  album,
  duration,
  size,
  added: instant(song.added),
  plays,
  starred: song.starred !== undefined,
  gain,
  peak,
  source: song.source,
  isMissing: song.isMissing,
  hasPicture: song.hasPicture,
});

export const playlistOnWire = ({ title, songs, created }: Omit<Playlist, 'id' | 'changed'>): PlaylistOnWire => ({
  title,
  contains: [...songs],
  user_created: 1,
  expanded: false,
  created: instant(created),
});

/** Songs in JSON, without brackets, as bytes: a library that is held is sent as it is, and bytes are no work for the collector of garbage. */
export interface SongsOnWire {
  readonly json: Buffer;
  /** In order. */
  readonly ids: readonly number[];
  /** Bytes. */
  readonly used: number;
}

export const songsOnWire = (songs: readonly Song[]): SongsOnWire => ({
  json: Buffer.from(songs.map((song) => `"${song.id}":${JSON.stringify(songOnWire(song))}`).join(',')),
  ids: songs.map(({ id }) => id),
  used: songs.reduce((sum, { size, isMissing }) => sum + (isMissing ? 0 : size), 0),
});

interface WireDeps {
  /** The oldest songs first. */
  readonly stretches: readonly SongsOnWire[];
  readonly playlists: (isThere: (song: number) => boolean) => Promise<readonly Playlist[]>;
  readonly quota: number;
}

/** The answer of the whole library's call, but for its end: it is large, and nobody looks through it again. */
export const libraryOnWire = async ({ stretches, playlists, quota }: WireDeps): Promise<JsonChunks> => {
  const mp3s = stretches.flatMap(({ json }) => (json.length === 0 ? [] : [',', json])).slice(1);
  const songs = stretches.flatMap(({ ids }) => ids);
  const isThere = new Set(songs);
  const used = stretches.reduce((sum, stretch) => sum + stretch.used, 0);
  const all = { ...playlistOnWire({ title: ALL_TITLE, songs, created: 0 }), user_created: 0 };
  const lists = [
    `"${ALL_SONGS}":${JSON.stringify(all)}`,
    ...(await playlists((song) => isThere.has(song))).map(
      (list) => `"${list.id}":${JSON.stringify(playlistOnWire(list))}`,
    ),
  ];
  return ['{"mp3s":{', ...mp3s, Buffer.from(`},"playlists":{${lists.join(',')}},"used":${used},"quota":${quota}`)];
};
