import { describe, expect, test } from 'vitest';
import { Refusal } from '#platform/contract/refusal.ts';
import { createDavClient } from '#testing/kits/planning/dav.ts';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { startServer, type TestAccount } from '#testing/kits/server/server.ts';
import { deletedevents, eventsbetween, eventssearch, getevent, newevent } from '../../contract/events.ts';
import { importevents, makecalendarfeed, previewimport } from '../../contract/exchange.ts';

const now = () => Temporal.Instant.from('2026-11-21T12:00:00Z');

const createFile = (...events: readonly (readonly string[])[]): string =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//other//EN',
    'X-WR-CALNAME:Family',
    ...events.flatMap((lines) => ['BEGIN:VEVENT', ...lines, 'END:VEVENT']),
    'END:VCALENDAR',
    '',
  ].join('\r\n');

const createDay = (uid: string, name: string, date: string, ...more: readonly string[]): readonly string[] => [
  `UID:${uid}`,
  `SUMMARY:${name}`,
  `DTSTART;VALUE=DATE:${date}`,
  ...more,
];

/** Lists names by ISO day, of December 2026 and January 2027. */
async function listNames(account: TestAccount): Promise<Readonly<Record<string, readonly string[]>>> {
  const { dates } = await account.call(eventsbetween, { from: '2026-12-01', until: '2027-01-31' });
  return Object.fromEntries(Object.entries(dates).map(([iso, { entries }]) => [iso, entries.map(({ name }) => name)]));
}

testOnBothDatabases(
  'a file is previewed first, then imported, and the next import only takes changes',
  async ({ databaseUrl }) => {
    await using server = await startServer({ databaseUrl, now });
    const anna = await server.createAccount('anna');
    const first = createFile(
      createDay('a', 'Swimming', '20261203', 'RRULE:FREQ=WEEKLY;COUNT=3', 'CATEGORIES:sport,kids'),
      createDay('b', 'Ski week', '20270104', 'DTEND;VALUE=DATE:20270109'),
      ['UID:c', 'SUMMARY:Concert', 'DTSTART:20261205T190000Z', 'DTEND:20261205T210000Z', 'LOCATION:Hall'],
    );
    const preview = await anna.call(previewimport, { text: first });
    expect(preview).toEqual({
      name: 'Family',
      added: 3,
      changed: 0,
      same: 0,
      events: [
        { name: 'Swimming', date: '03-12-2026', when: 'every week, 3 times', changed: false },
        { name: 'Concert', date: '05-12-2026', when: '19:00 to 21:00', changed: false },
        { name: 'Ski week', date: '04-01-2027', when: '5 days', changed: false },
      ],
      problems: [],
    });
    expect(await listNames(anna)).toEqual({});
    expect(await anna.call(importevents, { text: first })).toEqual({ added: 3, changed: 0, same: 0, refused: 0 });
    expect(await listNames(anna)).toEqual({
      '2026-12-03': ['Swimming'],
      '2026-12-05': ['Concert'],
      '2026-12-10': ['Swimming'],
      '2026-12-17': ['Swimming'],
    });
    expect(await anna.call(importevents, { text: first })).toEqual({ added: 0, changed: 0, same: 3, refused: 0 });

    const second = createFile(
      createDay('a', 'Swimming', '20261203', 'RRULE:FREQ=WEEKLY;COUNT=3', 'CATEGORIES:sport,kids'),
      createDay('c', 'Concert of the choir', '20261206'),
    );
    expect((await anna.call(previewimport, { text: second })).events).toEqual([
      { name: 'Concert of the choir', date: '06-12-2026', when: 'all day', changed: true },
    ]);
    expect(await anna.call(importevents, { text: second })).toEqual({ added: 0, changed: 1, same: 1, refused: 0 });
    expect((await listNames(anna))['2026-12-06']).toEqual(['Concert of the choir']);
  },
);

