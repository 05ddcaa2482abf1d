import { createReadStream } from 'node:fs';
import type { FileStorage } from '#platform/server/storage/fileStorage.ts';
import type { ExportFile, ServerContext } from '#platform/server/tool.ts';
import type { Mark, Song } from '../library/domain/song.ts';
import { songFile } from '../library/server/files/songFiles.ts';
import { playQueueStore } from '../library/server/store/playQueueStore.ts';
import { createCatalogues } from '../subsonic/server/catalogue.ts';
import type { Base } from './musicServices.ts';

export const exportDescription =
  'Your songs with their details, playlists with the ids of their songs in order, starred albums and artists, and the saved play queue. The files of the songs are in the folder, named by id.';

const formatInstant = (ms: number): string => Temporal.Instant.fromEpochMilliseconds(ms).toString();
const formatOptionalInstant = (ms: number | undefined): string | null => (ms === undefined ? null : formatInstant(ms));

const toExportedSong = ({
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
  added: formatInstant(added),
  played: formatOptionalInstant(played),
  starred: formatOptionalInstant(starred),
});

async function* exportSongs({ store }: Base, account: number): AsyncGenerator<ReturnType<typeof toExportedSong>> {
  for await (const page of store.songs.pages(account)) yield* page.map(toExportedSong);
}

const toExportedMark = ({ starred, rating }: Mark) => ({ starred: formatOptionalInstant(starred), rating });
const isMarked = ({ mark }: { readonly mark: Mark }): boolean => mark.starred !== undefined || mark.rating > 0;

/** Returns the stars and ratings of albums and artists that are in the library. */
const exportMarks = async (context: Pick<ServerContext, 'database' | 'now'>, { store }: Base, account: number) => {
  const { albumsByName, artistsByName } = await createCatalogues({ ...context, store }).get(account);
  return {
    albums: albumsByName
      .filter(isMarked)
      .map(({ name, artist, mark }) => ({ name, artist: artist.name, ...toExportedMark(mark) })),
    artists: artistsByName.filter(isMarked).map(({ name, mark }) => ({ name, ...toExportedMark(mark) })),
  };
};

/** Creates the function that exports the library of an account. */
export function createExport(base: Base, context: Pick<ServerContext, 'database' | 'now'>) {
  return async (account: number): Promise<unknown> => {
    const playlists = await base.store.playlists.list(account);
    const songsById = await base.store.songs.named(
      account,
      playlists.flatMap(({ songs }) => songs),
    );
    return {
      songs: exportSongs(base, account),
      playlists: playlists.map(({ title, songs, created, changed }) => ({
        title,
        songs: songs.filter((id) => songsById.has(id)),
        created: formatInstant(created),
        changed: formatInstant(changed),
      })),
      marked: await exportMarks(context, base, account),
      queue: (await playQueueStore(context.database).find(account))?.songs ?? [],
    };
  };
}

/** Yields the files of all songs. Songs with a missing file are skipped. */
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
