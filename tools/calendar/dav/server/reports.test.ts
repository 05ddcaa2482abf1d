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
import { deleteevent, eventsbetween, newevent } from '../../contract/events.ts';

const NS = 'xmlns="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"';
const DATA = '<prop><getetag/><c:calendar-data/></prop>';

async function setUp(options: Parameters<typeof startServer>[0] = {}) {
  const server = await startServer({ rateLimits: false, ...options });
  const ada = await server.createAccount('ada');
  await ada.call(eventsbetween, { from: '2026-12-01', until: '2026-12-02', tz: 'Europe/Berlin' });
  const client = await createDavClient(server, ada);
  async function report(body: string) {
    const answer = await client.xml('REPORT', client.collection, body);
    return {
      ...answer,
      ...(answer.status === 207 ? parseMultistatus(answer.text) : { responses: [], token: undefined }),
    };
  }
  return { server, ada, client, report };
}

const events: Readonly<Record<string, string>> = {
  day: formatEvent('day', 'DTSTART;VALUE=DATE:20261205', 'SUMMARY:Whole day'),
  morning: formatEvent(
    'morning',
    'DTSTART;TZID=Europe/Berlin:20261205T090000',
    'DTEND;TZID=Europe/Berlin:20261205T100000',
    'SUMMARY:Morning',
    'BEGIN:VALARM',
    'ACTION:DISPLAY',
    'TRIGGER:-PT5M',
    'END:VALARM',
  ),
  trip: formatEvent('trip', 'DTSTART;VALUE=DATE:20261203', 'DTEND;VALUE=DATE:20261211', 'SUMMARY:Trip', 'LOCATION:Sea'),
  weekly: formatEvent(
    'weekly',
    'DTSTART;TZID=Europe/Berlin:20260105T180000',
    'DTEND;TZID=Europe/Berlin:20260105T190000',
    'RRULE:FREQ=WEEKLY',
    'EXDATE;TZID=Europe/Berlin:20261214T180000',
    'SUMMARY:Every Monday',
  ),
  odd: formatCalendar(
    'BEGIN:VEVENT',
    'UID:odd',
    'DTSTAMP:20261101T120000Z',
    'DTSTART;VALUE=DATE:20260101',
    'RRULE:FREQ=YEARLY',
    'SUMMARY:Yearly',
    'END:VEVENT',
    'BEGIN:VEVENT',
    'UID:odd',
    'DTSTAMP:20261101T120000Z',
    'RECURRENCE-ID;VALUE=DATE:20270101',
    'DTSTART;VALUE=DATE:20261205',
    'SUMMARY:Yearly but early',
    'END:VEVENT',
  ),
  old: formatEvent('old', 'DTSTART;VALUE=DATE:19990101', 'SUMMARY:Long ago, in [brackets]'),
};
async function fill(client: DavClient): Promise<void> {
  for (const [name, text] of Object.entries(events)) expect((await client.put(`${name}.ics`, text)).status).toBe(201);
}

const createQuery = (filter: string, props = '<prop><getetag/></prop>'): string =>
  `<c:calendar-query ${NS}>${props}<c:filter><c:comp-filter name="VCALENDAR">${filter}</c:comp-filter></c:filter></c:calendar-query>`;
const createEventQuery = (filter: string): string =>
  createQuery(`<c:comp-filter name="VEVENT">${filter}</c:comp-filter>`);
const createTimeQuery = (start: string, end: string): string =>
  createEventQuery(`<c:time-range${start && ` start="${start}"`}${end && ` end="${end}"`}/>`);

