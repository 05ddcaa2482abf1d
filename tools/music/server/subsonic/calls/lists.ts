import type { Asked, Calls } from '../asked.ts';
import { type Album, bySort, type Catalogue } from '../catalogue.ts';
import { codes, SubsonicError } from '../errors.ts';
import { found, type Query, queryOf, type Sought } from '../search.ts';
import { albumFolderOf, albumOf, artistOf, songOf } from '../shown.ts';

const MOST = 500;
/** Of a search: players fetch a whole library by it, page by page. */
const MOST_FOUND = 10_000;

/** Numbers from 0 up to 1, each as likely. */
export type Dice = () => number;

/** So many of them, none twice, in any order. */
export const some = <T>(all: readonly T[], count: number, dice: Dice): readonly T[] => {
  const left = [...all];
  const most = Math.min(count, left.length);
  for (let at = 0; at < most; at += 1) {
    const other = at + Math.floor(dice() * (left.length - at));
    [left[at], left[other]] = [left[other] as T, left[at] as T];
  }
  return left.slice(0, most);
};

type Order = (albums: readonly Album[]) => readonly Album[];
const most =
  (value: (album: Album) => number | undefined): Order =>
  (albums) =>
    albums.filter((album) => (value(album) ?? 0) > 0).toSorted((one, other) => (value(other) ?? 0) - (value(one) ?? 0));
const none: Order = () => [];

/** Of albums by name. No song here has a year or a genre. */
const orders = (dice: Dice): Readonly<Record<string, Order>> => ({
  random: (albums) => some(albums, albums.length, dice),
  newest: most(({ added }) => added),
  highest: most(({ mark }) => mark.rating),
  frequent: most(({ plays }) => plays),
  recent: most(({ played }) => played),
  starred: most(({ mark }) => mark.starred),
  alphabeticalByName: (albums) => albums,
  alphabeticalByArtist: (albums) => albums.toSorted((one, other) => bySort(one.artist, other.artist)),
  byYear: none,
  byGenre: none,
});

const albumsOf = async ({ params, catalogue }: Asked, dice: Dice): Promise<readonly Album[]> => {
  const type = params.needed('type');
  const known = orders(dice);
  const order = Object.hasOwn(known, type) ? known[type] : undefined;
  if (order === undefined) throw new SubsonicError(codes.generic, 'There is no such list of albums');
  const offset = params.whole('offset', { otherwise: 0, most: Number.MAX_SAFE_INTEGER });
  const size = params.whole('size', { otherwise: 10, most: MOST });
  return order((await catalogue()).albumsByName).slice(offset, offset + size);
};

/** A page of what is found, by the counts and offsets that the call has for it. */
const pageOf = <T extends Sought>(
  { params }: Asked,
  kind: 'artist' | 'album' | 'song',
  all: readonly T[],
  query: Query,
): readonly T[] => {
  const offset = params.whole(`${kind}Offset`, { otherwise: 0, most: Number.MAX_SAFE_INTEGER });
  const count = params.whole(`${kind}Count`, { otherwise: 20, most: MOST_FOUND });
  return count === 0 ? [] : found(all, query, offset + count).slice(offset);
};

const search = async (asked: Asked) => {
  const query = queryOf(asked.params.text('query') ?? '');
  const known: Catalogue = await asked.catalogue();
  return {
    artists: pageOf(asked, 'artist', known.artistsByName, query),
    albums: pageOf(asked, 'album', known.albumsByName, query),
    songs: pageOf(asked, 'song', known.songsByName, query),
  };
};

const starred = async ({ catalogue }: Asked) => {
  const known = await catalogue();
  return {
    artists: known.artistsByName.filter(({ mark }) => mark.starred !== undefined),
    albums: known.albumsByName.filter(({ mark }) => mark.starred !== undefined),
    songs: known.songsByName.filter(({ song }) => song.starred !== undefined),
  };
};

/** Lists of albums, songs by chance, searching, and what is marked. */
export const listCalls = (dice: Dice): Calls => ({
  getAlbumList: async (asked) => ({ albumList: { album: (await albumsOf(asked, dice)).map(albumFolderOf) } }),
  getAlbumList2: async (asked) => ({ albumList2: { album: (await albumsOf(asked, dice)).map(albumOf) } }),
  getRandomSongs: async ({ params, catalogue }) => {
    const size = params.whole('size', { otherwise: 10, most: MOST });
    const all = params.text('genre') === undefined ? (await catalogue()).songsByName : [];
    return { randomSongs: { song: some(all, size, dice).map(songOf) } };
  },
  search2: async (asked) => {
    const { artists, albums, songs } = await search(asked);
    return {
      searchResult2: { artist: artists.map(artistOf), album: albums.map(albumFolderOf), song: songs.map(songOf) },
    };
  },
  search3: async (asked) => {
    const { artists, albums, songs } = await search(asked);
    return { searchResult3: { artist: artists.map(artistOf), album: albums.map(albumOf), song: songs.map(songOf) } };
  },
  getStarred: async (asked) => {
    const { artists, albums, songs } = await starred(asked);
    return { starred: { artist: artists.map(artistOf), album: albums.map(albumFolderOf), song: songs.map(songOf) } };
  },
  getStarred2: async (asked) => {
    const { artists, albums, songs } = await starred(asked);
    return { starred2: { artist: artists.map(artistOf), album: albums.map(albumOf), song: songs.map(songOf) } };
  },
});
