import { expect, test } from 'vitest';
import {
  formatCalendar,
  parseConditions,
  createDavClient,
  type DavClient,
  formatEvent,
  parseMultistatus,
} from '#testing/kits/planning/dav.ts';
import { startServer } from '#testing/kits/server/server.ts';
import { eventsbetween, newevent } from '../../contract/events.ts';

const NS = 'xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"';
const EVERYTHING =
  '<C:filter><C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT"/></C:comp-filter></C:filter>';

async function setUp(objects: Readonly<Record<string, string>>) {
  const server = await startServer({ rateLimits: false });
  const ada = await server.createAccount('ada');
  await ada.call(eventsbetween, { from: '2026-12-01', until: '2026-12-02', tz: 'Europe/Berlin' });
  const client = await createDavClient(server, ada);
  for (const [name, object] of Object.entries(objects))
    expect([name, (await client.put(`${name}.ics`, object)).status]).toEqual([name, 201]);
  return { server, ada, client };
}

const requestData = (client: DavClient, data: string) =>
  client.xml(
    'REPORT',
    client.collection,
    `<C:calendar-query ${NS}><D:prop><D:getetag/>${data}</D:prop>${EVERYTHING}</C:calendar-query>`,
  );

/** Returns the data of each object by name, as lines without line ends. */
async function getData(client: DavClient, inner: string): Promise<Readonly<Record<string, readonly string[]>>> {
  const { status, text } = await requestData(client, `<C:calendar-data>${inner}</C:calendar-data>`);
  expect([status, status === 207 ? '' : text]).toEqual([207, '']);
  return Object.fromEntries(
    parseMultistatus(text).responses.map(({ href, props }) => [
      href.replace(client.collection, '').replace('.ics', ''),
      (props['c:calendar-data'] ?? '').split('\r\n').slice(0, -1),
    ]),
  );
}

const BERLIN = [
  'BEGIN:VTIMEZONE',
  'TZID:Europe/Berlin',
  'BEGIN:STANDARD',
  'DTSTART:19701025T030000',
  'TZOFFSETFROM:+0200',
  'TZOFFSETTO:+0100',
  'RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU',
  'END:STANDARD',
  'BEGIN:DAYLIGHT',
  'DTSTART:19700329T020000',
  'TZOFFSETFROM:+0100',
  'TZOFFSETTO:+0200',
  'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU',
  'END:DAYLIGHT',
  'END:VTIMEZONE',
];
const createChange = (id: string, start: string, summary: string): readonly string[] => [
  'BEGIN:VEVENT',
  'UID:weekly',
  'DTSTAMP:20261101T120000Z',
  `RECURRENCE-ID;TZID=Europe/Berlin:${id}`,
  `DTSTART;TZID=Europe/Berlin:${start}`,
  'DURATION:PT30M',
  `SUMMARY:${summary}`,
  'END:VEVENT',
];
const WEEKLY = formatCalendar(
  ...BERLIN,
  'BEGIN:VEVENT',
  'UID:weekly',
  'DTSTAMP:20261101T120000Z',
  'DTSTART;TZID=Europe/Berlin:20261005T220000',
  'DTEND;TZID=Europe/Berlin:20261006T010000',
  'RRULE:FREQ=WEEKLY',
  'RDATE;TZID=Europe/Berlin:20261021T080000',
  'EXDATE;TZID=Europe/Berlin:20261102T220000',
  'SUMMARY;LANGUAGE=de:Nachtschicht',
  'X-LONG;X-OTHER="a;b":' + 'äöü '.repeat(40),
  'X-AT;TZID=Europe/Berlin:20261005T120000',
  'BEGIN:VALARM',
  'ACTION:DISPLAY',
  'TRIGGER:-PT15M',
  'END:VALARM',
  'END:VEVENT',
  ...createChange('20261109T220000', '20261111T100000', 'By day'),
  ...createChange('20261221T220000', '20261221T180000', 'Earlier'),
);
const DAILY = formatEvent(
  'daily',
  'DTSTART;VALUE=DATE:20261101',
  'DTEND;VALUE=DATE:20261103',
  'RRULE:FREQ=WEEKLY;UNTIL=20261115',
  'SUMMARY:Two days',
);
const FLOATING = formatEvent('floating', 'DTSTART:20261101T090000', 'DURATION:PT1H', 'SUMMARY:Floating');

