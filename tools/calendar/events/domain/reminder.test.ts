import { expect, test } from 'vitest';
import { toMinutes } from './day.ts';
import { isDue, createReminderText, type PinnedEvent } from './reminder.ts';

const createPinned = (id: number, name: string, time?: string): PinnedEvent => ({ id, name, time, style: 'calendar' });

test('a single event is the title and the target', () => {
  expect(createReminderText([{ ...createPinned(5, 'Dentist', '09:40'), style: 'repeat' }], '2026-11-21')).toEqual({
    title: 'Dentist, 09:40',
    body: 'Today',
    path: '/calendar?event=5&date=2026-11-21&type=repeat',
  });
});

test('several events are listed, all-day ones first, and those beyond the limit are counted', () => {
  const two = [createPinned(1, 'Dentist', '09:40'), createPinned(2, 'Birthday')];
  expect(createReminderText(two, '2026-11-21')).toEqual({
    title: 'Today: 2 pinned events',
    body: 'Birthday\nDentist, 09:40',
    path: '/calendar',
  });
  const formatLines = (count: number) =>
    createReminderText(
      Array.from({ length: count }, (_, at) => createPinned(at + 1, `e${at}`)),
      '2026-11-21',
    )?.body.split('\n');
  expect(formatLines(5)).toEqual(['e0', 'e1', 'e2', 'e3', 'e4']);
  expect(formatLines(6)).toEqual(['e0', 'e1', 'e2', 'e3', 'and 2 more']);
});

test('a day without pinned events has no reminder', () => {
  expect(createReminderText([], '2026-11-21')).toBeUndefined();
});

test('a reminder is due for three hours from its time, on the same day', () => {
  const at = toMinutes('08:00');
  expect(['07:59', '08:00', '11:00', '11:01', '00:00'].map((now) => isDue(toMinutes(now), at))).toEqual([
    false,
    true,
    true,
    false,
    false,
  ]);
});
