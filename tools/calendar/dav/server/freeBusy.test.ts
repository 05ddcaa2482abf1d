import { array, assert, constantFrom, integer, nat, property, record } from 'fast-check';
import { expect, test } from 'vitest';
import { formatCalendar, parseConditions, createDavClient, formatEvent } from '#testing/kits/planning/dav.ts';
import { startServer } from '#testing/kits/server/server.ts';
import { eventsbetween, newevent } from '../../contract/events.ts';
import { type BusyPeriod, coalescePeriods } from './freeBusy.ts';

const NS = 'xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"';
const createQuery = (start: string, end: string): string =>
  `<?xml version="1.0" encoding="utf-8"?>
<C:free-busy-query ${NS}><C:time-range start="${start}" end="${end}"/></C:free-busy-query>`;

async function setUp() {
  const server = await startServer({ rateLimits: false });
  const ada = await server.createAccount('ada');
  await ada.call(eventsbetween, { from: '2026-12-01', until: '2026-12-02', tz: 'Europe/Berlin' });
  const client = await createDavClient(server, ada);
  const ask = (path: string, body: string, headers: Readonly<Record<string, string>> = { depth: '1' }) =>
    client.request('REPORT', path, { body, headers: { 'content-type': 'application/xml; charset=utf-8', ...headers } });
  async function busy(start: string, end: string) {
    const { status, text } = await ask(client.collection, createQuery(start, end));
    expect(status).toBe(200);
    return text.split('\r\n').filter((line) => line.startsWith('FREEBUSY'));
  }
  async function put(name: string, ...lines: readonly string[]) {
    const { status } = await client.put(`${name}.ics`, formatEvent(name, ...lines));
    expect([name, status]).toEqual([name, 201]);
  }
  return { server, ada, client, ask, busy, put };
}

const formatHalfHour = (hour: string) => [`DTSTART;TZID=Europe/Berlin:20261202T${hour}0000`, 'DURATION:PT30M'];

test('busy time follows from TRANSP and STATUS of the events', async () => {
  const { server, ask, client, busy, put } = await setUp();
  await using _ = server;
  await put('plain', ...formatHalfHour('09'));
  await put('opaque', ...formatHalfHour('10'), 'TRANSP:OPAQUE', 'STATUS:CONFIRMED');
  await put('tentative', ...formatHalfHour('11'), 'STATUS:TENTATIVE');
  await put('transparent', ...formatHalfHour('12'), 'TRANSP:TRANSPARENT');
  await put('cancelled', ...formatHalfHour('13'), 'STATUS:CANCELLED');
  await put('other', ...formatHalfHour('14'), 'STATUS:X-MAYBE');
  await put('see-through', ...formatHalfHour('15'), 'TRANSP:TRANSPARENT', 'STATUS:TENTATIVE');
  await put('moment', 'DTSTART;TZID=Europe/Berlin:20261202T160000');
  const answer = await ask(client.collection, createQuery('20261202T000000Z', '20261203T000000Z'));
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/calendar; charset=utf-8']);
  const lines = answer.text.split('\r\n');
  expect(lines.filter((line) => !/^(?:UID|DTSTAMP)/.test(line))).toEqual([
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Pegboard//Calendar//EN',
    'BEGIN:VFREEBUSY',
    'DTSTART:20261202T000000Z',
    'DTEND:20261203T000000Z',
    'FREEBUSY:20261202T080000Z/20261202T083000Z',
    'FREEBUSY:20261202T090000Z/20261202T093000Z',
    'FREEBUSY;FBTYPE=BUSY-TENTATIVE:20261202T100000Z/20261202T103000Z',
    'FREEBUSY:20261202T130000Z/20261202T133000Z',
    'END:VFREEBUSY',
    'END:VCALENDAR',
    '',
  ]);
  expect(lines.filter((line) => /^DTSTAMP:\d{8}T\d{6}Z$|^UID:./.test(line))).toHaveLength(2);
  expect(await busy('20261203T000000Z', '20261204T000000Z')).toEqual([]);
});

