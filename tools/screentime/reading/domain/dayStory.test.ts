import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { doneIn, during, inTheWay, joined, type StoryInterval } from './dayStory.ts';

const MINUTE = 60_000;
const stretch = (
  application: string,
  from: number,
  until: number,
  more: Partial<StoryInterval> = {},
): StoryInterval => ({
  device: 1,
  application,
  status: 'on',
  from: from * MINUTE,
  until: until * MINUTE,
  ...more,
});

const stretches = fc.array(
  fc
    .record({
      application: fc.constantFrom('code', 'mail'),
      status: fc.constantFrom('on', 'off', 's'),
      device: fc.constantFrom(1, 2),
      from: fc.integer({ min: 0, max: 1000 }),
      length: fc.integer({ min: 1, max: 60 }),
    })
    .map(({ application, from, length, ...more }) => stretch(application, from, from + length, more)),
  { maxLength: 40 },
);
const minutesOf = (all: readonly StoryInterval[]): ReadonlySet<string> =>
  new Set(
    all.flatMap(({ device, application, status, from, until }) =>
      Array.from({ length: (until - from) / MINUTE }, (_, index) =>
        [device, application, status, from / MINUTE + index].join(' '),
      ),
    ),
  );

test('joining changes no minute, keeps the order, and leaves no equal neighbours that touch', () => {
  fc.assert(
    fc.property(stretches, (all) => {
      const told = joined(all);
      expect(minutesOf(told)).toEqual(minutesOf(all));
      expect(told.map(({ from }) => from)).toEqual(told.map(({ from }) => from).toSorted((a, b) => a - b));
      expect(told.reduce((sum, { from, until }) => sum + (until - from) / MINUTE, 0)).toBe(minutesOf(all).size);
    }),
  );
});

test('an interval that storage split is one again, unless its title changed', () => {
  expect(joined([stretch('code', 10, 20), stretch('code', 0, 10)])).toEqual([stretch('code', 0, 20)]);
  const titled = [stretch('code', 0, 10, { title: 'a' }), stretch('code', 10, 20, { title: 'b' })];
  expect(joined(titled)).toEqual(titled);
});

test('nothing else may be focused on the same computer at that time, but open and audible', () => {
  const day = [stretch('code', 0, 10), stretch('mail', 0, 60, { status: 'off' }), stretch('vlc', 5, 50, { device: 2 })];
  expect(inTheWay(day, stretch('mail', 9, 20), undefined)).toBe(day[0]);
  expect(inTheWay(day, stretch('mail', 10, 20), undefined)).toBeUndefined();
  expect(inTheWay(day, stretch('code', 2, 30), day[0])).toBeUndefined();
  expect(inTheWay(day, stretch('code', 0, 10, { status: 'off' }), undefined)).toBeUndefined();
  expect(inTheWay(day, stretch('mail', 30, 70, { status: 'off' }), undefined)).toBe(day[1]);
});

test('a moment belongs to the interval that starts then, not to the one that ends', () => {
  const day = [stretch('code', 0, 10), stretch('mail', 10, 20)];
  expect(during(day, 10 * MINUTE)).toEqual([day[1]]);
  expect(during(day, 20 * MINUTE)).toEqual([]);
});

test('focused intervals are shown beside the plan, without short gaps and short intervals', () => {
  const day = [
    stretch('code', 0, 30, { title: 'a' }),
    stretch('mail', 30, 30.5),
    stretch('code', 31, 60, { title: 'b' }),
    stretch('code', 70, 80),
    stretch('vlc', 0, 90, { status: 's' }),
  ];
  expect(doneIn(day)).toEqual([stretch('code', 0, 60), stretch('code', 70, 80)]);
  expect(doneIn([])).toEqual([]);
});
