import { describe, expect, test } from 'vitest';
import { toIso, type Day } from '#platform/contract/day.ts';
import { parseDay } from '../../events/domain/day.ts';
import { readObject } from './ics/readIcs.ts';

const toDay = (iso: string): Day => parseDay(iso) ?? Number.NaN;
const createFile = (...lines: readonly string[]): string =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines, 'END:VCALENDAR', ''].join('\r\n');
const createEvent = (uid: string, ...lines: readonly string[]): readonly string[] => [
  'BEGIN:VEVENT',
  `UID:${uid}`,
  `SUMMARY:${uid}`,
  ...lines,
  'END:VEVENT',
];

function read(file: string | Uint8Array, usesCalendarZone = false) {
  const { events, problems } = readObject(file, {
    zone: 'Europe/Berlin',
    today: toDay('2026-11-27'),
    usesCalendarZone,
  });
  return {
    events: events.map(({ uid, draft, overrides }) => ({
      uid,
      name: draft.name,
      start: [toIso(draft.day), draft.time, draft.zone].filter(Boolean).join(' '),
      exceptions: draft.exceptions.map(toIso),
      changes: overrides.map(({ replaces, draft: { name, day } }) => `${toIso(replaces)}: ${name} ${toIso(day)}`),
      pattern: draft.pattern,
    })),
    sources: events.map(({ source }) => source),
    warnings: problems.map(({ why }) => why),
  };
}
const listNames = (file: string | Uint8Array): readonly string[] => read(file).events.map(({ name }) => name);

const ONE = createEvent('one', 'DTSTART:20261201T090000');
const TWO = createEvent('two', 'DTSTART:20261202T090000');

describe('a damaged file', () => {
  test.each([
    ['two byte order marks', `\uFEFF\uFEFF${createFile(...ONE)}`],
    ['a byte order mark that was read as windows-1252', `\u00EF\u00BB\u00BF${createFile(...ONE)}`],
    ['blanks before its first line', `\r\n \r\n  ${createFile(...ONE)}`],
    ['a blank after BEGIN and END', createFile(...ONE).replaceAll(/(BEGIN|END):VEVENT/g, '$1: VEVENT')],
  ])('is read in spite of %s', (_name, file) => {
    expect(listNames(file)).toEqual(['one']);
  });

  test.each([
    ['an event', createFile(...ONE.slice(0, -1), ...TWO)],
    ['the last event', createFile(...ONE, ...TWO.slice(0, -1))],
    ['an alarm', createFile(...ONE.slice(0, -1), 'BEGIN:VALARM', 'TRIGGER:-PT5M', 'END:VEVENT', ...TWO)],
    ['a task', createFile('BEGIN:VTODO', 'UID:t', ...ONE, ...TWO)],
    ['a calendar', `${createFile('BEGIN:VTODO', 'UID:t')}${createFile(...ONE, ...TWO)}`],
  ])('loses no event if the end of %s is missing', (_name, file) => {
    const { events, sources } = read(file);
    expect(events.map(({ name }) => name)).toEqual(['one', 'two']);
    for (const source of sources) {
      const begins = source.match(/^BEGIN:/gm) ?? [];
      expect(source.match(/^END:/gm)).toHaveLength(begins.length);
    }
  });

  test('is not searched for a part that has the name of another one', () => {
    const file = createFile(
      ...ONE.slice(0, -1),
      'BEGIN:X-PART',
      'BEGIN:X-PART',
      'END:X-PART',
      'END:X-PART',
      'END:VEVENT',
    );
    expect(read(file)).toMatchObject({ events: [{ name: 'one' }], warnings: [] });
  });
});

const WEEKLY = createEvent('weekly', 'DTSTART;TZID=Europe/Berlin:20261201T090000', 'RRULE:FREQ=WEEKLY;COUNT=4');
const DAYS = createEvent('days', 'DTSTART;VALUE=DATE:20261201', 'RRULE:FREQ=WEEKLY;COUNT=4');
const createChange = (name: string, start: string, ...lines: readonly string[]): readonly string[] =>
  createEvent('weekly', `SUMMARY:${name}`, `DTSTART;TZID=Europe/Berlin:${start}`, ...lines).filter(
    (line) => line !== 'SUMMARY:weekly',
  );
const addLines = (event: readonly string[], ...lines: readonly string[]): readonly string[] => [
  ...event.slice(0, -1),
  ...lines,
  'END:VEVENT',
];

describe('of several versions of a changed day the latest is used', () => {
  const id = 'RECURRENCE-ID;TZID=Europe/Berlin:20261208T090000';

  test.each([
    ['SEQUENCE', 'SEQUENCE:5', 'SEQUENCE:2'],
    ['LAST-MODIFIED', 'LAST-MODIFIED:20261102T000000Z', 'LAST-MODIFIED:20261101T000000Z'],
    ['DTSTAMP', 'DTSTAMP:20261102T000000Z', 'DTSTAMP:20261101T000000Z'],
  ])('by its %s', (_name, later, earlier) => {
    const newer = createChange('newer', '20261209T100000', id, later);
    const older = createChange('older', '20261210T100000', 'RECURRENCE-ID:20261208T080000Z', earlier);
    for (const changes of [
      [newer, older],
      [older, newer],
    ]) {
      expect(read(createFile(...WEEKLY, ...changes.flat())).events).toMatchObject([
        { changes: ['2026-12-08: newer 2026-12-09'] },
      ]);
      // Also without the repeat.
      expect(read(createFile(...changes.flat())).events).toMatchObject([{ uid: 'weekly-2026-12-08', name: 'newer' }]);
    }
  });

  test('and of several versions of an event', () => {
    const newer = addLines(ONE, 'LAST-MODIFIED:20261102T000000Z', 'DTSTAMP:20261101T000000Z', 'CATEGORIES:new');
    const older = addLines(ONE, 'LAST-MODIFIED:20261101T000000Z', 'DTSTAMP:20261102T000000Z');
    const { events, warnings, sources } = read(createFile(...newer, ...older));
    expect(events).toHaveLength(1);
    expect(sources[0]).toContain('CATEGORIES:new');
    expect(warnings).toEqual(['It is in the file twice. The later version is used']);
  });
});

