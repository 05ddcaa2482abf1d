import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseIso } from '#platform/contract/day.ts';
import { getLocalDay } from '../server/localDays.ts';
import { toMinute, PLAIN_DAY, type LocalDay, toShare, toElapsedShare, toShares } from './dayShares.ts';
import { END_OF_DAY } from './slot.ts';

/** Berlin, 29 March 2026: 02:00 becomes 03:00. */
const SPRING: LocalDay = { length: 1380, clockChanges: [{ elapsed: 120, by: 60 }] };
/** Berlin, 25 October 2026: 03:00 becomes 02:00. */
const AUTUMN: LocalDay = { length: 1500, clockChanges: [{ elapsed: 180, by: -60 }] };
/** Lord Howe Island, where the change is half an hour. */
const HALF_SPRING: LocalDay = { length: 1410, clockChanges: [{ elapsed: 120, by: 30 }] };
const HALF_AUTUMN: LocalDay = { length: 1470, clockChanges: [{ elapsed: 120, by: -30 }] };
/** Beirut in spring: 00:00 becomes 01:00. */
const NO_MIDNIGHT: LocalDay = { length: 1380, clockChanges: [{ elapsed: 0, by: 60 }] };
/** Cairo in autumn: 24:00 becomes 23:00. */
const LATE: LocalDay = { length: 1500, clockChanges: [{ elapsed: 1440, by: -60 }] };
/** The clock jumps from 23:30 into the next day. */
const EARLY_END: LocalDay = { length: 1410, clockChanges: [] };
/** Apia, 30 December 2011, a skipped day. */
const NONE: LocalDay = { length: 0, clockChanges: [] };
const known = { PLAIN_DAY, SPRING, AUTUMN, HALF_SPRING, HALF_AUTUMN, NO_MIDNIGHT, LATE, EARLY_END, NONE };

const anyDay = fc.oneof(
  fc.constantFrom(...Object.values(known)),
  fc
    .array(fc.tuple(fc.integer({ min: 1, max: 700 }), fc.constantFrom(-60, -30, 20, 30, 60, 120)), { maxLength: 2 })
    .map((parts): LocalDay => {
      let elapsed = 0;
      const clockChanges = parts.map(([after, by]) => ({ elapsed: (elapsed += after), by }));
      // A clock change is within its day.
      return {
        length: Math.max(elapsed + 1, END_OF_DAY - clockChanges.reduce((sum, { by }) => sum + by, 0)),
        clockChanges,
      };
    })
    // No clock is set back within an hour after it was set forward.
    .filter(({ clockChanges: [first, second] }) => !first || !second || second.elapsed - first.elapsed >= 60),
);
const anyMinute = fc.integer({ min: 0, max: END_OF_DAY });
const anySlot = fc
  .tuple(anyMinute, fc.integer({ min: 1, max: END_OF_DAY }))
  .map(([at, length]) => ({ start: Math.min(at, END_OF_DAY - 1), end: Math.min(END_OF_DAY, at + length) }))
  .filter(({ start, end }) => start < end);
/** The clock minute by minute, computed by stepping, to verify the arithmetic. */
function listClock({ length, clockChanges }: LocalDay): readonly number[] {
  let clock = -1;
  return Array.from({ length }, (_, elapsed) => {
    clock += 1;
    for (const clockChange of clockChanges) if (clockChange.elapsed === elapsed) clock += clockChange.by;
    return clock;
  });
}
const toHours = (share: number, { length }: LocalDay) => Math.round((share * length) / 60) / 100;
const getMinutes = (duration: Temporal.Duration) => duration.total('minutes');

