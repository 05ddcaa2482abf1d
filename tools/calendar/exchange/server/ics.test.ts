import { describe, expect, test } from 'vitest';
import { toIso } from '#platform/contract/day.ts';
import { parseDay } from '../../events/domain/day.ts';
import type { CalendarEvent, EventDraft } from '../../events/domain/event.ts';
import { findNamedZone, toUtc, UTC } from '../../events/domain/timeZone.ts';
import { iterateOccurrences } from '../../repeat/domain/occurrence.ts';
import { formatIcs } from '../domain/icsWriter.ts';
import { patchSource } from './ics/patchSource.ts';
import { readObject, type ParsedEvent } from './ics/readIcs.ts';

const ZONE = 'Europe/Berlin';
const toDay = (iso: string): number => parseDay(iso) ?? Number.NaN;

const createObject = (...lines: readonly string[]): string =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//other//EN', ...lines, 'END:VCALENDAR', ''].join('\r\n');
const createVevent = (...lines: readonly string[]): readonly string[] => ['BEGIN:VEVENT', ...lines, 'END:VEVENT'];
function readOne(text: string, zone = ZONE): ParsedEvent {
  const [event] = readObject(text, { zone, today: toDay('2026-11-21') }).events;
  if (!event) throw new Error('nothing was read');
  return event;
}
const readDraft = (...lines: readonly string[]): EventDraft =>
  readOne(createObject(...createVevent('UID:a', 'SUMMARY:A', ...lines))).draft;

const readChangedSeries = (...lines: readonly string[]) =>
  readOne(
    createObject(
      ...createVevent('UID:a', 'SUMMARY:Class', 'DTSTART:20261201T090000', 'DTEND:20261201T100000', ...lines),
      ...createVevent(
        'UID:a',
        'SUMMARY:Class (new)',
        'RECURRENCE-ID;RANGE=THISANDFUTURE:20261215T090000',
        'DTSTART:20261216T110000',
        'DTEND:20261216T123000',
      ),
    ),
  );
const listDays = (draft: EventDraft) =>
  [...iterateOccurrences(draft, { from: toDay('2026-12-01'), until: toDay('2027-01-20'), viewer: undefined })].map(
    ({ own }) => toIso(own),
  );

const createEvent = (draft: EventDraft, more: Partial<CalendarEvent> = {}): CalendarEvent => ({
  ...draft,
  id: 1,
  uid: 'a',
  resource: 'a.ics',
  subscription: undefined,
  parent: undefined,
  replaces: undefined,
  created: Date.UTC(2026, 0, 1),
  edited: Date.UTC(2026, 10, 21, 12),
  revision: 9,
  ...more,
});

function readRepeat(rule: string, start = '20261123') {
  const { pattern } = readDraft(`DTSTART;VALUE=DATE:${start}`, `RRULE:${rule}`);
  return pattern.kind === 'repeat' ? pattern.repeat : pattern.kind;
}

