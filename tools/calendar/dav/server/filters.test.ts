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

const query = (filter: string, more = ''): string =>
  `<?xml version="1.0" encoding="utf-8"?>
<C:calendar-query ${NS}><D:prop><D:getetag/></D:prop><C:filter>${filter}</C:filter>${more}</C:calendar-query>`;
const inCalendar = (filter: string): string => `<C:comp-filter name="VCALENDAR">${filter}</C:comp-filter>`;
const inEvents = (filter: string): string => inCalendar(`<C:comp-filter name="VEVENT">${filter}</C:comp-filter>`);
const inAlarms = (filter: string): string => inEvents(`<C:comp-filter name="VALARM">${filter}</C:comp-filter>`);
const property = (name: string, filter: string): string => `<C:prop-filter name="${name}">${filter}</C:prop-filter>`;
const text = (value: string, attributes = ''): string => `<C:text-match ${attributes}>${value}</C:text-match>`;
const range = (start: string, end: string): string =>
  `<C:time-range${start && ` start="${start}"`}${end && ` end="${end}"`}/>`;

const zone = (...lines: readonly string[]) =>
  `<C:timezone><![CDATA[${formatCalendar('BEGIN:VTIMEZONE', 'TZID:Mine', ...lines, 'END:VTIMEZONE')}]]></C:timezone>`;
const by = (name: string) => `collation="${name}"`;
const parameter = (name: string, filter = '') => `<C:param-filter name="${name}">${filter}</C:param-filter>`;

async function setUp(objects: Readonly<Record<string, string>>) {
  const server = await startServer({ rateLimits: false });
  const ada = await server.createAccount('ada');
  await ada.call(eventsbetween, { from: '2026-12-01', until: '2026-12-02', tz: 'Europe/Berlin' });
  const client = await createDavClient(server, ada);
  for (const [name, object] of Object.entries(objects))
    expect([name, (await client.put(`${name}.ics`, object)).status]).toEqual([name, 201]);
  return { server, ada, client, names: namesFor(client), refusal: refusalFor(client) };
}

const namesFor =
  (client: DavClient) =>
  async (filter: string, more = ''): Promise<readonly string[]> => {
    const { status, text: body } = await client.xml('REPORT', client.collection, query(filter, more));
    expect([status, status === 207 ? '' : body]).toEqual([207, '']);
    return parseMultistatus(body)
      .responses.map(({ href }) => href.replace(client.collection, '').replace('.ics', ''))
      .toSorted();
  };

const refusalFor =
  (client: DavClient) =>
  async (filter: string, more = ''): Promise<readonly [number, readonly string[], string]> => {
    const { status, text: body } = await client.xml('REPORT', client.collection, query(filter, more));
    return [status, parseConditions(body), body];
  };

const meeting = formatEvent(
  'meeting',
  'CREATED:20261101T120000Z',
  'DTSTART;TZID=America/New_York:20261204T093000',
  'DURATION:PT1H',
  'SUMMARY:Größe und Weite',
  'CATEGORIES:Work,Two\\, things',
  'STATUS:TENTATIVE',
  'X-ABC-GUID:E1CX5Dr-0007ym-Hz',
  'ORGANIZER:mailto:ada@example.org',
  'ATTENDEE;PARTSTAT=ACCEPTED;CN="Bob; the ^nbuilder":mailto:bob@example.org',
  'ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:lisa@example.org',
  'BEGIN:VALARM',
  'ACTION:AUDIO',
  'TRIGGER;RELATED=END:PT30M',
  'REPEAT:2',
  'DURATION:PT1H',
  'END:VALARM',
);
const weekly = formatCalendar(
  'BEGIN:VEVENT',
  'UID:weekly',
  'DTSTAMP:20261101T120000Z',
  'DTSTART;TZID=Europe/Berlin:20260105T220000',
  'DTEND;TZID=Europe/Berlin:20260106T013000',
  'RRULE:FREQ=WEEKLY',
  'SUMMARY:Night shift',
  'BEGIN:VALARM',
  'ACTION:DISPLAY',
  'TRIGGER:-P1D',
  'DESCRIPTION:Soon',
  'END:VALARM',
  'END:VEVENT',
  'BEGIN:VEVENT',
  'UID:weekly',
  'DTSTAMP:20261101T120000Z',
  'RECURRENCE-ID;TZID=Europe/Berlin:20261207T220000',
  'DTSTART;TZID=Europe/Berlin:20261209T120000',
  'DTEND;TZID=Europe/Berlin:20261209T130000',
  'SUMMARY:By day',
  'END:VEVENT',
);
const objects = {
  day: formatEvent('day', 'DTSTART;VALUE=DATE:20261205', 'SUMMARY:Whole day', 'LOCATION:'),
  moment: formatEvent('moment', 'DTSTART:20261205T120000', 'SUMMARY:A moment'),
  meeting,
  weekly,
  hourly: formatEvent(
    'hourly',
    'DTSTART:20261201T000000Z',
    'DTEND:20261201T001000Z',
    'RRULE:FREQ=HOURLY;INTERVAL=30;COUNT=9',
    'SUMMARY:Pills',
  ),
};