const createExpand = (start: string, end: string): string => `<C:expand start="${start}" end="${end}"/>`;
const createLimit = (start: string, end: string): string => `<C:limit-recurrence-set start="${start}" end="${end}"/>`;

const listTimes = (lines: readonly string[]) =>
  lines.filter((line) => /^(?:DTSTART|DTEND|DURATION|RECURRENCE-ID)/.test(line));

test('expand returns the instances of a repeat in UTC, without rules and zones', async () => {
  const { server, client } = await setUp({ weekly: WEEKLY, daily: DAILY, floating: FLOATING });
  await using _ = server;
  const {
    weekly = [],
    daily = [],
    floating = [],
  } = await getData(client, createExpand('20261019T000000Z', '20261112T000000Z'));
  expect(listTimes(weekly)).toEqual(
    [
      ['DTSTART:20261019T200000Z', 'DTEND:20261019T230000Z', 'RECURRENCE-ID:20261019T200000Z'],
      ['DTSTART:20261021T060000Z', 'DTEND:20261021T090000Z', 'RECURRENCE-ID:20261021T060000Z'],
      // The clock changes on the 25th.
      ['DTSTART:20261026T210000Z', 'DTEND:20261027T000000Z', 'RECURRENCE-ID:20261026T210000Z'],
      // The 2nd is an exception, and the 9th was changed.
      ['DTSTART:20261111T090000Z', 'DURATION:PT30M', 'RECURRENCE-ID:20261109T210000Z'],
    ].flat(),
  );
  expect(weekly.filter((line) => /^(?:RRULE|RDATE|EXDATE|.*TZID|BEGIN:VTIMEZONE)/.test(line))).toEqual([]);
  expect(weekly.filter((line) => line.startsWith('X-AT'))).toEqual(Array<string>(3).fill('X-AT:20261005T100000Z'));
  expect(weekly.filter((line) => line === 'BEGIN:VALARM')).toHaveLength(3);
  expect(listTimes(daily)).toEqual([
    'DTSTART;VALUE=DATE:20261101',
    'DTEND;VALUE=DATE:20261103',
    'DTSTART;VALUE=DATE:20261108',
    'DTEND;VALUE=DATE:20261110',
    'RECURRENCE-ID;VALUE=DATE:20261108',
  ]);
  // The first instance has no RECURRENCE-ID, and events that don't repeat are unchanged.
  expect(listTimes(floating)).toEqual(['DTSTART:20261101T090000', 'DURATION:PT1H']);
});

test('an instance that starts before the range and overlaps it is returned, also past midnight', async () => {
  const { server, client } = await setUp({ weekly: WEEKLY, daily: DAILY });
  await using _ = server;
  const listStarts = async (from: string, until: string) =>
    Object.values(await getData(client, createExpand(from, until)))
      .flat()
      .filter((line) => line.startsWith('DTSTART'));
  expect(await listStarts('20261019T225900Z', '20261019T230000Z')).toEqual(['DTSTART:20261019T200000Z']);
  expect(await listStarts('20261019T230000Z', '20261019T230100Z')).toEqual([]);
  expect(await listStarts('20261109T225900Z', '20261109T230000Z')).toEqual(['DTSTART;VALUE=DATE:20261108']);
  expect(await listStarts('20261109T230000Z', '20261110T220000Z')).toEqual([]);
});

test('a change of this and all later instances moves all of them', async () => {
  const text = formatCalendar(
    'BEGIN:VEVENT',
    'UID:range',
    'DTSTART:20261201T090000Z',
    'DTEND:20261201T100000Z',
    'RRULE:FREQ=DAILY;COUNT=5',
    'SUMMARY:Before',
    'END:VEVENT',
    'BEGIN:VEVENT',
    'UID:range',
    'RECURRENCE-ID;RANGE=THISANDFUTURE:20261203T090000Z',
    'DTSTART:20261203T113000Z',
    'DTEND:20261203T120000Z',
    'SUMMARY:After',
    'END:VEVENT',
  );
  const { server, client } = await setUp({ range: text });
  await using _ = server;
  const readShown = async (inner: string) =>
    (await getData(client, inner))['range']?.filter((line) => /^(?:DTSTART|SUMMARY)/.test(line)) ?? [];
  expect(await readShown(createExpand('20261201T000000Z', '20270101T000000Z'))).toEqual(
    [
      ['DTSTART:20261201T090000Z', 'SUMMARY:Before'],
      ['DTSTART:20261202T090000Z', 'SUMMARY:Before'],
      ['DTSTART:20261203T113000Z', 'SUMMARY:After'],
      ['DTSTART:20261204T113000Z', 'SUMMARY:After'],
      ['DTSTART:20261205T113000Z', 'SUMMARY:After'],
    ].flat(),
  );
  // It affects all later instances, wherever the range is.
  expect(await readShown(createLimit('20261205T000000Z', '20261206T000000Z'))).toContain('SUMMARY:After');
});

