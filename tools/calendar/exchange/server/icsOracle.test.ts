import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toCivilDate, toIso, type Day } from '#platform/contract/day.ts';
import { getSkipReason } from '#testing/machine.ts';
import { runPythonCalendar, type PythonDraft } from '#testing/python/calendars.ts';
import { toLocalDay, parseDay, getWeekday } from '../../events/domain/day.ts';
import type { CalendarEvent, EventDraft, DayPattern } from '../../events/domain/event.ts';
import { normalizeDraft, MAX_FOREIGN_DAYS } from '../../events/domain/eventDraft.ts';
import { findNamedZone } from '../../events/domain/timeZone.ts';
import { getLastDay, iterateOccurrences } from '../../repeat/domain/occurrence.ts';
import { isOnDay } from '../../repeat/domain/placement.ts';
import { findFirstDay } from '../domain/icsPattern.ts';
import { formatIcs } from '../domain/icsWriter.ts';
import { readIcs } from './ics/readIcs.ts';

const lack = getSkipReason('icalendar', 'recurring_ical_events');
const ZONE = 'Europe/Berlin';
const toDay = (iso: string): Day => parseDay(iso) ?? Number.NaN;
const FROM = toDay('2014-01-01');
const UNTIL = toDay('2029-12-31');
const CREATED = Date.UTC(2026, 4, 4, 12);

const anyDay = fc.oneof(
  fc.integer({ min: toDay('2012-01-01'), max: toDay('2028-12-31') }),
  fc.constantFrom(...['2024-02-29', '2020-02-29', '2025-01-31', '2025-03-31', '2025-08-30', '2024-12-29'].map(toDay)),
);
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 90 }),
  fc.constantFrom('a;b,c\\d', 'line\none\n\ntwo', String.raw`C:\new`, '👩‍👩‍👧'.repeat(30), 'ä'.repeat(80), ': "quoted"; '),
);
const tag = text.map((name) => `#${name.replaceAll(/[,\s\u2800\p{C}]/gu, '')}`.slice(0, 20).toWellFormed());

const from = fc.oneof(
  fc.constant({ type: 'forever' } as const),
  anyDay.map((day) => ({ type: 'date', day }) as const),
  anyDay.map((day) => ({ type: 'today', day }) as const),
);
const until = fc.oneof(
  fc.constant({ type: 'forever' } as const),
  fc.nat({ max: 40 }).map((times) => ({ type: 'times', times }) as const),
  anyDay.map((day) => ({ type: 'date', day }) as const),
);
const repeat = fc.record({
  every: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constantFrom(7, 12, 13, 400)),
  unit: fc.constantFrom('day', 'week', 'month', 'year'),
  from,
  until,
});
const pattern: fc.Arbitrary<DayPattern> = fc.oneof(
  fc.constant({ kind: 'single' } as const),
  repeat.map((one): DayPattern => ({ kind: 'repeat', repeat: one })),
  repeat.map((one): DayPattern => ({ kind: 'repeat', repeat: one })),
  fc
    .record({ amount: fc.nat({ max: 50 }), unit: fc.constantFrom('hours', 'days', 'weeks', 'months', 'years') })
    .map((duration): DayPattern => ({ kind: 'duration', duration })),
);
const times = fc.constantFrom(
  { time: undefined, endTime: undefined },
  { time: undefined, endTime: undefined },
  { time: '00:00', endTime: undefined },
  { time: '09:30', endTime: '10:45' },
  { time: '23:30', endTime: '23:59' },
);

/** Drafts as the calendar stores them, with some exceptions. */
const draft: fc.Arbitrary<EventDraft> = fc
  .record({
    name: text,
    description: text,
    day: anyDay,
    times,
    pattern,
    tags: fc.uniqueArray(tag, { maxLength: 3 }),
    left: fc.nat({ max: 3 }),
  })
  .map(({ times: clock, left, name, ...rest }) => {
    const { pattern: kind } = rest;
    const bound = kind.kind === 'repeat' && kind.repeat.from.type !== 'forever' ? kind.repeat.from.day : undefined;
    // The calendar refuses an event that ends before it starts.
    const isBackwards =
      kind.kind === 'repeat' &&
      bound !== undefined &&
      kind.repeat.until.type === 'date' &&
      kind.repeat.until.day < bound;
    const placed = { ...rest, pattern: isBackwards ? ({ kind: 'single' } as const) : kind, exceptions: [] };
    const days = Array.from({ length: UNTIL - FROM + 1 }, (_none, index) => FROM + index).filter((day) =>
      isOnDay(placed, day),
    );
    const pinned = rest.tags[0] !== undefined && left === 2 ? rest.tags[0] : undefined;
    return normalizeDraft({
      ...placed,
      ...clock,
      name: `${name.replaceAll(/[\u2800\p{Cc}]/gu, '')}.`,
      description: rest.description.replaceAll(/[^\P{Cc}\n]/gu, ''),
      exceptions: days.slice(3, 3 + left),
      pinned,
    });
  });

