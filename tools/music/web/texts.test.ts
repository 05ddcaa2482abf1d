import { expect, test } from 'vitest';
import { formatRoughDuration, formatPlayCount, formatSongCount } from './texts.ts';

test('durations are in hours and minutes, and short ones in seconds', () => {
  expect([0, 59, 60, 1680, 3600, 11_100, 4_000_000].map(formatRoughDuration)).toEqual([
    '0 s',
    '59 s',
    '1 min',
    '28 min',
    '1 h',
    '3 h 5 min',
    '1111 h',
  ]);
});

test('songs and plays are counted', () => {
  expect([0, 1, 20_000].map(formatSongCount)).toEqual(['0 songs', '1 song', '20,000 songs']);
  expect([1, 12].map(formatPlayCount)).toEqual(['1 play', '12 plays']);
});
