import { array, assert, constantFrom, integer, property, record, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadWithWindow } from '#testing/kits/browser/loadWithWindow.ts';
import { parseDay, toWire } from '../../events/domain/day.ts';
import { listNextDays, formatNextDays, formatUntil } from './editorTexts.ts';
import type { WireEvent } from './eventData.ts';
import {
  listDifferences,
  getEdits,
  createForm,
  createNewForm,
  listProblems,
  rebase,
  toSaveRequest,
  withEndDate,
  type Form,
} from './eventForm.ts';

const { listMarks, findNearestMark } = await loadWithWindow(() => import('./History.tsx'));

const start = createNewForm({ date: '2026-11-23' });
const event: WireEvent = {
  id: 7,
  name: 'Water the plants',
  description: '',
  date: '02-11-2026',
  participants: ['home', 'Repeat'],
  pinned: false,
  style: 'repeat',
  repeateveryamount: 1,
  repeatevery: 'week',
  repeatfromtype: 'absoloute',
  repeatfrom: '09-11-2026',
  repeatuntilltype: 'relative',
  repeatuntill: 4,
  duration: 1,
  durationtype: 'weeks',
  durationtypenumber: 2,
  createdon: '2026-11-01T10:00:00.000Z',
  editedon: '2026-11-01T10:00:00.000Z',
  edithistory: [],
  revision: 12,
  time: '',
  endtime: '',
  exceptions: ['23-11-2026'],
  until: '02-11-2026',
};
const today = parseDay('2026-11-21') ?? 0;

const forms = record({
  name: string(),
  description: string(),
  time: constantFrom('', '09:30', '10:00'),
  tags: array(constantFrom('a', 'b', 'c'), { maxLength: 2 }),
  every: integer({ min: 1, max: 10 }),
}).map((some): Form => ({ ...start, ...some }));

describe('the form of an event', () => {
  test('starts with the defaults of the specification', () => {
    expect(start).toMatchObject({ date: '23-11-2026', style: 'calendar', every: 1, unit: 'week', from: 'today' });
    expect(start).toMatchObject({ until: 'forever', amount: 1, durationUnit: 'weeks' });
  });

  test('shows the opened day of a repeat if it has that day, and leaves out built-in tags', () => {
    expect(createForm(event, '2026-11-16')).toMatchObject({
      date: '16-11-2026',
      tags: ['home'],
      from: 'date',
      until: 'times',
      times: 4,
    });
    // An exception, a day before its bounds, and a day that it doesn't have.
    for (const other of ['2026-11-23', '2026-11-02', '2026-11-17'])
      expect(createForm(event, other).date).toBe('02-11-2026');
  });

  test('saves an unedited event unchanged', () => {
    const form = createForm(event, '2026-11-16');
    expect(toSaveRequest(form, event, form)).toMatchObject({
      id: 7,
      date: '02-11-2026',
      participants: ['home'],
      repeatfromtype: 'absoloute',
      repeatfrom: '09-11-2026',
      repeatuntilltype: 'relative',
      repeatuntill: 4,
      exceptions: ['23-11-2026'],
      revision: 12,
    });
  });

  test('moves as a whole when one of its days is moved', () => {
    const opened = createForm(event, '2026-11-16');
    expect(toSaveRequest({ ...opened, date: '18-11-2026' }, event, opened)).toMatchObject({
      date: '04-11-2026',
      repeatfrom: '11-11-2026',
      exceptions: ['25-11-2026'],
    });
  });

  test('does not send back a foreign rule', () => {
    const foreign = { ...event, otherrule: 'every last Friday of the month' };
    const form = createForm(foreign, '2026-11-02');
    expect(Object.keys(toSaveRequest(form, foreign, form)).filter((key) => key.startsWith('repeat'))).toEqual([]);
  });

  test('reports the invisible blank, invalid dates, and an end before its start', () => {
    expect(listProblems(start)).toEqual([]);
    expect(listProblems({ ...start, name: 'a\u2800b' })).toEqual(['name']);
    expect(listProblems({ ...start, date: '31-02-2026' })).toEqual(['date']);
    expect(listProblems({ ...start, time: '10:00', endTime: '10:00' })).toEqual(['endTime']);
    expect(listProblems({ ...start, from: 'date', fromDate: '' })).toEqual([]);
    expect(listProblems({ ...start, style: 'repeat', from: 'date', fromDate: '' })).toEqual(['fromDate']);
  });

  test('is restored by applying the edits to its start', () => {
    assert(
      property(forms, forms, (form, from) => {
        expect({ ...from, ...getEdits(form, from) }).toEqual(form);
        expect(listDifferences(form, from)).toEqual(Object.keys(getEdits(form, from)));
      }),
    );
  });

  test('keeps edits on rebase, and takes everything else from the answer', () => {
    assert(
      property(forms, forms, forms, (form, submitted, answered) => {
        const next = rebase(form, submitted, answered);
        const typed = new Set(listDifferences(form, submitted));
        for (const field of Object.keys(form) as (keyof Form)[])
          expect(next[field]).toEqual(typed.has(field) ? form[field] : answered[field]);
      }),
    );
  });
});

