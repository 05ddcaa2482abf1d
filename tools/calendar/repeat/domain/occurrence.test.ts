import { assert, constantFrom, integer, oneof, property, record } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toIso, type Day } from '#platform/contract/day.ts';
import { parseDay } from '../../events/domain/day.ts';
import type { EventTimes } from '../../events/domain/event.ts';
import { findNamedZone, toUtc, toLocalMs } from '../../events/domain/timeZone.ts';
import { toEventFields, getLastDay, iterateOccurrences, getDayPart, MAX_ZONE_DISTANCE_DAYS } from './occurrence.ts';
import { getPlacement, findNextRuleDay, findNextSpanDay, findNextStart } from './placement.ts';

const toDay = (iso: string): Day => parseDay(iso) ?? 0;
const berlin = findNamedZone('Europe/Berlin');

const createWeekly = (day: string, rest: Partial<EventTimes>): EventTimes => ({
  day: toDay(day),
  exceptions: [],
  pattern: {
    kind: 'repeat',
    repeat: { every: 1, unit: 'week', from: { type: 'date', day: toDay(day) }, until: { type: 'forever' } },
  },
  ...rest,
});

const formatDays = (event: EventTimes, from: string, until: string, viewer = berlin): readonly string[] =>
  [...iterateOccurrences(event, { from: toDay(from), until: toDay(until), viewer })].map((one) => {
    const { day, time } = toEventFields(one);
    return `${toIso(day)} ${time}`;
  });

describe('an event in a zone', () => {
  test("has the viewer's local time on each day, also between the clock changes of two zones", () => {
    const newYork = createWeekly('2026-12-01', { time: '09:00', endTime: '10:00', zone: 'America/New_York' });
    expect(formatDays(newYork, '2027-03-01', '2027-03-31')).toEqual([
      '2027-03-02 15:00',
      '2027-03-09 15:00',
      '2027-03-16 14:00',
      '2027-03-23 14:00',
      '2027-03-30 15:00',
    ]);
    expect(formatDays(newYork, '2027-10-25', '2027-11-10')).toEqual([
      '2027-10-26 15:00',
      '2027-11-02 14:00',
      '2027-11-09 15:00',
    ]);
  });

  test("in UTC moves with the viewer's clock", () => {
    const utc = createWeekly('2026-12-01', { time: '08:00', zone: 'UTC' });
    expect(formatDays(utc, '2027-03-22', '2027-04-06')).toEqual([
      '2027-03-23 09:00',
      '2027-03-30 10:00',
      '2027-04-06 10:00',
    ]);
  });

  test("is on another day if its evening is the viewer's next morning", () => {
    const evening = createWeekly('2026-12-01', { time: '20:00', endTime: '22:00', zone: 'America/New_York' });
    expect(formatDays(evening, '2026-12-02', '2026-12-02')).toEqual(['2026-12-02 02:00']);
    expect(formatDays(evening, '2026-12-01', '2026-12-01')).toEqual([]);
    const nepal = createWeekly('2026-12-01', { time: '03:00', zone: 'Asia/Kathmandu' });
    expect(formatDays(nepal, '2026-11-30', '2026-11-30')).toEqual(['2026-11-30 22:15']);
  });

  test('in the gap of a clock change is shifted by the length of the gap', () => {
    const night = createWeekly('2027-03-21', { time: '02:30', zone: 'Europe/Berlin' });
    expect(formatDays(night, '2027-03-28', '2027-04-04')).toEqual(['2027-03-28 03:30', '2027-04-04 02:30']);
  });

  test('applies exceptions by its own days', () => {
    const evening = createWeekly('2026-12-01', {
      time: '20:00',
      zone: 'America/New_York',
      exceptions: [toDay('2026-12-08')],
    });
    expect(formatDays(evening, '2026-12-02', '2026-12-17')).toEqual(['2026-12-02 02:00', '2026-12-16 02:00']);
  });
});

const listParts = (event: EventTimes, from: string, until: string) =>
  [...iterateOccurrences(event, { from: toDay(from), until: toDay(until), viewer: berlin })].flatMap((one) =>
    Array.from({ length: getLastDay(one) - toEventFields(one).day + 1 }, (_none, at) => {
      const { time, endTime, part } = getDayPart(one, toEventFields(one).day + at);
      return `${toIso(toEventFields(one).day + at)} ${part} ${time}-${endTime}`;
    }),
  );

