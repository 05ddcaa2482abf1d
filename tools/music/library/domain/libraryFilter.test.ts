import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { fold } from '#platform/contract/fold.ts';
import { getMembers, filterSongs, splitWords } from './libraryFilter.ts';
import { sortSongs, getNextOrder, ORDERS } from './playlist.ts';

const TITLES: Readonly<Record<number, string>> = { 1: 'Café del Mar', 2: 'Night tram no. 5', 3: 'Mar adentro' };
const getText = (song: number): string => fold(TITLES[song] ?? '');
const find = (typed: string, members?: ReadonlySet<number>) =>
  filterSongs([1, 2, 3], { words: splitWords(typed), members }, getText);

const getOrder = (song: number): number => song % 7;

test('songs are found by all words, in any order, ignoring case and accents', () => {
  expect(find('CAFE')).toEqual([1]);
  expect(find('mar')).toEqual([1, 3]);
  expect(find('mar café')).toEqual([1]);
  expect(find('  ')).toEqual([1, 2, 3]);
  expect(find('tram 6')).toEqual([]);
});

test('only songs of the selected playlists remain', () => {
  expect(find('', getMembers([[3], [2, 9]]))).toEqual([2, 3]);
  expect(find('mar', getMembers([[3], [2, 9]]))).toEqual([3]);
  expect(find('', getMembers([[]]))).toEqual([]);
});

test('the order button cycles through the three orders', () => {
  expect(getNextOrder('default')).toBe('newest first');
  expect(getNextOrder('newest first')).toBe('oldest first');
  expect(getNextOrder('oldest first')).toBe('default');
});

test('every order contains the same songs, and the default is the playlist’s own', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(500)), fc.constantFrom(...ORDERS), (songs, order) => {
      const ordered = sortSongs(songs, order, getOrder);
      expect(new Set(ordered)).toEqual(new Set(songs));
      if (order === 'default') expect(ordered).toEqual(songs);
      const values = ordered.map(getOrder);
      if (order === 'newest first') expect(values).toEqual(values.toSorted((one, other) => other - one));
      if (order === 'oldest first') expect(values).toEqual(values.toSorted((one, other) => one - other));
    }),
  );
});