test('two changed occurrences on one day are reported, and without their repeat they are two events', () => {
  const changes = [
    ...createChange('morning', '20261208T100000', 'RECURRENCE-ID:20261208T080000Z'),
    ...createChange('evening', '20261208T200000', 'RECURRENCE-ID:20261208T180000Z'),
  ];
  expect(read(createFile(...WEEKLY, ...changes)).warnings).toEqual([
    'Several of its changed occurrences are on one day. Only one of them is shown',
  ]);
  expect(read(createFile(...changes)).events).toMatchObject([
    { uid: 'weekly-2026-12-08', name: 'morning' },
    { uid: 'weekly-20261208T180000Z', name: 'evening' },
  ]);
});

test('a day whose change has no valid date stays as it was', () => {
  const change = createEvent('weekly', 'RECURRENCE-ID:20261208T080000Z', 'DTSTART:nonsense');
  expect(read(createFile(...WEEKLY, ...change))).toMatchObject({
    events: [{ exceptions: [], changes: [] }],
    warnings: ['One of its changed occurrences has no valid date'],
  });
});

test('a change of all earlier days is reported', () => {
  const change = createChange('new', '20261209T100000', 'RECURRENCE-ID;RANGE=THISANDPRIOR:20261208T080000Z');
  expect(read(createFile(...WEEKLY, ...change))).toMatchObject({
    events: [{ changes: ['2026-12-08: new 2026-12-09'] }],
    warnings: ['A change of all earlier occurrences is not supported. Only one day is changed'],
  });
});

test.each([
  ['RDATE:99991231T235959Z', 'RDATE'],
  ['EXDATE:99991231T235959Z', 'EXDATE'],
])('a date outside the calendar does not affect the others: %s', (line, name) => {
  const event = createEvent('e', 'DTSTART;TZID=Asia/Tokyo:20261201T090000', 'RRULE:FREQ=WEEKLY;BYDAY=MO,TU', line);
  const { events, warnings } = read(createFile(...event));
  expect(events).toMatchObject([{ name: 'e', exceptions: [] }]);
  expect(warnings).toEqual([`A date in its ${name} is not valid and is ignored`]);
});

test.each(['20261207T230000Z', '20261208T000000Z', '20261208T000000', '20261208'])(
  'midnight of the home zone means a whole day: %s',
  (time) => {
    expect(read(createFile(...addLines(DAYS, `EXDATE:${time}`))).events).toMatchObject([
      { exceptions: ['2026-12-08'] },
    ]);
    const change = createEvent('days', `RECURRENCE-ID:${time}`, 'DTSTART;VALUE=DATE:20261209');
    expect(read(createFile(...DAYS, ...change)).events).toMatchObject([
      { exceptions: ['2026-12-08'], changes: ['2026-12-08: days 2026-12-09'] },
    ]);
  },
);

describe('the zone that a calendar names', () => {
  const file = createFile(
    'X-WR-TIMEZONE:America/New_York',
    ...createEvent('floating', 'DTSTART:20261201T090000', 'DTEND:20261201T100000'),
    ...createEvent('utc', 'DTSTART:20261201T090000Z'),
    ...createEvent('own', 'DTSTART;TZID=Europe/Berlin:20261201T090000'),
    ...createEvent('day', 'DTSTART;VALUE=DATE:20261201'),
    ...createEvent(
      'repeat',
      'DTSTART:20261201T200000',
      'RRULE:FREQ=DAILY;COUNT=5',
      'EXDATE:20261202T200000,\r\n 20261203T200000',
    ),
  );

  test('is the zone of times in no zone', () => {
    const { events, sources, warnings } = read(file, true);
    expect(events.map(({ start }) => start)).toEqual([
      '2026-12-01 09:00 America/New_York',
      '2026-12-01 09:00 UTC',
      '2026-12-01 09:00 Europe/Berlin',
      '2026-12-01',
      '2026-12-01 20:00 America/New_York',
    ]);
    expect(events[4]?.exceptions).toEqual(['2026-12-02', '2026-12-03']);
    expect(sources[0]).toContain('DTEND;TZID=America/New_York:20261201T100000');
    expect(warnings).toEqual([]);
  });

  test('is not used for objects of CalDAV clients, nor if it is unknown', () => {
    expect(read(file).events[0]?.start).toBe('2026-12-01 09:00');
    expect(read(file.replace('America/New_York', 'Nowhere'), true).events[0]?.start).toBe('2026-12-01 09:00');
  });
});

test.each([
  ['DTSTART:20261201T090000+01', '2026-12-01 08:00 UTC'],
  ['DTSTART:2026-12-01T09:00:00-05', '2026-12-01 14:00 UTC'],
  ['DTSTART;TZID=Eastern Time (US and Canada):20261201T090000', '2026-12-01 09:00 America/New_York'],
  ['DTSTART;TZID=(GMT-08.00) Pacific Time (US and Canada):20261201T090000', '2026-12-01 09:00 America/Los_Angeles'],
])('%s is understood', (line, start) => {
  expect(read(createFile(...createEvent('e', line)))).toMatchObject({ events: [{ start }], warnings: [] });
});
