import { describe, expect, test } from 'vitest';
import type { Day } from '#platform/contract/day.ts';
import { DAY_MS } from '#platform/contract/duration.ts';
import { parseCalendarObject } from '../../dav/server/instances.ts';
import { parseDay } from '../../events/domain/day.ts';
import type { CalendarEvent, EventDraft } from '../../events/domain/event.ts';
import { findNamedZone, toUtc, UTC } from '../../events/domain/timeZone.ts';
import { iterateOccurrences } from '../../repeat/domain/occurrence.ts';
import { patchSource } from './ics/patchSource.ts';
import { readObject, type ParsedEvent } from './ics/readIcs.ts';

// The page computes the days of an event from its draft, CalDAV from the text. Both must find the same times.

const HOME = 'Europe/Berlin';
const home = findNamedZone(HOME) ?? UTC;
const toDay = (iso: string): Day => parseDay(iso) ?? Number.NaN;
const [FROM, UNTIL] = [toDay('2026-11-01'), toDay('2028-12-31')];
const RANGE = { start: toUtc(home, FROM * DAY_MS), end: toUtc(home, (UNTIL + 1) * DAY_MS) };

const createEvent = (...lines: readonly string[]): readonly string[] => [
  'BEGIN:VEVENT',
  ...(lines.some((line) => line.startsWith('UID:')) ? [] : ['UID:one']),
  'DTSTAMP:20261101T000000Z',
  'SUMMARY:Event',
  ...lines,
  'END:VEVENT',
];

const getFile = (...lines: readonly string[]): string =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines, 'END:VCALENDAR', ''].join('\r\n');

function read(text: string) {
  const { events, problems } = readObject(text, { zone: HOME, today: toDay('2026-11-27') });
  return { events, warnings: problems.map(({ why }) => why) };
}

const formatPeriod = (from: number, until: number): string =>
  `${new Date(from).toISOString().slice(0, 16)}/${new Date(until).toISOString().slice(0, 16)}`;

const readDrafts = ({ draft, overrides }: ParsedEvent): readonly EventDraft[] => [
  draft,
  ...overrides.map((override) => override.draft),
];

const listPageTimes = (drafts: readonly EventDraft[]): readonly string[] =>
  drafts
    .flatMap((draft) =>
      [...iterateOccurrences(draft, { from: FROM, until: UNTIL, viewer: home })].map(({ start, end }) =>
        formatPeriod(toUtc(home, start), toUtc(home, end)),
      ),
    )
    .toSorted();

function listTextTimes(text: string): readonly string[] {
  const { series, budget } = parseCalendarObject(text, home);
  return [...series.iterateInstances(RANGE, budget)]
    .filter(({ component }) => !component.properties.some(({ value }) => value === 'CANCELLED'))
    .filter(({ from, until }) => from < RANGE.end && until >= RANGE.start)
    .map(({ from, until }) => formatPeriod(from, until))
    .toSorted();
}

const START = 'DTSTART;TZID=America/New_York:20261201T090000';
const END = 'DTEND;TZID=America/New_York:20261201T100000';
const toNewYork = (day: string, time: string): string => `;TZID=America/New_York:202612${day}T${time}00`;
const createRepeated = (...lines: readonly string[]): readonly string[] => createEvent(START, END, ...lines);
const createChanged = (id: string, ...lines: readonly string[]): readonly string[] =>
  createEvent(`RECURRENCE-ID${id}`, ...lines);
const createLaterChange = (start: string, end: string, id = toNewYork('15', '0900')) =>
  createChanged(`;RANGE=THISANDFUTURE${id}`, `DTSTART${start}`, `DTEND${end}`);

