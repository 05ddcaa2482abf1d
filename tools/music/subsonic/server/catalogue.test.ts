import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Song } from '../../library/domain/song.ts';
import { createCatalogue, NO_ALBUM, NO_ARTIST } from './catalogue.ts';
import { findMatches, parseQuery } from './search.ts';
import { getIndexLetter } from './subsonicViews.ts';

const plain: Song = {
  id: 1,
  title: 'Song',
  artist: 'Artist',
  album: 'Album',
  artists: [],
  albumArtist: '',
  isCompilation: false,
  track: 0,
  disc: 0,
  year: 0,
  genre: '',
  type: 'mp3',
  duration: 180,
  size: 1000,
  crc: 1,
  colour: '#000000',
  hasPicture: false,
  gain: 0,
  peak: 1,
  place: 1,
  added: 1,
  written: 1,
  plays: 0,
  played: undefined,
  starred: undefined,
  rating: 0,
  source: '',
  site: '',
  siteId: '',
  isMissing: false,
};
const createSong = (id: number, more: Partial<Song> = {}): Song => ({ ...plain, id, place: id, ...more });

const word = fc.constantFrom('', 'Blue', 'blue', 'BLÜE', 'Zebra', 'ζ', '👋', 'a"b', 'The Band', '  ', 'ﬁne');
const createSongs = (max: number) =>
  fc
    .array(fc.record({ title: word, artist: word, album: word, plays: fc.nat(9), added: fc.nat(99) }), {
      maxLength: max,
    })
    .map((all) => all.map((words, at) => createSong(at + 1, words)));
const songs = createSongs(30);
const few = createSongs(8);

test('every song is in one album of one artist, and every list is complete and sorted', () => {
  fc.assert(
    fc.property(songs, (all) => {
      const { entries, albums, artists, songsByName, albumsByName, artistsByName } = createCatalogue(all);
      expect([...entries.keys()]).toEqual(all.map(({ id }) => id));
      const inAlbums = [...artists.values()].flatMap((artist) => artist.albums.flatMap((album) => album.entries));
      expect(inAlbums.map((entry) => entry.song.id).toSorted((a, b) => a - b)).toEqual([...entries.keys()]);
      for (const { id, entries: own, artist, plays } of albums.values()) {
        expect(artist.albums.filter((album) => album.id === id)).toHaveLength(1);
        expect(plays).toBe(own.reduce((sum, entry) => sum + entry.song.plays, 0));
      }
      for (const list of [songsByName, albumsByName, artistsByName])
        expect(list.every(({ sort }, at) => at === 0 || sort >= (list[at - 1]?.sort ?? ''))).toBe(true);
      expect([songsByName.length, albumsByName.length, artistsByName.length]).toEqual([
        entries.size,
        albums.size,
        artists.size,
      ]);
    }),
  );
});

test('an incremental catalogue equals a new one', () => {
  fc.assert(
    fc.property(songs, songs, (before, all) => {
      const rebuilt = createCatalogue(all);
      expect(createCatalogue(all, new Map(), createCatalogue(before))).toEqual(rebuilt);
    }),
    { numRuns: 30 },
  );
});

test('names that differ by case, accents or Unicode form are one artist, whose id is stable', () => {
  const one = createCatalogue([createSong(1, { artist: 'Björk' }), createSong(2, { artist: 'BJORK' })]);
  const other = createCatalogue([createSong(3, { artist: 'björk' })]);
  expect([...one.artists.keys()]).toEqual([...other.artists.keys()]);
  expect([...one.albums.keys()]).toEqual([...other.albums.keys()]);
  expect(one.artistsByName[0]?.albums[0]?.entries).toHaveLength(2);
});

