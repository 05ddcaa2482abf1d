import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Ranged } from '#platform/contract/ranged.ts';
import { createRanged } from '#platform/server/http/rangedParts.ts';
import { m3uOf } from '../../domain/m3u.ts';
import type { Song } from '../../domain/song.ts';
import { numberedNames } from '../../domain/songFileNames.ts';
import { zipLayout } from '../../domain/zipLayout.ts';
import type { SongFiles } from './songFiles.ts';

const LIST = 'playlist.m3u8';

/** Songs in order, with a list of them, as one zip: made while it is read, and the same bytes as long as the songs are the same. */
export const songsZip = (songs: readonly Song[], files: Pick<SongFiles, 'partOf'>): Ranged => {
  const names = numberedNames(songs);
  const list = Buffer.from(m3uOf(songs.map((song, index) => ({ ...song, place: names[index] ?? '' }))));
  const { parts, directory } = zipLayout([
    ...songs.map(({ size, crc, written }, index) => ({ name: names[index] ?? '', size, crc, modified: written })),
    { name: LIST, size: list.length, crc: crc32(list), modified: Math.max(0, ...songs.map(({ written }) => written)) },
  ]);
  const contents = [...songs.map(files.partOf), { bytes: list }];
  const tag = createHash('sha256').update(directory).digest('base64url').slice(0, 22);
  return createRanged(
    parts.flatMap((part) => (typeof part === 'number' ? (contents[part] ?? []) : { bytes: part })),
    tag,
  );
};
