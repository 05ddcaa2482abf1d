import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { toCivilDate, FIRST_DAY, LAST_DAY, getMonthLength, type Day } from '#platform/contract/day.ts';
import { getMonthIndex, parseDay } from '../../events/domain/day.ts';
import { getDurationEnd, type DurationUnit, type EventDraft, type RepeatUnit } from '../../events/domain/event.ts';
import { findNextDay, findNextSpanDay, getPlacement, isOnDay, type Rule } from './placement.ts';

const toDay = (iso: string): Day => parseDay(iso) ?? Number.NaN;

/** Evaluates the columns of `calendar_rule` literally. */
function matchesRule({ monthDay, period, phase, from, until }: Rule, day: Day): boolean {
  if (day < from || day > until) return false;
  const modulo = (value: number): number => ((value % period) + period) % period;
  if (monthDay === 0) return modulo(day) === phase;
  const civil = toCivilDate(day);
  const stood = Math.min(monthDay, getMonthLength(civil.year, civil.month));
  return modulo(getMonthIndex(civil)) === phase && civil.date === stood;
}

const day = fc.integer({ min: FIRST_DAY, max: LAST_DAY });
const bound = fc.option(day);
const placed = fc
  .record({
    day,
    every: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constant(1e9)),
    unit: fc.constantFrom<RepeatUnit>('day', 'week', 'month', 'year'),
    from: bound,
    until: fc.oneof(bound, fc.integer({ min: 0, max: 500 })),
    times: fc.boolean(),
    exceptions: fc.array(fc.integer({ min: 0, max: 40 })),
  })
  .map(
    ({
      day: own,
      every,
      unit,
      from,
      until,
      times,
      exceptions,
    }): Pick<EventDraft, 'day' | 'pattern' | 'exceptions'> => ({
      day: own,
      exceptions: exceptions.map((each) => own + each * 7),
      pattern: {
        kind: 'repeat',
        repeat: {
          every,
          unit,
          from: from === null ? { type: 'forever' } : { type: 'date', day: from },
          until:
            until === null
              ? { type: 'forever' }
              : times
                ? { type: 'times', times: Math.abs(until) }
                : { type: 'date', day: until },
        },
      },
    }),
  );

test('the stored rule of a repeat matches its days', () => {
  fc.assert(
    fc.property(placed, day, fc.integer({ min: -400, max: 400 }), (draft, anywhere, near) => {
      const { rules, days, until } = getPlacement(draft);
      expect(days).toEqual([]);
      for (const begin of [anywhere, draft.day + near])
        for (let each = begin; each < Math.min(LAST_DAY, begin + 40); each += 1) {
          if (each < FIRST_DAY) continue;
          const isMatched = rules.some((rule) => matchesRule(rule, each)) && !draft.exceptions.includes(each);
          expect(isOnDay(draft, each)).toBe(isMatched);
          if (isMatched) expect(each).toBeLessThanOrEqual(until);
        }
      for (const rule of rules) expect(rule.period).toBeLessThan(2 ** 31);
    }),
    { numRuns: 300 },
  );
});

test('the next day of an event is its first matching day', () => {
  fc.assert(
    fc.property(placed, fc.integer({ min: -100, max: 100 }), (draft, near) => {
      const from = Math.max(FIRST_DAY, draft.day + near);
      const next = findNextDay(draft, from);
      if (next !== undefined) expect(isOnDay(draft, next)).toBe(true);
      for (let each = from; each < Math.min(next ?? LAST_DAY, from + 400); each += 1)
        expect(isOnDay(draft, each)).toBe(false);
    }),
  );
});

test('foreign rules have their days without the exceptions', () => {
  const days = [toDay('2026-12-24'), toDay('2026-11-30'), toDay('2026-12-24'), toDay('2026-12-31')];
  const draft = {
    day: toDay('2026-11-30'),
    pattern: { kind: 'foreign', rule: 'RRULE:…', words: 'now and then', days } as const,
    exceptions: [toDay('2026-12-31')],
  };
  expect(getPlacement(draft)).toEqual({
    rules: [],
    days: [toDay('2026-11-30'), toDay('2026-12-24')],
    until: toDay('2026-12-24'),
  });
  expect(findNextDay(draft, toDay('2026-12-25'))).toBeUndefined();
  expect(isOnDay(draft, toDay('2026-12-31'))).toBe(false);
});

