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
  applyPending,
  type DayEntry,
  type PendingMove,
} from './dayEntries.ts';

const createEntry = (eventid: number, more: Partial<Entry> = {}): Entry => ({
  name: `Event ${eventid}`,
  eventid,
  type: 'calendar',
  colours: { background: '#2E9E5B', left: '#2E9E5B', right: 'transparent' },
  pinned: false,
  ...more,
});
const createDayEntry = (what: Entry, from: number, until = from): DayEntry => ({ entry: what, from, until });
const createMove = (item: DayEntry, by: number, more: Partial<PendingMove> = {}): PendingMove => ({
  item,
  from: item.from,
  to: item.from + by,
  only: false,
  ...more,
});
const createSelection = (type: Entry['type'], date: string) => ({ kind: 'event', id: 7, date, type }) as const;
const listSpans = (entries: readonly DayEntry[]) =>
  entries.map(({ entry: { eventid }, from, until }) => [eventid, from, until]);

describe('entries of some days', () => {
  test('are durations and events of single days, but not the buttons of the rails', () => {
    const label = { label: '', weekday: '', colour: '' };
    const found = listEntries({
      dates: { '1970-01-03': { ...label, entries: [createEntry(-4), createEntry(7)] } },
      durations: [{ ...createEntry(8, { type: 'duration' }), date: '01-01-1970', until: '05-01-1970' }],
      today: '1970-01-01',
      revision: 1,
    });
    expect(listSpans(found)).toEqual([
      [8, 0, 4],
      [7, 2, 2],
    ]);
    expect(listSpans(sortDayList(found))).toEqual([
      [7, 2, 2],
      [8, 0, 4],
    ]);
  });

  test('of a repeat are selected only on the selected day, others on any day', () => {
    expect(
      isSelected(createDayEntry(createEntry(7, { type: 'repeat' }), 2), createSelection('repeat', '1970-01-03')),
    ).toBe(true);
    expect(
      isSelected(createDayEntry(createEntry(7, { type: 'repeat' }), 9), createSelection('repeat', '1970-01-03')),
    ).toBe(false);
    expect(
      isSelected(createDayEntry(createEntry(7, { type: 'duration' }), 2, 9), createSelection('duration', '1970-01-01')),
    ).toBe(true);
    expect(isSelected(createDayEntry(createEntry(7), 2), { kind: 'none' })).toBe(false);
  });
});

const createShift = (day: number, more: Partial<Entry>) =>
  createDayEntry(createEntry(7, { type: 'repeat', ...more }), day);

describe('what goes over midnight', () => {
  const evening = createShift(2, { time: '22:00', endtime: '24:00', part: 'first' });
  const morning = createShift(3, { time: '00:00', endtime: '02:00', part: 'last', began: '1970-01-03' });
  const next = createShift(3, { time: '22:00', endtime: '24:00', part: 'first' });

  test('shows the time of the day’s part, and less of it in little room', () => {
    const middle = createEntry(7, { part: 'middle', began: '1970-01-03' });
    expect([evening.entry, morning.entry, middle].map(formatEntryTime)).toEqual([
      '22:00–24:00',
      '00:00–02:00',
      'all day',
    ]);
    expect([evening.entry, morning.entry, middle].map(formatShortEntryTime)).toEqual(['22:00', '–02:00', undefined]);
    expect(formatShortEntryTime(createEntry(7, { time: '15:00', endtime: '16:00' }))).toBe('15:00');
  });

  test('has a key for each part, also for two on one day', () => {
    expect(new Set([evening, morning, next].map(getEntryKey)).size).toBe(3);
  });

  test('is selected as a whole, by the day on which it starts', () => {
    const selected = [evening, morning, next].map((item) => isSelected(item, createSelection('repeat', '1970-01-03')));
    expect(selected).toEqual([true, true, false]);
  });

  test('is moved and deleted as a whole, by any of its parts', () => {
    const moved = applyPending([evening, morning, next], [createMove(morning, 5, { only: true })], 5);
    expect(listSpans(moved)).toEqual([
      [7, 7, 7],
      [7, 8, 8],
      [7, 3, 3],
    ]);
    expect(moved.map(getFirstDay)).toEqual([7, 7, 3]);
    expect(
      applyPending([evening, morning, next], [{ ...createMove(morning, 0, { only: true }), to: undefined }], 5),
    ).toEqual([next]);
  });
});

describe('a change that is not answered yet', () => {
  test('moves an event, or a duration with its length, or deletes it', () => {
    const loan = createDayEntry(createEntry(1, { type: 'duration' }), 3, 9);
    expect(listSpans(applyPending([loan, createDayEntry(createEntry(2), 4)], [createMove(loan, 2)], 5))).toEqual([
      [1, 5, 11],
      [2, 4, 4],
    ]);
    expect(listSpans(applyPending([loan], [{ ...createMove(loan, 0), to: undefined }], 5))).toEqual([]);
  });

  test('moves all days of a repeat, or one, which no longer repeats', () => {
    const choir = createEntry(1, { type: 'repeat', every: 1, unit: 'week' });
    const all = [createDayEntry(choir, 0), createDayEntry(choir, 7), createDayEntry(choir, 14)];
    const taken = createDayEntry(choir, 7);
    expect(listSpans(applyPending(all, [createMove(taken, 1)], 5))).toEqual([
      [1, 1, 1],
      [1, 8, 8],
      [1, 15, 15],
    ]);
    const one = applyPending(all, [createMove(taken, 1, { only: true })], 5);
    expect(listSpans(one)).toEqual([
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
          const before = createDayEntry(createEntry(1, { type: 'duration' }), 10, 10 + length);
          const after = createDayEntry(before.entry, 10 + by, 10 + by + length);
          const open = createMove(before, by);
          const answered = { ...open, revision };
          for (const change of [open, answered]) {
            expect(listSpans(applyPending([before], [change], revision - 1))).toEqual(listSpans([after]));
            expect(listSpans(applyPending([after], [change], revision))).toEqual(listSpans([after]));
          }
        },
      ),
    );
  });

  test('follows another one of the same event', () => {
    const dentist = createDayEntry(createEntry(1), 3);
    expect(
      listSpans(applyPending([dentist], [createMove(dentist, 1), createMove(createDayEntry(dentist.entry, 4), 2)], 5)),
    ).toEqual([[1, 6, 6]]);
  });
});

test('events that a full day does not list are counted', () => {
  const day = { label: '', weekday: '', colour: '', entries: [] };
  const dates = { '2026-11-23': { ...day, hidden: 30 }, '2026-11-24': day };
  expect([...countHiddenByDay(dates)]).toEqual([[parseDay('2026-11-23'), 30]]);
});