const CASES: readonly (readonly [string, readonly string[]])[] = [
  [
    'a rule of days left out ends with its UNTIL',
    createRepeated('RRULE:FREQ=DAILY;COUNT=30', 'EXRULE:FREQ=DAILY;UNTIL=20261210T140000Z'),
  ],
  [
    'a rule of days left out ends with its COUNT',
    createRepeated('RRULE:FREQ=DAILY;COUNT=30', 'EXRULE:FREQ=DAILY;COUNT=4'),
  ],
  [
    'a rule of days left out ends with either',
    createRepeated('RRULE:FREQ=DAILY;COUNT=30', 'EXRULE:FREQ=DAILY;COUNT=9;UNTIL=20261204'),
  ],
  [
    'a rule of other times leaves nothing out',
    createRepeated('RRULE:FREQ=DAILY;COUNT=30', 'EXRULE:FREQ=WEEKLY;BYDAY=SA;BYHOUR=15'),
  ],
  [
    'a rule of this and other times leaves it out',
    createRepeated('RRULE:FREQ=DAILY;COUNT=30', 'EXRULE:FREQ=WEEKLY;BYDAY=SA;BYHOUR=9,15'),
  ],
  [
    'seconds count in UNTIL',
    createEvent('DTSTART:20261201T090030Z', 'DTEND:20261201T093045Z', 'RRULE:FREQ=DAILY;UNTIL=20261205T090000Z'),
  ],
  [
    'an UNTIL of the very second is a time of it',
    createEvent('DTSTART:20261201T090030Z', 'RRULE:FREQ=DAILY;UNTIL=20261205T090030Z'),
  ],
  [
    'whole days know no times of the day',
    createEvent('DTSTART;VALUE=DATE:20261201', 'RRULE:FREQ=DAILY;BYHOUR=9,12;BYMINUTE=5;COUNT=10'),
  ],
  ['a date among times is the time of that day', createRepeated('RDATE;VALUE=DATE:20261205,20270405')],
  [
    'dates left out of times are those days',
    createRepeated('RRULE:FREQ=DAILY;COUNT=9', 'EXDATE;VALUE=DATE:20261203,20261205'),
  ],
  [
    'a whole day that ends on itself is a whole day',
    createEvent('DTSTART;VALUE=DATE:20261201', 'DTEND;VALUE=DATE:20261201'),
  ],
  [
    'a change takes the place of an event that does not repeat',
    [
      ...createRepeated(),
      ...createChanged(toNewYork('01', '0900'), `DTSTART${toNewYork('01', '1100')}`, `DTEND${toNewYork('01', '1200')}`),
    ],
  ],
  [
    'later days last as long as the changed one',
    [
      ...createEvent('DTSTART;VALUE=DATE:20261201', 'RRULE:FREQ=WEEKLY;COUNT=10'),
      ...createLaterChange(';VALUE=DATE:20261217', ';VALUE=DATE:20261220', ';VALUE=DATE:20261215'),
    ],
  ],
  [
    'later days go over more than one night',
    [
      ...createRepeated('RRULE:FREQ=DAILY;COUNT=200'),
      ...createLaterChange(toNewYork('15', '2200'), toNewYork('17', '0200')),
    ],
  ],
  [
    'later days become whole ones',
    [
      ...createRepeated('RRULE:FREQ=DAILY;COUNT=20'),
      ...createLaterChange(';VALUE=DATE:20261215', ';VALUE=DATE:20261217'),
    ],
  ],
  [
    'whole later days get times',
    [
      ...createEvent('DTSTART;VALUE=DATE:20261201', 'RRULE:FREQ=DAILY;COUNT=20'),
      ...createLaterChange(toNewYork('15', '2200'), toNewYork('16', '0200'), ';VALUE=DATE:20261215'),
    ],
  ],
  [
    'later days told in UTC move by the clock of the repeat',
    [...createRepeated('RRULE:FREQ=WEEKLY'), ...createLaterChange(':20261215T150000Z', ':20261215T160000Z')],
  ],
  [
    'later days told in another zone move by the clock of the repeat',
    [
      ...createRepeated('RRULE:FREQ=WEEKLY;BYDAY=TU,TH'),
      ...createLaterChange(';TZID=Europe/London:20261215T090000', ';TZID=Europe/London:20261215T100000'),
    ],
  ],
  [
    'a change of later days behind the last one is of its own day alone',
    [
      ...createRepeated('RRULE:FREQ=WEEKLY;COUNT=2'),
      ...createLaterChange(toNewYork('29', '1130'), toNewYork('29', '1300'), toNewYork('29', '0900')),
    ],
  ],
  [
    'two changes of later days, the second of which calls them off',
    [
      ...createRepeated('RRULE:FREQ=DAILY'),
      ...createLaterChange(toNewYork('15', '1130'), toNewYork('15', '1300')),
      ...createChanged(
        `;RANGE=THISANDFUTURE${toNewYork('20', '0900')}`,
        'STATUS:CANCELLED',
        `DTSTART${toNewYork('20', '0900')}`,
      ),
    ],
  ],
  [
    'a flight into another zone',
    createEvent('DTSTART;TZID=Europe/Berlin:20270327T230000', 'DTEND;TZID=America/New_York:20270328T021500'),
  ],
  [
    'a flight over the date line',
    createEvent('DTSTART;TZID=Asia/Tokyo:20270327T000500', 'DTEND;TZID=America/Los_Angeles:20270326T170000'),
  ],
  ['weeks that begin on Sunday', createRepeated('RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=SU;COUNT=20')],
  ['the last working day', createRepeated('RRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1')],
  ['weeks of the year', createEvent('DTSTART;VALUE=DATE:20261201', 'RRULE:FREQ=YEARLY;BYWEEKNO=53,1')],
  ['days of the year', createRepeated('RRULE:FREQ=YEARLY;BYYEARDAY=1,100,-1')],
  ['a birthday of 29 February in 1604', createEvent('DTSTART;VALUE=DATE:16040229', 'RRULE:FREQ=YEARLY')],
  [
    'a clock that is put forward',
    createEvent('DTSTART;TZID=Europe/Berlin:20270326T023000', 'DURATION:PT15M', 'RRULE:FREQ=DAILY;COUNT=5'),
  ],
];

