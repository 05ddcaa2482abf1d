import { describe, expect, test } from 'vitest';
import { toIso, type Day } from '#platform/contract/day.ts';
import { parseDay } from '../../events/domain/day.ts';
import { findNamedZone, toUtc, UTC } from '../../events/domain/timeZone.ts';
import { iterateOccurrences } from '../../repeat/domain/occurrence.ts';
import { readObject } from './ics/readIcs.ts';

const HOME = 'Europe/Berlin';
const berlin = findNamedZone(HOME) ?? UTC;
const toDay = (iso: string): Day => parseDay(iso) ?? Number.NaN;

/** Reads the only event of a file, and the warnings about it. */
function read(...lines: readonly string[]) {
  const text = ['BEGIN:VCALENDAR', 'BEGIN:VEVENT', 'UID:a', 'SUMMARY:A', ...lines, 'END:VEVENT', 'END:VCALENDAR', ''];
  const { events, problems } = readObject(text.join('\r\n'), { zone: HOME, today: toDay('2026-11-27') });
  const [event] = events;
  if (!event) throw new Error(`nothing was read: ${problems.map(({ why }) => why).join()}`);
  return { draft: event.draft, warnings: problems.map(({ why }) => why) };
}

/** Formats the time of an event as `2026-12-01 09:00-10:00`, with `+1` if it ends on the next day. */
function formatTimes(...lines: readonly string[]): string {
  const { draft, warnings } = read(...lines);
  expect(warnings).toEqual([]);
  const { day, time, endTime, endDays, zone, pattern } = draft;
  const span = [time, endTime].filter(Boolean).join('-');
  const more = endDays === 0 ? '' : ` +${endDays}`;
  const length = pattern.kind === 'duration' ? ` ${pattern.duration.amount} ${pattern.duration.unit}` : '';
  return `${toIso(day)} ${span || 'all day'}${more}${length} ${zone ?? ''}`.trim();
}

describe('a rule that cannot be imported unchanged becomes its first day, with a warning and a note', () => {
  test.each([
    ['RSCALE=CHINESE;FREQ=YEARLY', 'Its repeat rule uses another calendar system (CHINESE)'],
    ['FREQ=YEARLY;RSCALE=HEBREW;BYMONTH=5L', 'Its repeat rule uses another calendar system (HEBREW)'],
    [
      'RSCALE=GREGORIAN;FREQ=MONTHLY;SKIP=BACKWARD',
      'Its repeat rule moves dates that a month does not have, which is not supported',
    ],
    ['FREQ=YEARLY;BYEASTER=0', 'Its repeat rule has an unknown part (BYEASTER)'],
    ['FREQ=DAILY;INTERVAL=0', 'Its repeat rule is not supported'],
    ['FREQ=DAILY;INTERVAL=-1', 'Its repeat rule is not supported'],
    ['FREQ=DAILY;INTERVAL=1.5', 'Its repeat rule is not supported'],
    ['FREQ=DAILY;INTERVAL=', 'Its repeat rule is not supported'],
    ['FREQ=DAILY;COUNT=0', 'Its repeat rule is not supported'],
    ['FREQ=DAILY;COUNT=-1', 'Its repeat rule is not supported'],
    ['FREQ=DAILY;COUNT=many', 'Its repeat rule is not supported'],
    ['FREQ=DAILY;COUNT=', 'Its repeat rule is not supported'],
    ['FREQ=WEEKLY;BYDAY=MO;BYDAY=WE', 'Its repeat rule is not supported'],
    ['FREQ=MONTHLY;BYDAY=0TU', 'Its repeat rule is not supported'],
    ['FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=XX', 'Its repeat rule is not supported'],
    ['FREQ=DAILY;DAILY', 'Its repeat rule is not supported'],
  ])('%s', (rule, why) => {
    const { draft, warnings } = read('DTSTART:20260217T090000', `RRULE:${rule}`);
    expect(warnings).toEqual([`${why}. Only the first date is used`]);
    const words = `on its first day (${why.charAt(0).toLowerCase()}${why.slice(1)}; its other dates are not shown)`;
    expect(draft.pattern).toMatchObject({ kind: 'foreign', words, days: [toDay('2026-02-17')] });
  });
});

