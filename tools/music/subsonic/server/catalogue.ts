import { hash } from 'node:crypto';
import { foldLetters, foldSearch } from '#platform/contract/fold.ts';
import type { Database } from '#platform/server/database/database.ts';
import type { Mark, Song } from '../../library/domain/song.ts';
import { type AsOf, canBeTold } from '../../library/server/libraryResponses.ts';
import { markStore } from '../../library/server/store/markStore.ts';
import type { MusicStore } from '../../library/server/store/musicStores.ts';

/** What is written where a song says none: players have to show it under something. */
export const NO_ARTIST = 'Unknown artist';
export const NO_ALBUM = 'Unknown album';
/** Whose a compilation is that names no artist of its own. */
export const VARIOUS_ARTISTS = 'Various Artists';

const NO_MARK: Mark = { starred: undefined, rating: 0 };

/** A song with what it is found by. */
export interface Entry {
  readonly song: Song;
  /** Its title, folded. */
  readonly sort: string;
  /** All that it is searched by, folded: title, artist and album, each on a line. */
  readonly text: string;
  readonly album: Album;
  /** Who plays it; of a compilation other than the album's artist. */
  readonly artist: Artist;
  /** All who play it, where the file names them one by one; else `artist` alone. */
  readonly artists: readonly Artist[];
}

export interface Album {
  readonly id: string;
  readonly name: string;
  readonly sort: string;
  readonly text: string;
  readonly artist: Artist;
  /** In the order in which they came. */
  readonly entries: readonly Entry[];
  readonly mark: Mark;
  /** Seconds. */
  readonly duration: number;
  /** When the newest of its songs came, and when one was played last. */
  readonly added: number;
  readonly played: number | undefined;
  readonly plays: number;
}

export interface Artist {
  readonly id: string;
  readonly name: string;
  readonly sort: string;
  readonly text: string;
  /** Those in which one of their songs is, by name. */
  readonly albums: readonly Album[];
  readonly mark: Mark;
}

/** An account's songs as players look at them: by artist, album and name. Artists and albums are what stands in the songs. */
export interface Catalogue {
  readonly entries: ReadonlyMap<number, Entry>;
  readonly albums: ReadonlyMap<string, Album>;
  readonly artists: ReadonlyMap<string, Artist>;
  /** By name. */
  readonly songsByName: readonly Entry[];
  readonly albumsByName: readonly Album[];
  readonly artistsByName: readonly Artist[];
}

/** The same for the same name, whatever its case and accents: marks are stored by them, so they never change. */
const idOf = (kind: 'ar' | 'al', ...letters: readonly string[]): string =>
  `${kind}-${hash('sha256', letters.join('\n'), 'base64url').slice(0, 22)}`;

interface SortedItem {
  readonly sort: string;
}
export function bySort(one: SortedItem, other: SortedItem): number {
  return one.sort < other.sort ? -1 : Number(one.sort > other.sort);
}

type MutableFields<T> = { -readonly [Field in keyof T]: T[Field] };
type FillingAlbum = Omit<MutableFields<Album>, 'entries'> & { readonly entries: Entry[] };
type FillingArtist = Omit<MutableFields<Artist>, 'albums'> & { readonly albums: Album[] };

const later = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || (other !== undefined && other > one) ? other : one;

/** Puts a song into its album. */
const fill = (album: FillingAlbum, entry: Entry): void => {
  const { song } = entry;
  album.entries.push(entry);
  album.duration += song.duration;
  album.added = Math.max(album.added, song.added);
  album.played = later(album.played, song.played);
  album.plays += song.plays;
};

/** What a song is found by, as it was where its words are as they were: folding is most of the work. */
const textsOf = (
  song: Song,
  { album, artist }: Pick<Entry, 'album' | 'artist'>,
  before: Catalogue | undefined,
): Pick<Entry, 'sort' | 'text'> => {
  const known = before?.entries.get(song.id);
  const sort = known?.song.title === song.title ? known.sort : foldSearch(song.title);
  const others = album.artist.sort === artist.sort ? '' : `\n${album.artist.sort}`;
  const text = `${sort}\n${artist.sort}\n${album.sort}${others}`;
  return { sort, text: known?.text === text ? known.text : text };
};

/** Whose album a song's album is: what its file says, else who plays the song. */
const albumArtistOf = ({ albumArtist, isCompilation, artist }: Song): string =>
  albumArtist || (isCompilation ? VARIOUS_ARTISTS : artist) || NO_ARTIST;