test('the same album name of two artists is two albums, and songs without artist or album have placeholders', () => {
  const { albumsByName } = createCatalogue([
    createSong(1, { artist: 'A', album: 'Greatest Hits' }),
    createSong(2, { artist: 'B', album: 'Greatest Hits' }),
    createSong(3, { artist: '', album: '' }),
  ]);
  expect(albumsByName.map(({ name, artist }) => [name, artist.name])).toEqual([
    ['Greatest Hits', 'A'],
    ['Greatest Hits', 'B'],
    [NO_ALBUM, NO_ARTIST],
  ]);
});

test('stars and ratings are attached to their artists and albums', () => {
  const [album] = createCatalogue([createSong(1)]).albumsByName;
  const marks = new Map([[album?.id ?? '', { starred: 5, rating: 4 }]]);
  const marked = createCatalogue([createSong(1)], marks);
  expect(marked.albumsByName[0]?.mark).toEqual({ starred: 5, rating: 4 });
  expect(marked.artistsByName[0]?.mark).toEqual({ starred: undefined, rating: 0 });
});

test('artists are grouped by first letter without an article, and all others together', () => {
  const names = ['The Beatles', 'Ärzte', 'le', 'La Femme', '2Pac', '👋', 'ζ', ''];
  const letters = names.map(
    (artist) => createCatalogue([createSong(1, { artist })]).artistsByName.map(getIndexLetter)[0],
  );
  expect(letters.join(' ')).toBe('B A L F # # Ζ U');
});

const findIds = (typed: string, all: readonly Song[]): readonly number[] =>
  findMatches(createCatalogue(all).songsByName, parseQuery(typed)).map((entry) => entry.song.id);

test('a search finds songs with all words anywhere, and songs with that title first', () => {
  const all = [
    createSong(1, { title: 'A blue moon' }),
    createSong(2, { title: 'Blue' }),
    createSong(3, { title: 'Blue in green' }),
    createSong(4, { title: 'Song', artist: 'Bluebird' }),
    createSong(5, { title: 'Other', artist: 'Nobody', album: 'None' }),
  ];
  expect(findIds('BLÜE', all)).toEqual([2, 3, 1, 4]);
  expect(findIds('"blue"', all)).toEqual([2, 3, 1, 4]);
  expect(findIds('green blu*', all)).toEqual([3]);
  expect(findIds('bluebird song', all)).toEqual([4]);
  expect(findIds('nowhere', all)).toEqual([]);
  for (const nothing of ['', '""', '  ', '*']) expect(findIds(nothing, all)).toHaveLength(5);
});

test('the search finds the same as a scan of every item, up to the limit', () => {
  fc.assert(
    fc.property(
      few,
      fc.oneof(word, fc.string(), fc.constantFrom('b', 'e', 'l b', 'e e u')),
      fc.nat(10),
      (all, typed, max) => {
        const { songsByName, albumsByName } = createCatalogue(all);
        const query = parseQuery(typed);
        function getRank(sort: string): number {
          const at = sort.indexOf(query.text);
          if (at === 0) return sort === query.text ? 0 : 1;
          return at > 0 ? 2 : 3;
        }
        for (const list of [songsByName, albumsByName]) {
          const hits = list.filter(({ text }) => query.terms.every((term) => text.includes(term)));
          const best =
            query.terms.length === 0 ? hits : hits.toSorted((one, other) => getRank(one.sort) - getRank(other.sort));
          expect(findMatches<(typeof list)[number]>(list, query)).toEqual(best);
          expect(findMatches<(typeof list)[number]>(list, query, max)).toEqual(best.slice(0, max));
        }
      },
    ),
  );
});

test('every result has all words, and every song is found by its title', () => {
  fc.assert(
    fc.property(few, fc.oneof(word, fc.string()), (all, typed) => {
      const { songsByName } = createCatalogue(all);
      const query = parseQuery(typed);
      const hits = findMatches(songsByName, query);
      expect(hits.every(({ text }) => query.terms.every((term) => text.includes(term)))).toBe(true);
      for (const entry of songsByName)
        expect(findMatches(songsByName, parseQuery(entry.song.title)).includes(entry)).toBe(true);
    }),
    { numRuns: 50 },
  );
});