test('limit returns only changed instances that are in the range, by their new or their original time', async () => {
  const { server, client } = await setUp({ weekly: WEEKLY });
  await using _ = server;
  const listSummaries = async (from: string, until: string) =>
    (await getData(client, createLimit(from, until)))['weekly']?.filter((line) => line.startsWith('SUMMARY')) ?? [];
  const master = 'SUMMARY;LANGUAGE=de:Nachtschicht';
  expect(await listSummaries('20261111T000000Z', '20261112T000000Z')).toEqual([master, 'SUMMARY:By day']);
  expect(await listSummaries('20261109T230000Z', '20261109T235900Z')).toEqual([master, 'SUMMARY:By day']);
  expect(await listSummaries('20261221T000000Z', '20261222T000000Z')).toEqual([master, 'SUMMARY:Earlier']);
  expect(await listSummaries('20261201T000000Z', '20261202T000000Z')).toEqual([master]);
  const data = (await getData(client, createLimit('20261001T000000Z', '20270101T000000Z')))['weekly'];
  expect(`${data?.join('\r\n')}\r\n`.replaceAll('\r\n ', '')).toBe(WEEKLY);
});

const unfold = (lines: readonly string[]): string => `${lines.join('\r\n')}\r\n`.replaceAll('\r\n ', '');

test('only the requested components and properties are returned, unchanged', async () => {
  const { server, client } = await setUp({ weekly: WEEKLY });
  await using _ = server;
  const listParts = async (inner: string) => (await getData(client, inner))['weekly'] ?? [];
  expect(
    await listParts(
      '<C:comp name="VCALENDAR"><C:prop name="VERSION"/><C:comp name="VEVENT"><C:prop name="SUMMARY"/><C:prop name="uid"/></C:comp></C:comp>',
    ),
  ).toEqual([
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    ...['SUMMARY;LANGUAGE=de:Nachtschicht', 'SUMMARY:By day', 'SUMMARY:Earlier'].flatMap((summary) => [
      'BEGIN:VEVENT',
      'UID:weekly',
      summary,
      'END:VEVENT',
    ]),
    'END:VCALENDAR',
  ]);
  const novalue = await listParts(
    '<C:comp name="VCALENDAR"><C:comp name="VEVENT"><C:prop name="X-LONG" novalue="yes"/><C:prop name="SUMMARY" novalue="no"/></C:comp></C:comp>',
  );
  expect(novalue.slice(0, 5)).toEqual([
    'BEGIN:VCALENDAR',
    'BEGIN:VEVENT',
    'SUMMARY;LANGUAGE=de:Nachtschicht',
    'X-LONG;X-OTHER="a;b":',
    'END:VEVENT',
  ]);
  for (const all of [
    '<C:comp name="VCALENDAR"/>',
    '<C:comp name="VCALENDAR"><C:allprop/><C:allcomp/></C:comp>',
    '<C:comp name="VCALENDAR"><C:allprop/><C:comp name="VEVENT"><C:allprop/><C:allcomp/></C:comp><C:comp name="VTIMEZONE"/></C:comp>',
  ])
    expect(unfold(await listParts(all))).toBe(WEEKLY);
  const zones = await listParts('<C:comp name="VCALENDAR"><C:comp name="VTIMEZONE"/></C:comp>');
  expect(zones).toEqual(['BEGIN:VCALENDAR', ...BERLIN, 'END:VCALENDAR']);
  const alarms = await listParts(
    '<C:comp name="VCALENDAR"><C:comp name="VEVENT"><C:comp name="VALARM"><C:prop name="TRIGGER"/></C:comp></C:comp></C:comp>',
  );
  expect(alarms.slice(1, 6)).toEqual(['BEGIN:VEVENT', 'BEGIN:VALARM', 'TRIGGER:-PT15M', 'END:VALARM', 'END:VEVENT']);
  // Parts of single instances.
  expect(
    await listParts(
      `<C:comp name="VCALENDAR"><C:comp name="VEVENT"><C:prop name="DTSTART"/></C:comp></C:comp>${createExpand('20261026T000000Z', '20261027T000000Z')}`,
    ),
  ).toEqual(['BEGIN:VCALENDAR', 'BEGIN:VEVENT', 'DTSTART:20261026T210000Z', 'END:VEVENT', 'END:VCALENDAR']);
});

