import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FIRST_DAY, LAST_DAY, toIso, type Day } from '#platform/contract/day.ts';
import { expandWithDateutil, describeRepeatQuery, type RepeatQuery } from '#testing/kits/planning/dateutil.ts';
import { getSkipReason } from '#testing/machine.ts';
import { parseDay } from '../../events/domain/day.ts';
import type { Repeat, RepeatUnit } from '../../events/domain/event.ts';
import { findLastRepeatDay, findNextRepeatDay, iterateRepeatDays, occursOn } from './repeat.ts';

function toDay(iso: string): Day {
  const day = parseDay(iso);
  if (day === undefined) throw new Error(`${iso} is no day`);
  return day;
}
const endless = { from: { type: 'forever' }, until: { type: 'forever' } } as const;
const listDays = (day: string, repeat: Repeat, from: string, until: string): readonly string[] =>
  [...iterateRepeatDays(toDay(day), repeat, toDay(from), toDay(until))].map(toIso);

test('a weekly repeat has days at its interval, before and after its own day', () => {
  const repeat: Repeat = { every: 2, unit: 'week', ...endless };
  expect(listDays('2026-11-23', repeat, '2026-10-26', '2026-12-10')).toEqual([
    '2026-10-26',
    '2026-11-09',
    '2026-11-23',
    '2026-12-07',
  ]);
});

test('a yearly repeat of 29 February is on the 28th in common years, and on the 29th in leap years', () => {
  const repeat: Repeat = { every: 1, unit: 'year', ...endless };
  expect(listDays('2024-02-29', repeat, '2023-01-01', '2028-12-31')).toEqual([
    '2023-02-28',
    '2024-02-29',
    '2025-02-28',
    '2026-02-28',
    '2027-02-28',
    '2028-02-29',
  ]);
});

test('a monthly repeat of the 31st is on the last day of shorter months, always counted from the first date', () => {
  const repeat: Repeat = { every: 1, unit: 'month', ...endless };
  expect(listDays('2027-01-31', repeat, '2027-01-01', '2027-05-31')).toEqual([
    '2027-01-31',
    '2027-02-28',
    '2027-03-31',
    '2027-04-30',
    '2027-05-31',
  ]);
});

describe('so many further times', () => {
  const from = { type: 'date', day: toDay('2026-11-24') } as const;
  const until = { type: 'times', times: 2 } as const;
  test('are counted from the first day within the bounds', () => {
    const repeat: Repeat = { every: 1, unit: 'week', from, until };
    expect(listDays('2026-11-02', repeat, '2026-01-01', '2027-12-31')).toEqual([
      '2026-11-30',
      '2026-12-07',
      '2026-12-14',
    ]);
  });
  test("are counted from the event's own day if there is no start", () => {
    const repeat: Repeat = { every: 1, unit: 'week', from: { type: 'forever' }, until };
    expect(listDays('2026-11-02', repeat, '2026-10-20', '2027-12-31')).toEqual([
      '2026-10-26',
      '2026-11-02',
      '2026-11-09',
      '2026-11-16',
    ]);
  });
  test('of zero is one day', () => {
    const repeat: Repeat = { every: 1, unit: 'year', from, until: { type: 'times', times: 0 } };
    expect(listDays('2026-11-02', repeat, '2020-01-01', '2099-12-31')).toEqual(['2027-11-02']);
  });
});

const createBounded = (from: string, until: string): Repeat => ({
  every: 1,
  unit: 'week',
  from: { type: 'date', day: toDay(from) },
  until: { type: 'date', day: toDay(until) },
});
test('both bounds are inclusive, and in reverse order there are no days', () => {
  expect(listDays('2026-11-02', createBounded('2026-11-09', '2026-11-16'), '2026-01-01', '2027-01-01')).toEqual([
    '2026-11-09',
    '2026-11-16',
  ]);
  expect(listDays('2026-11-02', createBounded('2026-11-16', '2026-11-09'), '2026-01-01', '2027-01-01')).toEqual([]);
});

test('the first and the last supported day are reached and not exceeded', () => {
  const repeat: Repeat = { every: 3, unit: 'year', ...endless };
  const all = listDays('0003-12-31', repeat, '0001-01-01', '9999-12-31');
  expect(all.slice(0, 2)).toEqual(['0003-12-31', '0006-12-31']);
  expect(all.at(-1)).toBe('9999-12-31');
  const weekly: Repeat = { every: 1, unit: 'week', ...endless };
  expect(findNextRepeatDay(toDay('2026-11-23'), weekly, FIRST_DAY)).toBe(FIRST_DAY);
  expect(findNextRepeatDay(toDay('2026-11-23'), weekly, LAST_DAY - 3)).toBeUndefined();
});