test('repeats, other zones, whole days and events past midnight have the correct times', async () => {
  const { server, ada, busy, put } = await setUp();
  await using _ = server;
  await put('ny', 'DTSTART;TZID=America/New_York:20261201T090000', 'DURATION:PT1H', 'RRULE:FREQ=WEEKLY');
  await put(
    'night',
    'DTSTART;TZID=Europe/Berlin:20261203T220000',
    'DTEND;TZID=Europe/Berlin:20261204T020000',
    'RRULE:FREQ=WEEKLY;COUNT=20',
    'EXDATE;TZID=Europe/Berlin:20261210T220000',
  );
  await put('days', 'DTSTART;VALUE=DATE:20261220', 'DTEND;VALUE=DATE:20261222');
  await put('pills', 'DTSTART:20261225T060000Z', 'DURATION:PT5M', 'RRULE:FREQ=HOURLY;INTERVAL=8;COUNT=3');
  await ada.call(newevent, { data: { id: 0, name: 'Page', date: '28-12-2026', time: '10:00', endtime: '11:30' } });
  // New York's clocks change two weeks before Berlin's.
  expect(await busy('20270309T000000Z', '20270310T000000Z')).toEqual(['FREEBUSY:20270309T140000Z/20270309T150000Z']);
  expect(await busy('20270316T000000Z', '20270317T000000Z')).toEqual(['FREEBUSY:20270316T130000Z/20270316T140000Z']);
  expect(await busy('20261203T000000Z', '20261204T000000Z')).toEqual(['FREEBUSY:20261203T210000Z/20261204T000000Z']);
  expect(await busy('20261204T000000Z', '20261205T000000Z')).toEqual(['FREEBUSY:20261204T000000Z/20261204T010000Z']);
  expect(await busy('20261210T000000Z', '20261212T000000Z')).toEqual([]);
  expect(await busy('20261219T000000Z', '20261222T000000Z')).toEqual(['FREEBUSY:20261219T230000Z/20261221T230000Z']);
  expect(await busy('20261225T000000Z', '20261226T000000Z')).toEqual([
    // The night before is another event.
    'FREEBUSY:20261225T000000Z/20261225T010000Z',
    'FREEBUSY:20261225T060000Z/20261225T060500Z',
    'FREEBUSY:20261225T140000Z/20261225T140500Z',
    'FREEBUSY:20261225T220000Z/20261225T220500Z',
  ]);
  expect(await busy('20261228T000000Z', '20261229T000000Z')).toEqual(['FREEBUSY:20261228T090000Z/20261228T103000Z']);
});

const createInstance = (id: string, ...lines: readonly string[]) => [
  'BEGIN:VEVENT',
  'UID:daily',
  'DTSTAMP:20261101T120000Z',
  `RECURRENCE-ID:${id}`,
  ...lines,
  'END:VEVENT',
];

test('adjacent periods of one type are joined, and changed instances count as changed', async () => {
  const { server, client, busy, put } = await setUp();
  await using _ = server;
  await put('one', 'DTSTART:20261202T080000Z', 'DTEND:20261202T090000Z');
  await put('two', 'DTSTART:20261202T090000Z', 'DTEND:20261202T100000Z');
  await put('three', 'DTSTART:20261202T083000Z', 'DTEND:20261202T084500Z');
  await put('maybe', 'DTSTART:20261202T083000Z', 'DTEND:20261202T110000Z', 'STATUS:TENTATIVE');
  expect(await busy('20261202T000000Z', '20261203T000000Z')).toEqual([
    'FREEBUSY:20261202T080000Z/20261202T100000Z',
    'FREEBUSY;FBTYPE=BUSY-TENTATIVE:20261202T083000Z/20261202T110000Z',
  ]);
  expect(await busy('20261202T093000Z', '20261202T094000Z')).toEqual([
    'FREEBUSY:20261202T093000Z/20261202T094000Z',
    'FREEBUSY;FBTYPE=BUSY-TENTATIVE:20261202T093000Z/20261202T094000Z',
  ]);
  const daily = formatCalendar(
    'BEGIN:VEVENT',
    'UID:daily',
    'DTSTAMP:20261101T120000Z',
    'DTSTART:20261207T100000Z',
    'DURATION:PT1H',
    'RRULE:FREQ=DAILY;COUNT=4',
    'END:VEVENT',
    ...createInstance('20261208T100000Z', 'DTSTART:20261208T150000Z', 'DURATION:PT15M'),
    ...createInstance('20261209T100000Z', 'DTSTART:20261209T100000Z', 'DURATION:PT1H', 'STATUS:CANCELLED'),
  );
  expect((await client.put('daily.ics', daily)).status).toBe(201);
  expect(await busy('20261207T000000Z', '20261214T000000Z')).toEqual([
    'FREEBUSY:20261207T100000Z/20261207T110000Z',
    'FREEBUSY:20261208T150000Z/20261208T151500Z',
    'FREEBUSY:20261210T100000Z/20261210T110000Z',
  ]);
});