describe('the editor in words', () => {
  test('names the next days of a repeat, without exceptions', () => {
    const form = createForm(event, '2026-11-16');
    const days = listNextDays(form, event, { start: form, today });
    expect(days?.days.map(toWire)).toEqual(['30-11-2026', '07-12-2026']);
    expect(days && formatNextDays(days)).toBe('Next on Monday, 30-11-2026, then 07-12-2026');
    expect(formatNextDays({ days: [], hasMore: false })).toBe('No upcoming dates');
  });

  test('names the last day of a duration', () => {
    expect(formatUntil(start)).toBe('until Sunday, 29-11-2026');
    expect(formatUntil({ ...start, date: '?' })).toBeUndefined();
  });
});

const createEdit = (type: string) => ({ type, date: '2026-11-01T10:00:00.000Z', ip: '127.0.0.1' });

describe('the timeline', () => {
  test('places bins by their number divided by the last one’s', () => {
    const bins = [
      { binnumber: 0, edits: [createEdit('created'), createEdit('accessed')] },
      { binnumber: 5, edits: [createEdit('edited'), createEdit('edited')] },
      { binnumber: 20, edits: [] },
    ];
    const marks = listMarks(bins);
    expect(marks.map(({ position, types, isAccessed }) => [position, types, isAccessed])).toEqual([
      [0, ['created'], true],
      [0.25, ['edited'], false],
    ]);
    expect([0, 0.1, 0.2, 1].map((place) => findNearestMark(marks, place))).toEqual([0, 0, 1, 1]);
    expect(listMarks([{ binnumber: 0, edits: [createEdit('created')] }]).map(({ position }) => position)).toEqual([0]);
  });
});

const applyEdits = (form: Form, edits: Partial<Form>): Form => ({ ...form, ...withEndDate(form, edits) });

describe('the end of an event', () => {
  const party: Form = { ...start, name: 'Party', date: '31-12-2026', time: '22:00', endTime: '02:00' };

  test('before its start is on the next day, and on the same day again once it is later', () => {
    const late = applyEdits({ ...party, endTime: '' }, { endTime: '02:00' });
    expect(late.endDate).toBe('01-01-2027');
    expect(listProblems(late)).toEqual([]);
    expect(toSaveRequest(late, undefined, start)).toMatchObject({ date: '31-12-2026', enddate: '01-01-2027' });
    expect(applyEdits(late, { endTime: '23:00' }).endDate).toBe('');
    expect(applyEdits(late, { endTime: '00:00' }).endDate).toBe('01-01-2027');
    expect(applyEdits(late, { time: '', endTime: '' }).endDate).toBe('');
  });

  test('moves along with the date, and several days stay several days', () => {
    const trip: Form = { ...party, endDate: '03-01-2027' };
    expect(applyEdits(trip, { date: '01-02-2027' }).endDate).toBe('04-02-2027');
    expect(applyEdits(trip, { endTime: '23:00' }).endDate ?? trip.endDate).toBe('03-01-2027');
  });

  test('at its start, or on an earlier day, cannot be saved', () => {
    expect(listProblems({ ...party, endTime: '22:00' })).toEqual(['endTime']);
    expect(listProblems({ ...party, endDate: '30-12-2026' })).toEqual(['endDate']);
    expect(listProblems({ ...party, endDate: 'soon' })).toEqual(['endDate']);
  });

  test('of a duration is on its last day', () => {
    const lasting: Form = { ...party, style: 'duration', amount: 3, durationUnit: 'days', endTime: '09:00' };
    expect(listProblems(lasting)).toEqual([]);
    expect(listProblems({ ...lasting, amount: 1 })).toEqual(['endTime']);
    expect(listProblems({ ...lasting, amount: 1, endTime: '23:00' })).toEqual([]);
  });
});
