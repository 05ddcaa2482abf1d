import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { getOccurrence, findOccurrence } from './playlist.ts';

test('every place of a list is found by its occurrence', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(5), { minLength: 1 }), (songs) => {
      for (const place of songs.keys()) expect(findOccurrence(songs, getOccurrence(songs, place))).toBe(place);
    }),
  );
});

test('an occurrence that does not exist is not found', () => {
  expect(findOccurrence([1, 2, 1], { song: 1, nth: 2 })).toBe(-1);
  expect(findOccurrence([], { song: 1, nth: 0 })).toBe(-1);
});
