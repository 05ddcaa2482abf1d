import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { canMove, moveByOne, moveMember } from './playlist.ts';

test('songs move up and down by one, and stop at the ends', () => {
  expect(moveByOne([1, 2, 3], 1, -1)).toEqual([2, 1, 3]);
  expect(moveByOne([1, 2, 3], 1, 1)).toEqual([1, 3, 2]);
  expect(moveByOne([1, 2, 3], 0, -1)).toEqual([1, 2, 3]);
  expect(moveByOne([1, 2, 3], 2, 1)).toEqual([1, 2, 3]);
  expect(moveByOne([1, 2, 3], -1, 1)).toEqual([1, 2, 3]);
});

const songs = fc.uniqueArray(fc.nat(), { minLength: 1 });

test('moving a song loses none, and the others keep their order', () => {
  fc.assert(
    fc.property(songs, fc.nat(), fc.integer({ min: -5, max: 200 }), (list, pick, place) => {
      const song = list[pick % list.length] ?? 0;
      const moved = moveMember(list, song, place);
      expect(moved.filter((one) => one !== song)).toEqual(list.filter((one) => one !== song));
      expect(moved.indexOf(song)).toBe(Math.min(Math.max(place, 0), list.length - 1));
    }),
  );
});

test('up and down again returns to the start', () => {
  fc.assert(
    fc.property(songs, fc.nat(), fc.constantFrom(1 as const, -1 as const), (list, pick, by) => {
      const from = pick % list.length;
      const back = moveByOne(moveByOne(list, from, by), from + by, by === 1 ? -1 : 1);
      if (canMove(list, from, by)) expect(back).toEqual(list);
    }),
  );
});
