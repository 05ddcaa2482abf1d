import { foldSearch } from '#platform/contract/fold.ts';
import type { Song } from '../../library/domain/song.ts';
import { bySort, type Album, type Catalogue, type Entry } from './catalogue.ts';

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
export const genresIn = ({ genre }: Pick<Song, 'genre'>): readonly string[] => {
  if (!genre.includes(';')) return genre === '' ? NONE : [genre];
  const names = genre.split(';').map((name) => name.trim());
  return [...new Set(names.filter(Boolean))];
};

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
export const listGenres = (catalogue: Catalogue): readonly Genre[] =>
  [...genresOf(catalogue).values()].toSorted(bySort);

/** Undefined where no song has it. */
export const genreNamed = (catalogue: Catalogue, name: string): Genre | undefined =>
  genresOf(catalogue).get(foldSearch(name.trim()));