test('two accounts can have the same UIDs, and concurrent imports create nothing twice', async () => {
  await using server = await startServer({ now });
  const [anna, ben] = [await server.createAccount('anna'), await server.createAccount('ben')];
  const text = createFile(createDay('a', 'Swimming', '20261203'));
  const results = await Promise.all([anna, anna, ben].map(async (who) => who.call(importevents, { text })));
  expect(results.map(({ added, same }) => [added, same])).toEqual([
    [1, 0],
    [0, 1],
    [1, 0],
  ]);
});

test('changed and cancelled days of a repeat are imported and deleted with it', async () => {
  await using server = await startServer({ now });
  const anna = await server.createAccount('anna');
  const master = createDay('a', 'Swimming', '20261203', 'RRULE:FREQ=WEEKLY;COUNT=4');
  const changed = ['UID:a', 'SUMMARY:In the lake', 'RECURRENCE-ID;VALUE=DATE:20261210', 'DTSTART;VALUE=DATE:20261211'];
  const cancelled = [...createDay('a', 'x', '20261217', 'RECURRENCE-ID;VALUE=DATE:20261217'), 'STATUS:CANCELLED'];
  const text = createFile(changed, master, cancelled);
  expect(await anna.call(importevents, { text })).toEqual({ added: 1, changed: 0, same: 0, refused: 0 });
  const expected = { '2026-12-03': ['Swimming'], '2026-12-11': ['In the lake'], '2026-12-24': ['Swimming'] };
  expect(await listNames(anna)).toEqual(expected);
  expect(await anna.call(importevents, { text })).toMatchObject({ same: 1 });
  expect(await anna.call(importevents, { text: createFile(master) })).toMatchObject({ changed: 1 });
  expect(Object.keys(await listNames(anna))).toEqual(['2026-12-03', '2026-12-10', '2026-12-17', '2026-12-24']);
});

test('the feed can be imported unchanged, also into another account', async () => {
  await using server = await startServer({ now });
  const [anna, ben] = [await server.createAccount('anna'), await server.createAccount('ben')];
  const saveEvent = async (data: object) =>
    anna.call(newevent, { data: { id: 0, name: 'X', date: '03-12-2026', tz: 'UTC', ...data } });
  await saveEvent({
    name: 'Always',
    style: 'repeat',
    repeatevery: 'week',
    repeateveryamount: 3,
    repeatfromtype: 'forever',
  });
  await saveEvent({
    name: 'Some',
    style: 'repeat',
    repeatevery: 'year',
    date: '29-02-2024',
    repeatuntilltype: 'relative',
    repeatuntill: 4,
  });
  await saveEvent({ name: 'Long', style: 'duration', duration: 2, durationtype: 'months' });
  await saveEvent({ name: 'Pinned', participants: ['b', 'a'], pinned: 'a', description: 'x\n'.repeat(200) });
  const { path } = await anna.call(makecalendarfeed, {});
  const text = await (await fetch(`${server.origin}${path}`)).text();
  expect(await anna.call(importevents, { text })).toEqual({ added: 0, changed: 0, same: 4, refused: 0 });
  expect(await ben.call(importevents, { text })).toEqual({ added: 4, changed: 0, same: 0, refused: 0 });
  expect(await listNames(ben)).toEqual(await listNames(anna));
});

const createSportFile = (name: string): string => createFile(createDay('a', name, '20261203', 'CATEGORIES:sport'));

test('a pin that was set here stays when the file is imported again', async () => {
  await using server = await startServer({ now });
  const anna = await server.createAccount('anna');
  await anna.call(importevents, { text: createSportFile('Swimming') });
  const [result] = (await anna.call(eventssearch, { searchterm: 'swimming' })).names;
  const id = result?.id ?? 0;
  const { data } = await anna.call(getevent, { id: String(id) });
  await anna.call(newevent, { data: { ...data, pinned: 'sport' } });
  expect(await anna.call(importevents, { text: createSportFile('Swimming') })).toMatchObject({ same: 1 });
  expect(await anna.call(importevents, { text: createSportFile('Diving') })).toMatchObject({ changed: 1 });
  expect((await anna.call(getevent, { id: String(id) })).data).toMatchObject({ name: 'Diving', pinned: 'sport' });
  expect((await anna.call(deletedevents, {})).events).toEqual([]);
});

