import type { Database } from '#platform/server/database/database.ts';
import type { Playlist } from '../../library/domain/song.ts';
import type { Library } from '../../library/server/library.ts';
import type { MusicStore } from '../../library/server/store/musicStore.ts';
import { type Album, compareBySort, type Catalogue, type Entry, findGenre } from './catalogue.ts';
import { findMatches, type Query, parseQuery, type SearchableItem } from './search.ts';
import { codes, SubsonicError, createNotFoundError } from './subsonicError.ts';
import { type Params, type SubsonicRequest, type SubsonicHandlers, parseId, requireSong } from './subsonicRequest.ts';
import {
  formatAlbumFolder,
  formatAlbum,
  formatArtist,
  formatSong,
  getSongYear,
  formatPlaylist,
} from './subsonicViews.ts';

interface PlaylistHandlersDeps {
  readonly database: Database;
  readonly store: MusicStore;
  readonly library: Library;
}

const getEntries = ({ entries }: Catalogue, songs: readonly number[]): readonly Entry[] =>
  songs.flatMap((song) => entries.get(song) ?? []);

/** Returns the ids of the requested songs in order. @throws SubsonicError if one doesn't exist. */
const getRequestedSongs = ({ params }: SubsonicRequest, catalogue: Catalogue, name: string): readonly number[] =>
  params.getAll(name).map((id) => requireSong(catalogue, id).song.id);

async function formatPlaylistWithSongs({ loadCatalogue, user }: SubsonicRequest, list: Playlist) {
  const entries = getEntries(await loadCatalogue(), list.songs);
  return { playlist: { ...formatPlaylist(list, entries, user.username), entry: entries.map(formatSong) } };
}