test('other reports return the same data, also for events of the page', async () => {
  const { server, ada, client } = await setUp({ weekly: WEEKLY });
  await using _ = server;
  await ada.call(newevent, {
    data: { id: 0, name: 'Page', date: '07-12-2026', style: 'repeat', repeateveryamount: 1, repeatevery: 'week' },
  });
  const data = `<D:prop><C:calendar-data>${createExpand('20261214T000000Z', '20261215T000000Z')}</C:calendar-data></D:prop>`;
  const reports = [
    `<C:calendar-multiget ${NS}>${data}<D:href>${client.collection}weekly.ics</D:href></C:calendar-multiget>`,
    `<D:sync-collection ${NS}><D:sync-token/><D:sync-level>1</D:sync-level>${data}</D:sync-collection>`,
  ];
  const [multiget = [], sync = []] = await Promise.all(
    reports.map(async (body) =>
      parseMultistatus((await client.xml('REPORT', client.collection, body)).text).responses.map(
        ({ props }) => props['c:calendar-data'] ?? '',
      ),
    ),
  );
  expect(multiget).toEqual([expect.stringContaining('DTSTART:20261214T210000Z\r\n')]);
  expect(sync).toHaveLength(2);
  expect(sync.join('')).toMatch(/SUMMARY:Page\r\nDTSTART;VALUE=DATE:20261214\r\n/);
});

test('unsupported requests for data are refused', async () => {
  const { server, client } = await setUp({ weekly: WEEKLY });
  await using _ = server;
  async function getRefusal(data: string) {
    const { status, text } = await requestData(client, data);
    return [status, text === '' ? [] : parseConditions(text)];
  }
  for (const attributes of ['content-type="application/calendar+json"', 'version="1.0"'])
    expect(await getRefusal(`<C:calendar-data ${attributes}/>`)).toEqual([403, ['c:supported-calendar-data']]);
  const getDataRefusal = (inner: string) => getRefusal(`<C:calendar-data>${inner}</C:calendar-data>`);
  for (const inner of [
    '<C:expand/>',
    '<C:expand start="20261001T000000Z"/>',
    createExpand('20261001T000000Z', '20261001T000000Z'),
    createExpand('20261001', '20261002'),
    createLimit('20261001T000000Z', 'tomorrow'),
    '<C:limit-freebusy-set start="x" end="y"/>',
    createExpand('20261001T000000Z', '20261002T000000Z') + createLimit('20261001T000000Z', '20261002T000000Z'),
    '<C:comp/>',
    '<C:comp name="VEVENT"/>',
    '<C:comp name="VCALENDAR"><C:allprop/><C:prop name="VERSION"/></C:comp>',
    '<C:comp name="VCALENDAR"><C:prop name="VERSION" novalue="perhaps"/></C:comp>',
    '<C:filter/>',
  ])
    expect([inner, ...(await getDataRefusal(inner))]).toEqual([inner, 400, []]);
  expect(await getDataRefusal(createExpand('00000101T000000Z', '20261002T000000Z'))).toEqual([
    403,
    ['c:min-date-time'],
  ]);
  await client.put(
    'often.ics',
    formatEvent('often', 'DTSTART:20000101T000000Z', 'DTEND:20000101T000001Z', 'RRULE:FREQ=SECONDLY', 'SUMMARY:Tick'),
  );
  expect(await getDataRefusal(createExpand('20200101T000000Z', '20990101T000000Z'))).toEqual([
    403,
    ['d:number-of-matches-within-limits'],
  ]);
  const instances = (await getData(client, createExpand('20200101T000000Z', '20200101T000010Z')))['often'];
  expect(instances?.filter((line) => line.startsWith('DTSTART'))).toHaveLength(10);
});