test("a step beyond the supported days leaves only the event's own day", () => {
  for (const unit of ['day', 'week', 'month', 'year'] as const) {
    const repeat: Repeat = { every: 1e9, unit, ...endless, until: { type: 'times', times: 1e9 } };
    expect([...iterateRepeatDays(toDay('2026-11-23'), repeat, FIRST_DAY, LAST_DAY)]).toEqual([toDay('2026-11-23')]);
    const often: Repeat = { every: 1, unit, ...endless, until: { type: 'times', times: 1e9 } };
    expect(findLastRepeatDay(toDay('2026-11-23'), often, LAST_DAY)).toBeGreaterThan(LAST_DAY - 366);
  }
});

const clampDay = (value: number): Day => Math.min(LAST_DAY, Math.max(FIRST_DAY, value));
const units = fc.constantFrom<RepeatUnit>('day', 'week', 'month', 'year');
const day = fc.integer({ min: FIRST_DAY, max: LAST_DAY });
/** Mostly small steps near our time, some anywhere. */
const repeatQuery = fc
  .record({
    day: fc.oneof({ weight: 4, arbitrary: fc.integer({ min: toDay('1990-01-01'), max: toDay('2060-12-31') }) }, day),
    end: fc.boolean(),
    every: fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 1, max: 6 }) }, fc.integer({ min: 1, max: 400 })),
    unit: units,
    near: fc.integer({ min: -11_000, max: 3000 }),
    from: fc.option(fc.integer({ min: -9000, max: 9000 })),
    until: fc.option(fc.record({ times: fc.boolean(), value: fc.integer({ min: 0, max: 9000 }) })),
  })
  .map(({ day: some, end, every, unit, near, from, until }): RepeatQuery => {
    // Every second one is at the end of a month, where clamping happens.
    const own = end ? Math.max(FIRST_DAY, some - Number(toIso(some).slice(8)) + (some % 3)) : some;
    const first = clampDay(own + near);
    return {
      day: own,
      from: first,
      until: clampDay(first + 10_957),
      repeat: {
        every,
        unit,
        from: from === null ? { type: 'forever' } : { type: 'date', day: clampDay(own + from) },
        until:
          until === null
            ? { type: 'forever' }
            : until.times
              ? { type: 'times', times: until.value % 60 }
              : { type: 'date', day: clampDay(own + until.value - 3000) },
      },
    };
  });

test('single days, next days and lists agree', () => {
  fc.assert(
    fc.property(repeatQuery, fc.integer({ min: 0, max: 10_000 }), ({ day: own, repeat, from, until }, into) => {
      const all = [...iterateRepeatDays(own, repeat, from, until)];
      const some = from + into;
      for (let each = some; each < Math.min(until, some + 60); each += 1)
        expect(occursOn(own, repeat, each)).toBe(all.includes(each));
      const next = findNextRepeatDay(own, repeat, some);
      if (some <= until)
        expect(next !== undefined && next <= until ? next : undefined).toBe(all.find((each) => each >= some));
      if (some <= until)
        expect(findLastRepeatDay(own, repeat, some) ?? -Infinity).toSatisfy((last: number) =>
          last < from ? all.every((each) => each > some) : last === all.findLast((each) => each <= some),
        );
    }),
    { numRuns: 300 },
  );
});

const lack = getSkipReason('dateutil');
test.skipIf(lack !== undefined)(
  `2,000 rules have the days that python3-dateutil computes, every day of 30 years${lack === undefined ? '' : ` (${lack})`}`,
  async () => {
    const weekly: Repeat = { every: 1, unit: 'week', ...endless };
    // A Saturday: its week ends after the last supported day.
    const lastWeeks: RepeatQuery = { day: LAST_DAY - 6, repeat: weekly, from: LAST_DAY - 100, until: LAST_DAY };
    const rules = [...fc.sample(repeatQuery, 1999), lastWeeks];
    const answers = await expandWithDateutil(rules);
    for (const [index, each] of rules.entries())
      expect([...iterateRepeatDays(each.day, each.repeat, each.from, each.until)], describeRepeatQuery(each)).toEqual(
        answers[index],
      );
  },
);
