import { expect, test } from 'vitest';
import { formatDay, formatRoughDuration, formatTrackTime, formatPlayCount, formatSongCount } from './texts.ts';

test('lengths are formatted as in players', () => {
  expect([0, 59.6, 252, 3600, 3723].map(formatTrackTime)).toEqual(['0:00', '1:00', '4:12', '1:00:00', '1:02:03']);
});

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

test('a date in another year includes the year', () => {
  const now = Date.UTC(2026, 10, 23, 12);
  expect(formatDay('2026-11-20T12:00:00Z', now)).toBe('20 Nov');
  expect(formatDay('2025-11-20T12:00:00Z', now)).toBe('20 Nov 2025');
});