test('time ranges match every instance, in its own zone, past midnight and several times a day', async () => {
  const { server, names } = await setUp(objects);
  await using _ = server;
  const during = (start: string, end: string) => names(inEvents(range(start, end)));
  // 09:30 in New York is 14:30 UTC.
  expect(await during('20261204T152900Z', '20261204T160000Z')).toEqual(['meeting']);
  expect(await during('20261204T153000Z', '20261204T160000Z')).toEqual([]);
  // The night shift ends at 00:30 UTC on Tuesday. That of the 7th is on the 9th by day.
  expect(await during('20261201T002900Z', '20261201T003000Z')).toEqual(['weekly']);
  expect(await during('20261201T003000Z', '20261201T003100Z')).toEqual([]);
  expect(await during('20261207T210000Z', '20261208T003000Z')).toEqual([]);
  expect(await during('20261209T113000Z', '20261209T113100Z')).toEqual(['weekly']);
  // Much later than the days that pages compute.
  expect(await during('20990101T000000Z', '20990109T000000Z')).toEqual(['weekly']);
  expect(await during('20261203T120000Z', '20261203T120100Z')).toEqual(['hourly']);
  expect(await during('20261211T000000Z', '20261211T001000Z')).toEqual(['hourly']);
  expect(await during('20261212T060000Z', '20261213T000000Z')).toEqual([]);
  // A moment counts at its start. Dates and floating times are in Berlin's zone.
  expect(await during('20261205T110000Z', '20261205T110001Z')).toEqual(['day', 'moment']);
  expect(await during('20261205T110001Z', '20261205T120000Z')).toEqual(['day']);
  expect(await during('20261205T230000Z', '20261206T000000Z')).toEqual([]);
});

test('dates and floating times are in the zone of the query', async () => {
  const { server, names, refusal } = await setUp(objects);
  await using _ = server;
  const west = zone(
    'BEGIN:STANDARD',
    'DTSTART:19700101T000000',
    'TZOFFSETFROM:-0500',
    'TZOFFSETTO:-0500',
    'END:STANDARD',
  );
  const noon = inEvents(range('20261205T170000Z', '20261205T170100Z'));
  expect(await names(noon)).toEqual(['day']);
  expect(await names(noon, west)).toEqual(['day', 'moment']);
  expect(await names(noon, '<C:timezone-id>America/New_York</C:timezone-id>')).toEqual(['day', 'moment']);
  const midnight = inEvents(range('20261206T040000Z', '20261206T050000Z'));
  expect([await names(midnight), await names(midnight, west)]).toEqual([[], ['day']]);
  for (const wrong of [zone(), '<C:timezone>Europe/Berlin</C:timezone>', '<C:timezone/>'])
    expect((await refusal(noon, wrong)).slice(0, 2)).toEqual([403, ['c:valid-calendar-data']]);
  expect((await refusal(noon, '<C:timezone-id>Mars/Olympus</C:timezone-id>')).slice(0, 2)).toEqual([
    403,
    ['c:valid-timezone'],
  ]);
});