test('a query by time finds overlapping events, also repeats and moved days', async () => {
  const { server, client, report } = await setUp();
  await using _ = server;
  await fill(client);
  const listNames = async (body: string): Promise<readonly string[]> =>
    (await report(body)).responses
      .map(({ href }) => href.replace(client.collection, '').replace('.ics', ''))
      .toSorted();
  const all = Object.keys(events).toSorted();
  expect(await listNames(createQuery(''))).toEqual(all);
  expect(await listNames(createQuery('<c:comp-filter name="VEVENT"/>'))).toEqual(all);
  expect(await listNames(createQuery('<c:comp-filter name="VTODO"/>'))).toEqual([]);
  expect(await listNames(createQuery('<c:comp-filter name="VTODO"><c:is-not-defined/></c:comp-filter>'))).toEqual(all);
  // The 5th of December in Berlin, which starts at 23:00 UTC the day before.
  expect(await listNames(createTimeQuery('20261204T230000Z', '20261205T230000Z'))).toEqual([
    'day',
    'morning',
    'odd',
    'trip',
  ]);
  // 09:00 to 10:00 in Berlin is 08:00 to 09:00 UTC. An event that ends when the range starts is not in it.
  expect(await listNames(createTimeQuery('20261205T085900Z', '20261205T090000Z'))).toEqual([
    'day',
    'morning',
    'odd',
    'trip',
  ]);
  expect(await listNames(createTimeQuery('20261205T090000Z', '20261205T093000Z'))).toEqual(['day', 'odd', 'trip']);
  expect(await listNames(createTimeQuery('20261205T070000Z', '20261205T080000Z'))).toEqual(['day', 'odd', 'trip']);
  expect(await listNames(createTimeQuery('20261210T230000Z', '20261211T100000Z'))).toEqual([]);
  expect(await listNames(createTimeQuery('20261210T220000Z', '20261211T100000Z'))).toEqual(['trip']);
  // Mondays: the 7th is one, the 14th is an exception.
  expect(await listNames(createTimeQuery('20261207T170000Z', '20261207T173000Z'))).toEqual(['trip', 'weekly']);
  expect(await listNames(createTimeQuery('20261214T000000Z', '20261214T230000Z'))).toEqual([]);
  expect(await listNames(createTimeQuery('20261214T170000Z', '20261221T170100Z'))).toEqual(['weekly']);
  // The first of January 2027 was moved.
  expect(await listNames(createTimeQuery('20270101T000000Z', '20270101T220000Z'))).toEqual([]);
  expect(await listNames(createTimeQuery('20280101T000000Z', '20280101T220000Z'))).toEqual(['odd']);
  expect(await listNames(createTimeQuery('', '20000101T000000Z'))).toEqual(['old']);
  expect(await listNames(createTimeQuery('20261206T000000Z', ''))).toEqual(['odd', 'trip', 'weekly']);
  expect(await listNames(createTimeQuery('00010101T000000Z', '99991231T000000Z'))).toEqual(all);
});

const createTextFilter = (name: string, match: string, attributes = ''): string =>
  `<c:prop-filter name="${name}"><c:text-match${attributes}>${match}</c:text-match></c:prop-filter>`;

