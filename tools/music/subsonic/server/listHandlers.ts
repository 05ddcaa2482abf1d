import type { Database } from '#platform/server/database/database.ts';
import type { Library } from '../../library/server/library.ts';
import type { MusicStore } from '../../library/server/store/musicStores.ts';
import type { StoredPlaylist } from '../../library/server/store/playlistStore.ts';
import { type Album, bySort, type Catalogue, type Entry, genreNamed } from './catalogue.ts';
import { findMatches, type Query, parseQuery, type SearchableItem } from './search.ts';
import { codes, SubsonicError, notFound } from './subsonicError.ts';
import { type Params, type SubsonicRequest, type Calls, parseId, songIn } from './subsonicRequest.ts';
import {
  formatAlbumFolder,
  formatAlbum,
  formatArtist,
  formatSong,
  getSongYear,
  toPlaylistFields,
} from './subsonicViews.ts';

interface PlaylistMethodsDeps {
  readonly database: Database;
  readonly store: MusicStore;
  readonly library: Library;
}

const getEntries = ({ entries }: Catalogue, songs: readonly number[]): readonly Entry[] =>
  songs.flatMap((song) => entries.get(song) ?? []);

/** Returns the ids of the requested songs in order. @throws SubsonicError if one doesn't exist. */
const getRequestedSongs = ({ params }: SubsonicRequest, catalogue: Catalogue, name: string): readonly number[] =>
  params.all(name).map((id) => songIn(catalogue, id).song.id);

/** Formats a playlist with its songs. */
const formatPlaylist = async ({ catalogue, user }: SubsonicRequest, list: StoredPlaylist) => {
  const entries = getEntries(await catalogue(), list.songs);
  return { playlist: { ...toPlaylistFields(list, entries, user.username), entry: entries.map(formatSong) } };
};

/** Calls on playlists, which are the same as on the pages. */
export function playlistCalls({ database, store, library }: PlaylistMethodsDeps): Calls {
  /** @throws SubsonicError */
  const requirePlaylist = async ({ user }: SubsonicRequest, id: string): Promise<StoredPlaylist> => {
    const list = await store.playlists.find(user.account, parseId(id));
    if (list === undefined) throw notFound('playlist');
    return list;
  };

  return {
    getPlaylists: async ({ user, catalogue, params }) => {
      const of = params.text('username') ?? user.username;
      if (of.toLowerCase() !== user.username.toLowerCase())
        throw new SubsonicError(codes.notAllowed, 'You can request only your own playlists');
      const known = await catalogue();
      const lists = await store.playlists.list(user.account);
      return {
        playlists: {
          playlist: lists.map((list) => toPlaylistFields(list, getEntries(known, list.songs), user.username)),
        },
      };
    },

    getPlaylist: async (request) =>
      formatPlaylist(request, await requirePlaylist(request, request.params.needed('id'))),

    /** With an id, it replaces the songs of that playlist. */
    createPlaylist: async (request) => {
      const { params, user } = request;
      const songs = getRequestedSongs(request, await request.catalogue(), 'songId');
      const id = params.text('playlistId');
      const list = id === undefined ? undefined : await requirePlaylist(request, id);
      const title = params.text('name') ?? list?.title ?? params.needed('name');
      const created = await database.transaction((work) =>
        list === undefined
          ? library.createPlaylist(work, user.account, { title, songs })
          : library.changePlaylist(work, user.account, list.id, { title, songs }),
      );
      return formatPlaylist(request, created);
    },

    updatePlaylist: async (request) => {
      const { params, user } = request;
      const list = await requirePlaylist(request, params.needed('playlistId'));
      const catalogue = await request.catalogue();
      // Indexes refer to the list that the player received.
      const shownIds = getEntries(catalogue, list.songs).map(({ song }) => song.id);
      const out = new Set(params.all('songIndexToRemove').map(Number));
      const songs = [
        ...shownIds.filter((_, at) => !out.has(at)),
        ...getRequestedSongs(request, catalogue, 'songIdToAdd'),
      ];
      const playlistRequest = { title: params.text('name') ?? list.title, songs, known: shownIds };
      await database.transaction((work) => library.changePlaylist(work, user.account, list.id, playlistRequest));
      return {};
    },

    deletePlaylist: async (request) => {
      const { id } = await requirePlaylist(request, request.params.needed('id'));
      await database.transaction((work) => library.removePlaylist(work, request.user.account, id));
      return {};
    },
  };
}