test.each([
  ['RSCALE=GREGORIAN;FREQ=WEEKLY;COUNT=3;SKIP=OMIT', { unit: 'week', until: { type: 'times', times: 2 } }],
  ['FREQ=WEEKLY;BYDAY=;COUNT=3', { unit: 'week', until: { type: 'times', times: 2 } }],
  [' FREQ=WEEKLY ; BYDAY=TU ; COUNT=3;', { unit: 'week', until: { type: 'times', times: 2 } }],
  ['FREQ=DAILY;COUNT=10;UNTIL=20260219T090000', { unit: 'day', until: { type: 'date', day: toDay('2026-02-19') } }],
  ['FREQ=DAILY;COUNT=2;UNTIL=20260219T090000', { unit: 'day', until: { type: 'times', times: 1 } }],
  ['FREQ=WEEKLY;UNTIL=2026-03-01', { unit: 'week', until: { type: 'date', day: toDay('2026-03-01') } }],
  ['FREQ=WEEKLY;UNTIL=20260302T240000', { unit: 'week', until: { type: 'date', day: toDay('2026-03-02') } }],
])('an unusually written rule means the same: %s', (rule, repeat) => {
  const { draft, warnings } = read('DTSTART:20260217T090000', `RRULE:${rule}`);
  expect(warnings).toEqual([]);
  expect(draft.pattern).toMatchObject({ kind: 'repeat', repeat });
});

const createRuleUntil = (until: string) =>
  read('DTSTART:20260217T090000', `RRULE:FREQ=WEEKLY;BYDAY=TU,WE;COUNT=4;UNTIL=${until}`);

test('a rule with two ends is exported with the effective one', () => {
  expect(createRuleUntil('20260218').draft.pattern).toMatchObject({
    rule: 'RRULE:FREQ=WEEKLY;BYDAY=TU,WE;UNTIL=20260218',
  });
  expect(createRuleUntil('20270218').draft.pattern).toMatchObject({ rule: 'RRULE:FREQ=WEEKLY;BYDAY=TU,WE;COUNT=4' });
});

describe('days besides the rule', () => {
  const start = ['DTSTART:20260217T090000Z', 'DTEND:20260217T100000Z'];
  const other = 'Some of its dates have another length than the first. They are shown with the length of the first';

  test.each(['20260218T090000Z/20260218T120000Z', '20260218T090000Z/PT30M', '20260217T090000Z/PT3H'])(
    'a period of another length is reported: %s',
    (period) => {
      const { draft, warnings } = read(...start, `RDATE;VALUE=PERIOD:${period}`);
      expect(warnings).toEqual([other]);
      expect(draft.pattern).toMatchObject({
        words: expect.stringContaining('some of its dates have another length'),
      });
    },
  );

  test('a period as long as the event is one of its days', () => {
    const { draft, warnings } = read(
      ...start,
      'RDATE;VALUE=PERIOD:20260218T090000Z/20260218T100000Z,20260219T090000Z/PT1H',
    );
    expect(warnings).toEqual([]);
    expect(draft.pattern).toMatchObject({ words: 'on 2 days besides the first' });
  });

  test('an invalid one does not affect the others', () => {
    const { draft, warnings } = read(
      ...start,
      'RRULE:FREQ=DAILY;COUNT=5',
      'EXDATE:20260218T090000Z, nope;20260220T090000Z',
    );
    expect(warnings).toEqual(['A date in its EXDATE is not valid and is ignored']);
    expect(draft.exceptions).toEqual([toDay('2026-02-18'), toDay('2026-02-20')]);
  });

  test('an exception with another time of day is reported', () => {
    const { draft, warnings } = read(...start, 'RRULE:FREQ=DAILY;COUNT=5', 'EXDATE:20260218T000000Z');
    expect(draft.exceptions).toEqual([toDay('2026-02-18')]);
    expect(warnings).toHaveLength(1);
  });
});

