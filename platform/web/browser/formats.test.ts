import { expect, test } from 'vitest';
import {
  formatClockTime,
  formatIsoDate,
  formatPlayTime,
  getReceivedMs,
  getSentMs,
  formatSentTime,
  formatDate,
  formatDateRelativeTo,
  formatSize,
} from './formats.ts';

const NOON = new Date(2026, 10, 27, 12, 0).getTime() / 1000;
const DAY = 86_400;

test('a message shows its sending time, with the date if that is another day', () => {
  expect(formatSentTime({ timesent: NOON, received: NOON + 60 })).toBe('12:00');
  expect(formatSentTime({ timesent: NOON })).toBe('12:00');
  expect(formatSentTime({ timesent: NOON + DAY, received: NOON })).toBe('28 Nov 2026, 12:00');
  expect(formatSentTime({ timesent: NOON - DAY, received: NOON })).toBe('26 Nov 2026, 12:00');
});

test('an impossible sending time is replaced by the time of the server', () => {
  for (const timesent of [1e300, -1e300, 9e12, -9e12]) {
    expect(getSentMs({ timesent, received: NOON })).toBe(NOON * 1000);
    expect(formatSentTime({ timesent, received: NOON })).toBe('12:00');
    expect(new Date(getReceivedMs({ timesent })).toISOString()).toBe('1970-01-01T00:00:00.000Z');
    expect(new Date(getSentMs({ timesent })).toISOString()).toBe('1970-01-01T00:00:00.000Z');
  }
  expect([formatClockTime(NOON * 1000), formatDate(NOON * 1000)]).toEqual(['12:00', '27 Nov 2026']);
});

test('lengths are formatted as in players', () => {
  expect([0, 0.4, 59.6, 252, 3723, 36_000].map(formatPlayTime)).toEqual([
    '0:00',
    '0:00',
    '1:00',
    '4:12',
    '1:02:03',
    '10:00:00',
  ]);
});

test('a date in another year includes the year', () => {
  const now = Date.UTC(2026, 10, 23, 12);
  expect(formatDateRelativeTo('2026-11-20T12:00:00Z', now)).toBe('20 Nov');
  expect(formatDateRelativeTo('2025-11-20T12:00:00Z', now)).toBe('20 Nov 2025');
});

test('an ISO date has four digits of the year, and the day of the browser', () => {
  expect(formatIsoDate(new Date(NOON * 1000))).toBe('2026-11-27');
  const early = new Date(NOON * 1000);
  early.setFullYear(7, 0, 5);
  expect(formatIsoDate(early)).toBe('0007-01-05');
});

test.each([
  [0, '0 bytes'],
  [1023, '1023 bytes'],
  [1024, '1 KiB'],
  [1.55 * 1024 ** 2, '1.5 MiB'],
  [499.9 * 1024 ** 2, '500 MiB'],
  [2 * 1024 ** 3, '2 GiB'],
  [3 * 1024 ** 5, '3072 TiB'],
])('%d bytes are %s', (bytes, text) => {
  expect(formatSize(bytes)).toBe(text);
});
