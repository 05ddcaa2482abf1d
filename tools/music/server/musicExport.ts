import type { FileStorage } from '#platform/server/storage/fileStorage.ts';
import { readStoredFile } from '#platform/server/storage/fileStore.ts';
import type { ExportFile, ServerContext } from '#platform/server/tool.ts';
import type { Mark, Song } from '../library/domain/song.ts';
import { getPicturePath } from '../library/server/files/songFiles.ts';
import { createPlayQueueStore } from '../library/server/store/playQueueStore.ts';
import { createCatalogues } from '../subsonic/server/catalogue.ts';
import type { MusicServices } from './musicServices.ts';

export const exportDescription =
  'Your songs with their details, playlists with the ids of their songs in order, starred albums and artists, and the saved play queue. The files of the songs and their pictures are in the folder, named by id.';

const formatInstant = (ms: number): string => Temporal.Instant.fromEpochMilliseconds(ms).toString();
const formatOptionalInstant = (ms: number | undefined): string | null => (ms === undefined ? null : formatInstant(ms));

const toExportedSong = ({ crc: _crc, place: _place, added, written, played, starred, ...song }: Song) => ({
  ...song,
  added: formatInstant(added),
  written: formatInstant(written),
  played: formatOptionalInstant(played),
  starred: formatOptionalInstant(starred),
});

async function* exportSongs(
  { store }: MusicServices,
  account: number,
): AsyncGenerator<ReturnType<typeof toExportedSong>> {
  for await (const page of store.songs.iteratePages(account)) yield* page.map(toExportedSong);
}

const toExportedMark = ({ starred, rating }: Mark) => ({ starred: formatOptionalInstant(starred), rating });
const isMarked = ({ mark }: { readonly mark: Mark }): boolean => mark.starred !== undefined || mark.rating > 0;

/** Returns the stars and ratings of albums and artists that are in the library. */
async function exportMarks(
  context: Pick<ServerContext, 'database' | 'now'>,
  { store }: MusicServices,
  account: number,
) {
  const { albumsByName, artistsByName } = await createCatalogues({ ...context, store }).get(account);
  return {
    albums: albumsByName
      .filter(isMarked)
      .map(({ name, artist, mark }) => ({ name, artist: artist.name, ...toExportedMark(mark) })),
    artists: artistsByName.filter(isMarked).map(({ name, mark }) => ({ name, ...toExportedMark(mark) })),
  };
}

/** Creates the function that exports the library of an account. */
export function createExport(services: MusicServices, context: Pick<ServerContext, 'database' | 'now'>) {
  return async (account: number): Promise<unknown> => {
    const playlists = await services.store.playlists.list(account);
    const songsById = await services.store.songs.findByIds(
      account,
      playlists.flatMap(({ songs }) => songs),
    );
    return {
      songs: exportSongs(services, account),
      playlists: playlists.map(({ title, songs, created, changed }) => ({
        title,
        songs: songs.filter((id) => songsById.has(id)),
        created: formatInstant(created),
        changed: formatInstant(changed),
      })),
      marked: await exportMarks(context, services, account),
      queue: (await createPlayQueueStore(context.database).find(account))?.songs ?? [],
    };
  };
}

/** Creates the function that yields the files of an account's songs. Songs with a missing file are skipped. */
export function createFileExport({ store, songFiles }: MusicServices, files: FileStorage) {
  return async function* (account: number): AsyncGenerator<ExportFile> {
    for await (const page of store.songs.iteratePages(account))
      for (const song of page) {
        if (await songFiles.exists(song))
          yield { path: `songs/${song.id}.${song.type}`, content: songFiles.read(song), isPacked: true };
        const picture = getPicturePath(song.id);
        const size = await files.getSize(picture);
        if (size !== undefined)
          yield {
            path: `pictures/${song.id}.webp`,
            content: readStoredFile(files, [picture], size),
            isPacked: true,
          };
      }
  };
}