const createEvent = (one: EventDraft, index: number): CalendarEvent => ({
  ...one,
  id: index + 1,
  uid: `uid-${index}`,
  resource: `${index}.ics`,
  subscription: undefined,
  parent: undefined,
  replaces: undefined,
  created: CREATED,
  edited: CREATED,
  revision: index,
});

/** Returns the days of the home zone that an event touches. */
function listPlaces(one: EventDraft, first: Day, last: Day): readonly string[] {
  const days = new Set<Day>();
  for (const each of iterateOccurrences(one, { from: first, until: last, viewer: findNamedZone(ZONE) }))
    for (let day = Math.max(first, toLocalDay(each.start)); day <= Math.min(last, getLastDay(each)); day += 1)
      days.add(day);
  return [...days].toSorted((a, b) => a - b).map(toIso);
}

/** Returns our days of an event, from the first one in the exported rule. */
function listDays(one: EventDraft): readonly string[] {
  const first =
    one.pattern.kind === 'repeat' ? (findFirstDay(one.day, one.pattern.repeat, CREATED) ?? UNTIL + 1) : FROM;
  const begin = Math.max(FROM, first);
  return listPlaces(one, begin, UNTIL);
}

function subtract(list: readonly string[], other: readonly string[]): readonly string[] {
  const excluded = new Set(other);
  return list.filter((day) => !excluded.has(day));
}

const addName = (list: readonly string[], name: string): readonly string[] =>
  list.length === 0 ? [] : [`${name} ${list.slice(0, 4).join(' ')} (${list.length})`];

/** The first days that only one side has. */
const describeDifference = (ours: readonly string[], theirs: readonly string[]): string =>
  [...addName(subtract(ours, theirs), 'ours'), ...addName(subtract(theirs, ours), 'theirs')].join(', ');

function sample<T>(arbitrary: fc.Arbitrary<T>, count: number): readonly T[] {
  const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
  process.stdout.write(`seed ${seed}\n`);
  return fc.sample(arbitrary, { numRuns: count, seed });
}

test('a tag that ends with a backslash is not joined to the next one', async () => {
  const tags = ['first\\', 'second\\\\', 'third'];
  const one = normalizeDraft({
    name: 'Tagged',
    description: '',
    day: FROM,
    time: undefined,
    endTime: undefined,
    pattern: { kind: 'single' },
    exceptions: [],
    tags,
    pinned: undefined,
  });
  const event = createEvent(one, 0);
  const { events } = await readIcs(formatIcs([event], { name: 'Mine' }), { zone: ZONE });
  expect(events.map(({ draft: read }) => read.tags)).toEqual([tags]);
});

test('written events are read back unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(draft, { maxLength: 5 }), async (drafts) => {
      const ics = formatIcs(drafts.map(createEvent), { name: 'Mine, and "yours"' });
      expect(ics.split('\r\n').every((line) => Buffer.byteLength(line) <= 75)).toBe(true);
      const read = await readIcs(ics, { zone: ZONE });
      expect(read.problems).toEqual([]);
      expect(read.name).toBe('Mine, and "yours"');
      expect(read.events.map((event) => event.draft)).toEqual(drafts);
    }),
    { numRuns: 150 },
  );
});