test('alarms match when they go off, also for repeats, after the end, and repeatedly', async () => {
  const { server, names } = await setUp({
    ...objects,
    fixed: formatEvent(
      'fixed',
      'DTSTART;VALUE=DATE:20261220',
      'SUMMARY:Fixed',
      'BEGIN:VALARM',
      'ACTION:AUDIO',
      'TRIGGER;VALUE=DATE-TIME:20261101T080000Z',
      'END:VALARM',
    ),
  });
  await using _ = server;
  const firing = (start: string, end: string) => names(inAlarms(range(start, end)));
  // Half an hour after the meeting's end at 15:30 UTC, and two repetitions.
  expect(await firing('20261204T160000Z', '20261204T160001Z')).toEqual(['meeting']);
  expect(await firing('20261204T160001Z', '20261204T170000Z')).toEqual([]);
  expect(await firing('20261204T180000Z', '20261204T180001Z')).toEqual(['meeting']);
  expect(await firing('20261204T180001Z', '20261205T180000Z')).toEqual([]);
  // A day before each night shift, but not before the changed one.
  expect(await firing('20261213T210000Z', '20261213T210001Z')).toEqual(['weekly']);
  expect(await firing('20261206T000000Z', '20261207T000000Z')).toEqual([]);
  expect(await firing('20261101T080000Z', '20261101T080100Z')).toEqual(['fixed']);
  expect(await names(inEvents('<C:comp-filter name="VALARM"/>'))).toEqual(['fixed', 'meeting', 'weekly']);
  const action = property('ACTION', text('audio'));
  expect(await names(inAlarms(action))).toEqual(['fixed', 'meeting']);
  expect(await names(inAlarms(range('20261204T000000Z', '20261205T000000Z') + action))).toEqual(['meeting']);
  // At least one component of the repeat has no alarm.
  const none = '<C:comp-filter name="VALARM"><C:is-not-defined/></C:comp-filter>';
  expect(await names(inEvents(none))).toEqual(['day', 'hourly', 'moment', 'weekly']);
});

test('texts are compared in the requested collation', async () => {
  const { server, client, names, refusal } = await setUp(objects);
  await using _ = server;
  const summary = (value: string, attributes?: string) => names(inEvents(property('SUMMARY', text(value, attributes))));
  expect(await summary('WEITE')).toEqual(['meeting']);
  expect(await summary('WEITE', by('i;ascii-casemap'))).toEqual(['meeting']);
  expect(await summary('WEITE', by('default'))).toEqual(['meeting']);
  expect(await summary('WEITE', by('i;octet'))).toEqual([]);
  expect(await summary('Weite', by('i;octet'))).toEqual(['meeting']);
  expect(await summary('GRÖß')).toEqual([]);
  expect(await summary('GRößE')).toEqual(['meeting']);
  expect(await summary('GRÖßE', by('i;unicode-casemap'))).toEqual(['meeting']);
  expect(await summary('GRÖßE', by('i;octet'))).toEqual([]);
  const negated = await names(inEvents(property('SUMMARY', text('a', 'negate-condition="yes"'))));
  expect(negated).toEqual(['hourly', 'meeting', 'weekly']);
  for (const name of ['i;klingon', 'i;*', 'i;ascii-numeric'])
    expect((await refusal(inEvents(property('SUMMARY', text('x', by(name)))))).slice(0, 2)).toEqual([
      403,
      ['c:supported-collation'],
    ]);
  const request = `<D:propfind ${NS}><D:prop><C:supported-collation-set/></D:prop></D:propfind>`;
  for (const path of [client.collection, `${client.collection}day.ics`]) {
    const answer = await client.xml('PROPFIND', path, request, { depth: '0' });
    expect(parseMultistatus(answer.text).responses[0]?.props['c:supported-collation-set']).toBe(
      'i;ascii-casemap i;unicode-casemap i;octet',
    );
  }
});

test('properties and their parameters are searched, also unknown ones', async () => {
  const { server, names } = await setUp(objects);
  await using _ = server;
  const having = (name: string, filter = '') => names(inEvents(property(name, filter)));
  const lisa = text('mailto:lisa@example.org');
  expect(await having('LOCATION')).toEqual(['day']);
  expect(await having('x-abc-guid', text('0007ym'))).toEqual(['meeting']);
  expect(await having('CATEGORIES', text('two, things'))).toEqual(['meeting']);
  expect(await having('ATTENDEE', lisa + parameter('PARTSTAT', text('needs-action')))).toEqual(['meeting']);
  // Bob has accepted, and Lisa has no name.
  expect(await having('ATTENDEE', lisa + parameter('PARTSTAT', text('ACCEPTED')))).toEqual([]);
  expect(await having('ATTENDEE', lisa + parameter('CN'))).toEqual([]);
  expect(await having('ATTENDEE', lisa + parameter('CN', '<C:is-not-defined/>'))).toEqual(['meeting']);
  expect(await having('ATTENDEE', parameter('cn', text('BOB; the \nbuilder')))).toEqual(['meeting']);
  expect(await having('DTSTART', parameter('TZID', text('Berlin')))).toEqual(['weekly']);
  expect(await having('DTSTART', parameter('VALUE'))).toEqual(['day']);
  expect(await having('RRULE', '<C:is-not-defined/>')).toEqual(['day', 'meeting', 'moment', 'weekly']);
  expect(await having('STATUS', text('CANCELLED', 'negate-condition="yes"'))).toEqual(['meeting']);
  // A property of the calendar itself.
  expect(await names(inCalendar(property('PRODID', text('phone'))))).toEqual(Object.keys(objects).toSorted());
  expect(await names(inCalendar(property('PRODID', text('tablet'))))).toEqual([]);
  // One event must match all conditions: the shift is at night, and the event by day is no shift.
  expect(
    await names(inEvents(property('SUMMARY', text('shift')) + range('20261209T110000Z', '20261209T120000Z'))),
  ).toEqual([]);
});

