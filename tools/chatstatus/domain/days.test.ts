import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitDays } from './days.ts';
import { STATUSES, VIEWS, toStatusIntervals, type Change, type StatusInterval } from './status.ts';

/** Zones with days of 23 and 25 hours, half an hour of summer time, and a moved date line. */
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'America/Santiago',
  'Africa/Cairo',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
];
const START_SECONDS = Temporal.Instant.from('2025-01-01T00:00:00Z').epochMilliseconds / 1000;
const YEAR_SECONDS = 366 * 86_400;

const status = fc.constantFrom(...STATUSES);
const histories: fc.Arbitrary<readonly Change[]> = fc
  .uniqueArray(fc.nat(YEAR_SECONDS), { minLength: 1, maxLength: 40 })
  .chain((ats) =>
    fc.tuple(
      ...ats
        .toSorted((one, other) => one - other)
        .map((at) =>
          fc.record({
            at: fc.constant(START_SECONDS + at),
            presence: fc.record({ both: status, pc: status, mobile: status }),
          }),
        ),
    ),
  );
const getSum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);

test('the days of a history in any zone add up to their lengths, with the same status in each hour', () => {
  fc.assert(
    fc.property(
      histories,
      fc.constantFrom(...VIEWS),
      fc.constantFrom(...ZONES),
      fc.nat(40 * 86_400),
      (changes, view, zone, more) => {
        const end = (changes.at(-1)?.at ?? 0) + more;
        const intervals = toStatusIntervals(changes, view, end);
        const days = splitDays(intervals, zone);
        for (const [at, { from, until, intervals: within, date }] of days.entries()) {
          expect(getSum(within.map((one) => one.until - one.from))).toBe(until - from);
          expect(within[0]?.from).toBe(from);
          within.forEach((one, index) => expect(one.from).toBe(within[index - 1]?.until ?? from));
          const start = Temporal.PlainDate.from(date).toZonedDateTime(zone);
          expect(from).toBe(start.epochMilliseconds / 1000);
          if (at === days.length - 1) expect(until).toBe(end);
          else expect((until - from) / 3600).toBe(start.hoursInDay);
        }
        const recorded = days.flatMap((day) => day.intervals);
        for (const expected of STATUSES.filter((each) => each !== 'unknown')) {
          const lengthIn = (all: readonly StatusInterval[]) =>
            getSum(all.filter((each) => each.status === expected).map((each) => each.until - each.from));
          expect(lengthIn(recorded)).toBe(lengthIn(intervals));
        }
      },
    ),
    { numRuns: 60 },
  );
});

test('merged intervals have no neighbours of the same status', () => {
  fc.assert(
    fc.property(histories, fc.constantFrom(...VIEWS), (changes, view) => {
      const all = toStatusIntervals(changes, view, START_SECONDS + 2 * YEAR_SECONDS);
      all.forEach((one, index) => expect(one.status).not.toBe(all[index - 1]?.status));
    }),
  );
});

const toSeconds = (text: string): number => Temporal.Instant.from(text).epochMilliseconds / 1000;

test('a day starts with the status carried over from the previous day, and today ends now', () => {
  const intervals = [
    { from: toSeconds('2026-11-20T22:00:00Z'), until: toSeconds('2026-11-21T08:00:00Z'), status: 'offline' },
    { from: toSeconds('2026-11-21T08:00:00Z'), until: toSeconds('2026-11-21T09:30:00Z'), status: 'online' },
  ] as const;
  expect(splitDays(intervals, 'UTC')).toEqual([
    {
      date: '2026-11-20',
      from: toSeconds('2026-11-20T00:00:00Z'),
      until: toSeconds('2026-11-21T00:00:00Z'),
      intervals: [
        { from: toSeconds('2026-11-20T00:00:00Z'), until: toSeconds('2026-11-20T22:00:00Z'), status: 'unknown' },
        { from: toSeconds('2026-11-20T22:00:00Z'), until: toSeconds('2026-11-21T00:00:00Z'), status: 'offline' },
      ],
    },
    {
      date: '2026-11-21',
      from: toSeconds('2026-11-21T00:00:00Z'),
      until: toSeconds('2026-11-21T09:30:00Z'),
      intervals: [
        { from: toSeconds('2026-11-21T00:00:00Z'), until: toSeconds('2026-11-21T08:00:00Z'), status: 'offline' },
        { from: toSeconds('2026-11-21T08:00:00Z'), until: toSeconds('2026-11-21T09:30:00Z'), status: 'online' },
      ],
    },
  ]);
  expect(splitDays([], 'UTC')).toEqual([]);
});

test.each([
  ['2026-03-29', 23],
  ['2026-10-25', 25],
])('in Berlin %s has %i hours', (date, hours) => {
  const from = Temporal.PlainDate.from(date).toZonedDateTime('Europe/Berlin').epochMilliseconds / 1000;
  const [day] = splitDays([{ from, until: from + 3 * 86_400, status: 'idle' }], 'Europe/Berlin');
  expect(day && (day.until - day.from) / 3600).toBe(hours);
});
