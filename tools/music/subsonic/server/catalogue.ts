import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { foldLetters, foldSearch } from '#platform/contract/fold.ts';
import type { Database } from '#platform/server/database/database.ts';
import type { Mark, Song } from '../../library/domain/song.ts';
import { type LibraryVersion, canListChanges } from '../../library/server/libraryResponses.ts';
import { createMarkStore } from '../../library/server/store/markStore.ts';
import type { MusicStore } from '../../library/server/store/musicStore.ts';

/** Placeholders for songs without artist or album, because players must show something. */
export const NO_ARTIST = 'Unknown artist';
export const NO_ALBUM = 'Unknown album';
/** Artist of a compilation that names no album artist. */
export const VARIOUS_ARTISTS = 'Various Artists';

const NO_MARK: Mark = { starred: undefined, rating: 0 };

/** A song with its search terms. */
export interface Entry {
  readonly song: Song;
  /** Folded title. */
  readonly sort: string;
  /** Folded search text: title, artist and album, one per line. */
  readonly text: string;
  readonly album: Album;
  /** Artist of the song; in a compilation not the artist of the album. */
  readonly artist: Artist;
  /** All artists if the file names several; otherwise `artist` only. */
  readonly artists: readonly Artist[];
}

export interface Album {
  readonly id: string;
  readonly name: string;
  readonly sort: string;
  readonly text: string;
  readonly artist: Artist;
  /** In the order in which they were added. */
  readonly entries: readonly Entry[];
  readonly mark: Mark;
  /** Seconds. */
  readonly duration: number;
  /** When its newest song was added, and when one was last played. */
  readonly added: number;
  readonly played: number | undefined;
  readonly plays: number;
}

export interface Artist {
  readonly id: string;
  readonly name: string;
  readonly sort: string;
  readonly text: string;
  /** Albums that contain a song of the artist, by name. */
  readonly albums: readonly Album[];
  readonly mark: Mark;
}

/**
 * The songs of an account by artist, album and name, as players browse them. Artists and albums are derived from the
 * songs.
 */
export interface Catalogue {
  readonly entries: ReadonlyMap<number, Entry>;
  readonly albums: ReadonlyMap<string, Album>;
  readonly artists: ReadonlyMap<string, Artist>;
  /** By name. */
  readonly songsByName: readonly Entry[];
  readonly albumsByName: readonly Album[];
  readonly artistsByName: readonly Artist[];
}

/**
 * Returns a stable id for a name, ignoring case and accents. Stars and ratings are stored by it, so it must never
 * change.
 */
const createStableId = (kind: 'ar' | 'al', ...letters: readonly string[]): string =>
  `${kind}-${hash('sha256', letters.join('\n'), 'base64url').slice(0, 22)}`;

interface SortedItem {
  readonly sort: string;
}
export function compareBySort(one: SortedItem, other: SortedItem): number {
  return one.sort < other.sort ? -1 : Number(one.sort > other.sort);
}

type MutableFields<T> = { -readonly [Field in keyof T]: T[Field] };
type MutableAlbum = Omit<MutableFields<Album>, 'entries'> & { readonly entries: Entry[] };
type MutableArtist = Omit<MutableFields<Artist>, 'albums'> & { readonly albums: Album[] };

const getLater = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || (other !== undefined && other > one) ? other : one;

function addToAlbum(album: MutableAlbum, entry: Entry): void {
  const { song } = entry;
  album.entries.push(entry);
  album.duration += song.duration;
  album.added = Math.max(album.added, song.added);
  album.played = getLater(album.played, song.played);
  album.plays += song.plays;
}

/** Returns the search terms of a song. Reuses unchanged ones, because folding is most of the work. */
function getSearchTerms(
  song: Song,
  { album, artist }: Pick<Entry, 'album' | 'artist'>,
  before: Catalogue | undefined,
): Pick<Entry, 'sort' | 'text'> {
  const known = before?.entries.get(song.id);
  const sort = known?.song.title === song.title ? known.sort : foldSearch(song.title);
  const albumArtist = album.artist.sort === artist.sort ? '' : `\n${album.artist.sort}`;
  const text = `${sort}\n${artist.sort}\n${album.sort}${albumArtist}`;
  return { sort, text: known?.text === text ? known.text : text };
}

/** Returns the artist of the song's album: the one in the file, otherwise the artist of the song. */
const getAlbumArtist = ({ albumArtist, isCompilation, artist }: Song): string =>
  albumArtist || (isCompilation ? VARIOUS_ARTISTS : artist) || NO_ARTIST;