test('properties with a time match by it, also those of instances and computed ends', async () => {
  const { server, names, refusal } = await setUp(objects);
  await using _ = server;
  const at = (name: string, start: string, end: string) => names(inEvents(property(name, range(start, end))));
  expect(await at('CREATED', '20261101T120000Z', '20261101T120001Z')).toEqual(['meeting']);
  expect(await at('CREATED', '20261101T120001Z', '')).toEqual([]);
  expect(await at('DTSTAMP', '', '20261101T120001Z')).toEqual(Object.keys(objects).toSorted());
  expect(await at('DTEND', '20261204T153000Z', '20261204T153001Z')).toEqual(['meeting']);
  expect(await at('DTEND', '20270105T003000Z', '20270105T003001Z')).toEqual(['weekly']);
  expect(await at('DTSTART', '20270104T210000Z', '20270104T210001Z')).toEqual(['weekly']);
  expect(await at('DTSTART', '20261204T230000Z', '20261204T230001Z')).toEqual(['day']);
  expect(await at('DTEND', '20261205T230000Z', '20261205T230001Z')).toEqual([]);
  expect(await at('LAST-MODIFIED', '20200101T000000Z', '')).toEqual([]);
  expect((await refusal(inEvents(property('SUMMARY', range('20261204T000000Z', ''))))).slice(0, 2)).toEqual([
    403,
    ['c:valid-filter'],
  ]);
});

test('missing components match is-not-defined, and unsupported kinds never match', async () => {
  const { server, names, ada } = await setUp({ day: objects.day, meeting });
  await using _ = server;
  await ada.call(newevent, { data: { id: 0, name: 'Page', date: '05-12-2026', time: '10:00' } });
  const absent = (name: string) => inCalendar(`<C:comp-filter name="${name}"><C:is-not-defined/></C:comp-filter>`);
  for (const filter of [inCalendar(''), absent('VTODO'), absent('X-OTHER'), inEvents('')])
    expect(await names(filter)).toHaveLength(3);
  for (const name of ['VTODO', 'VJOURNAL', 'VFREEBUSY', 'VTIMEZONE', 'X-OTHER'])
    expect(await names(inCalendar(`<C:comp-filter name="${name}"/>`))).toEqual([]);
  expect(await names(absent('VEVENT'))).toEqual([]);
  expect(await names('<C:comp-filter name="VCALENDAR"><C:is-not-defined/></C:comp-filter>')).toEqual([]);
  const open = '<C:prop-filter name="COMPLETED"><C:is-not-defined/></C:prop-filter>';
  expect(
    await names(inCalendar(`<C:comp-filter name="VTODO">${open}${range('20261201T000000Z', '')}</C:comp-filter>`)),
  ).toEqual([]);
  const pageEvents = await names(
    inEvents(property('SUMMARY', text('page')) + range('20261205T090000Z', '20261205T090001Z')),
  );
  expect(pageEvents).toHaveLength(1);
});