test.each([
  [['DTSTART:20260217T220000', 'DTEND:20260217T240000'], '2026-02-17 22:00-00:00 +1'],
  [['DTSTART:20260217T240000', 'DTEND:20260218T010000'], '2026-02-18 00:00-01:00'],
  [
    ['DTSTART;TZID=Europe/Berlin:20260217T220000', 'DTEND;TZID=Europe/Berlin:20260217T240000'],
    '2026-02-17 22:00-00:00 +1 Europe/Berlin',
  ],
  [['DTSTART:99991231T220000', 'DTEND:99991231T240000'], '9999-12-31 22:00-00:00 +1'],
  [['DTSTART:20260217T220000', 'DTEND:garbage', 'DURATION:PT1H'], '2026-02-17 22:00-23:00'],
  [['DTSTART:20260217T200000', 'DURATION:P1H30M'], '2026-02-17 20:00-21:30'],
  [['DTSTART;VALUE=DATE:2026-02-17', 'DTEND;VALUE=DATE:2026-02-18'], '2026-02-17 all day'],
  [['DTSTART:2026-02-17T10:00:00', 'DTEND:2026-02-17T11:00:00'], '2026-02-17 10:00-11:00'],
  [['DTSTART:20260217T100000+0200', 'DTEND:20260217T110000+02:00'], '2026-02-17 08:00-09:00 UTC'],
  [['DTSTART:20260217T100000.000Z', 'DTEND:20260217T1100Z'], '2026-02-17 10:00-11:00 UTC'],
  [['DTSTART: 20260217T100000 ', 'DTEND: 20260217T110000'], '2026-02-17 10:00-11:00'],
  // A floating start and an end in UTC: in the home zone.
  [['DTSTART:20260217T100000', 'DTEND:20260217T100000Z'], '2026-02-17 10:00-11:00'],
])('%s are read', (lines, expected) => {
  expect(formatTimes(...lines)).toBe(expected);
});

test.each([
  [['DTEND:garbage'], 'Its end cannot be read, so it has none'],
  [['DTEND:20260230T010000'], 'Its end cannot be read, so it has none'],
  [['DTEND:20260217T250000'], 'Its end cannot be read, so it has none'],
  [['DTEND:20260217T240100'], 'Its end cannot be read, so it has none'],
  [['DURATION:PT1H30'], 'Its end cannot be read, so it has none'],
  [['DURATION:PT1.5H'], 'Its end cannot be read, so it has none'],
  [['DURATION:P'], 'Its end cannot be read, so it has none'],
  [['DURATION:1:00'], 'Its end cannot be read, so it has none'],
  [['DURATION:-PT1H'], 'Its end is before its start, so it has none'],
  [['DTEND:20260217T080000'], 'Its end is before its start, so it has none'],
])('an invalid end is reported: %s', (lines, why) => {
  const { draft, warnings } = read('DTSTART:20260217T090000', ...lines);
  expect(draft).toMatchObject({ time: '09:00', endTime: undefined });
  expect(warnings).toEqual([why]);
});

test.each([
  ['DTEND:20260218T170000', 1],
  ['DTEND:20260218T170000Z', 1],
  ['DURATION:P1DT2H', 1],
  ['DURATION:PT2H', 0],
])('a whole day that ends at a time of day covers the whole day, and this is reported: %s', (end, endDays) => {
  const { draft, warnings } = read('DTSTART;VALUE=DATE:20260217', end);
  expect(draft.time).toBe(undefined);
  const { pattern } = draft;
  const days = pattern.kind === 'duration' ? pattern.duration.amount - 1 : draft.endDays;
  expect(days).toBe(endDays);
  expect(warnings).toEqual(['It lasts whole days but has an end time, so the last day is shown as a whole day']);
});

test('a whole day that ends at midnight needs no warning', () => {
  expect(read('DTSTART;VALUE=DATE:20260217', 'DTEND:20260218T000000').warnings).toEqual([]);
});