describe('reading', () => {
  test('times are in the zone that the file names', () => {
    expect(readDraft('DTSTART:20260701T080000Z', 'DTEND:20260701T093000Z')).toMatchObject({
      time: '08:00',
      endTime: '09:30',
      zone: 'UTC',
    });
    expect(readDraft('DTSTART;TZID=America/New_York:20261201T200000', 'DURATION:PT2H')).toMatchObject({
      day: toDay('2026-12-01'),
      time: '20:00',
      endTime: '22:00',
      zone: 'America/New_York',
    });
    // An end in another zone is converted to the zone of the start.
    expect(
      readDraft('DTSTART;TZID=Europe/Berlin:20261201T100000', 'DTEND;TZID=America/New_York:20261201T130000'),
    ).toMatchObject({ time: '10:00', endTime: '19:00', zone: 'Europe/Berlin' });
    expect(readDraft('DTSTART:20260701T080000')).toMatchObject({ time: '08:00', endTime: undefined, zone: undefined });
    expect(readDraft('DTSTART:20260701')).toMatchObject({ day: toDay('2026-07-01'), time: undefined, zone: undefined });
  });

  test('Windows names are zones, with or without a definition', () => {
    expect(readDraft('DTSTART;TZID=Pacific Standard Time:20261201T090000')).toMatchObject({
      time: '09:00',
      zone: 'America/Los_Angeles',
    });
    expect(readDraft('DTSTART;TZID="(UTC-05:00) Eastern Time (US & Canada)":20261201T090000')).toMatchObject({
      time: '09:00',
      zone: 'America/New_York',
    });
    expect(readDraft('DTSTART;TZID="tzone://Microsoft/Utc":20261201T090000')).toMatchObject({ zone: 'UTC' });
    expect(readDraft('DTSTART;TZID=tzone://Microsoft/Utc:20261201T090000')).toMatchObject({ zone: 'UTC' });
  });

  test.each([
    'TZID=(UTC-05:00) Eastern Time (US & Canada)',
    'VALUE=DATE-TIME;TZID=(UTC-05:00) Eastern Time (US & Canada)',
    'TZID=(UTC-05:00) Eastern Time (US & Canada);VALUE=DATE-TIME',
  ])('a zone name without the required quotes is read: %s', (parameters) => {
    expect(readDraft(`DTSTART;${parameters}:20261201T090000`)).toMatchObject({
      time: '09:00',
      zone: 'America/New_York',
    });
  });

  test('a zone that only the file defines becomes the IANA zone with the same clock', () => {
    const zone = [
      'BEGIN:VTIMEZONE',
      'TZID:Office',
      'BEGIN:STANDARD',
      'DTSTART:16010101T020000',
      'RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=1SU',
      'TZOFFSETFROM:-0400',
      'TZOFFSETTO:-0500',
      'END:STANDARD',
      'BEGIN:DAYLIGHT',
      'DTSTART:16010101T020000',
      'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU',
      'TZOFFSETFROM:-0500',
      'TZOFFSETTO:-0400',
      'END:DAYLIGHT',
      'END:VTIMEZONE',
    ];
    const { draft } = readOne(
      createObject(...zone, ...createVevent('UID:a', 'SUMMARY:A', 'DTSTART;TZID=Office:20261201T090000')),
    );
    expect(draft.time).toBe('09:00');
    const at = toUtc(findNamedZone(draft.zone ?? '') ?? UTC, Date.UTC(2027, 2, 16, 9));
    expect(new Date(at).toISOString()).toBe('2027-03-16T13:00:00.000Z');
  });

  describe('a change of one day and all later ones', () => {
    test.each([
      'RRULE:FREQ=WEEKLY',
      'RRULE:FREQ=WEEKLY;COUNT=6',
      'RRULE:FREQ=WEEKLY;BYDAY=TU;WKST=SU;UNTIL=20270105T235959',
    ])('changes all later days: %s', (rule) => {
      const { draft, overrides } = readChangedSeries(rule, 'EXDATE:20261222T090000');
      expect(listDays(draft)).toEqual(['2026-12-01', '2026-12-08']);
      const [later] = overrides;
      expect(later?.draft).toMatchObject({ name: 'Class (new)', time: '11:00', endTime: '12:30' });
      const laterDays = later ? listDays(later.draft) : [];
      expect(laterDays.slice(0, 3)).toEqual(['2026-12-16', '2026-12-30', '2027-01-06']);
      expect(laterDays.length).toBe(rule.includes('COUNT') || rule.includes('UNTIL') ? 3 : 5);
    });

    test('from the first day on changes the event itself', () => {
      const { draft, overrides } = readOne(
        createObject(
          ...createVevent('UID:a', 'SUMMARY:Class', 'DTSTART:20261201T090000', 'RRULE:FREQ=DAILY;COUNT=3'),
          ...createVevent(
            'UID:a',
            'SUMMARY:New',
            'RECURRENCE-ID;RANGE=THISANDFUTURE:20261201T090000',
            'DTSTART:20261201T100000',
          ),
        ),
      );
      expect([draft.name, draft.time, listDays(draft), overrides]).toEqual([
        'New',
        '10:00',
        ['2026-12-01', '2026-12-02', '2026-12-03'],
        [],
      ]);
    });
  });

  test.each([
    ['RRULE:FREQ=DAILY;BYHOUR=9,17', 'It has several start times', 'every day (its other start times are not shown)'],
    [
      'RRULE:FREQ=HOURLY;COUNT=3',
      'It repeats more often than once a day',
      'on its first day (it repeats more often than once a day; its other dates are not shown)',
    ],
    [
      'RDATE:20261203T170000',
      'Some of its dates have another start time',
      'on 1 day besides the first (some of its dates have another start time than 09:00)',
    ],
  ])("a rule that our repeats can't express is reported, and described with the event: %s", (rule, why, words) => {
    const { problems, events } = readObject(
      createObject(...createVevent('UID:a', 'SUMMARY:A', 'DTSTART:20261201T090000', rule)),
      {
        zone: 'Europe/Berlin',
      },
    );
    expect(problems.map((problem) => problem.why).join()).toContain(why);
    expect(events[0]?.draft.pattern).toMatchObject({ kind: 'foreign', words });
  });

  test('a rule of exceptions excludes its days', () => {
    const draft = readDraft('DTSTART:20261201T090000', 'RRULE:FREQ=DAILY;COUNT=7', 'EXRULE:FREQ=WEEKLY;BYDAY=SA,SU');
    expect([...iterateOccurrences(draft, { from: 0, until: toDay('2027-01-01'), viewer: undefined })].length).toBe(5);
  });

  test('an event past midnight is a single event, and one of a day or more is a duration', () => {
    expect(readDraft('DTSTART:20260701T220000', 'DTEND:20260702T003000')).toMatchObject({
      pattern: { kind: 'single' },
      time: '22:00',
      endTime: '00:30',
      endDays: 1,
    });
    expect(readDraft('DTSTART:20260701T220000', 'DTEND:20260703T020000')).toMatchObject({
      time: '22:00',
      endTime: '02:00',
      pattern: { kind: 'duration', duration: { amount: 3, unit: 'days' } },
    });
    expect(readDraft('DTSTART:20260701T170000', 'DTEND:20260703T090000')).toMatchObject({ endTime: '09:00' });
    expect(readDraft('DTSTART:20260701T220000', 'DTEND:20260702T000000')).toMatchObject({
      pattern: { kind: 'single' },
      endTime: '00:00',
      endDays: 1,
    });
  });

  test.each([
    ['FREQ=WEEKLY;BYDAY=MO,WE', 'every week on Monday and Wednesday'],
    ['FREQ=MONTHLY;BYDAY=-1FR', 'every month on the last Friday'],
    ['FREQ=MONTHLY;BYMONTHDAY=1,15', 'every month on the 1st and 15th'],
    ['FREQ=MONTHLY;BYMONTHDAY=-1;INTERVAL=3', 'every 3 months on the last day'],
    ['FREQ=YEARLY;BYMONTH=11;BYDAY=4TH', 'every year on the fourth Thursday in November'],
    [
      'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1',
      'every month on the last of Monday, Tuesday, Wednesday, Thursday and Friday in the month',
    ],
    ['FREQ=WEEKLY;BYDAY=TU,TH;UNTIL=20270301;INTERVAL=2', 'every 2 weeks on Tuesday and Thursday, until 1 March 2027'],
    ['FREQ=DAILY;BYDAY=SA,SU;COUNT=5', 'every day on Saturday and Sunday, 5 times'],
  ])('%s is described as %s', (rule, words) => {
    const { pattern } = readDraft('DTSTART;VALUE=DATE:20261123', `RRULE:${rule}`);
    expect(pattern).toMatchObject({
      kind: 'foreign',
      words,
      rule: `RRULE:${rule.replace(/(UNTIL=\d+);(.*)/, '$2;$1')}`,
    });
  });

  test('rules that our repeats can express become our repeats', () => {
    const from = { type: 'date', day: toDay('2026-11-23') };
    expect(readRepeat('FREQ=WEEKLY;INTERVAL=2;BYDAY=MO')).toEqual({
      every: 2,
      unit: 'week',
      from,
      until: { type: 'forever' },
    });
    expect(readRepeat('FREQ=MONTHLY;COUNT=4')).toMatchObject({ unit: 'month', until: { type: 'times', times: 3 } });
    expect(readRepeat('FREQ=YEARLY;UNTIL=20301123')).toMatchObject({
      until: { type: 'date', day: toDay('2030-11-23') },
    });
    expect(readRepeat('FREQ=DAILY;COUNT=1')).toBe('single');
    // Months without a 31st have no such day, but our repeat would use their last day.
    expect(readRepeat('FREQ=MONTHLY', '20261031')).toBe('foreign');
    expect(readRepeat('FREQ=MONTHLY;BYMONTHDAY=-1', '20261031')).toMatchObject({ unit: 'month' });
    expect(readRepeat('FREQ=YEARLY', '20240229')).toBe('foreign');
    expect(readRepeat('FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1', '20240229')).toMatchObject({ unit: 'year' });
  });

  test('a foreign rule is computed for ten years', () => {
    const { pattern } = readDraft('DTSTART;VALUE=DATE:20200106', 'RRULE:FREQ=WEEKLY;BYDAY=MO,WE');
    const days = pattern.kind === 'foreign' ? pattern.days : [];
    expect([toIso(days[0] ?? 0), toIso(days.at(-1) ?? 0)]).toEqual(['2020-01-06', '2036-11-19']);
  });

  test('changed days without their repeat are events of their own', () => {
    const text = createObject(
      ...createVevent('UID:a', 'SUMMARY:Moved', 'RECURRENCE-ID:20261123T090000', 'DTSTART:20261124T100000'),
    );
    expect(readOne(text)).toMatchObject({ uid: 'a-2026-11-23', draft: { name: 'Moved', day: toDay('2026-11-24') } });
  });
});