test('a query by text searches what the client sent', async () => {
  const { server, client, report } = await setUp();
  await using _ = server;
  await fill(client);
  const listNames = async (filter: string): Promise<readonly string[]> =>
    (await report(createEventQuery(filter))).responses
      .map(({ href }) => href.replace(client.collection, '').replace('.ics', ''))
      .toSorted();
  expect(await listNames(createTextFilter('UID', 'weekly'))).toEqual(['weekly']);
  expect(await listNames(createTextFilter('uid', 'DAY', ' collation="i;octet"'))).toEqual([]);
  expect(await listNames(createTextFilter('SUMMARY', 'whole DAY'))).toEqual(['day']);
  expect(await listNames(createTextFilter('SUMMARY', 'ago, in [BR'))).toEqual(['old']);
  expect(await listNames(createTextFilter('SUMMARY', 'early'))).toEqual(['odd']);
  expect(await listNames(createTextFilter('SUMMARY', 'y', ' negate-condition="yes"'))).toEqual([
    'morning',
    'old',
    'trip',
  ]);
  expect(await listNames(createTextFilter('SUMMARY', 'o') + createTextFilter('LOCATION', 'sea'))).toEqual([]);
  expect(await listNames('<c:prop-filter name="LOCATION"/>')).toEqual(['trip']);
  expect(
    await listNames(
      '<c:prop-filter name="RRULE"><c:is-not-defined/></c:prop-filter><c:time-range start="20261205T000000Z" end="20261205T230000Z"/>',
    ),
  ).toEqual(['day', 'morning', 'odd', 'trip']);
  expect(await listNames('<c:comp-filter name="VALARM"/>')).toEqual(['morning']);
  for (const [filter, condition] of [
    ['<c:time-range/>', 'c:valid-filter'],
    ['<c:time-range start="yesterday"/>', 'c:valid-filter'],
    ['<c:time-range start="20261206T000000Z" end="20261205T000000Z"/>', 'c:valid-filter'],
    ['<c:prop-filter/>', 'c:valid-filter'],
    [createTextFilter('SUMMARY', 'x', ' collation="i;klingon"'), 'c:supported-collation'],
  ] as const) {
    const answer = await report(createEventQuery(filter));
    expect([answer.status, parseConditions(answer.text)]).toEqual([403, [condition]]);
  }
  for (const body of [`<c:calendar-query ${NS}/>`, `<c:calendar-query ${NS}><c:filter/></c:calendar-query>`])
    expect((await report(body)).status).toBe(403);
});

test('multiget returns objects unchanged, and reports missing ones', async () => {
  const { server, client, report } = await setUp();
  await using _ = server;
  await fill(client);
  const hrefs = ['day.ics', 'nothing.ics', 'morning.ics', '..%2Fday.ics', 'day.ics'].map(
    (name) => client.collection + name,
  );
  const absoluteUrl = `${server.origin}${client.collection}weekly.ics`;
  const { responses } = await report(
    `<c:calendar-multiget ${NS}>${DATA}${[...hrefs, absoluteUrl, '/elsewhere/x', 'nonsense', ''].map((href) => `<href>${href}</href>`).join('')}</c:calendar-multiget>`,
  );
  const existing = responses.filter(({ status }) => status === undefined);
  expect(Object.fromEntries(existing.map(({ href, props }) => [href, props['c:calendar-data']]))).toEqual({
    [`${client.collection}day.ics`]: events['day']?.replaceAll('\r', '\r'),
    [`${client.collection}morning.ics`]: events['morning'],
    [`${client.collection}weekly.ics`]: events['weekly'],
  });
  expect(responses.filter(({ status }) => status === '404').map(({ href }) => href)).toEqual([
    `${client.collection}nothing.ics`,
    `${client.collection}..%2Fday.ics`,
    '/elsewhere/x',
    'nonsense',
    '',
  ]);
  const json = await report(
    `<c:calendar-multiget ${NS}><prop><c:calendar-data content-type="application/calendar+json"/></prop><href>x</href></c:calendar-multiget>`,
  );
  expect([json.status, parseConditions(json.text)]).toEqual([403, ['c:supported-calendar-data']]);
});