describe('what goes over midnight', () => {
  test('has a part on each of its days', () => {
    const shift = createWeekly('2026-12-04', { time: '22:00', endTime: '02:00', endDays: 1 });
    expect(listParts(shift, '2026-12-05', '2026-12-05')).toEqual([
      '2026-12-04 first 22:00-24:00',
      '2026-12-05 last 00:00-02:00',
    ]);
  });

  test('and ends at midnight, is not on the next day', () => {
    const late = createWeekly('2026-12-04', { time: '22:00', endTime: '00:00', endDays: 1 });
    expect(listParts(late, '2026-12-05', '2026-12-05')).toEqual([]);
    expect(listParts(late, '2026-12-04', '2026-12-04')).toEqual(['2026-12-04 whole 22:00-24:00']);
  });

  test('covers all of the days between', () => {
    const conference: EventTimes = {
      day: toDay('2026-12-04'),
      time: '17:00',
      endTime: '09:00',
      pattern: { kind: 'duration', duration: { amount: 3, unit: 'days' } },
      exceptions: [],
    };
    expect(listParts(conference, '2026-12-04', '2026-12-04')).toEqual([
      '2026-12-04 first 17:00-24:00',
      '2026-12-05 middle undefined-undefined',
      '2026-12-06 last 00:00-09:00',
    ]);
  });

  test('as hours from a time reaches the next day', () => {
    const hours: EventTimes = {
      day: toDay('2026-12-04'),
      time: '22:00',
      pattern: { kind: 'duration', duration: { amount: 4, unit: 'hours' } },
      exceptions: [],
    };
    expect(listParts(hours, '2026-12-04', '2026-12-04')).toEqual([
      '2026-12-04 first 22:00-24:00',
      '2026-12-05 last 00:00-02:00',
    ]);
  });
});

const zones = constantFrom(
  undefined,
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kathmandu',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
  'Australia/Lord_Howe',
);
const times = constantFrom('00:00', '00:30', '02:30', '12:00', '22:00', '23:59');

const watched = record({
  zone: zones,
  viewerName: zones,
  time: times,
  endDays: oneof(integer({ min: 0, max: 2 }), integer({ min: 3, max: 366 })),
  day: integer({ min: toDay('2026-01-01'), max: toDay('2027-12-31') }),
  unit: constantFrom('day' as const, 'week' as const, 'month' as const, 'year' as const),
});

test('the index finds every day that an event touches, for any viewer', () => {
  assert(
    property(watched, ({ zone, viewerName, time, endDays, day, unit }) => {
      const repeat = { every: 1, unit, from: { type: 'date', day }, until: { type: 'forever' } } as const;
      const event = createWeekly(toIso(day), {
        time,
        endTime: '23:59',
        endDays,
        zone,
        pattern: { kind: 'repeat', repeat },
      });
      const { rules, spans = [] } = getPlacement(event);
      expect(rules.length + spans.length).toBeLessThanOrEqual(4);
      const isFound = (each: Day): boolean =>
        spans.some((span) => findNextSpanDay(span, each, undefined) === each) ||
        rules.some((rule) => findNextRuleDay(rule, each - (rule.offset ?? 0)) === each - (rule.offset ?? 0));
      const viewer = viewerName === undefined ? undefined : findNamedZone(viewerName);
      for (const one of iterateOccurrences(event, { from: day + 25, until: day + 70, viewer }))
        for (let each = toEventFields(one).day; each <= getLastDay(one); each += 1) expect(isFound(each)).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test('reading day by day and reading a range find the same occurrences', () => {
  assert(
    property(
      zones,
      zones,
      times,
      integer({ min: toDay('2026-03-01'), max: toDay('2026-11-30') }),
      (zone, viewerName, time, day) => {
        const event = createWeekly(toIso(day), { time, endTime: '01:00', endDays: 1, zone });
        const viewer = viewerName === undefined ? undefined : findNamedZone(viewerName);
        const listOccurrences = (from: Day, until: Day) => [...iterateOccurrences(event, { from, until, viewer })];
        const all = listOccurrences(day, day + 30);
        const each = Array.from({ length: 31 }, (_none, at) => listOccurrences(day + at, day + at)).flat();
        expect(new Set(each.map(({ own }) => own))).toEqual(new Set(all.map(({ own }) => own)));
        for (const { own, start } of all) {
          expect(findNextStart(event, own)).toBe(own);
          expect(Math.abs(toEventFields({ own, start, end: start }).day - own)).toBeLessThanOrEqual(
            MAX_ZONE_DISTANCE_DAYS,
          );
        }
      },
    ),
    { numRuns: 200 },
  );
});

test('local time converts to a moment and back, except in a gap', () => {
  assert(
    property(zones, integer({ min: 0, max: 2_000_000_000 }), (name, seconds) => {
      const zone = name === undefined ? undefined : findNamedZone(name);
      if (!zone) return;
      const localMs = toLocalMs(zone, seconds * 1000);
      expect(toLocalMs(zone, toUtc(zone, localMs))).toBe(localMs);
    }),
  );
});