test.each(CASES)('%s, in the page as in CalDAV', (_, lines) => {
  const { events, warnings } = read(getFile(...lines));
  expect(warnings).toEqual([]);
  expect(events).toHaveLength(1);
  const times = listPageTimes(events.flatMap(readDrafts));
  expect(times.length).toBeGreaterThan(0);
  expect(times).toEqual(listTextTimes(getFile(...lines)));
});

describe('what the page cannot represent is reported', () => {
  test.each([
    [
      'a change of all later days is of no day of the repeat',
      [
        ...createRepeated('RRULE:FREQ=WEEKLY'),
        ...createLaterChange(toNewYork('16', '1130'), toNewYork('16', '1300'), toNewYork('16', '0900')),
      ],
      'A change of all later occurrences names a date on which the event does not take place. That date is ignored',
    ],
    [
      'later days last years',
      [
        ...createEvent('DTSTART;VALUE=DATE:20261201', 'RRULE:FREQ=YEARLY'),
        ...createLaterChange(';VALUE=DATE:20271201', ';VALUE=DATE:20301201', ';VALUE=DATE:20271201'),
      ],
      'It is longer than 366 days. It is cut off after that',
    ],
  ])('%s', (_, lines, why) => {
    const { events, warnings } = read(getFile(...lines));
    expect(events).toHaveLength(1);
    expect(warnings).toEqual([why]);
  });

  test.each([
    ['the file calls it off', ['METHOD:CANCEL', ...createRepeated()]],
    [
      'the only day is called off',
      [...createRepeated(), ...createChanged(toNewYork('01', '0900'), START, 'STATUS:CANCELLED')],
    ],
    [
      'all days are called off',
      [
        ...createRepeated('RRULE:FREQ=DAILY'),
        ...createChanged(`;RANGE=THISANDFUTURE${toNewYork('01', '0900')}`, START, 'STATUS:CANCELLED'),
      ],
    ],
    ['a day without its repeat is called off', createChanged(toNewYork('03', '0900'), START, 'STATUS:CANCELLED')],
  ])('%s', (_, lines) => {
    expect(read(getFile(...lines))).toEqual({ events: [], warnings: ['It is cancelled'] });
  });
});