const createEvents = (count: number, lines: readonly string[]): string =>
  `BEGIN:VCALENDAR\n${Array.from({ length: count }, (_none, index) =>
    ['BEGIN:VEVENT', `UID:${index}`, ...lines, 'END:VEVENT'].join('\n'),
  ).join('\n')}\nEND:VCALENDAR\n`;

describe('bad files', () => {
  const LONG = 'x'.repeat(1024);
  const start = 'DTSTART;VALUE=DATE:20261201';

  /** Files that are refused completely, with the sentence. */
  const refused: Readonly<Record<string, readonly [string, string]>> = {
    'no calendar': ['<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><x>&b;</x>', 'This is not a calendar file'],
    nothing: ['', 'This is not a calendar file'],
    'ten megabytes in one line': [
      `BEGIN:VCALENDAR\nX:${LONG.repeat(10_240)}`,
      'The file is larger than 8 MB. Export a shorter period',
    ],
    'eight megabytes without an end': [LONG.repeat(8000), 'This is not a calendar file'],
    'a million events in a small pattern': [
      `BEGIN:VCALENDAR\n${'BEGIN:VEVENT\nEND:VEVENT\n'.repeat(340_000)}`,
      'The file has more than 20,000 events. Split it and try again',
    ],
  };
  /** Files that are partly imported: the number of events, and the warning. */
  const problemsByFile: Readonly<Record<string, readonly [string, number, string]>> = {
    'eight megabytes in one description': [
      createFile(createDay('a', 'A', '20261201', `DESCRIPTION:${LONG.repeat(8000)}`), createDay('b', 'B', '20261201')),
      1,
      'Events of more than 512 KB are not supported',
    ],
    'eight million empty lines': [
      `BEGIN:VCALENDAR${'\n'.repeat(7_000_000)}BEGIN:VEVENT\n${start}\nEND:VEVENT\n`,
      1,
      '',
    ],
    'parts within parts': [
      createFile(
        [...createDay('a', 'A', '20261201'), ...'BEGIN:VALARM,'.repeat(100_000).split(',')],
        createDay('b', 'B', '20261201'),
      ),
      1,
      'Events with too many nested parts are not supported',
    ],
    'parts within parts, all closed': [
      createFile([
        ...createDay('a', 'A', '20261201'),
        ...Array<string>(5000).fill('BEGIN:VALARM'),
        ...Array<string>(5000).fill('END:VALARM'),
      ]),
      0,
      'Events with too many nested parts are not supported',
    ],
    'every second, for ever': [
      createFile(createDay('a', 'A', '20261201', 'RRULE:FREQ=SECONDLY')),
      1,
      'It repeats more often than once a day. Only the first date is used',
    ],
    'a rule that never comes true': [
      createFile(
        createDay('a', 'A', '20261201', 'RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30', 'EXDATE;VALUE=DATE:20261201'),
      ),
      0,
      'Its repeat rule has no dates',
    ],
    'a thousand million times': [
      createFile(createDay('a', 'A', '20261201', 'RRULE:FREQ=DAILY;COUNT=1000000000')),
      1,
      '',
    ],
    'a thousand million times, from the year 1': [
      createFile(createDay('a', 'A', '00010101', 'RRULE:FREQ=DAILY;BYDAY=MO;COUNT=1000000000')),
      1,
      'Its repeat rule takes too long to calculate. Only the first dates are used',
    ],
    'rules of many days, many times': [
      createEvents(20_000, [start, 'SUMMARY:A', 'RRULE:FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR,SA']),
      127,
      'The repeat rules in this file have too many dates',
    ],
    'no 29 February': [createFile(createDay('a', 'A', '20250229')), 0, 'It has no valid date'],
    'the year 0': [createFile(createDay('a', 'A', '00000101')), 0, 'It has no valid date'],
    'the year 99999': [createFile(createDay('a', 'A', '999990101')), 0, 'It has no valid date'],
    'an end after all years': [
      createFile(createDay('a', 'A', '99991231', 'DURATION:P99999D')),
      0,
      'It is outside the years 1 to 9999',
    ],
    'no day at all': [createFile(['UID:a', 'SUMMARY:A']), 0, 'It has no valid date'],
    'half a file': [
      createFile(createDay('a', 'A', '20261201'), createDay('b', 'B', '20261202')).slice(0, -40),
      1,
      'The file ends in the middle of an event',
    ],
    'entities, NULs and a mark': [createFile(createDay('a', '\uFEFF&lt;A&gt; &amp;\0', '20261201')), 1, ''],
    'names that are too long': [
      createFile(createDay('a', 'A'.repeat(5000), '20261201', `CATEGORIES:${'t'.repeat(300)}`)),
      1,
      'Its name is cut off after 300 characters',
    ],
    tasks: [
      createFile(createDay('a', 'A', '20261201')).replace(
        'END:VCALENDAR',
        'BEGIN:VTODO\nUID:t\nEND:VTODO\nEND:VCALENDAR',
      ),
      1,
      '1 skipped: only events are imported',
    ],
    'a zone that nobody knows': [
      createFile(['UID:a', 'DTSTART;TZID=Mars/Olympus:20261201T090000']),
      1,
      "Its time zone 'Mars/Olympus' is unknown, so its times are shown as local times",
    ],
    'a zone that changes every second': [
      `BEGIN:VCALENDAR\nBEGIN:VTIMEZONE\nTZID:Odd\nBEGIN:STANDARD\nDTSTART:16010101T000000\nTZOFFSETFROM:+0100\nTZOFFSETTO:+0200\nRRULE:FREQ=SECONDLY\nEND:STANDARD\nEND:VTIMEZONE\nBEGIN:VEVENT\nDTSTART;TZID=Odd:20261201T090000\nEND:VEVENT\nEND:VCALENDAR`,
      1,
      "Its time zone 'Odd' is unknown, so its times are shown as local times",
    ],
  };

  test('each is refused in a sentence, and other requests are answered meanwhile', async () => {
    await using server = await startServer({ now });
    const anna = await server.createAccount('anna');
    const ben = await server.createAccount('ben');
    const order: string[] = [];
    for (const [name, [text, sentence]] of Object.entries(refused)) {
      const preview = anna.call(previewimport, { text });
      await expect(preview, name).rejects.toThrow(Refusal);
      await expect(preview, name).rejects.toThrow(sentence);
    }
    for (const [name, [text, count, sentence]] of Object.entries(problemsByFile)) {
      const preview = anna.call(previewimport, { text }).then((answer) => {
        order.push(name);
        return answer;
      });
      await ben.call(deletedevents, {});
      order.push('other');
      const answer = await preview;
      expect([name, answer.added, ...(sentence === '' ? answer.problems : [])]).toEqual([name, count]);
      if (sentence !== '')
        expect(
          answer.problems.map(({ why }) => why),
          name,
        ).toContain(sentence);
    }
    // The long one can't be finished before a small call of another user.
    const at = order.indexOf('rules of many days, many times');
    expect(order[at - 1]).toBe('other');
  });
});

testOnBothDatabases('a concurrent import and sync of the same event create it once', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now, rateLimits: false });
  const anna = await server.createAccount('anna');
  const client = await createDavClient(server, anna);
  for (let round = 0; round < 5; round += 1) {
    const text = createFile([...createDay(`u${round}`, `Concert ${round}`, '20261203'), 'DTSTAMP:20261101T120000Z']);
    await Promise.all([anna.call(importevents, { text }), client.put(`u${round}.ics`, text)]);
  }
  const names = (await listNames(anna))['2026-12-03'] ?? [];
  expect(names.toSorted()).toEqual([0, 1, 2, 3, 4].map((round) => `Concert ${round}`));
});
