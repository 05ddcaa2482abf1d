import { afterEach, expect, test } from 'vitest';
import { parseIso } from '#platform/contract/day.ts';
import { getLocalDay as getServerLocalDay } from '../server/localDays.ts';
import { getDayStart, getDayAt, getLocalDay } from './localDays.ts';

const machineZone = process.env['TZ'];
afterEach(() => {
  if (machineZone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = machineZone;
});

const day = (iso: string): number => parseIso(iso) ?? Number.NaN;

test.for([
  ['Europe/Berlin', '2026-11-19', 1440],
  ['Europe/Berlin', '2026-03-29', 1380],
  ['Europe/Berlin', '2026-10-25', 1500],
  ['Australia/Lord_Howe', '2026-10-04', 1410],
  ['Australia/Lord_Howe', '2026-04-05', 1470],
  ['America/Santiago', '2026-09-06', 1380],
  ['America/Santiago', '2026-04-04', 1500],
  ['Asia/Kathmandu', '2026-06-01', 1440],
] as const)('in %s the page draws %s as the server counts it', ([zone, iso, length]) => {
  process.env['TZ'] = zone;
  const localDay = getLocalDay(day(iso));
  const server = getServerLocalDay(day(iso), zone);
  expect(localDay.length).toBe(length);
  expect(localDay.length).toBe(server.length);
  const filterChanges = (changes: typeof localDay.clockChanges) => changes.filter(({ by }) => by !== 0);
  expect(filterChanges(localDay.clockChanges)).toEqual(filterChanges(server.clockChanges));
});

test('a day that its zone skips has length 0', () => {
  process.env['TZ'] = 'Pacific/Apia';
  expect(getLocalDay(day('2011-12-30')).length).toBe(0);
  expect(getLocalDay(day('2011-12-29')).length).toBe(1440);
});

test('a moment belongs to the day that starts before it', () => {
  process.env['TZ'] = 'Europe/Berlin';
  const begin = getDayStart(day('2026-11-19'));
  expect(new Date(begin).toISOString()).toBe('2026-11-18T23:00:00.000Z');
  expect(getDayAt(begin)).toBe(day('2026-11-19'));
  expect(getDayAt(begin - 1)).toBe(day('2026-11-18'));
});