const createLesson = (day: string, ...lines: readonly string[]) =>
  createEvent(`DTSTART${toNewYork(day, '0900')}`, ...lines);

describe('of several events with one UID', () => {
  test('all that start at different times are imported, each with its own UID', () => {
    const { events, warnings } = read(getFile(...createLesson('01'), ...createLesson('02'), ...createLesson('03')));
    expect(warnings).toEqual([]);
    expect(events.map(({ uid }) => uid)).toEqual(['one', 'one-20261202T090000', 'one-20261203T090000']);
    expect(events.map(({ draft }) => draft.day)).toEqual(['2026-12-01', '2026-12-02', '2026-12-03'].map(toDay));
    expect(events.map(({ source }) => /^UID:(.*)$/m.exec(source)?.[1]?.trim())).toEqual(events.map(({ uid }) => uid));
  });

  test('only the latest version of an event is imported, wherever it is in the file', () => {
    const { events, warnings } = read(
      getFile(...createLesson('04', 'SEQUENCE:5'), ...createLesson('01', 'SEQUENCE:1'), ...createLesson('02')),
    );
    expect(events.map(({ draft }) => draft.day)).toEqual([toDay('2026-12-04')]);
    expect(warnings).toEqual(['It is in the file twice. The later version is used']);
  });

  test('changed days without their repeat have UIDs of their own in their texts too', () => {
    const { events } = read(
      getFile(...createChanged(toNewYork('03', '0900'), START), ...createChanged(toNewYork('04', '0900'), START)),
    );
    expect(events.map(({ source }) => /^UID:(.*)$/m.exec(source)?.[1]?.trim())).toEqual([
      'one-2026-12-03',
      'one-2026-12-04',
    ]);
  });
});

function getStored({ draft, overrides }: ParsedEvent): readonly [CalendarEvent, readonly CalendarEvent[]] {
  const base = { uid: 'one', resource: 'one.ics', subscription: undefined, created: 0, edited: 0, revision: 2 };
  const event = { ...base, ...draft, id: 1, parent: undefined, replaces: undefined };
  return [
    event,
    overrides.map(({ replaces, draft: other }, at) => ({ ...base, ...other, id: 2 + at, parent: 1, replaces })),
  ];
}

describe('a change that took the place of the event is the event when the page changes it', () => {
  const sources: readonly (readonly [string, string])[] = [
    [
      'all days from the first on',
      getFile(
        ...createRepeated('RRULE:FREQ=DAILY;COUNT=20', 'LOCATION:Old'),
        ...createChanged(
          `;RANGE=THISANDFUTURE${toNewYork('01', '0900')}`,
          `DTSTART${toNewYork('01', '1130')}`,
          'LOCATION:New',
        ),
        ...createChanged(toNewYork('05', '0900'), `DTSTART${toNewYork('05', '1500')}`),
      ),
    ],
    [
      'the only day',
      getFile(
        ...createRepeated('LOCATION:Old'),
        ...createChanged(toNewYork('01', '0900'), `DTSTART${toNewYork('01', '1100')}`, 'LOCATION:New'),
      ),
    ],
  ];
  test.each(sources)('%s', (_, source) => {
    const [before] = read(source).events;
    if (before === undefined) throw new Error('nothing was read');
    const [event, children] = getStored(before);
    for (const edit of [{ name: 'Renamed' }, { time: '12:00', endTime: '13:00' }]) {
      const text = patchSource(source, { ...event, ...edit }, children, HOME);
      const [after, ...more] = read(text).events;
      expect(more).toEqual([]);
      expect(after?.draft).toMatchObject({ ...before.draft, ...edit });
      expect(after?.overrides.map(({ draft }) => draft)).toEqual(before.overrides.map(({ draft }) => draft));
      expect(listTextTimes(text)).toEqual(listPageTimes(after ? readDrafts(after) : []));
      expect(text).toContain('LOCATION:New');
      expect(text).not.toContain('LOCATION:Old');
    }
  });
});
