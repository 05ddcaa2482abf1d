import { afterEach, expect, test, vi } from 'vitest';
import { formatClock, formatUnusualLength, listHourPositions, toShownDays } from './dayViews.ts';

const at = (text: string): number => Date.parse(text) / 1000;

/** Returns the only day of an answer that was requested at `fetchedAt` by a browser in Berlin. */
function createDay(date: string, until: string, fetchedAt = until) {
  vi.stubEnv('TZ', 'Europe/Berlin');
  const from = new Date(`${date}T00:00`).getTime() / 1000;
  const statuses = { [from]: { date, endtime: at(until), statuses: [{ time: from, status: 'online' as const }] } };
  const [day] = toShownDays({ statuses, colours: {} }, Date.parse(fetchedAt));
  if (!day) throw new Error('no day');
  return day;
}
afterEach(() => vi.unstubAllEnvs());

test('when clocks go forward, a day has 23 hours and its hour marks move', () => {
  const day = createDay('2026-03-29', '2026-03-29T22:00Z');
  expect([day.length, formatUnusualLength(day)]).toEqual([23 * 3600, '23 hours']);
  expect(listHourPositions(day)).toEqual([
    { text: '06', share: 5 / 23 },
    { text: '12', share: 11 / 23 },
    { text: '18', share: 17 / 23 },
  ]);
  expect(
    ['2026-03-29T00:59Z', '2026-03-29T01:00Z', '2026-03-29T22:00Z'].map((text) => formatClock(day, at(text))),
  ).toEqual(['01:59', '03:00', '24:00']);
});

test('when clocks go back, a day has 25 hours, one of them twice', () => {
  const day = createDay('2026-10-25', '2026-10-25T23:00Z');
  expect([day.length, formatUnusualLength(day)]).toEqual([25 * 3600, '25 hours']);
  expect(listHourPositions(day).map(({ share }) => Math.round(share * 25))).toEqual([7, 13, 19]);
  expect(
    ['2026-10-25T00:30Z', '2026-10-25T01:30Z', '2026-10-25T23:00Z'].map((text) => formatClock(day, at(text))),
  ).toEqual(['02:30', '02:30', '24:00']);
});

test('any other day uses the hours of the axis', () => {
  const day = createDay('2026-11-21', '2026-11-21T12:00Z');
  expect([formatUnusualLength(day), listHourPositions(day)]).toEqual([undefined, []]);
});

test('a day that ends now goes on; a stopped one does not, even if it is today', () => {
  const running = createDay('2026-11-21', '2026-11-21T12:00Z', '2026-11-21T12:01Z');
  const stopped = createDay('2026-11-21', '2026-11-21T11:00Z', '2026-11-21T12:01Z');
  expect([running, stopped].map(({ isToday, isOngoing }) => [isToday, isOngoing])).toEqual([
    [true, true],
    [true, false],
  ]);
});