test('a sync returns only what changed since the token', async () => {
  const { server, ada, client, report } = await setUp();
  await using _ = server;
  const sendSync = (token: string, more = '') =>
    report(
      `<sync-collection ${NS}><sync-token>${token}</sync-token><sync-level>1</sync-level>${more}<prop><getetag/></prop></sync-collection>`,
    );
  const formatChanges = ({ responses }: Awaited<ReturnType<typeof sendSync>>): readonly string[] =>
    responses.map(({ href, status }) => `${href.replace(client.collection, '')} ${status ?? 'here'}`).toSorted();

  const empty = await sendSync('');
  expect(formatChanges(empty)).toEqual([]);
  await fill(client);
  const first = await sendSync(empty.token ?? '');
  expect(formatChanges(first)).toEqual(
    Object.keys(events)
      .map((name) => `${name}.ics here`)
      .toSorted(),
  );
  expect(formatChanges(await sendSync(''))).toEqual(formatChanges(first));
  expect(formatChanges(await sendSync(first.token ?? ''))).toEqual([]);
  await client.put('day.ics', formatEvent('day', 'DTSTART;VALUE=DATE:20261206', 'SUMMARY:Moved'));
  await client.request('DELETE', `${client.collection}morning.ics`);
  await client.put('new.ics', formatEvent('new', 'DTSTART;VALUE=DATE:20261206', 'SUMMARY:New'));
  await client.request('DELETE', `${client.collection}new.ics`);
  const { data } = await ada.call(newevent, { data: { id: 0, name: 'Page', date: '01-12-2026' } });
  const second = await sendSync(first.token ?? '');
  const [change = ''] = formatChanges(second).filter((line) => !/^(?:day|morning|new)\.ics/.test(line));
  expect(formatChanges(second)).toEqual(['day.ics here', 'morning.ics 404', 'new.ics 404', change].toSorted());
  await ada.call(deleteevent, { id: data.id });
  const third = await sendSync(second.token ?? '');
  expect(formatChanges(third)).toEqual([change.replace('here', '404')]);
  // A reused name exists and is not deleted.
  await client.put('morning.ics', events['morning'] ?? '');
  expect(formatChanges(await sendSync(second.token ?? ''))).toEqual(
    [change.replace('here', '404'), 'morning.ics here'].toSorted(),
  );
  const properties = await client.xml(
    'PROPFIND',
    client.collection,
    `<propfind ${NS}><prop><sync-token/></prop></propfind>`,
    { depth: '0' },
  );
  expect(
    formatChanges(await sendSync(parseMultistatus(properties.text).responses[0]?.props['d:sync-token'] ?? '')),
  ).toEqual([]);
});

test('a limited sync returns each change once, in parts', async () => {
  const { server, client, report } = await setUp();
  await using _ = server;
  await fill(client);
  await client.request('DELETE', `${client.collection}old.ics`);
  const changedNames: string[] = [];
  let token = 'urn:pegboard:sync:1:0';
  for (let round = 0; round < 10; round += 1) {
    const { responses, token: next } = await report(
      `<sync-collection ${NS}><sync-token>${token}</sync-token><sync-level>1</sync-level><limit><nresults>2</nresults></limit><prop><getetag/></prop></sync-collection>`,
    );
    token = next ?? '';
    const isCut = responses.some(({ href, status }) => href === client.collection && status === '507');
    changedNames.push(...responses.filter(({ href }) => href !== client.collection).map(({ href }) => href));
    if (!isCut) break;
  }
  expect(changedNames.toSorted()).toEqual(
    Object.keys(events)
      .map((name) => `${client.collection}${name}.ics`)
      .toSorted(),
  );
});

test('a token of another account, no account, or the future is refused, and the client starts again', async () => {
  const { server, client, report } = await setUp();
  await using _ = server;
  await fill(client);
  for (const token of [
    'urn:pegboard:sync:2:1',
    'urn:pegboard:sync:1:999999',
    'urn:pegboard:sync:1:-1',
    'http://x/1',
    '1',
    'urn:pegboard:sync:1:1 or 1',
  ]) {
    const answer = await report(
      `<sync-collection ${NS}><sync-token>${token}</sync-token><prop><getetag/></prop></sync-collection>`,
    );
    expect([answer.status, parseConditions(answer.text)]).toEqual([403, ['d:valid-sync-token']]);
  }
});

test('deletions of weeks ago are still reported', async () => {
  let now = Temporal.Instant.from('2026-11-21T12:00:00Z');
  const { server, client, report } = await setUp({ now: () => now });
  await using _ = server;
  const sendSync = (token: string) =>
    report(`<sync-collection ${NS}><sync-token>${token}</sync-token><prop><getetag/></prop></sync-collection>`);
  await client.put('day.ics', events['day'] ?? '');
  const { token = '' } = await sendSync('');
  await client.request('DELETE', `${client.collection}day.ics`);
  now = now.add({ hours: 24 * 20 });
  expect((await sendSync(token)).responses).toMatchObject([{ status: '404' }]);
});
