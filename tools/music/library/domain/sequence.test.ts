import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { insertInSequence, type Sibling } from './playlist.ts';

test('songs of a list are in its order, no matter in which order they finish', () => {
  const finished = fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  fc.assert(
    fc.property(finished, fc.array(fc.integer({ min: 1, max: 50 })), (order, before) => {
      const old = [...new Set(before)];
      let songs: readonly number[] = old;
      const done: Sibling[] = [];
      for (const position of order) {
        const one = { song: 100 + position, position };
        songs = insertInSequence(songs, one, done);
        done.push(one);
      }
      expect(songs).toEqual([...old, ...order.toSorted((a, b) => a - b).map((position) => 100 + position)]);
    }),
  );
});

test('a song that is in the playlist already stays where the user put it', () => {
  expect(insertInSequence([3, 1, 2], { song: 1, position: 0 }, [{ song: 2, position: 1 }])).toEqual([3, 1, 2]);
});

test('songs that the user moved or removed in the meantime are left alone', () => {
  const siblings = [
    { song: 1, position: 0 },
    { song: 2, position: 1 },
    { song: 4, position: 3 },
  ];
  expect(insertInSequence([2, 9, 1], { song: 3, position: 2 }, siblings)).toEqual([2, 3, 9, 1]);
  expect(insertInSequence([9, 4], { song: 3, position: 2 }, siblings)).toEqual([9, 3, 4]);
});