describe('shares of a day', () => {
  test('a plain day is divided evenly', () => {
    expect([0, 360, 720, 1440].map((minute) => toShare(minute, PLAIN_DAY))).toEqual([0, 25, 50, 100]);
  });

  test('with a skipped hour, noon comes after eleven of twenty-three hours', () => {
    expect(toHours(toShare(720, SPRING), SPRING)).toBe(11);
    expect(toHours(toShare(120, SPRING), SPRING)).toBe(2);
    expect(toHours(toShare(180, SPRING), SPRING)).toBe(2);
    expect(toShare(1440, SPRING)).toBe(100);
  });

  test('with a repeated hour, noon comes after thirteen of twenty-five', () => {
    expect(toHours(toShare(720, AUTUMN), AUTUMN)).toBe(13);
    expect(toHours(toShare(150, AUTUMN), AUTUMN)).toBe(2.5);
    expect(toHours(toShare(180, AUTUMN), AUTUMN)).toBe(4);
    expect(toShare(1440, AUTUMN)).toBe(100);
  });

  test('half an hour can be skipped or repeated', () => {
    expect(toHours(toShare(720, HALF_SPRING), HALF_SPRING)).toBe(11.5);
    expect(toHours(toShare(720, HALF_AUTUMN), HALF_AUTUMN)).toBe(12.5);
  });

  test('midnight can be skipped, and the last hour repeated', () => {
    expect([0, 30, 60].map((minute) => toShare(minute, NO_MIDNIGHT))).toEqual([0, 0, 0]);
    expect(toHours(toShare(1410, LATE), LATE)).toBe(23.5);
    expect(toShare(1440, LATE)).toBe(100);
    expect(toShare(1439, EARLY_END)).toBe(100);
    expect(toMinute(100, EARLY_END)).toBe(1410);
  });

  test('a slot within the skipped hour gets a minimal height at the jump, one around it is shorter', () => {
    const within = toShares({ start: 130, end: 160 }, SPRING);
    expect(toHours(within.start, SPRING)).toBe(2);
    expect(Math.round(((within.end - within.start) * SPRING.length) / 100)).toBe(5);
    const around = toShares({ start: 90, end: 210 }, SPRING);
    expect(toHours(around.end - around.start, SPRING)).toBe(1);
  });

  test('a slot within the repeated hour is at its first occurrence, one up to its end includes both', () => {
    const within = toShares({ start: 130, end: 160 }, AUTUMN);
    expect(toHours(within.end - within.start, AUTUMN)).toBe(0.5);
    const upToEnd = toShares({ start: 120, end: 180 }, AUTUMN);
    expect(toHours(upToEnd.end - upToEnd.start, AUTUMN)).toBe(2);
  });

  test('a day that its zone skips is divided like a plain one', () => {
    expect([0, 720, 1440].map((minute) => toShare(minute, NONE))).toEqual([0, 50, 100]);
    expect(toMinute(50, NONE)).toBe(720);
  });

  test('each minute is where the clock first shows it or a later one', () => {
    fc.assert(
      fc.property(anyDay, fc.integer({ min: 0, max: END_OF_DAY - 1 }), (day, minute) => {
        if (day.length === 0) return;
        const first = listClock(day).findIndex((clock) => clock >= minute);
        expect(toShare(minute, day)).toBeCloseTo(((first < 0 ? day.length : first) / day.length) * 100, 9);
      }),
      { numRuns: 200 },
    );
  });

  test('shares never decrease with the minute, and all are within the day', () => {
    fc.assert(
      fc.property(anyDay, anyMinute, anyMinute, (day, a, b) => {
        const [early, late] = [toShare(Math.min(a, b), day), toShare(Math.max(a, b), day)];
        expect(early).toBeLessThanOrEqual(late);
        expect(early).toBeGreaterThanOrEqual(0);
        expect(late).toBeLessThanOrEqual(100);
      }),
    );
  });

  test('every minute that the clock shows is returned from its share', () => {
    fc.assert(
      fc.property(anyDay, anyMinute, (day, minute) => {
        if (minute === END_OF_DAY || listClock(day).includes(minute)) {
          const back = toMinute(toShare(minute, day), day);
          const last = listClock(day).at(-1);
          expect(back).toBe(minute === END_OF_DAY && last !== undefined ? Math.min(last + 1, END_OF_DAY) : minute);
        }
      }),
    );
  });

  test('every share converts to what the clock shows then', () => {
    fc.assert(
      fc.property(anyDay, fc.nat(), (day, any) => {
        if (day.length === 0) return;
        const elapsed = any % day.length;
        const shown = Math.max(0, Math.min(END_OF_DAY, listClock(day)[elapsed] ?? 0));
        expect(toMinute(toElapsedShare(elapsed, day), day)).toBe(shown);
      }),
    );
  });

  test('every slot is visible and within the day', () => {
    fc.assert(
      fc.property(anyDay, anySlot, (day, slot) => {
        const { start, end } = toShares(slot, day);
        expect(start).toBeGreaterThanOrEqual(0);
        expect(end - start).toBeGreaterThan(0.01);
        expect(end).toBeLessThanOrEqual(100);
      }),
    );
  });

  test('any share converts to a minute of the day', () => {
    fc.assert(
      fc.property(anyDay, fc.double(), (day, share) => {
        const minute = toMinute(share, day);
        expect(Number.isInteger(minute) && minute >= 0 && minute <= END_OF_DAY).toBe(true);
      }),
    );
  });
});

describe('days of real zones', () => {
  const ZONES = [
    'Europe/Berlin',
    'America/New_York',
    'Australia/Lord_Howe',
    'Africa/Cairo',
    'Africa/Casablanca',
    'America/Sao_Paulo',
    'Asia/Beirut',
    'Asia/Kathmandu',
    'Pacific/Apia',
    'UTC',
  ];
  const first = Temporal.PlainDate.from('2000-01-01');
  /** Days with a clock change, and other days. */
  const anyDate = fc
    .tuple(fc.constantFrom(...ZONES), fc.nat(11_000), fc.constantFrom('any', 'before', 'after'))
    .map(([zone, days, which]) => {
      const date = first.add({ days });
      const change = which === 'any' ? null : date.toZonedDateTime(zone).getTimeZoneTransition('next');
      const moment = which === 'before' ? change?.subtract({ nanoseconds: 1 }) : change;
      return { zone, date: moment?.toPlainDate() ?? date };
    });

  test('a minute is where the zone has it, and converts back', () => {
    fc.assert(
      fc.property(anyDate, fc.integer({ min: 0, max: END_OF_DAY - 1 }), ({ zone, date }, minute) => {
        const day = getLocalDay(parseIso(date.toString()) ?? NaN, zone);
        const begins = date.toZonedDateTime(zone);
        const clock = date.toPlainDateTime().add({ minutes: minute });
        const moment = clock.toZonedDateTime(zone, { disambiguation: 'earlier' });
        const isMissing = !moment.toPlainDateTime().equals(clock);
        if (isMissing || day.length === 0) return;
        expect(toShare(minute, day)).toBeCloseTo((getMinutes(begins.until(moment)) / day.length) * 100, 9);
        expect(toMinute(toShare(minute, day), day)).toBe(minute);
      }),
      { numRuns: 300 },
    );
  });
});
