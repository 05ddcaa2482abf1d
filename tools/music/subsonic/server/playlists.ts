import type { Database } from '#platform/server/database/database.ts';
import type { Library } from '../../library/server/library.ts';
import type { MusicStore } from '../../library/server/store/musicStores.ts';
import type { KeptPlaylist } from '../../library/server/store/playlistStore.ts';
import type { Catalogue, Entry } from './catalogue.ts';
import { codes, notFound, SubsonicError } from './subsonicError.ts';
import { type SubsonicRequest, type Calls, numberOf, songIn } from './subsonicRequest.ts';
import { playlistOf, songOf } from './subsonicViews.ts';

interface PlaylistMethodsDeps {
  readonly database: Database;
  readonly store: MusicStore;
  readonly library: Library;
}

const entriesOf = ({ entries }: Catalogue, songs: readonly number[]): readonly Entry[] =>
  songs.flatMap((song) => entries.get(song) ?? []);

/** Ids of songs that are there, in the order sent. @throws SubsonicError where one is not. */
const songsSent = ({ params }: SubsonicRequest, catalogue: Catalogue, name: string): readonly number[] =>
  params.all(name).map((id) => songIn(catalogue, id).song.id);

/** A playlist with its songs. */
const whole = async ({ catalogue, user }: SubsonicRequest, list: KeptPlaylist) => {
  const entries = entriesOf(await catalogue(), list.songs);
  return { playlist: { ...playlistOf(list, entries, user.username), entry: entries.map(songOf) } };
};

/** Playlists of the account: the same as on the page, made and changed from both. */
export const playlistCalls = ({ database, store, library }: PlaylistMethodsDeps): Calls => {
  /** @throws SubsonicError */
  const listOf = async ({ user }: SubsonicRequest, id: string): Promise<KeptPlaylist> => {
    const list = await store.playlists.one(user.account, numberOf(id));
    if (list === undefined) throw notFound('playlist');
    return list;
  };

  return {
    getPlaylists: async ({ user, catalogue, params }) => {
      const of = params.text('username') ?? user.username;
      if (of.toLowerCase() !== user.username.toLowerCase())
        throw new SubsonicError(codes.notAllowed, 'You can ask for your own playlists alone');
      const known = await catalogue();
      const lists = await store.playlists.all(user.account);
      return {
        playlists: { playlist: lists.map((list) => playlistOf(list, entriesOf(known, list.songs), user.username)) },
      };
    },

    getPlaylist: async (asked) => whole(asked, await listOf(asked, asked.params.needed('id'))),

    /** With the id of one it takes the place of all that is in it. */
    createPlaylist: async (asked) => {
      const { params, user } = asked;
      const songs = songsSent(asked, await asked.catalogue(), 'songId');
      const id = params.text('playlistId');
      const list = id === undefined ? undefined : await listOf(asked, id);
      const title = params.text('name') ?? list?.title ?? params.needed('name');
      const made = await database.transaction((work) =>
        list === undefined
          ? library.makePlaylist(work, user.account, { title, songs })
          : library.changePlaylist(work, user.account, list.id, { title, songs }),
      );
      return whole(asked, made);
    },

    updatePlaylist: async (asked) => {
      const { params, user } = asked;
      const list = await listOf(asked, params.needed('playlistId'));
      const catalogue = await asked.catalogue();
      // Places are counted in what the player was sent.
      const shown = entriesOf(catalogue, list.songs).map(({ song }) => song.id);
      const out = new Set(params.all('songIndexToRemove').map(Number));
      const songs = [...shown.filter((_, at) => !out.has(at)), ...songsSent(asked, catalogue, 'songIdToAdd')];
      const wish = { title: params.text('name') ?? list.title, songs, known: shown };
      await database.transaction((work) => library.changePlaylist(work, user.account, list.id, wish));
      return {};
    },

    deletePlaylist: async (asked) => {
      const { id } = await listOf(asked, asked.params.needed('id'));
      await database.transaction((work) => library.removePlaylist(work, asked.user.account, id));
      return {};
    },
  };
};