/** As on the record; songs without a number in the order in which they came, behind the others of their disc. */
const byTrack = ({ song: one }: Entry, { song: other }: Entry): number =>
  (one.disc || 1) - (other.disc || 1) || (one.track || Infinity) - (other.track || Infinity) || 0;

/** By a name as it is written; what is made of it is asked for once. */
const onceFor = <Key, T>(known: Map<Key, T>, name: Key, make: () => T): T => {
  const found = known.get(name);
  if (found !== undefined) return found;
  const made = make();
  known.set(name, made);
  return made;
};

/**
 * @param songs The oldest first.
 * @param marks Of artists and albums, by id.
 * @param before What was made of these songs last, to take from it what is still so.
 */
export function catalogueOf(
  songs: readonly Song[],
  marks: ReadonlyMap<string, Mark> = new Map(),
  before?: Catalogue,
): Catalogue {
  /** By their folded names, and by their ids: a name that is written with other quotes has another id. */
  const [artistsByFold, artists] = [new Map<string, FillingArtist>(), new Map<string, FillingArtist>()];
  const [albumsByFold, albums] = [new Map<string, FillingAlbum>(), new Map<string, FillingAlbum>()];

  // The same names come again and again.
  const [letters, sorts] = [new Map<string, string>(), new Map<string, string>()];
  const lettersOf = (name: string): string => onceFor(letters, name, () => foldLetters(name));
  const sortOf = (name: string): string => onceFor(sorts, name, () => foldSearch(name));

  const artistOf = (name: string): FillingArtist => {
    const sort = sortOf(name);
    const id = idOf('ar', lettersOf(name));
    const known = artistsByFold.get(sort);
    const artist = known ?? { id, name, sort, text: sort, albums: [], mark: NO_MARK };
    if (artist.mark === NO_MARK) artist.mark = marks.get(id) ?? NO_MARK;
    artistsByFold.set(sort, artist);
    artists.set(id, artist);
    return artist;
  };
  const albumOf = (artist: FillingArtist, name: string): FillingAlbum => {
    const sort = sortOf(name);
    const id = idOf('al', lettersOf(artist.name), lettersOf(name));
    const text = `${sort}\n${artist.sort}`;
    const known = albumsByFold.get(text);
    const sums = { duration: 0, added: 0, played: undefined, plays: 0 };
    const album = known ?? { id, name, sort, text, artist, entries: [], mark: NO_MARK, ...sums };
    if (album.mark === NO_MARK) album.mark = marks.get(id) ?? NO_MARK;
    if (known === undefined) artist.albums.push(album);
    albumsByFold.set(text, album);
    albums.set(id, album);
    return album;
  };

  const entries = new Map<number, Entry>();
  const artistsAsWritten = new Map<string, FillingArtist>();
  const albumsAsWritten = new Map<FillingArtist, Map<string, FillingAlbum>>();
  const artistAsWritten = (name: string) => onceFor(artistsAsWritten, name, () => artistOf(name));
  const albumAsWritten = (artist: FillingArtist, name: string) => {
    const own = onceFor(albumsAsWritten, artist, () => new Map<string, FillingAlbum>());
    return onceFor(own, name, () => albumOf(artist, name));
  };
  for (const song of songs) {
    const album = albumAsWritten(artistAsWritten(albumArtistOf(song)), song.album || NO_ALBUM);
    const artist = artistAsWritten(song.artist || NO_ARTIST);
    const performers = song.artists.length > 1 ? song.artists.map(artistAsWritten) : [artist];
    for (const one of new Set([artist, ...performers]))
      if (one !== album.artist && !one.albums.includes(album)) one.albums.push(album);
    const entry = { song, ...textsOf(song, { album, artist }, before), album, artist, artists: performers };
    fill(album, entry);
    entries.set(song.id, entry);
  }
  for (const { albums: own } of artistsByFold.values()) own.sort(bySort);
  for (const { entries: own } of albumsByFold.values()) own.sort(byTrack);
  return {
    entries,
    albums,
    artists,
    songsByName: [...entries.values()].toSorted(bySort),
    albumsByName: [...albumsByFold.values()].toSorted(bySort),
    artistsByName: [...artistsByFold.values()].toSorted(bySort),
  };
}

