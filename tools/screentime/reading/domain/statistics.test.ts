import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { getZoneDays } from '../../usage/domain/days.ts';
import { computeHourDensity, HOUR_NAMES, toLocalMoment, getLocalHour } from './statistics.ts';

const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kathmandu',
  'Pacific/Tongatapu',
  'America/St_Johns',
  '-03:30',
];

const at = (instant: string): number => Temporal.Instant.from(instant).epochMilliseconds / 1000;

test('the hour is that of the local clock, on days of 23 and 25 hours too', () => {
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), fc.integer({ min: 1_640_995_200, max: 1_798_761_600 }), (zone, seconds) => {
      const here = Temporal.Instant.fromEpochMilliseconds(seconds * 1000).toZonedDateTimeISO(zone);
      return getLocalHour(getZoneDays(zone), seconds) === here.hour;
    }),
  );
  const berlin = getZoneDays('Europe/Berlin');
  expect([at('2026-10-25T00:30:00Z'), at('2026-10-25T01:30:00Z')].map((each) => getLocalHour(berlin, each))).toEqual([
    2, 2,
  ]);
  expect([at('2026-03-29T00:30:00Z'), at('2026-03-29T01:30:00Z')].map((each) => getLocalHour(berlin, each))).toEqual([
    1, 3,
  ]);
  expect(toLocalMoment(berlin, at('2026-03-29T12:05:59Z'))).toMatchObject({ month: 3, date: 29, minutes: 14 * 60 + 5 });
});

test('an hour counts once a day, however often it occurs', () => {
  const used = [
    { day: 1, hour: 2 },
    { day: 1, hour: 2 },
    { day: 2, hour: 2 },
    { day: 2, hour: 23 },
  ];
  const density = computeHourDensity(used, 14);
  expect(density).toHaveLength(24);
  expect([density[2], density[23], density[0]]).toEqual([14.3, 7.1, 0]);
  expect([HOUR_NAMES[0], HOUR_NAMES[23]]).toEqual(['00:00', '23:00']);
});