test('a duration has no rules, but has a last day', () => {
  const pattern = { kind: 'duration', duration: { amount: 2, unit: 'weeks' } } as const;
  const draft = { day: toDay('2026-11-23'), pattern, exceptions: [] };
  expect(getPlacement(draft)).toEqual({ rules: [], days: [], until: toDay('2026-12-06') });
  expect(findNextDay(draft, toDay('2026-12-01'))).toBe(toDay('2026-12-01'));
  expect(findNextDay(draft, toDay('2026-12-07'))).toBeUndefined();
});

test.each<[string, number, DurationUnit, string]>([
  ['2026-11-23', 0, 'hours', '2026-11-23'],
  ['2026-11-23', 8, 'hours', '2026-11-23'],
  ['2026-11-23', 24, 'hours', '2026-11-23'],
  ['2026-11-23', 48, 'hours', '2026-11-24'],
  ['2026-11-23', 0, 'days', '2026-11-23'],
  ['2026-11-23', 1, 'days', '2026-11-23'],
  ['2026-11-23', 15, 'days', '2026-12-07'],
  ['2026-11-23', 1, 'weeks', '2026-11-29'],
  ['2026-11-23', 1, 'months', '2026-12-22'],
  ['2027-01-31', 1, 'months', '2027-02-28'],
  ['2028-01-31', 1, 'months', '2028-02-29'],
  ['2027-01-28', 1, 'months', '2027-02-27'],
  ['2028-02-29', 1, 'years', '2029-02-28'],
  ['2028-02-29', 4, 'years', '2032-02-28'],
  ['9999-12-20', 15, 'years', '9999-12-31'],
  ['0001-01-01', 1e9, 'weeks', '9999-12-31'],
])('a duration from %s of %d %s lasts until %s', (from, amount, unit, until) => {
  expect(getDurationEnd(toDay(from), { amount, unit })).toBe(toDay(until));
});

test('a long event is stored once for each rule or run of days, with its length', () => {
  const start = toDay('2026-12-01');
  const long = { day: start, time: undefined, endTime: undefined, endDays: 366, exceptions: [] };
  const span = { monthDay: 0, period: 1, phase: 0, from: start, until: start, offset: 0, count: 367 };
  expect(getPlacement({ ...long, pattern: { kind: 'single' } })).toEqual({
    rules: [],
    days: [start],
    spans: [span],
    until: start + 366,
  });
  const days = [start, start + 1, start + 2, start + 400];
  const foreign = getPlacement({ ...long, pattern: { kind: 'foreign', rule: 'RRULE:…', words: '', days } });
  expect(foreign.days).toEqual(days);
  expect(foreign.spans).toEqual([
    { ...span, until: start + 2 },
    { ...span, from: start + 400, until: start + 400 },
  ]);
});

const listReachedDays = (start: Day): readonly Day[] => [-1, 0, 1, 2, 3].map((each) => start + each);

test('the next day of a span follows from its first start that is no exception', () => {
  const weekly = { monthDay: 0, period: 7, phase: 0, from: 700, until: 721, offset: -1, count: 5 };
  const listNextDays = (exceptions: readonly Day[]): readonly Day[] =>
    Array.from({ length: 40 }, (_, offset) => 695 + offset).filter(
      (each) => findNextSpanDay(weekly, each, new Set(exceptions)) === each,
    );
  expect(listNextDays([])).toEqual([700, 707, 714, 721].flatMap(listReachedDays));
  expect(listNextDays([707, 721])).toEqual([700, 714].flatMap(listReachedDays));
  expect(findNextSpanDay(weekly, 726, undefined)).toBeUndefined();
});