test('the query works on the calendar and on what the depth reaches, but not on a single event', async () => {
  const { server, client, ask, put } = await setUp();
  await using _ = server;
  await put('one', 'DTSTART:20261202T080000Z', 'DTEND:20261202T090000Z');
  const day = createQuery('20261202T000000Z', '20261203T000000Z');
  async function isBusy(path: string, headers: Readonly<Record<string, string>>) {
    const { status, text } = await ask(path, day, headers);
    expect([status, text.includes('BEGIN:VFREEBUSY')]).toEqual([200, true]);
    return text.includes('FREEBUSY:20261202T080000Z/20261202T090000Z');
  }
  for (const headers of [{}, { depth: '0' }, { depth: '1' }, { depth: 'infinity' }])
    expect(await isBusy(client.collection, headers)).toBe(true);
  const home = '/dav/calendars/ada/';
  expect(await isBusy(home, { depth: 'infinity' })).toBe(true);
  expect(await isBusy(home, { depth: '1' })).toBe(true);
  expect(await isBusy(home, {})).toBe(false);
  const object = await ask(`${client.collection}one.ics`, day);
  expect([object.status, parseConditions(object.text)]).toEqual([403, ['d:supported-report']]);
  expect((await ask('/dav/calendars/bob/events/', day)).status).toBe(404);
  const request = `<D:propfind ${NS}><D:prop><D:supported-report-set/><D:current-user-privilege-set/></D:prop></D:propfind>`;
  for (const [path, has] of [
    [client.collection, true],
    [home, true],
    [`${client.collection}one.ics`, false],
  ] as const) {
    const { text } = await client.xml('PROPFIND', path, request, { depth: '0' });
    expect([path, text.includes('<d:report><c:free-busy-query/></d:report>')]).toEqual([path, has]);
    expect([path, text.includes('<d:report><c:calendar-query/></d:report>')]).toEqual([path, true]);
    expect([path, text.includes('<c:read-free-busy/>')]).toEqual([path, has]);
  }
});

test('an invalid query, or one with too long an answer, is refused', async () => {
  const { server, client, ask, put } = await setUp();
  await using _ = server;
  const range = '<C:time-range start="20261202T000000Z" end="20261203T000000Z"/>';
  for (const inner of ['', range + range, '<C:time-range/>', '<C:time-range start="now"/>']) {
    const answer = await ask(client.collection, `<C:free-busy-query ${NS}>${inner}</C:free-busy-query>`);
    expect([inner, answer.status]).toEqual([inner, 400]);
  }
  await put('tick', 'DTSTART:20261202T000000Z', 'DURATION:PT1S', 'RRULE:FREQ=SECONDLY;INTERVAL=2');
  const long = await ask(client.collection, createQuery('20261202T000000Z', '20361202T000000Z'));
  expect([long.status, parseConditions(long.text)]).toEqual([403, ['d:number-of-matches-within-limits']]);
  const open = await ask(
    client.collection,
    `<C:free-busy-query ${NS}><C:time-range end="20261202T000003Z"/></C:free-busy-query>`,
  );
  expect(open.text.match(/^FREEBUSY.*$/gm)).toEqual(
    ['FREEBUSY:20261202T000000Z/20261202T000001Z\r', 'FREEBUSY:20261202T000002Z/20261202T000003Z\r'].map((line) =>
      line.replace('\r', ''),
    ),
  );
});

const listBusyTimes = (periods: readonly BusyPeriod[], type: string) =>
  Array.from({ length: 80 }, (_none, at) =>
    periods.some((one) => one.type === type && one.start <= at && at < one.end),
  );

test("joined periods cover the same time, are sorted, and don't touch", () => {
  const period = record({
    type: constantFrom('BUSY' as const, 'BUSY-TENTATIVE' as const),
    start: nat(60),
    length: integer({ min: 1, max: 12 }),
  }).map(({ type, start, length }): BusyPeriod => ({ type, start, end: start + length }));
  assert(
    property(array(period, { maxLength: 20 }), (periods) => {
      const joined = coalescePeriods(periods);
      for (const type of ['BUSY', 'BUSY-TENTATIVE']) {
        expect(listBusyTimes(joined, type)).toEqual(listBusyTimes(periods, type));
        const periodsOfType = joined.filter((one) => one.type === type);
        for (const [at, one] of periodsOfType.entries())
          expect(one.end).toBeLessThan(periodsOfType[at + 1]?.start ?? Infinity);
      }
    }),
  );
});
