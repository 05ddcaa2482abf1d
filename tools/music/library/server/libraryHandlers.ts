import { handle, createRawJsonAnswer, type ServerContext, type Handler } from '#platform/server/tool.ts';
import {
  countplay,
  createplaylist,
  deleteplaylist,
  deletesong,
  modplaylist,
  modvideo,
  restoresong,
  starsong,
  ytgetdata,
} from '../../contract.ts';
import type { Library } from './library.ts';
import { type LibrarySerializer, toWirePlaylist, toWireSong } from './libraryResponses.ts';

interface LibraryHandlersDeps {
  readonly library: Library;
  readonly serializeLibrary: LibrarySerializer;
  /** Called after the tags of a song have changed, to update its file. */
  readonly onTagsChanged: (account: number, song: number) => void;
}

/** Creates the handlers of the calls for songs and playlists. */
export function createLibraryHandlers(
  { database }: Pick<ServerContext, 'database'>,
  { library, serializeLibrary, onTagsChanged }: LibraryHandlersDeps,
): readonly Handler[] {
  return [
    handle(ytgetdata, async ({ known }, { account }) =>
      createRawJsonAnswer(...(await serializeLibrary(account, known))),
    ),

    handle(createplaylist, async ({ title, contains }, { account }) => {
      const list = await database.transaction((work) =>
        library.createPlaylist(work, account, { title, songs: contains }),
      );
      return { playlistid: list.id, playlist: toWirePlaylist(list) };
    }),

    handle(modplaylist, async ({ id, playlistdata: { title, contains, known } }, { account }) => {
      const playlistRequest = { title, songs: contains, known };
      const list = await database.transaction((work) => library.changePlaylist(work, account, id, playlistRequest));
      return { id, playlist: toWirePlaylist(list) };
    }),

    handle(deleteplaylist, async ({ playlistid }, { account }) => {
      await database.transaction((work) => library.removePlaylist(work, account, playlistid));
    }),

    handle(modvideo, async ({ id, ...tags }, { account }) => {
      const song = await database.transaction(async (work) => {
        work.afterCommit(() => onTagsChanged(account, id));
        return library.renameSong(work, account, id, tags);
      });
      return { id, mp3: toWireSong(song) };
    }),

    handle(deletesong, async ({ id }, { account }) => {
      await database.transaction((work) => library.deleteSong(work, account, id));
    }),

    handle(restoresong, async ({ id }, { account }) => {
      const song = await database.transaction((work) => library.restoreSong(work, account, id));
      return { mp3: toWireSong(song) };
    }),

    handle(starsong, async ({ id, starred }, { account }) => {
      await database.transaction((work) => library.starSong(work, account, id, starred));
    }),

    handle(countplay, async ({ id, play }, { account }) => ({
      plays: await database.transaction((work) => library.countPlay(work, account, id, { play })),
    })),
  ];
}
