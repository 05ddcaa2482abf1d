import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitDays } from './days.ts';
import { findSleepByDate, findSleeps } from './sleep.ts';
import { STATUSES, type Status, mergeIntervals, type StatusInterval } from './status.ts';

const toSeconds = (text: string): number => Temporal.Instant.from(`2026-11-${text}:00Z`).epochMilliseconds / 1000;

type Mark = readonly [text: string, status: Status];

/** Creates a history from marks; each lasts until the next. */
const createHistory = (...marks: readonly Mark[]): readonly StatusInterval[] =>
  marks
    .slice(0, -1)
    .map(([text, status], index) => ({ from: toSeconds(text), until: toSeconds(marks[index + 1]?.[0] ?? ''), status }));

/** Formats the sleep of each day. */
const listSleep = (intervals: readonly StatusInterval[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...findSleepByDate(splitDays(intervals, 'UTC'), findSleeps(intervals))].map(([date, { from, until }]) => [
      date.slice(-2),
      `${((until - from) / 3600).toFixed(2)} h`,
    ]),
  );

test('a night is the longest time without activity, on the day of waking up', () => {
  const intervals = createHistory(
    ['20T08:00', 'online'],
    ['20T12:00', 'offline'],
    ['20T13:00', 'online'],
    ['20T22:40', 'offline'],
    ['21T06:00', 'online'],
    ['21T09:00', 'offline'],
  );
  expect(listSleep(intervals)).toEqual({ 21: '7.33 h' });
});

test('a computer that is left on at night is idle, and its owner sleeps nevertheless', () => {
  expect(
    listSleep(
      createHistory(
        ['20T20:00', 'online'],
        ['20T23:00', 'idle'],
        ['21T01:00', 'offline'],
        ['21T06:30', 'idle'],
        ['21T07:00', 'dnd'],
        ['21T08:00', 'dnd'],
      ),
    ),
  ).toEqual({ 21: '8.00 h' });
});

test('a shift worker’s sleep during the day is found', () => {
  const intervals = createHistory(
    ['20T15:00', 'online'],
    ['20T21:30', 'dnd'],
    ['21T06:30', 'online'],
    ['21T08:00', 'offline'],
    ['21T15:00', 'online'],
    ['21T21:00', 'dnd'],
    ['22T06:45', 'online'],
    ['22T08:30', 'offline'],
    ['22T16:00', 'online'],
    ['22T17:00', 'online'],
  );
  expect(listSleep(intervals)).toEqual({ 21: '7.00 h', 22: '7.50 h' });
});

test('of two sleeps on a day the longer one counts', () => {
  const intervals = createHistory(
    ['20T19:00', 'online'],
    ['20T21:00', 'offline'],
    ['21T01:00', 'online'],
    ['21T02:30', 'offline'],
    ['21T06:00', 'online'],
    ['21T12:00', 'online'],
  );
  expect(listSleep(intervals)).toEqual({ 21: '4.00 h' });
});

test('a glance at the phone or a restart of the server does not end a night', () => {
  const intervals = createHistory(
    ['20T20:00', 'online'],
    ['20T23:00', 'offline'],
    ['21T02:10', 'online'],
    ['21T02:18', 'offline'],
    ['21T04:00', 'unknown'],
    ['21T04:05', 'offline'],
    ['21T07:00', 'online'],
    ['21T08:00', 'online'],
  );
  expect(listSleep(intervals)).toEqual({ 21: '8.00 h' });
});

test('glances in the evening do not make a night longer', () => {
  const intervals = createHistory(
    ['20T18:00', 'online'],
    ['20T21:00', 'idle'],
    ['20T21:20', 'online'],
    ['20T21:30', 'idle'],
    ['20T21:50', 'online'],
    ['20T22:00', 'offline'],
    ['21T06:00', 'online'],
    ['21T07:00', 'online'],
  );
  expect(listSleep(intervals)).toEqual({ 21: '8.00 h' });
});

const notSleep: Readonly<Record<string, readonly Mark[]>> = {
  'begins in a gap': [
    ['20T20:00', 'online'],
    ['20T21:00', 'unknown'],
    ['20T23:00', 'offline'],
    ['21T07:00', 'online'],
  ],
  'ends in a gap': [
    ['20T20:00', 'online'],
    ['20T23:00', 'offline'],
    ['21T06:00', 'unknown'],
    ['21T08:00', 'online'],
  ],
  'was never seen to begin': [
    ['20T23:00', 'offline'],
    ['21T07:00', 'online'],
  ],
  'goes on': [
    ['20T20:00', 'online'],
    ['20T23:00', 'offline'],
  ],
  'is a weekend away': [
    ['20T08:00', 'online'],
    ['20T09:00', 'offline'],
    ['22T09:00', 'online'],
  ],
  'is a nap': [
    ['20T08:00', 'online'],
    ['20T13:00', 'offline'],
    ['20T16:50', 'online'],
  ],
};

test.each(Object.keys(notSleep))('a rest that %s is not sleep', (name) => {
  const marks = notSleep[name] ?? [];
  expect(listSleep(createHistory(...marks, [name === 'goes on' ? '21T07:00' : '22T12:00', 'online']))).toEqual({});
});

test('in any history, sleeps are separate, have the length of a night, and contain no long activity or gap', () => {
  const parts = fc.array(
    fc.record({ length: fc.integer({ min: 1, max: 10 * 3600 }), status: fc.constantFrom(...STATUSES) }),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(parts, (all) => {
      let from = toSeconds('01T00:00');
      const intervals = mergeIntervals(
        all.map(({ length, status }) => {
          const interval = { from, until: from + length, status };
          from += length;
          return interval;
        }),
      );
      let before = 0;
      for (const sleep of findSleeps(intervals)) {
        expect(sleep.from).toBeGreaterThan(before);
        expect(sleep.until - sleep.from).toBeGreaterThanOrEqual(4 * 3600);
        expect(sleep.until - sleep.from).toBeLessThanOrEqual(16 * 3600);
        for (const { from: begin, until, status } of intervals)
          if (begin >= sleep.from && until <= sleep.until && status !== 'idle' && status !== 'offline')
            expect(until - begin).toBeLessThanOrEqual(15 * 60);
        before = sleep.until;
      }
    }),
  );
});
