import { hash } from 'node:crypto';
import { fold } from '#platform/contract/fold.ts';
import type { Mark } from '../../domain/mark.ts';
import type { Song } from '../../domain/song.ts';

/** What is written where a song says none: players have to show it under something. */
export const NO_ARTIST = 'Unknown artist';
export const NO_ALBUM = 'Unknown album';

const NO_MARK: Mark = { starred: undefined, rating: 0 };

/** A song with what it is found by. */
export interface Entry {
  readonly song: Song;
  /** Its title, folded. */
  readonly sort: string;
  /** All that it is searched by, folded: title, artist and album, each on a line. */
  readonly text: string;
  readonly album: Album;
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
  /** By name. */
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

/** The same for the same name, however it is written: no table holds them. */
const idOf = (kind: 'ar' | 'al', ...folded: readonly string[]): string =>
  `${kind}-${hash('sha256', folded.join('\n'), 'base64url').slice(0, 22)}`;

interface Sorted {
  readonly sort: string;
}
export const bySort = (one: Sorted, other: Sorted): number =>
  one.sort < other.sort ? -1 : Number(one.sort > other.sort);

type Filling<T> = { -readonly [Field in keyof T]: T[Field] };
type FillingAlbum = Omit<Filling<Album>, 'entries'> & { readonly entries: Entry[] };
type FillingArtist = Omit<Filling<Artist>, 'albums'> & { readonly albums: Album[] };

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
const textsOf = (song: Song, album: Album, before: Catalogue | undefined): Pick<Entry, 'sort' | 'text'> => {
  const { song: known, sort, text } = before?.entries.get(song.id) ?? {};
  const isSame = known?.title === song.title && known.artist === song.artist && known.album === song.album;
  if (isSame && sort !== undefined && text !== undefined) return { sort, text };
  const name = fold(song.title);
  return { sort: name, text: `${name}\n${album.artist.sort}\n${album.sort}` };
};

/** By a name as it is written; what is made of it is asked for once. */
const onceFor = <T>(known: Map<string, T>, name: string, make: () => T): T => {
  const found = known.get(name) ?? make();
  known.set(name, found);
  return found;
};

/**
 * @param songs The oldest first.
 * @param marks Of artists and albums, by id.
 * @param before What was made of these songs last, to take from it what is still so.
 */
export const catalogueOf = (
  songs: readonly Song[],
  marks: ReadonlyMap<string, Mark> = new Map(),
  before?: Catalogue,
): Catalogue => {
  const [artists, albums] = [new Map<string, FillingArtist>(), new Map<string, FillingAlbum>()];
  const artistOf = (name: string): FillingArtist => {
    const sort = fold(name);
    const id = idOf('ar', sort);
    const artist = artists.get(id) ?? { id, name, sort, text: sort, albums: [], mark: marks.get(id) ?? NO_MARK };
    artists.set(id, artist);
    return artist;
  };
  const albumOf = (artist: FillingArtist, name: string): FillingAlbum => {
    const sort = fold(name);
    const id = idOf('al', artist.sort, sort);
    const known = albums.get(id);
    if (known !== undefined) return known;
    const text = `${sort}\n${artist.sort}`;
    const mark = marks.get(id) ?? NO_MARK;
    const sums = { duration: 0, added: 0, played: undefined, plays: 0 };
    const made: FillingAlbum = { id, name, sort, text, artist, entries: [], mark, ...sums };
    albums.set(id, made);
    artist.albums.push(made);
    return made;
  };

  const entries = new Map<number, Entry>();
  const artistsAsWritten = new Map<string, FillingArtist>();
  const albumsAsWritten = new Map<FillingArtist, Map<string, FillingAlbum>>();
  for (const song of songs) {
    const artist = onceFor(artistsAsWritten, song.artist || NO_ARTIST, () => artistOf(song.artist || NO_ARTIST));
    const own = albumsAsWritten.get(artist) ?? new Map<string, FillingAlbum>();
    albumsAsWritten.set(artist, own);
    const album = onceFor(own, song.album || NO_ALBUM, () => albumOf(artist, song.album || NO_ALBUM));
    const entry = { song, ...textsOf(song, album, before), album };
    fill(album, entry);
    entries.set(song.id, entry);
  }
  for (const { albums: own } of artists.values()) own.sort(bySort);
  return {
    entries,
    albums,
    artists,
    songsByName: [...entries.values()].toSorted(bySort),
    albumsByName: [...albums.values()].toSorted(bySort),
    artistsByName: [...artists.values()].toSorted(bySort),
  };
};