describe('an object of another calendar that was changed here', () => {
  const ALARM = ['BEGIN:VALARM', 'TRIGGER:-PT5M', 'SUMMARY:Ring', 'DESCRIPTION:a folded', '  line', 'END:VALARM'];
  const MASTER = createVevent(
    'UID:a',
    'DTSTAMP:20260101T000000Z',
    'SUMMARY;LANGUAGE=en:Team',
    'DTSTART;TZID=Europe/Berlin:20261123T090000',
    'DTEND;TZID=Europe/Berlin:20261123T100000',
    'RRULE:FREQ=WEEKLY;UNTIL=20270301T080000Z',
    'EXDATE;TZID=Europe/Berlin:20261207T090000',
    'ATTENDEE;CN="A: B":mailto:ann@example.org',
    'X-OWN:kept\\, as it is',
    'SEQUENCE:41',
    ...ALARM,
  );
  const OTHER = createVevent(
    'UID:a',
    'RECURRENCE-ID;TZID=Europe/Berlin:20261130T090000',
    'SUMMARY:Team, elsewhere',
    'DTSTART;TZID=Europe/Berlin:20261201T090000',
    'LOCATION:Room 2',
  );
  const SOURCE = createObject(...MASTER, ...OTHER);
  const read = readOne(SOURCE);
  const event = createEvent(read.draft);
  const children = read.overrides.map(({ replaces, draft }, index) =>
    createEvent(draft, { id: 2 + index, uid: `child-${index}`, parent: 1, replaces }),
  );
  function patchAgain(changed: CalendarEvent, others: readonly CalendarEvent[] = children) {
    const text = patchSource(SOURCE, changed, others, ZONE);
    const { draft, overrides } = readOne(text);
    return { text, draft, overrides };
  }

  test('is unchanged if nothing changed here', () => {
    expect(patchAgain(event).text).toBe(SOURCE);
  });

  test('gets its new name, and everything else stays unchanged', () => {
    const { text, draft } = patchAgain({ ...event, name: 'Crew' });
    expect(draft).toEqual({ ...read.draft, name: 'Crew' });
    const changed = new Set(['SUMMARY;LANGUAGE=en:Team', 'SEQUENCE:41', 'DTSTAMP:20260101T000000Z']);
    const lines = text.split('\r\n');
    for (const line of SOURCE.split('\r\n').filter((each) => !changed.has(each))) expect(lines).toContain(line);
    for (const line of changed) expect(lines).not.toContain(line);
    expect(lines.filter((line) => line === 'SEQUENCE:42' || line === 'SUMMARY:Crew')).toHaveLength(2);
    expect(text).toContain(ALARM.join('\r\n'));
  });

  test('gets exceptions in the notation of its own start', () => {
    const exceptions = [...event.exceptions, toDay('2026-12-14')];
    const { text, draft, overrides } = patchAgain({ ...event, exceptions: exceptions });
    expect(text).toContain('EXDATE;TZID=Europe/Berlin:20261207T090000,20261214T090000\r\n');
    expect(draft.exceptions).toEqual(exceptions);
    expect(overrides).toHaveLength(1);
  });

  test('is moved to another time in its zone, together with its changed days', () => {
    const { text, draft, overrides } = patchAgain({ ...event, time: '11:00', endTime: '12:30' });
    expect(draft).toMatchObject({
      time: '11:00',
      endTime: '12:30',
      exceptions: event.exceptions,
      pattern: event.pattern,
    });
    expect(text).toContain('DTSTART;TZID=Europe/Berlin:20261123T110000\r\n');
    expect(text).toContain('RECURRENCE-ID;TZID=Europe/Berlin:20261130T110000\r\n');
    expect(text).toContain('LOCATION:Room 2\r\n');
    expect(overrides.map(({ replaces, draft: { day } }) => [toIso(replaces), toIso(day)])).toEqual([
      ['2026-11-30', '2026-12-01'],
    ]);
  });

  test('gets days changed here, and loses those that were removed', () => {
    const more = createEvent(
      {
        ...read.draft,
        name: 'Late',
        day: toDay('2026-12-21'),
        time: '15:00',
        endTime: undefined,
        pattern: { kind: 'single' },
        exceptions: [],
      },
      { id: 9, parent: 1, replaces: toDay('2026-12-21') },
    );
    const { overrides, draft } = patchAgain({ ...event, exceptions: [...event.exceptions, toDay('2026-12-21')] }, [
      more,
    ]);
    expect(overrides.map(({ replaces, draft: { name } }) => [toIso(replaces), name])).toEqual([['2026-12-21', 'Late']]);
    expect(draft.exceptions.map(toIso)).toEqual(['2026-11-30', '2026-12-07', '2026-12-21']);
  });

  test('is no repeat any more', () => {
    const { draft, text } = patchAgain({ ...event, pattern: { kind: 'single' }, exceptions: [] }, []);
    expect(draft).toMatchObject({ pattern: { kind: 'single' }, time: '09:00' });
    expect(text).not.toMatch(/RRULE|EXDATE|RECURRENCE-ID/);
    expect(text).toContain('ATTENDEE;CN="A: B":mailto:ann@example.org\r\n');
  });
});

test('a repeat with changed days is one object, and without the repeat they are events', () => {
  const parent = createEvent(readDraft('DTSTART;VALUE=DATE:20261123', 'RRULE:FREQ=WEEKLY'), {
    exceptions: [toDay('2026-11-30')],
  });
  const child = createEvent(readDraft('DTSTART;VALUE=DATE:20261201'), {
    id: 2,
    uid: 'b',
    parent: 1,
    replaces: toDay('2026-11-30'),
  });
  const file = formatIcs([parent, child]);
  expect(file.match(/UID:a\r\n/g)).toHaveLength(2);
  expect(file).toContain('RECURRENCE-ID;VALUE=DATE:20261130\r\n');
  expect(file).not.toContain('EXDATE');
  const single = formatIcs([{ ...parent, pattern: { kind: 'single' }, exceptions: [] }, child]);
  expect(single).toContain('UID:b\r\n');
  expect(single).not.toContain('RECURRENCE-ID');
});