/** Returns the moments of the first occurrence. */
function listMoments(...lines: readonly string[]): readonly string[] {
  const { draft, warnings } = read(...lines);
  expect(warnings).toEqual([]);
  const [first] = iterateOccurrences(draft, { from: toDay('2026-01-01'), until: toDay('2026-12-31'), viewer: UTC });
  return [first?.start, first?.end].map((moment) => new Date(moment ?? Number.NaN).toISOString().slice(5, 16));
}
describe('on days on which the clock is changed', () => {
  const START = 'DTSTART;TZID=Europe/Berlin:';
  const END = 'DTEND;TZID=Europe/Berlin:';

  test.each([
    [
      'from the hour that comes twice into it again',
      [`${START}20261025T023000`, 'DURATION:PT1H'],
      ['10-25T00:30', '10-25T01:30'],
    ],
    [
      'to a reading before its start',
      [`${START}20261025T023000`, 'DTEND:20261025T011500Z'],
      ['10-25T00:30', '10-25T01:15'],
    ],
    ['into the second of two hours', [`${START}20261025T013000`, 'DURATION:PT2H'], ['10-24T23:30', '10-25T01:30']],
    ['past both', [`${START}20261025T013000`, 'DURATION:PT3H'], ['10-24T23:30', '10-25T02:30']],
    ['over the gap', [`${START}20260329T013000`, 'DURATION:PT1H'], ['03-29T00:30', '03-29T01:30']],
    ['into the gap', [`${START}20260329T013000`, `${END}20260329T021500`], ['03-29T00:30', '03-29T01:15']],
    [
      'from the gap to a reading that comes before it',
      [`${START}20260329T023000`, `${END}20260329T031500`],
      ['03-29T01:30', '03-29T02:15'],
    ],
    [
      'a day later by the clock, and two hours',
      [`${START}20260328T120000`, 'DURATION:P1DT2H'],
      ['03-28T11:00', '03-29T12:00'],
    ],
  ])('an end is preserved: %s', (_name, lines, moments) => {
    expect(listMoments(...lines)).toEqual(moments);
  });

  test('the first day of a repeat does not change the length of the others', () => {
    expect(formatTimes(`${START}20260329T013000`, 'DURATION:PT1H', 'RRULE:FREQ=WEEKLY')).toContain('01:30-02:30');
    expect(formatTimes(`${START}20261025T023000`, 'DURATION:PT1H', 'RRULE:FREQ=WEEKLY')).toContain('02:30-03:30');
    expect(formatTimes(`${START}20261025T013000`, 'DURATION:PT2H', 'RRULE:FREQ=DAILY')).toContain('01:30-03:30');
  });

  test('a viewer who sees the hour twice sees the correct length', () => {
    const { draft } = read('DTSTART:20261025T003000Z', 'DTEND:20261025T011500Z');
    const [occurrence] = iterateOccurrences(draft, {
      from: toDay('2026-10-25'),
      until: toDay('2026-10-25'),
      viewer: berlin,
    });
    expect((occurrence?.end ?? 0) - (occurrence?.start ?? 0)).toBe(45 * 60_000);
  });
});

const getSummerMoment = (zone: string | undefined): number =>
  toUtc(findNamedZone(zone ?? '') ?? UTC, Date.UTC(2026, 6, 1, 9));

describe('zones', () => {
  test('an unknown one is reported once', () => {
    const { warnings } = read(
      'DTSTART;TZID=Nowhere:20260217T090000',
      'DTEND;TZID=Nowhere:20260217T100000',
      'RRULE:FREQ=DAILY',
      'EXDATE;TZID=Nowhere:20260218T090000',
    );
    expect(warnings).toEqual(["Its time zone 'Nowhere' is unknown, so its times are shown as local times"]);
  });

  test.each([
    ['Eastern Standard Time 1', 'America/New_York'],
    ['W. Europe Standard Time (2)', 'Europe/Berlin'],
    ['Russia Time Zone 3', 'Europe/Samara'],
    ['America-New_York', 'America/New_York'],
    ['America-Argentina-Buenos_Aires', 'America/Argentina/Buenos_Aires'],
    ['America/Port-au-Prince', 'America/Port-au-Prince'],
    ['America/New York', 'America/New_York'],
    ['america_new_york', 'America/New_York'],
    ['Europe\\Berlin', 'Europe/Berlin'],
    ['Europe/Berlin (1)', 'Europe/Berlin'],
    ['US-Eastern', 'America/New_York'],
    ['"(UTC+01:00) Amsterdam\\, Berlin\\, Bern\\, Rom\\, Stockholm\\, Wien"', 'Europe/Berlin'],
    ['(GMT+01.00) Amsterdam, Berlin, Bern, Rome', 'Europe/Berlin'],
    ['UTC+2', 'Etc/GMT-2'],
  ])('%s is %s', (name, iana) => {
    const { draft, warnings } = read(`DTSTART;TZID=${name}:20260701T090000`);
    expect(warnings).toEqual([]);
    expect([draft.time, getSummerMoment(draft.zone)]).toEqual(['09:00', getSummerMoment(iana)]);
  });
});