const MAX_LIST_SIZE = 500;
const MAX_YEAR = 100_000;
/** Players load a whole library with searches, page by page. */
const MAX_SEARCH_COUNT = 10_000;

/** Returns a random number from 0 to 1, exclusive. */
export type RandomSource = () => number;

/** Returns `count` random items without repetition. */
export function some<T>(all: readonly T[], count: number, dice: RandomSource): readonly T[] {
  const left = [...all];
  const max = Math.min(count, left.length);
  for (let at = 0; at < max; at += 1) {
    const other = at + Math.floor(dice() * (left.length - at));
    [left[at], left[other]] = [left[other] as T, left[at] as T];
  }
  return left.slice(0, max);
}

type Order = (albums: readonly Album[]) => readonly Album[];
const max =
  (value: (album: Album) => number | undefined): Order =>
  (albums) =>
    albums.filter((album) => (value(album) ?? 0) > 0).toSorted((one, other) => (value(other) ?? 0) - (value(one) ?? 0));

/** Orders of album lists. */
const orders = (dice: RandomSource): Readonly<Record<string, Order>> => ({
  random: (albums) => some(albums, albums.length, dice),
  newest: max(({ added }) => added),
  highest: max(({ mark }) => mark.rating),
  frequent: max(({ plays }) => plays),
  recent: max(({ played }) => played),
  starred: max(({ mark }) => mark.starred),
  alphabeticalByName: (albums) => albums,
  alphabeticalByArtist: (albums) => albums.toSorted((one, other) => bySort(one.artist, other.artist)),
});

/** Selects albums between two years, in this direction. Albums without a year are skipped. */
const byYear = ({ params }: SubsonicRequest, albums: readonly Album[]): readonly Album[] => {
  const [from, to] = [getYear(params, 'fromYear'), getYear(params, 'toYear')];
  const direction = from <= to ? 1 : -1;
  return albums
    .map((album) => ({ album, year: getSongYear(album) }))
    .filter(({ year }) => year > 0 && year >= Math.min(from, to) && year <= Math.max(from, to))
    .toSorted((one, other) => direction * (one.year - other.year))
    .map(({ album }) => album);
};
const getYear = (params: Params, name: string): number => {
  params.needed(name);
  return params.whole(name, { otherwise: 0, most: MAX_YEAR });
};

const byGenre = ({ params }: SubsonicRequest, known: Catalogue): readonly Album[] =>
  [...(genreNamed(known, params.needed('genre'))?.albums ?? [])].toSorted(bySort);

const listAlbums = async (request: SubsonicRequest, dice: RandomSource): Promise<readonly Album[]> => {
  const { params, catalogue } = request;
  const type = params.needed('type');
  const offset = params.whole('offset', { otherwise: 0, most: Number.MAX_SAFE_INTEGER });
  const size = params.whole('size', { otherwise: 10, most: MAX_LIST_SIZE });
  const page = (albums: readonly Album[]): readonly Album[] => albums.slice(offset, offset + size);
  if (type === 'byYear') return page(byYear(request, (await catalogue()).albumsByName));
  if (type === 'byGenre') return page(byGenre(request, await catalogue()));
  const known = orders(dice);
  const order = Object.hasOwn(known, type) ? known[type] : undefined;
  if (order === undefined) throw new SubsonicError(codes.generic, 'There is no such album list');
  return page(order((await catalogue()).albumsByName));
};