/** Accounts whose catalogues are held. One of 20,000 songs takes about 20 MB. */
const MAX_CACHED_CATALOGUES = 8;

interface CachedCatalogue extends AsOf {
  readonly catalogue: Promise<Catalogue>;
}

interface CataloguesDeps {
  readonly database: Database;
  readonly store: MusicStore;
  readonly now: () => Temporal.Instant;
}

/** Catalogues of accounts, made when they are asked for and held as long as nothing has changed in the library. */
export function createCatalogues({ database, store: { book, songs }, now }: CataloguesDeps) {
  const marks = markStore(database);
  /** The one asked for last stands last. */
  const held = new Map<number, CachedCatalogue>();

  /** The oldest first. Of those that were known only what changed is read. */
  const songsOf = async (account: number, since: number, before: Catalogue | undefined): Promise<readonly Song[]> => {
    const news = before && (await songs.since(account, since));
    if (!before || !news) return songs.all(account);
    const all = new Map([...before.entries].map(([id, { song }]) => [id, song]));
    for (const id of news.gone) all.delete(id);
    for (const song of news.changed) all.set(song.id, song);
    return [...all.values()].toSorted((one, other) => one.place - other.place);
  };

  const make = async (is: AsOf, known: CachedCatalogue | undefined): Promise<Catalogue> => {
    const before = known && canBeTold(known, is) ? await known.catalogue.catch(() => undefined) : undefined;
    const all = await songsOf(is.account, known?.revision ?? 0, before);
    return catalogueOf(all, await marks.all(is.account), before);
  };

  return {
    of: async (account: number): Promise<Catalogue> => {
      const time = now().epochMilliseconds;
      // Read before the songs: a change that comes in between is seen the next time.
      const is: AsOf = { account, revision: await book.revision(account), time };
      const known = held.get(account);
      const catalogue = known?.revision === is.revision ? known.catalogue : make(is, known);
      held.delete(account);
      held.set(account, { ...is, catalogue });
      for (const [other] of held) if (held.size > MAX_CACHED_CATALOGUES) held.delete(other);
      try {
        return await catalogue;
      } catch (error) {
        if (held.get(account)?.catalogue === catalogue) held.delete(account); // the next one tries again
        throw error;
      }
    },
  };
}

/** Songs of one genre, however its name is written. */
interface Genre {
  /** As the first of its songs writes it. */
  readonly name: string;
  readonly sort: string;
  readonly entries: readonly Entry[];
  readonly albums: ReadonlySet<Album>;
}

const NONE: readonly string[] = [];

/** The genres of a song: several are apart by semicolons. A slash belongs to a name, such as 'Hip-Hop/Rap'. */
export function genresIn({ genre }: Pick<Song, 'genre'>): readonly string[] {
  if (!genre.includes(';')) return genre === '' ? NONE : [genre];
  const names = genre.split(';').map((name) => name.trim());
  return [...new Set(names.filter(Boolean))];
}

const build = ({ songsByName }: Catalogue): ReadonlyMap<string, Genre> => {
  const genres = new Map<string, Genre & { readonly entries: Entry[]; readonly albums: Set<Album> }>();
  // Folding is most of the work, and the names are few.
  const folded = new Map<string, string>();
  for (const entry of songsByName)
    for (const name of genresIn(entry.song)) {
      const sort = folded.get(name) ?? foldSearch(name);
      folded.set(name, sort);
      const genre = genres.get(sort) ?? { name, sort, entries: [], albums: new Set() };
      genres.set(sort, genre);
      // The same genre twice, in two spellings.
      if (genre.entries.at(-1) !== entry) genre.entries.push(entry);
      genre.albums.add(entry.album);
    }
  return genres;
};

const built = new WeakMap<Catalogue, ReadonlyMap<string, Genre>>();
const genresOf = (catalogue: Catalogue): ReadonlyMap<string, Genre> => {
  const genres = built.get(catalogue) ?? build(catalogue);
  built.set(catalogue, genres);
  return genres;
};

/** All genres of a library, by name. */
export function listGenres(catalogue: Catalogue): readonly Genre[] {
  return [...genresOf(catalogue).values()].toSorted(bySort);
}

/** Undefined where no song has it. */
export function genreNamed(catalogue: Catalogue, name: string): Genre | undefined {
  return genresOf(catalogue).get(foldSearch(name.trim()));
}
