import { expect, test } from 'vitest';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { startServer } from '#testing/kits/server/server.ts';
import { MAX_ENTRIES_PER_DAY, eventsbetween, eventssearch } from '../../contract/events.ts';
import { importevents } from '../../contract/exchange.ts';
import { readIcs } from '../../exchange/server/ics/readIcs.ts';
import { getPlacement } from '../../repeat/domain/placement.ts';
import { parseDay } from '../domain/day.ts';

const now = (): Temporal.Instant => Temporal.Instant.from('2026-11-21T12:00:00Z');
const tz = 'Europe/Berlin';
const RULES = ['RRULE:FREQ=YEARLY', 'RRULE:FREQ=YEARLY;BYDAY=1MO', 'RRULE:FREQ=DAILY', ''] as const;
const EVENTS = 12;

/** Creates a file of events of a year each, each with one of the rules in turn. */
const getFile = (count: number, rules: readonly string[]): string =>
  [
    'BEGIN:VCALENDAR',
    ...Array.from({ length: count }, (_, at) => [
      'BEGIN:VEVENT',
      `UID:${at}`,
      `SUMMARY:Year ${at}`,
      'DTSTART;VALUE=DATE:20260401',
      'DURATION:P366D',
      ...rules.slice(at % rules.length, (at % rules.length) + 1).filter(Boolean),
      'END:VEVENT',
    ]).flat(),
    'END:VCALENDAR',
    '',
  ].join('\r\n');

test('events of a year each need only a few rows', async () => {
  const { events } = await readIcs(getFile(4, RULES), { zone: tz, today: parseDay('2026-11-21') ?? 0 });
  const rows = events
    .map(({ draft }) => getPlacement(draft))
    .map(({ rules, spans = [] }) => [rules.length, spans.length]);
  const [yearly, mondays, daily, once] = rows;
  expect([yearly, daily, once]).toEqual([
    [1, 1],
    [1, 1],
    [0, 0],
  ]);
  // Each Monday separately: ten years and the start.
  expect(mondays?.[0]).toBe(0);
  expect(mondays?.[1]).toBeLessThanOrEqual(12);
});

testOnBothDatabases('events of a year each are on all their days', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now });
  const anna = await server.createAccount('anna');
  await anna.call(importevents, { text: getFile(EVENTS, RULES) });
  const { dates } = await anna.call(eventsbetween, { from: '2026-12-01', until: '2027-01-11', tz });
  const counts = Object.values(dates).map(({ entries }) => new Set(entries.map(({ name }) => name)).size);
  expect(counts).toHaveLength(42);
  // Those of the first Monday of a year start only then. The first of them after April is in January.
  expect(counts.every((each) => each >= 9)).toBe(true);
  // A daily one has 366 occurrences on each day. Those that only continue there are one entry.
  expect(Math.max(...Object.values(dates).map(({ entries }) => entries.length))).toBeLessThanOrEqual(3 * EVENTS);
  expect(Object.values(dates).every(({ hidden }) => hidden === undefined)).toBe(true);
  expect(Object.keys(dates).length).toBeGreaterThan(1);
  for (const { entries } of Object.values(dates)) {
    const times = entries.map(({ eventid, began, part }) => `${eventid} ${began} ${part}`);
    expect(new Set(times).size).toBe(times.length);
  }
  // Every event is found once, by the day that it has now.
  const { names } = await anna.call(eventssearch, { searchterm: 'year 3', tz });
  expect(names.map(({ name }) => name)).toContain('Year 3');
  expect(new Set(names.map(({ id }) => id)).size).toBe(names.length);
});

testOnBothDatabases('a day with very many events lists some, and counts the others', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now });
  const anna = await server.createAccount('anna');
  await anna.call(importevents, { text: getFile(MAX_ENTRIES_PER_DAY + 30, ['RRULE:FREQ=YEARLY']) });
  const single =
    'BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:s\nSUMMARY:Dentist\nDTSTART:20261203T090000\nEND:VEVENT\nEND:VCALENDAR\n';
  await anna.call(importevents, { text: single });
  const { dates } = await anna.call(eventsbetween, { from: '2026-12-02', until: '2026-12-03', tz });
  const counts = Object.values(dates).map(({ entries, hidden }) => [entries.length, hidden]);
  expect(counts).toEqual([
    [MAX_ENTRIES_PER_DAY, 30],
    [MAX_ENTRIES_PER_DAY, 31],
  ]);
  // Events that start on the day come before those that only continue.
  expect(dates['2026-12-03']?.entries.map(({ name }) => name)).toContain('Dentist');
});