const INVALID = [
  ['', 'c:valid-filter'],
  ['<C:comp-filter/>', 'c:valid-filter'],
  ['<C:comp-filter name="VEVENT"/>', 'c:valid-filter'],
  [inCalendar('<C:comp-filter name="VALARM"/>'), 'c:valid-filter'],
  [inCalendar('<C:comp-filter name="VTODO"><C:comp-filter name="VEVENT"/></C:comp-filter>'), 'c:valid-filter'],
  [inCalendar(range('20261201T000000Z', '')), 'c:valid-filter'],
  [inCalendar(`<C:comp-filter name="VTIMEZONE">${range('20261201T000000Z', '')}</C:comp-filter>`), 'c:valid-filter'],
  [inEvents('<C:is-not-defined/><C:prop-filter name="SUMMARY"/>'), 'c:valid-filter'],
  [inEvents(range('20261201T000000Z', '') + range('20261201T000000Z', '')), 'c:valid-filter'],
  [inEvents(range('20261201T000000', '')), 'c:valid-filter'],
  [inEvents(range('20261301T000000Z', '')), 'c:valid-filter'],
  [inEvents(range('20261201T250000Z', '')), 'c:valid-filter'],
  [inEvents(range('20261201T000000Z', '20261201T000000Z')), 'c:valid-filter'],
  [inEvents(range('00001201T000000Z', '20261201T000000Z')), 'c:min-date-time'],
  [inEvents('<C:prop-filter/>'), 'c:valid-filter'],
  [inEvents('<C:prop-filter name="a b"/>'), 'c:valid-filter'],
  [inEvents('<C:text-match>x</C:text-match>'), 'c:valid-filter'],
  [inEvents(property('DTSTART', range('20261201T000000Z', '') + text('x'))), 'c:valid-filter'],
  [inEvents(property('SUMMARY', text('x', 'negate-condition="maybe"'))), 'c:valid-filter'],
  [inEvents(property('SUMMARY', `<C:is-not-defined/>${text('x')}`)), 'c:valid-filter'],
  [inEvents(property('ATTENDEE', '<C:param-filter/>')), 'c:valid-filter'],
  [inCalendar('') + inCalendar(''), 'c:valid-filter'],
  [inCalendar(`<C:comp-filter name="X-A">${range('20261201T000000Z', '')}</C:comp-filter>`), 'c:valid-filter'],
  // Extensions that would change the meaning if they were ignored.
  ['<C:comp-filter name="VCALENDAR" test="anyof"/>', 'c:supported-filter'],
  [inEvents(property('SUMMARY', text('x', 'match-type="equals"'))), 'c:supported-filter'],
] as const;

test('an invalid or unsupported filter is refused with its precondition', async () => {
  const { server, refusal } = await setUp({});
  await using _ = server;
  for (const [filter, condition] of INVALID)
    expect([filter, ...(await refusal(filter)).slice(0, 2)]).toEqual([filter, 403, [condition]]);
  const [, , body] = await refusal(inEvents(property('SUMMARY', text('x', 'match-type="equals"'))));
  expect(body).toContain('<c:supported-filter><c:prop-filter name="SUMMARY"/></c:supported-filter>');
});

test('reports cover their address: the calendar, one object, or what the depth reaches', async () => {
  const { server, client } = await setUp({ day: objects.day, meeting });
  await using _ = server;
  async function findNames(path: string, body: string, headers: Readonly<Record<string, string>> = {}) {
    const { status, text: answer } = await client.request('REPORT', path, {
      body,
      headers: { 'content-type': 'text/xml; charset="utf-8"', ...headers },
    });
    if (status !== 207) return [status, answer === '' ? [] : parseConditions(answer)];
    return parseMultistatus(answer).responses.map(({ href, status: one }) => [
      href.replace(client.collection, ''),
      one,
    ]);
  }
  const all = query(inEvents(''));
  const names = [
    ['day.ics', undefined],
    ['meeting.ics', undefined],
  ];
  const home = '/dav/calendars/ada/';
  for (const headers of [{}, { depth: '0' }, { depth: '1' }, { depth: 'infinity' }])
    expect(await findNames(client.collection, all, headers)).toEqual(names);
  for (const headers of [{}, { depth: '0' }]) expect(await findNames(home, all, headers)).toEqual([]);
  for (const headers of [{ depth: '1' }, { depth: 'infinity' }])
    expect(await findNames(home, all, headers)).toEqual(names);
  expect(await findNames(home, all, { depth: '2' })).toEqual([400, []]);
  const object = `${client.collection}day.ics`;
  expect(await findNames(object, all)).toEqual([['day.ics', undefined]]);
  expect(await findNames(object, query(inEvents('<C:comp-filter name="VALARM"/>')))).toEqual([]);
  expect(await findNames(`${client.collection}nothing.ics`, all)).toEqual([404, []]);
  expect(await findNames('/dav/principals/ada/', all)).toEqual([403, ['d:supported-report']]);
  const multiget = (...files: readonly string[]) =>
    `<C:calendar-multiget ${NS}><D:prop><D:getetag/></D:prop>${files.map((name) => `<D:href>${client.collection}${name}</D:href>`).join('')}</C:calendar-multiget>`;
  expect(await findNames(home, multiget('day.ics', 'none.ics'))).toEqual([
    ['day.ics', undefined],
    ['none.ics', '404'],
  ]);
  expect(await findNames(object, multiget('day.ics', 'meeting.ics'))).toEqual([
    ['day.ics', undefined],
    ['meeting.ics', '404'],
  ]);
  expect(await findNames(client.collection, multiget())).toEqual([400, []]);
});
