import { expect, test } from 'vitest';
import { createPresence } from '../fillHousehold.ts';
import { createTuneWav } from '../media.ts';
import { createCalendarEvents } from './calendarEvents.ts';
import { COMPUTERS, createScreenTime } from './screenTime.ts';
import { createShoppingLists } from './shoppingLists.ts';
import { createTimetableWeek } from './timetableSlots.ts';

const now = Temporal.ZonedDateTime.from('2026-03-11T15:30[Europe/Berlin]');
const today = now.toPlainDate();

const createHousehold = () => [
  createCalendarEvents(today, 365),
  createShoppingLists(),
  createTimetableWeek(now.toPlainDateTime(), 0),
  createScreenTime(COMPUTERS.study, now, 60),
  createPresence(now, 60),
];

test('the same day and number of days give the same household', () => {
  expect(createHousehold()).toEqual(createHousehold());
});

test('a year of events has each kind, and no event twice on one day', () => {
  const events = createCalendarEvents(today, 365);
  expect(new Set(events.map(({ style }) => style))).toEqual(new Set(['calendar', 'repeat', 'duration']));
  const singles = events.filter(({ style }) => style === 'calendar');
  expect(singles.length).toBeGreaterThan(100);
  expect(new Set(singles.map(({ date }) => date)).size).toBe(singles.length);
});

test('the next two weeks have events to show', () => {
  const upcomingEvents = createCalendarEvents(today, 365).filter(({ style, date }) => {
    const days = today.until(date).days;
    return style === 'calendar' && days >= 0 && days < 14;
  });
  expect(upcomingEvents.length).toBeGreaterThanOrEqual(5);
});

test('repeats start within the history, on their day', () => {
  const start = today.subtract({ days: 30 });
  for (const { name, date } of createCalendarEvents(today, 30).filter(({ style }) => style === 'repeat'))
    expect(Temporal.PlainDate.compare(date, start), name).toBeGreaterThanOrEqual(0);
  const bins = createCalendarEvents(today, 30).find(({ name }) => name === 'Put the bins out');
  expect(Temporal.PlainDate.from(bins?.date ?? '').dayOfWeek).toBe(1);
});

test('screen time is ordered by its ends, and none of it is in the future', () => {
  for (const computer of Object.values(COMPUTERS)) {
    const segments = createScreenTime(computer, now, 90);
    expect(segments.length).toBeGreaterThan(500);
    expect(segments).toEqual(segments.toSorted((one, other) => one.until - other.until));
    expect(segments.every(({ from, until }) => from < until && until <= now.epochMilliseconds)).toBe(true);
  }
});

test('a computer has the focus on one application at a time', () => {
  const focused = createScreenTime(COMPUTERS.study, now, 60)
    .filter(({ status }) => status === 'on')
    .toSorted((one, other) => one.from - other.from);
  expect(focused.every(({ from }, index) => from >= (focused[index - 1]?.until ?? 0))).toBe(true);
});

test('slots of earlier days are done or skipped, and later ones are not started', () => {
  const week = createTimetableWeek(now.toPlainDateTime(), 0);
  expect(week).toHaveLength(7);
  const listStates = (index: number) => Object.values(week[index]?.slots ?? {}).map(({ state }) => state ?? '');
  expect(listStates(0).every((state) => ['Done', 'Skipped'].includes(state))).toBe(true);
  expect(listStates(2)).toContain('In Progress');
  expect(new Set(listStates(5))).toEqual(new Set(['Not Started']));
});

test('changes of presence are in the order of time', () => {
  const times = createPresence(now, 40).map(({ at }) => at);
  expect(times.every((at, index) => at > (times[index - 1] ?? 0))).toBe(true);
});

test('a tune is a WAV file whose header fits its content', () => {
  const wav = createTuneWav({ seed: 1, base: 220, beatsPerMinute: 240 });
  expect(wav.toString('latin1', 0, 4)).toBe('RIFF');
  expect(wav.readUInt32LE(4)).toBe(wav.length - 8);
  expect(wav.readUInt32LE(40)).toBe(wav.length - 44);
  expect(wav.subarray(44).some((byte) => byte !== 0)).toBe(true);
});