/** Sorts by disc and track. Songs without a number come last on their disc, in the order in which they were added. */
const compareByTrack = ({ song: one }: Entry, { song: other }: Entry): number =>
  (one.disc || 1) - (other.disc || 1) || (one.track || Infinity) - (other.track || Infinity) || 0;

/** Returns a cached value, or computes it once. */
function getOrCompute<Key, T>(cache: Map<Key, T>, key: Key, compute: () => T): T {
  const cached = cache.get(key);
  if (cached !== undefined) return cached;
  const computed = compute();
  cache.set(key, computed);
  return computed;
}

/**
 * Builds a catalogue.
 * @param songs oldest first
 * @param marks of artists and albums, by id
 * @param before previous catalogue, whose unchanged parts are reused
 */
export function createCatalogue(
  songs: readonly Song[],
  marks: ReadonlyMap<string, Mark> = new Map(),
  before?: Catalogue,
): Catalogue {
  /** By folded name and by id. Names with other quotation marks fold equally, but have different ids. */
  const [artistsByFold, artists] = [new Map<string, MutableArtist>(), new Map<string, MutableArtist>()];
  const [albumsByFold, albums] = [new Map<string, MutableAlbum>(), new Map<string, MutableAlbum>()];

  // The same names occur many times.
  const [letters, sorts] = [new Map<string, string>(), new Map<string, string>()];
  const getLetters = (name: string): string => getOrCompute(letters, name, () => foldLetters(name));
  const getSort = (name: string): string => getOrCompute(sorts, name, () => foldSearch(name));

  function getArtist(name: string): MutableArtist {
    const sort = getSort(name);
    const id = createStableId('ar', getLetters(name));
    const known = artistsByFold.get(sort);
    const artist = known ?? { id, name, sort, text: sort, albums: [], mark: NO_MARK };
    if (artist.mark === NO_MARK) artist.mark = marks.get(id) ?? NO_MARK;
    artistsByFold.set(sort, artist);
    artists.set(id, artist);
    return artist;
  }
  function getAlbum(artist: MutableArtist, name: string): MutableAlbum {
    const sort = getSort(name);
    const id = createStableId('al', getLetters(artist.name), getLetters(name));
    const text = `${sort}\n${artist.sort}`;
    const known = albumsByFold.get(text);
    const sums = { duration: 0, added: 0, played: undefined, plays: 0 };
    const album = known ?? { id, name, sort, text, artist, entries: [], mark: NO_MARK, ...sums };
    if (album.mark === NO_MARK) album.mark = marks.get(id) ?? NO_MARK;
    if (known === undefined) artist.albums.push(album);
    albumsByFold.set(text, album);
    albums.set(id, album);
    return album;
  }

  const entries = new Map<number, Entry>();
  const artistsBySpelling = new Map<string, MutableArtist>();
  const albumsBySpelling = new Map<MutableArtist, Map<string, MutableAlbum>>();
  const getArtistBySpelling = (name: string) => getOrCompute(artistsBySpelling, name, () => getArtist(name));
  function getAlbumBySpelling(artist: MutableArtist, name: string) {
    const albumsOfArtist = getOrCompute(albumsBySpelling, artist, () => new Map<string, MutableAlbum>());
    return getOrCompute(albumsOfArtist, name, () => getAlbum(artist, name));
  }
  for (const song of songs) {
    const album = getAlbumBySpelling(getArtistBySpelling(getAlbumArtist(song)), song.album || NO_ALBUM);
    const artist = getArtistBySpelling(song.artist || NO_ARTIST);
    const performers = song.artists.length > 1 ? song.artists.map(getArtistBySpelling) : [artist];
    for (const performer of new Set([artist, ...performers]))
      if (performer !== album.artist && !performer.albums.includes(album)) performer.albums.push(album);
    const entry = { song, ...getSearchTerms(song, { album, artist }, before), album, artist, artists: performers };
    addToAlbum(album, entry);
    entries.set(song.id, entry);
  }
  for (const artist of artistsByFold.values()) artist.albums.sort(compareBySort);
  for (const album of albumsByFold.values()) album.entries.sort(compareByTrack);
  return {
    entries,
    albums,
    artists,
    songsByName: [...entries.values()].toSorted(compareBySort),
    albumsByName: [...albumsByFold.values()].toSorted(compareBySort),
    artistsByName: [...artistsByFold.values()].toSorted(compareBySort),
  };
}