const createCrowdFile = (count: number, ...lines: readonly string[]): string =>
  [
    'BEGIN:VCALENDAR',
    ...Array.from({ length: count }, (_, at) => ['BEGIN:VEVENT', `UID:${at}`, `SUMMARY:${at}`, ...lines, 'END:VEVENT']),
    'END:VCALENDAR',
    '',
  ]
    .flat()
    .join('\r\n');

testOnBothDatabases(
  'very many daily repeats are listed as few are, and the others counted',
  async ({ databaseUrl }) => {
    await using server = await startServer({ databaseUrl, now });
    const anna = await server.createAccount('anna');
    async function listCounts(from: string, until: string) {
      const { dates } = await anna.call(eventsbetween, { from, until, tz });
      return Object.values(dates).map(({ entries, hidden }) => [entries.length, hidden]);
    }
    // For so many, 42 days are more than one statement reads; two days are not.
    await anna.call(importevents, { text: createCrowdFile(1100, 'DTSTART;VALUE=DATE:20261201', 'RRULE:FREQ=DAILY') });
    const plain = [MAX_ENTRIES_PER_DAY, 1100 - MAX_ENTRIES_PER_DAY];
    expect(await listCounts('2026-12-01', '2027-01-11')).toEqual(Array.from({ length: 42 }, () => plain));
    expect(await listCounts('2026-12-01', '2026-12-02')).toEqual([plain, plain]);
    // Each is one event of the day, though it touches several days in other zones.
    const text = createCrowdFile(1100, 'DTSTART;TZID=Asia/Tokyo:20261201T090000', 'DURATION:PT1H', 'RRULE:FREQ=DAILY');
    const ben = await server.createAccount('ben');
    await ben.call(importevents, { text });
    const { dates } = await ben.call(eventsbetween, { from: '2026-12-02', until: '2027-01-11', tz });
    const all = Object.values(dates).map(({ entries, hidden }) => [entries.length, hidden]);
    expect(all).toEqual(Array.from({ length: 41 }, () => plain));
  },
);

testOnBothDatabases('a very full day always lists the same events, the first ones', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now });
  const anna = await server.createAccount('anna');
  await anna.call(importevents, { text: createCrowdFile(1100, 'DTSTART;VALUE=DATE:20261201', 'RRULE:FREQ=DAILY') });
  async function listNames(from: string, until: string) {
    const { dates } = await anna.call(eventsbetween, { from, until, tz });
    return Object.values(dates).map(({ entries }) =>
      entries.map(({ eventid }) => eventid).toSorted((one, other) => one - other),
    );
  }
  const twoDays = await listNames('2026-12-02', '2026-12-03');
  const sixWeeks = await listNames('2026-12-02', '2027-01-11');
  const [first = []] = twoDays;
  const last = first.at(-1) ?? 0;
  expect(last - (first[0] ?? 0)).toBe(MAX_ENTRIES_PER_DAY - 1);
  // Saved again, the rows of some are the last ones of the database.
  await anna.call(importevents, { text: createCrowdFile(3, 'DTSTART;VALUE=DATE:20261202', 'RRULE:FREQ=DAILY') });
  expect([await listNames('2026-12-02', '2026-12-03'), await listNames('2026-12-02', '2027-01-11')]).toEqual([
    twoDays,
    sixWeeks,
  ]);
});

testOnBothDatabases(
  'of very many durations some are listed, and the others counted on their days',
  async ({ databaseUrl }) => {
    await using server = await startServer({ databaseUrl, now });
    const anna = await server.createAccount('anna');
    await anna.call(importevents, {
      text: createCrowdFile(MAX_ENTRIES_PER_DAY + 7, 'DTSTART;VALUE=DATE:20261202', 'DTEND;VALUE=DATE:20261204'),
    });
    const { dates, durations } = await anna.call(eventsbetween, { from: '2026-12-01', until: '2026-12-31', tz });
    expect(durations).toHaveLength(MAX_ENTRIES_PER_DAY);
    expect(Object.entries(dates).map(([day, { entries, hidden }]) => [day, entries.length, hidden])).toEqual([
      ['2026-12-02', 0, 7],
      ['2026-12-03', 0, 7],
    ]);
  },
);
