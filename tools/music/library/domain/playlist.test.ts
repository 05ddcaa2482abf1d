import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { mergePlaylist, withSongs } from './playlist.ts';

const song = fc.integer({ min: 1, max: 30 });
const songs = fc.uniqueArray(song);

test('a song that was added while a page was open stays, after those that the page sorted', () => {
  const stored = [1, 2, 3, 9];
  expect(mergePlaylist({ stored, requested: [3, 1, 2], known: [1, 2, 3], deleted: new Set() })).toEqual([3, 1, 2, 9]);
});

test('songs that a page knew and removed are removed; without known songs its list replaces the stored one', () => {
  const stored = [1, 2, 3, 9];
  expect(mergePlaylist({ stored, requested: [1, 3], known: [1, 2, 3], deleted: new Set() })).toEqual([1, 3, 9]);
  expect(mergePlaylist({ stored, requested: [1, 3], known: undefined, deleted: new Set() })).toEqual([1, 3]);
});

test('a deleted song keeps its place for the day in which it can be restored', () => {
  const stored = [7, 1, 8, 2, 3];
  const deleted = new Set([7, 8]);
  expect(mergePlaylist({ stored, requested: [3, 2, 1], known: [1, 2, 3], deleted })).toEqual([7, 3, 2, 1, 8]);
});

test('two pages that change a playlist concurrently lose no song', () => {
  fc.assert(
    fc.property(songs, songs, songs, (start, firstSongs, secondSongs) => {
      const none = new Set<number>();
      const firstRequest = withSongs(start, firstSongs);
      const secondRequest = withSongs(start, secondSongs);
      const first = mergePlaylist({ stored: start, requested: firstRequest, known: start, deleted: none });
      const second = mergePlaylist({ stored: first, requested: secondRequest, known: start, deleted: none });
      expect(new Set(second)).toEqual(new Set([...start, ...firstSongs, ...secondSongs]));
      expect(second.slice(0, secondRequest.length)).toEqual(secondRequest);
    }),
  );
});

test('the result is the requested songs, as often as requested, and the songs that were added since', () => {
  fc.assert(
    fc.property(
      songs,
      fc.array(song),
      fc.option(songs, { nil: undefined }),
      fc.array(song),
      (stored, requested, known, gone) => {
        const deleted = new Set(gone.filter((one) => !requested.includes(one)));
        const result = mergePlaylist({ stored, requested, known, deleted });
        const shown = result.filter((id) => !deleted.has(id));
        expect(shown.slice(0, requested.length)).toEqual(requested);
        // Writing the same list again, after a lost answer, changes nothing.
        if (gone.length === 0) expect(mergePlaylist({ stored: result, requested, known, deleted })).toEqual(result);
        for (const one of stored) if (deleted.has(one)) expect(result).toContain(one);
        for (const one of result) expect([...stored, ...requested]).toContain(one);
      },
    ),
  );
});