/** Filters songs by genre and years, if requested. */
const filterSongs = async ({ params, catalogue }: SubsonicRequest): Promise<readonly Entry[]> => {
  const known = await catalogue();
  const genre = params.text('genre');
  const songs = genre === undefined ? known.songsByName : (genreNamed(known, genre)?.entries ?? []);
  const from = params.whole('fromYear', { otherwise: 0, most: MAX_YEAR });
  const to = params.whole('toYear', { otherwise: MAX_YEAR, most: MAX_YEAR });
  const hasYears = params.text('fromYear') !== undefined || params.text('toYear') !== undefined;
  return hasYears ? songs.filter(({ song: { year } }) => year > 0 && year >= from && year <= to) : songs;
};

/** Returns a page of results, with the count and offset parameters of the call. */
const getPage = <T extends SearchableItem>(
  { params }: SubsonicRequest,
  kind: 'artist' | 'album' | 'song',
  all: readonly T[],
  query: Query,
): readonly T[] => {
  const offset = params.whole(`${kind}Offset`, { otherwise: 0, most: Number.MAX_SAFE_INTEGER });
  const count = params.whole(`${kind}Count`, { otherwise: 20, most: MAX_SEARCH_COUNT });
  return count === 0 ? [] : findMatches(all, query, offset + count).slice(offset);
};

const search = async (request: SubsonicRequest) => {
  const query = parseQuery(request.params.text('query') ?? '');
  const known: Catalogue = await request.catalogue();
  return {
    artists: getPage(request, 'artist', known.artistsByName, query),
    albums: getPage(request, 'album', known.albumsByName, query),
    songs: getPage(request, 'song', known.songsByName, query),
  };
};

const starred = async ({ catalogue }: SubsonicRequest) => {
  const known = await catalogue();
  return {
    artists: known.artistsByName.filter(({ mark }) => mark.starred !== undefined),
    albums: known.albumsByName.filter(({ mark }) => mark.starred !== undefined),
    songs: known.songsByName.filter(({ song }) => song.starred !== undefined),
  };
};

/** Lists of albums, random songs, search, and starred items. */
export function listCalls(dice: RandomSource): Calls {
  return {
    getAlbumList: async (request) => ({
      albumList: { album: (await listAlbums(request, dice)).map(formatAlbumFolder) },
    }),
    getAlbumList2: async (request) => ({ albumList2: { album: (await listAlbums(request, dice)).map(formatAlbum) } }),
    getRandomSongs: async (request) => {
      const size = request.params.whole('size', { otherwise: 10, most: MAX_LIST_SIZE });
      return { randomSongs: { song: some(await filterSongs(request), size, dice).map(formatSong) } };
    },
    getSongsByGenre: async ({ params, catalogue }) => {
      const offset = params.whole('offset', { otherwise: 0, most: Number.MAX_SAFE_INTEGER });
      const count = params.whole('count', { otherwise: 10, most: MAX_LIST_SIZE });
      const songs = genreNamed(await catalogue(), params.needed('genre'))?.entries ?? [];
      return { songsByGenre: { song: songs.slice(offset, offset + count).map(formatSong) } };
    },
    search2: async (request) => {
      const { artists, albums, songs } = await search(request);
      return {
        searchResult2: {
          artist: artists.map(formatArtist),
          album: albums.map(formatAlbumFolder),
          song: songs.map(formatSong),
        },
      };
    },
    search3: async (request) => {
      const { artists, albums, songs } = await search(request);
      return {
        searchResult3: {
          artist: artists.map(formatArtist),
          album: albums.map(formatAlbum),
          song: songs.map(formatSong),
        },
      };
    },
    getStarred: async (request) => {
      const { artists, albums, songs } = await starred(request);
      return {
        starred: {
          artist: artists.map(formatArtist),
          album: albums.map(formatAlbumFolder),
          song: songs.map(formatSong),
        },
      };
    },
    getStarred2: async (request) => {
      const { artists, albums, songs } = await starred(request);
      return {
        starred2: { artist: artists.map(formatArtist), album: albums.map(formatAlbum), song: songs.map(formatSong) },
      };
    },
  };
}