/** Creates the handlers for playlists, which are the same as on the pages. */
export function createPlaylistHandlers({ database, store, library }: PlaylistHandlersDeps): SubsonicHandlers {
  /** @throws SubsonicError */
  async function requirePlaylist({ user }: SubsonicRequest, id: string): Promise<Playlist> {
    const list = await store.playlists.find(user.account, parseId(id));
    if (list === undefined) throw createNotFoundError('playlist');
    return list;
  }

  return {
    getPlaylists: async ({ user, loadCatalogue, params }) => {
      const username = params.getText('username') ?? user.username;
      if (username.toLowerCase() !== user.username.toLowerCase())
        throw new SubsonicError(codes.notAllowed, 'You can request only your own playlists');
      const catalogue = await loadCatalogue();
      const lists = await store.playlists.list(user.account);
      return {
        playlists: {
          playlist: lists.map((list) => formatPlaylist(list, getEntries(catalogue, list.songs), user.username)),
        },
      };
    },

    getPlaylist: async (request) =>
      formatPlaylistWithSongs(request, await requirePlaylist(request, request.params.getRequired('id'))),

    /** With an id, it replaces the songs of that playlist. */
    createPlaylist: async (request) => {
      const { params, user } = request;
      const songs = getRequestedSongs(request, await request.loadCatalogue(), 'songId');
      const id = params.getText('playlistId');
      const list = id === undefined ? undefined : await requirePlaylist(request, id);
      const title = params.getText('name') ?? list?.title ?? params.getRequired('name');
      const created = await database.transaction((work) =>
        list === undefined
          ? library.createPlaylist(work, user.account, { title, songs })
          : library.changePlaylist(work, user.account, list.id, { title, songs }),
      );
      return formatPlaylistWithSongs(request, created);
    },

    updatePlaylist: async (request) => {
      const { params, user } = request;
      const list = await requirePlaylist(request, params.getRequired('playlistId'));
      const catalogue = await request.loadCatalogue();
      // Indexes refer to the list that the player received.
      const shownIds = getEntries(catalogue, list.songs).map(({ song }) => song.id);
      const removedIndexes = new Set(
        params
          .getAll('songIndexToRemove')
          .filter((index) => /^\d+$/.test(index))
          .map(Number),
      );
      const songs = [
        ...shownIds.filter((_, at) => !removedIndexes.has(at)),
        ...getRequestedSongs(request, catalogue, 'songIdToAdd'),
      ];
      const playlistRequest = { title: params.getText('name') ?? list.title, songs, known: shownIds };
      await database.transaction((work) => library.changePlaylist(work, user.account, list.id, playlistRequest));
      return {};
    },

    deletePlaylist: async (request) => {
      const { id } = await requirePlaylist(request, request.params.getRequired('id'));
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
export function pickRandom<T>(all: readonly T[], count: number, random: RandomSource): readonly T[] {
  const items = [...all];
  const max = Math.min(count, items.length);
  for (let at = 0; at < max; at += 1) {
    const other = at + Math.floor(random() * (items.length - at));
    [items[at], items[other]] = [items[other] as T, items[at] as T];
  }
  return items.slice(0, max);
}

type AlbumOrder = (albums: readonly Album[]) => readonly Album[];
const sortDescending =
  (value: (album: Album) => number | undefined): AlbumOrder =>
  (albums) =>
    albums.filter((album) => (value(album) ?? 0) > 0).toSorted((one, other) => (value(other) ?? 0) - (value(one) ?? 0));

/** Orders of album lists. */
const createOrders = (random: RandomSource): Readonly<Record<string, AlbumOrder>> => ({
  random: (albums) => pickRandom(albums, albums.length, random),
  newest: sortDescending(({ added }) => added),
  highest: sortDescending(({ mark }) => mark.rating),
  frequent: sortDescending(({ plays }) => plays),
  recent: sortDescending(({ played }) => played),
  starred: sortDescending(({ mark }) => mark.starred),
  alphabeticalByName: (albums) => albums,
  alphabeticalByArtist: (albums) => albums.toSorted((one, other) => compareBySort(one.artist, other.artist)),
});

/** Selects albums between two years, in this direction. Albums without a year are skipped. */
function selectByYear({ params }: SubsonicRequest, albums: readonly Album[]): readonly Album[] {
  const [from, to] = [getYear(params, 'fromYear'), getYear(params, 'toYear')];
  const direction = from <= to ? 1 : -1;
  return albums
    .map((album) => ({ album, year: getSongYear(album) }))
    .filter(({ year }) => year > 0 && year >= Math.min(from, to) && year <= Math.max(from, to))
    .toSorted((one, other) => direction * (one.year - other.year))
    .map(({ album }) => album);
}
function getYear(params: Params, name: string): number {
  params.getRequired(name);
  return params.getInteger(name, { fallback: 0, max: MAX_YEAR });
}

const selectByGenre = ({ params }: SubsonicRequest, catalogue: Catalogue): readonly Album[] =>
  [...(findGenre(catalogue, params.getRequired('genre'))?.albums ?? [])].toSorted(compareBySort);

async function listAlbums(request: SubsonicRequest, random: RandomSource): Promise<readonly Album[]> {
  const { params, loadCatalogue } = request;
  const type = params.getRequired('type');
  const offset = params.getInteger('offset', { fallback: 0, max: Number.MAX_SAFE_INTEGER });
  const size = params.getInteger('size', { fallback: 10, max: MAX_LIST_SIZE });
  const page = (albums: readonly Album[]): readonly Album[] => albums.slice(offset, offset + size);
  if (type === 'byYear') return page(selectByYear(request, (await loadCatalogue()).albumsByName));
  if (type === 'byGenre') return page(selectByGenre(request, await loadCatalogue()));
  const orders = createOrders(random);
  const order = Object.hasOwn(orders, type) ? orders[type] : undefined;
  if (order === undefined) throw new SubsonicError(codes.generic, 'There is no such album list');
  return page(order((await loadCatalogue()).albumsByName));
}

/** Filters songs by genre and years, if requested. */
async function filterSongs({ params, loadCatalogue }: SubsonicRequest): Promise<readonly Entry[]> {
  const catalogue = await loadCatalogue();
  const genre = params.getText('genre');
  const songs = genre === undefined ? catalogue.songsByName : (findGenre(catalogue, genre)?.entries ?? []);
  const from = params.getInteger('fromYear', { fallback: 0, max: MAX_YEAR });
  const to = params.getInteger('toYear', { fallback: MAX_YEAR, max: MAX_YEAR });
  const hasYears = params.getText('fromYear') !== undefined || params.getText('toYear') !== undefined;
  return hasYears ? songs.filter(({ song: { year } }) => year > 0 && year >= from && year <= to) : songs;
}

/** Returns a page of results, with the count and offset parameters of the call. */
function getPage<T extends SearchableItem>(
  { params }: SubsonicRequest,
  kind: 'artist' | 'album' | 'song',
  all: readonly T[],
  query: Query,
): readonly T[] {
  const offset = params.getInteger(`${kind}Offset`, { fallback: 0, max: Number.MAX_SAFE_INTEGER });
  const count = params.getInteger(`${kind}Count`, { fallback: 20, max: MAX_SEARCH_COUNT });
  return count === 0 ? [] : findMatches(all, query, offset + count).slice(offset);
}

async function search(request: SubsonicRequest) {
  const query = parseQuery(request.params.getText('query') ?? '');
  const catalogue = await request.loadCatalogue();
  return {
    artists: getPage(request, 'artist', catalogue.artistsByName, query),
    albums: getPage(request, 'album', catalogue.albumsByName, query),
    songs: getPage(request, 'song', catalogue.songsByName, query),
  };
}

async function listStarred({ loadCatalogue }: SubsonicRequest) {
  const catalogue = await loadCatalogue();
  return {
    artists: catalogue.artistsByName.filter(({ mark }) => mark.starred !== undefined),
    albums: catalogue.albumsByName.filter(({ mark }) => mark.starred !== undefined),
    songs: catalogue.songsByName.filter(({ song }) => song.starred !== undefined),
  };
}

/** Creates the handlers for lists of albums, random songs, searches and starred items. */
export function createListHandlers(random: RandomSource): SubsonicHandlers {
  return {
    getAlbumList: async (request) => ({
      albumList: { album: (await listAlbums(request, random)).map(formatAlbumFolder) },
    }),
    getAlbumList2: async (request) => ({ albumList2: { album: (await listAlbums(request, random)).map(formatAlbum) } }),
    getRandomSongs: async (request) => {
      const size = request.params.getInteger('size', { fallback: 10, max: MAX_LIST_SIZE });
      return { randomSongs: { song: pickRandom(await filterSongs(request), size, random).map(formatSong) } };
    },
    getSongsByGenre: async ({ params, loadCatalogue }) => {
      const offset = params.getInteger('offset', { fallback: 0, max: Number.MAX_SAFE_INTEGER });
      const count = params.getInteger('count', { fallback: 10, max: MAX_LIST_SIZE });
      const songs = findGenre(await loadCatalogue(), params.getRequired('genre'))?.entries ?? [];
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
      const { artists, albums, songs } = await listStarred(request);
      return {
        starred: {
          artist: artists.map(formatArtist),
          album: albums.map(formatAlbumFolder),
          song: songs.map(formatSong),
        },
      };
    },
    getStarred2: async (request) => {
      const { artists, albums, songs } = await listStarred(request);
      return {
        starred2: { artist: artists.map(formatArtist), album: albums.map(formatAlbum), song: songs.map(formatSong) },
      };
    },
  };
}
