import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { StoryInterval } from '../../usage/domain/interval.ts';
import { condenseStory, listIntervalsAt, findConflict, joinIntervals } from './dayStory.ts';

const MINUTE = 60_000;
const entry = (application: string, from: number, until: number, more: Partial<StoryInterval> = {}): StoryInterval => ({
  device: 1,
  application,
  status: 'on',
  from: from * MINUTE,
  until: until * MINUTE,
  ...more,
});

const intervals = fc.array(
  fc
    .record({
      application: fc.constantFrom('code', 'mail'),
      status: fc.constantFrom('on', 'off', 's'),
      device: fc.constantFrom(1, 2),
      from: fc.integer({ min: 0, max: 1000 }),
      length: fc.integer({ min: 1, max: 60 }),
    })
    .map(({ application, from, length, ...more }) => entry(application, from, from + length, more)),
  { maxLength: 40 },
);
const listMinutes = (all: readonly StoryInterval[]): ReadonlySet<string> =>
  new Set(
    all.flatMap(({ device, application, status, from, until }) =>
      Array.from({ length: (until - from) / MINUTE }, (_, index) =>
        [device, application, status, from / MINUTE + index].join(' '),
      ),
    ),
  );

test('joining changes no minute, keeps the order, and leaves no equal neighbours that touch', () => {
  fc.assert(
    fc.property(intervals, (all) => {
      const result = joinIntervals(all);
      expect(listMinutes(result)).toEqual(listMinutes(all));
      expect(result.map(({ from }) => from)).toEqual(result.map(({ from }) => from).toSorted((a, b) => a - b));
      expect(result.reduce((sum, { from, until }) => sum + (until - from) / MINUTE, 0)).toBe(listMinutes(all).size);
    }),
  );
});

test('an interval that storage split is one again, unless its title changed', () => {
  expect(joinIntervals([entry('code', 10, 20), entry('code', 0, 10)])).toEqual([entry('code', 0, 20)]);
  const titled = [entry('code', 0, 10, { title: 'a' }), entry('code', 10, 20, { title: 'b' })];
  expect(joinIntervals(titled)).toEqual(titled);
});

test('nothing else may be focused on the same computer at that time, but open and audible', () => {
  const day = [entry('code', 0, 10), entry('mail', 0, 60, { status: 'off' }), entry('vlc', 5, 50, { device: 2 })];
  expect(findConflict(day, entry('mail', 9, 20), undefined)).toBe(day[0]);
  expect(findConflict(day, entry('mail', 10, 20), undefined)).toBeUndefined();
  expect(findConflict(day, entry('code', 2, 30), day[0])).toBeUndefined();
  expect(findConflict(day, entry('code', 0, 10, { status: 'off' }), undefined)).toBeUndefined();
  expect(findConflict(day, entry('mail', 30, 70, { status: 'off' }), undefined)).toBe(day[1]);
});

test('a moment belongs to the interval that starts then, not to the one that ends', () => {
  const day = [entry('code', 0, 10), entry('mail', 10, 20)];
  expect(listIntervalsAt(day, 10 * MINUTE)).toEqual([day[1]]);
  expect(listIntervalsAt(day, 20 * MINUTE)).toEqual([]);
});

test('focused intervals are shown beside the plan, without short gaps and short intervals', () => {
  const day = [
    entry('code', 0, 30, { title: 'a' }),
    entry('mail', 30, 30.5),
    entry('code', 31, 60, { title: 'b' }),
    entry('code', 70, 80),
    entry('vlc', 0, 90, { status: 's' }),
  ];
  expect(condenseStory(day)).toEqual([entry('code', 0, 60), entry('code', 70, 80)]);
  expect(condenseStory([])).toEqual([]);
});
