import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseDay } from '../../events/domain/day.ts';
import type { Entry } from '../useCalendar.ts';
import {
  listEntries,
  getEntryKey,
  getFirstDay,
  isSelected,
  sortDayList,
  formatShortEntryTime,
  formatEntryTime,
  countHiddenByDay,
  withPending,
  type DayEntry,
  type PendingMove,
} from './dayEntries.ts';

const entry = (eventid: number, more: Partial<Entry> = {}): Entry => ({
  name: `Event ${eventid}`,
  eventid,
  type: 'calendar',
  colours: { background: '#2E9E5B', left: '#2E9E5B', right: 'transparent' },
  pinned: false,
  ...more,
});
const on = (what: Entry, from: number, until = from): DayEntry => ({ entry: what, from, until });
const move = (item: DayEntry, by: number, more: Partial<PendingMove> = {}): PendingMove => ({
  item,
  from: item.from,
  to: item.from + by,
  only: false,
  ...more,
});
const chosen = (type: Entry['type'], date: string) => ({ kind: 'event', id: 7, date, type }) as const;
const days = (entries: readonly DayEntry[]) =>
  entries.map(({ entry: { eventid }, from, until }) => [eventid, from, until]);

describe('entries of some days', () => {
  test('are durations and events of single days, but not the buttons of the rails', () => {
    const label = { label: '', weekday: '', colour: '' };
    const found = listEntries({
      dates: { '1970-01-03': { ...label, entries: [entry(-4), entry(7)] } },
      durations: [{ ...entry(8, { type: 'duration' }), date: '01-01-1970', until: '05-01-1970' }],
      today: '1970-01-01',
      revision: 1,
    });
    expect(days(found)).toEqual([
      [8, 0, 4],
      [7, 2, 2],
    ]);
    expect(days(sortDayList(found))).toEqual([
      [7, 2, 2],
      [8, 0, 4],
    ]);
  });

  test('of a repeat are selected only on the selected day, others on any day', () => {
    expect(isSelected(on(entry(7, { type: 'repeat' }), 2), chosen('repeat', '1970-01-03'))).toBe(true);
    expect(isSelected(on(entry(7, { type: 'repeat' }), 9), chosen('repeat', '1970-01-03'))).toBe(false);
    expect(isSelected(on(entry(7, { type: 'duration' }), 2, 9), chosen('duration', '1970-01-01'))).toBe(true);
    expect(isSelected(on(entry(7), 2), { kind: 'none' })).toBe(false);
  });
});

const shift = (day: number, more: Partial<Entry>) => on(entry(7, { type: 'repeat', ...more }), day);

describe('what goes over midnight', () => {
  const evening = shift(2, { time: '22:00', endtime: '24:00', part: 'first' });
  const morning = shift(3, { time: '00:00', endtime: '02:00', part: 'last', began: '1970-01-03' });
  const next = shift(3, { time: '22:00', endtime: '24:00', part: 'first' });

  test('shows the time of the day’s part, and less of it in little room', () => {
    const middle = entry(7, { part: 'middle', began: '1970-01-03' });
    expect([evening.entry, morning.entry, middle].map(formatEntryTime)).toEqual([
      '22:00–24:00',
      '00:00–02:00',
      'all day',
    ]);
    expect([evening.entry, morning.entry, middle].map(formatShortEntryTime)).toEqual(['22:00', '–02:00', undefined]);
    expect(formatShortEntryTime(entry(7, { time: '15:00', endtime: '16:00' }))).toBe('15:00');
  });

  test('has a key for each part, also for two on one day', () => {
    expect(new Set([evening, morning, next].map(getEntryKey)).size).toBe(3);
  });

  test('is selected as a whole, by the day on which it starts', () => {
    const selected = [evening, morning, next].map((item) => isSelected(item, chosen('repeat', '1970-01-03')));
    expect(selected).toEqual([true, true, false]);
  });

  test('is moved and deleted as a whole, by any of its parts', () => {
    const moved = withPending([evening, morning, next], [move(morning, 5, { only: true })], 5);
    expect(days(moved)).toEqual([
      [7, 7, 7],
      [7, 8, 8],
      [7, 3, 3],
    ]);
    expect(moved.map(getFirstDay)).toEqual([7, 7, 3]);
    expect(withPending([evening, morning, next], [{ ...move(morning, 0, { only: true }), to: undefined }], 5)).toEqual([
      next,
    ]);
  });
});

describe('a change that is not answered yet', () => {
  test('moves an event, or a duration with its length, or deletes it', () => {
    const loan = on(entry(1, { type: 'duration' }), 3, 9);
    expect(days(withPending([loan, on(entry(2), 4)], [move(loan, 2)], 5))).toEqual([
      [1, 5, 11],
      [2, 4, 4],
    ]);
    expect(days(withPending([loan], [{ ...move(loan, 0), to: undefined }], 5))).toEqual([]);
  });

  test('moves all days of a repeat, or one, which no longer repeats', () => {
    const choir = entry(1, { type: 'repeat', every: 1, unit: 'week' });
    const all = [on(choir, 0), on(choir, 7), on(choir, 14)];
    const taken = on(choir, 7);
    expect(days(withPending(all, [move(taken, 1)], 5))).toEqual([
      [1, 1, 1],
      [1, 8, 8],
      [1, 15, 15],
    ]);
    const one = withPending(all, [move(taken, 1, { only: true })], 5);
    expect(days(one)).toEqual([
      [1, 0, 0],
      [1, 8, 8],
      [1, 14, 14],
    ]);
    expect(one[1]?.entry.every).toBeUndefined();
  });

  test('is applied once: not if the loaded days contain it already, whether they or the answer are first', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -5, max: 5 }),
        fc.integer({ min: 0, max: 9 }),
        fc.integer({ min: 1, max: 9 }),
        (by, length, revision) => {
          fc.pre(by !== 0);
          const before = on(entry(1, { type: 'duration' }), 10, 10 + length);
          const after = on(before.entry, 10 + by, 10 + by + length);
          const open = move(before, by);
          const answered = { ...open, revision };
          for (const change of [open, answered]) {
            expect(days(withPending([before], [change], revision - 1))).toEqual(days([after]));
            expect(days(withPending([after], [change], revision))).toEqual(days([after]));
          }
        },
      ),
    );
  });

  test('follows another one of the same event', () => {
    const dentist = on(entry(1), 3);
    expect(days(withPending([dentist], [move(dentist, 1), move(on(dentist.entry, 4), 2)], 5))).toEqual([[1, 6, 6]]);
  });
});

test('events that a full day does not list are counted', () => {
  const day = { label: '', weekday: '', colour: '', entries: [] };
  const dates = { '2026-11-23': { ...day, hidden: 30 }, '2026-11-24': day };
  expect([...countHiddenByDay(dates)]).toEqual([[parseDay('2026-11-23'), 30]]);
});