/** A catalogue of 20,000 songs takes about 20 MB. */
const MAX_CACHED_CATALOGUES = 8;

interface CachedCatalogue extends LibraryVersion {
  readonly catalogue: Promise<Catalogue>;
}

interface CataloguesDeps {
  readonly database: Database;
  readonly store: MusicStore;
  readonly now: () => Temporal.Instant;
}

/** Creates the cache of catalogues. An entry is valid until its library changes. */
export function createCatalogues({ database, store: { revisions, songs }, now }: CataloguesDeps) {
  const marks = createMarkStore(database);
  /** Ordered by last use. */
  const cache = new LRUCache<number, CachedCatalogue>({ max: MAX_CACHED_CATALOGUES });

  /** Returns the songs, oldest first. Only reads the changes if there is a previous catalogue. */
  async function loadSongs(account: number, since: number, before: Catalogue | undefined): Promise<readonly Song[]> {
    const changes = before && (await songs.listSince(account, since));
    if (!before || !changes) return songs.list(account);
    const songById = new Map([...before.entries].map(([id, { song }]) => [id, song]));
    for (const id of changes.gone) songById.delete(id);
    for (const song of changes.changed) songById.set(song.id, song);
    return [...songById.values()].toSorted((one, other) => one.place - other.place);
  }

  async function load(version: LibraryVersion, known: CachedCatalogue | undefined): Promise<Catalogue> {
    const before = known && canListChanges(known, version) ? await known.catalogue.catch(() => undefined) : undefined;
    const allSongs = await loadSongs(version.account, known?.revision ?? 0, before);
    return createCatalogue(allSongs, await marks.getAll(version.account), before);
  }

  return {
    get: async (account: number): Promise<Catalogue> => {
      const time = now().epochMilliseconds;
      // Read before the songs, so that a change in between is found the next time.
      const version: LibraryVersion = { account, revision: await revisions.getRevision(account), time };
      const known = cache.get(account);
      const catalogue = known?.revision === version.revision ? known.catalogue : load(version, known);
      cache.set(account, { ...version, catalogue });
      try {
        return await catalogue;
      } catch (error) {
        if (cache.get(account)?.catalogue === catalogue) cache.delete(account);
        throw error;
      }
    },
  };
}

/** A genre with its songs, regardless of its spelling. */
interface Genre {
  /** Spelling of its first song. */
  readonly name: string;
  readonly sort: string;
  readonly entries: readonly Entry[];
  readonly albums: ReadonlySet<Album>;
}

const NO_GENRES: readonly string[] = [];

/** Returns the genres of a song, separated by semicolons. A slash is part of a name, such as 'Hip-Hop/Rap'. */
export function splitGenres({ genre }: Pick<Song, 'genre'>): readonly string[] {
  if (!genre.includes(';')) return genre === '' ? NO_GENRES : [genre];
  const names = genre.split(';').map((name) => name.trim());
  return [...new Set(names.filter(Boolean))];
}

function buildGenres({ songsByName }: Catalogue): ReadonlyMap<string, Genre> {
  const genres = new Map<string, Genre & { readonly entries: Entry[]; readonly albums: Set<Album> }>();
  // Folding is most of the work, and there are few names.
  const folded = new Map<string, string>();
  for (const entry of songsByName)
    for (const name of splitGenres(entry.song)) {
      const sort = folded.get(name) ?? foldSearch(name);
      folded.set(name, sort);
      const genre = genres.get(sort) ?? { name, sort, entries: [], albums: new Set() };
      genres.set(sort, genre);
      // A song can have the same genre in two spellings.
      if (genre.entries.at(-1) !== entry) genre.entries.push(entry);
      genre.albums.add(entry.album);
    }
  return genres;
}

const genresByCatalogue = new WeakMap<Catalogue, ReadonlyMap<string, Genre>>();
function getGenres(catalogue: Catalogue): ReadonlyMap<string, Genre> {
  const genres = genresByCatalogue.get(catalogue) ?? buildGenres(catalogue);
  genresByCatalogue.set(catalogue, genres);
  return genres;
}

/** Lists all genres of a library by name. */
export function listGenres(catalogue: Catalogue): readonly Genre[] {
  return [...getGenres(catalogue).values()].toSorted(compareBySort);
}

/** Returns undefined if no song has the genre. */
export function findGenre(catalogue: Catalogue, name: string): Genre | undefined {
  return getGenres(catalogue).get(foldSearch(name.trim()));
}
