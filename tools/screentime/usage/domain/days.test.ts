import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { getZoneDays, SLOT_SECONDS, parseIso, toIso } from './days.ts';
import { MIN_REPORT_SECONDS } from './usageReport.ts';

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/St_Johns',
  'Asia/Kathmandu',
  'Pacific/Tongatapu',
  'Pacific/Apia',
  'Pacific/Kiritimati',
  'Pacific/Niue',
  'America/Santiago',
  'Australia/Lord_Howe',
  '+13:45',
  '-09:30',
];

test('every second is on the day of the local clock, in every zone', () => {
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), fc.integer({ min: 0, max: 40 * 365 * 86_400 }), (zone, after) => {
      const second = MIN_REPORT_SECONDS + after;
      // Newfoundland put its clock back at 00:01 until 2010: the repeated hour counts for the day that had started.
      fc.pre(zone !== 'America/St_Johns' || second >= 1_320_000_000);
      const days = getZoneDays(zone);
      const day = days.getDay(second);
      expect(days.getStart(day)).toBeLessThanOrEqual(second);
      expect(days.getStart(day + 1)).toBeGreaterThan(second);
      expect(days.getStart(day) % SLOT_SECONDS).toBe(0);
      const { epochMilliseconds } = Temporal.Instant.fromEpochMilliseconds(second * 1000)
        .toZonedDateTimeISO(zone)
        .startOfDay();
      expect(days.getStart(day)).toBe(epochMilliseconds / 1000);
    }),
    { numRuns: 400 },
  );
});

function hours(zone: string, date: string): number {
  const days = getZoneDays(zone);
  const day = Math.round(Temporal.PlainDate.from('1970-01-01').until(date).total('days'));
  return (days.getStart(day + 1) - days.getStart(day)) / 3600;
}

test('there are days of 23, 25 and no hours', () => {
  expect(hours('Europe/Berlin', '2026-03-29')).toBe(23);
  expect(hours('Europe/Berlin', '2026-10-25')).toBe(25);
  expect(hours('Australia/Lord_Howe', '2026-10-04')).toBe(23.5);
  expect(hours('Pacific/Apia', '2011-12-30')).toBe(0);
});

test('days convert to dates and back, and invalid dates are undefined', () => {
  expect(toIso(0)).toBe('1970-01-01');
  expect(parseIso('2026-11-22')).toBe(20_779);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2_900_000 }), (day) => {
      const iso = toIso(day);
      return iso === Temporal.PlainDate.from('1970-01-01').add({ days: day }).toString() && parseIso(iso) === day;
    }),
  );
  const none = ['', '2026-02-29', '2026-13-01', '2026-00-10', '2026-04-31', '26-1-1', '1969-12-31', '2026-11-22T00:00'];
  for (const text of none) expect(parseIso(text), text).toBeUndefined();
});