describe.skipIf(lack)(`beside python3-icalendar and python3-recurring-ical-events${lack ? ` (${lack})` : ''}`, () => {
  test('other programs find our events on the same days, with the same texts', () => {
    // Debian's icalendar reads `C:\\\\new` as a line break.
    const drafts = sample(draft, 300).map((one) => ({
      ...one,
      name: one.name.replaceAll('\\', '/'),
      description: one.description.replaceAll('\\', '/'),
      tags: one.tags.map((each) => each.replaceAll('\\', '/')),
    }));
    const span = { from: toIso(FROM), until: toIso(UNTIL) };
    const { events } = runPythonCalendar({ ics: formatIcs(drafts.map(createEvent)), ...span });
    const byUid = new Map(events.map((event) => [event.uid, event]));
    for (const [index, one] of drafts.entries()) {
      const theirEvent = byUid.get(`uid-${index}`);
      const context = JSON.stringify(one);
      expect([theirEvent?.name, theirEvent?.description, theirEvent?.tags], context).toEqual([
        one.name,
        one.description,
        one.tags,
      ]);
      expect(describeDifference(listDays(one), theirEvent?.days ?? []), context).toBe('');
    }
  });

  test('we find events of other programs on the same days', async () => {
    const drafts = sample(foreign, 300).map((one, index) => ({ ...one, uid: `uid-${index}` }));
    const span = { from: '2020-01-01', until: '2031-12-31', home: ZONE };
    const { ics, events } = runPythonCalendar({ events: drafts, ...span });
    const read = await readIcs(ics, { zone: ZONE, today: toDay('2026-11-21') });
    const byUid = new Map(read.events.map((event) => [event.uid, event.draft]));
    for (const [index, { uid, days, name }] of events.entries()) {
      const ourEvent = byUid.get(uid);
      const context = JSON.stringify([drafts[index], ourEvent, read.problems.filter((one) => one.name === name)]);
      const ours = ourEvent ? listPlaces(ourEvent, toDay(span.from), toDay(span.until)) : [];
      // If there are too many days, the calendar stores a limited number of consecutive ones.
      const all = ourEvent?.pattern.kind === 'foreign' ? ourEvent.pattern.days : [];
      const isCut = all.length === MAX_FOREIGN_DAYS;
      const theirs = days.filter((day) => !isCut || (toDay(day) >= (all[0] ?? 0) && toDay(day) <= (all.at(-1) ?? 0)));
      expect(describeDifference(ours, theirs), context).toBe('');
    }
  });
});

const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
const createWeekdays = (own: string) =>
  fc.uniqueArray(fc.constantFrom(...WEEKDAYS), { maxLength: 3 }).map((list) => [...new Set([own, ...list])].join(','));

/** Rules that match their own first day, as calendars write them. For others RFC 5545 leaves the meaning open. */
function createRule(day: Day): fc.Arbitrary<string> {
  const { month, date } = toCivilDate(day);
  const weekday = WEEKDAYS[getWeekday(day) - 1] ?? 'MO';
  const nth = Math.floor((date - 1) / 7) + 1;
  return fc.oneof(
    createWeekdays(weekday).map((list) => `FREQ=WEEKLY;BYDAY=${list}`),
    createWeekdays(weekday).map((list) => `FREQ=WEEKLY;WKST=SU;BYDAY=${list}`),
    createWeekdays(weekday).map((list) => `FREQ=DAILY;BYDAY=${list}`),
    fc.constantFrom(
      'FREQ=DAILY',
      'FREQ=WEEKLY',
      'FREQ=MONTHLY',
      'FREQ=YEARLY',
      `FREQ=MONTHLY;BYDAY=${nth}${weekday}`,
      `FREQ=MONTHLY;BYDAY=${weekday};BYSETPOS=${nth}`,
      `FREQ=MONTHLY;BYMONTHDAY=${[...new Set([date, 1, 15])].join(',')}`,
      `FREQ=YEARLY;BYMONTH=${month};BYDAY=${nth}${weekday}`,
      `FREQ=YEARLY;BYMONTH=${[...new Set([month, 6, 12])].join(',')};BYMONTHDAY=${date}`,
      `FREQ=YEARLY;BYMONTH=${month};BYMONTHDAY=${date}`,
    ),
  );
}

const foreign: fc.Arbitrary<Omit<PythonDraft, 'uid'>> = fc
  .integer({ min: toDay('2019-06-01'), max: toDay('2027-12-31') })
  .chain((day) =>
    fc.record({
      day: fc.constant(day),
      name: fc.constant('Event'),
      rule: fc.option(createRule(day), { nil: undefined }),
      interval: fc.constantFrom(1, 1, 2, 3),
      end: fc.oneof(
        fc.constant(''),
        fc.integer({ min: 1, max: 30 }).map((count) => `;COUNT=${count}`),
        fc.integer({ min: 30, max: 900 }).map((more) => `;UNTIL=${toIso(day + more).replaceAll('-', '')}`),
      ),
      length: fc.constantFrom(1, 1, 1, 2, 4),
      clock: fc.constantFrom(undefined, undefined, '09:00:00', '23:30:00', '00:30:00'),
      zone: fc.constantFrom(undefined, 'Europe/Berlin', 'America/New_York', 'Asia/Tokyo'),
    }),
  )
  .map(({ day, name, rule, interval, end, length, clock, zone }) => {
    const isTimed = clock !== undefined;
    const inUtc = end.startsWith(';UNTIL') ? `${end}T120000${zone === undefined ? '' : 'Z'}` : end;
    return {
      name,
      start: isTimed ? `${toIso(day)}T${clock}` : toIso(day),
      ...(isTimed ? {} : { end: toIso(day + length) }),
      ...(isTimed && zone !== undefined ? { zone } : {}),
      ...(rule === undefined ? {} : { rule: `${rule};INTERVAL=${interval}${isTimed ? inUtc : end}` }),
    };
  });
