import { createReadStream } from 'node:fs';
import type { FileStorage } from '#platform/server/storage/fileStorage.ts';
import type { ExportFile, ServerContext } from '#platform/server/tool.ts';
import type { Mark, Song } from '../library/domain/song.ts';
import { songFile } from '../library/server/files/songFiles.ts';
import { playQueueStore } from '../library/server/store/playQueueStore.ts';
import { createCatalogues } from '../subsonic/server/catalogue.ts';
import type { Base } from './musicServices.ts';

export const exportHolds =
  'The songs with what is known of them, the playlists with the ids of their songs in order, the albums and artists that players marked, the queue that one has left; the files of the songs stand in the folder, by their ids.';

const instant = (ms: number): string => Temporal.Instant.fromEpochMilliseconds(ms).toString();
const orNull = (ms: number | undefined): string | null => (ms === undefined ? null : instant(ms));

const plain = ({
  crc: _crc,
  place: _place,
  siteId: _siteId,
  added,
  written: _written,
  played,
  starred,
  ...song
}: Song) => ({
  ...song,
  added: instant(added),
  played: orNull(played),
  starred: orNull(starred),
});

async function* songsOf({ store }: Base, account: number): AsyncGenerator<ReturnType<typeof plain>> {
  for await (const page of store.songs.pages(account)) yield* page.map(plain);
}

const plainMark = ({ starred, rating }: Mark) => ({ starred: orNull(starred), rating });
const isMarked = ({ mark }: { readonly mark: Mark }): boolean => mark.starred !== undefined || mark.rating > 0;

/** What stands in the library of the albums and artists that players marked. */
const marksOf = async (ground: Pick<ServerContext, 'database' | 'now'>, { store }: Base, account: number) => {
  const { albumsByName, artistsByName } = await createCatalogues({ ...ground, store }).of(account);
  return {
    albums: albumsByName
      .filter(isMarked)
      .map(({ name, artist, mark }) => ({ name, artist: artist.name, ...plainMark(mark) })),
    artists: artistsByName.filter(isMarked).map(({ name, mark }) => ({ name, ...plainMark(mark) })),
  };
};

export function exportOf(base: Base, ground: Pick<ServerContext, 'database' | 'now'>) {
  return async (account: number): Promise<unknown> => {
    const playlists = await base.store.playlists.all(account);
    const there = await base.store.songs.named(
      account,
      playlists.flatMap(({ songs }) => songs),
    );
    return {
      songs: songsOf(base, account),
      playlists: playlists.map(({ title, songs, created, changed }) => ({
        title,
        songs: songs.filter((id) => there.has(id)),
        created: instant(created),
        changed: instant(changed),
      })),
      marked: await marksOf(ground, base, account),
      queue: (await playQueueStore(ground.database).of(account))?.songs ?? [],
    };
  };
}

/** Songs whose files are missing are left out. */
export function exportFiles({ store, songFiles }: Base, files: FileStorage) {
  return async function* (account: number): AsyncGenerator<ExportFile> {
    for await (const page of store.songs.pages(account))
      for (const song of page)
        if (await songFiles.isThere(song))
          yield {
            path: `songs/${song.id}.${song.type}`,
            content: createReadStream(files.getPath(songFile(song))),
            isPacked: true,
          };
  };
}
