import { expect, test } from 'vitest';
import { createDavClient, type DavClient, formatEvent, parseMultistatus } from '#testing/kits/planning/dav.ts';
import { startServer } from '#testing/kits/server/server.ts';
import { newevent } from '../../contract/events.ts';

// Requests that known clients send, in their order and with their own headers and prefixes.

async function setUp() {
  const server = await startServer({ rateLimits: false });
  const ada = await server.createAccount('ada');
  await ada.call(newevent, { data: { id: 0, name: 'From the page', date: '05-12-2026' } });
  return { server, ada, client: await createDavClient(server, ada) };
}

function createRequester(client: DavClient, headers: Readonly<Record<string, string>>) {
  async function xml(method: string, path: string, body: string, depth?: string) {
    const answer = await client.xml(method, path, body, { ...headers, ...(depth === undefined ? {} : { depth }) });
    return { ...answer, ...parseMultistatus(answer.text) };
  }
  return {
    xml,
    getProp: async (path: string, body: string, name: string) =>
      (await xml('PROPFIND', path, body, '0')).responses[0]?.props[name] ?? '',
  };
}

type Answer = Pick<ReturnType<typeof parseMultistatus>, 'responses'>;
/** Returns a property of the first response. */
const getValue = ({ responses }: Answer, name: string): string => responses[0]?.props[name] ?? '';
const getHref = ({ responses }: Answer): string => responses[0]?.href ?? '';
const formatEtag = ({ headers }: { readonly headers: Headers }): string => headers.get('etag') ?? '';

const PHONE_EVENT = formatEvent(
  '6F1C3C7A-0001',
  'CREATED:20261121T120000Z',
  'DTSTART;TZID=Europe/Berlin:20261207T100000',
  'DTEND;TZID=Europe/Berlin:20261207T110000',
  'SUMMARY:From the phone',
  'TRANSP:OPAQUE',
  'X-APPLE-TRAVEL-ADVISORY-BEHAVIOR:AUTOMATIC',
);

const createIosSync = (token: string) => `<?xml version="1.0" encoding="UTF-8"?>
<A:sync-collection xmlns:A="DAV:"><A:sync-token>${token}</A:sync-token><A:sync-level>1</A:sync-level><A:prop><A:getetag/><A:getcontenttype/></A:prop></A:sync-collection>`;

test('iOS can set up an account and synchronize', async () => {
  const { server, client } = await setUp();
  await using _ = server;
  const { xml } = createRequester(client, {
    'user-agent': 'iOS/19.1 (23B82) dataaccessd/1.0',
    accept: '*/*',
    'content-type': 'text/xml',
    prefer: 'return=minimal',
    brief: 't',
  });
  const discovery = `<?xml version="1.0" encoding="UTF-8"?>
<A:propfind xmlns:A="DAV:"><A:prop><A:current-user-principal/><A:principal-URL/><A:resourcetype/></A:prop></A:propfind>`;
  expect((await client.xml('PROPFIND', '/.well-known/caldav', discovery)).status).toBe(301);
  const [root] = (await xml('PROPFIND', '/dav/', discovery, '0')).responses;
  const principal = root?.props['d:current-user-principal'] ?? '';
  const account = `<?xml version="1.0" encoding="UTF-8"?>
<A:propfind xmlns:A="DAV:"><A:prop><B:calendar-home-set xmlns:B="urn:ietf:params:xml:ns:caldav"/><B:calendar-user-address-set xmlns:B="urn:ietf:params:xml:ns:caldav"/><A:current-user-principal/><A:displayname/><C:dropbox-home-URL xmlns:C="http://calendarserver.org/ns/"/><C:email-address-set xmlns:C="http://calendarserver.org/ns/"/><C:notification-URL xmlns:C="http://calendarserver.org/ns/"/><A:principal-collection-set/><A:principal-URL/><A:resource-id/><B:schedule-inbox-URL xmlns:B="urn:ietf:params:xml:ns:caldav"/><B:schedule-outbox-URL xmlns:B="urn:ietf:params:xml:ns:caldav"/><A:supported-report-set/></A:prop></A:propfind>`;
  const options = await client.request('OPTIONS', principal);
  expect(options.headers.get('dav')).toContain('calendar-access');
  const [principalResponse] = (await xml('PROPFIND', principal, account, '0')).responses;
  expect(principalResponse?.others).toEqual({});
  const home = principalResponse?.props['c:calendar-home-set'] ?? '';
  const list = `<?xml version="1.0" encoding="UTF-8"?>
<A:propfind xmlns:A="DAV:"><A:prop><A:add-member/><C:allowed-sharing-modes xmlns:C="http://calendarserver.org/ns/"/><D:autoprovisioned xmlns:D="http://apple.com/ns/ical/"/><E:bulk-requests xmlns:E="http://me.com/_namespace/"/><D:calendar-color xmlns:D="http://apple.com/ns/ical/"/><B:calendar-description xmlns:B="urn:ietf:params:xml:ns:caldav"/><D:calendar-order xmlns:D="http://apple.com/ns/ical/"/><B:calendar-timezone xmlns:B="urn:ietf:params:xml:ns:caldav"/><A:current-user-privilege-set/><B:default-alarm-vevent-date xmlns:B="urn:ietf:params:xml:ns:caldav"/><A:displayname/><C:getctag xmlns:C="http://calendarserver.org/ns/"/><A:owner/><A:quota-available-bytes/><A:resourcetype/><B:schedule-calendar-transp xmlns:B="urn:ietf:params:xml:ns:caldav"/><B:supported-calendar-component-set xmlns:B="urn:ietf:params:xml:ns:caldav"/><A:supported-report-set/><A:sync-token/></A:prop></A:propfind>`;
  const calendar = (await xml('PROPFIND', home, list, '1')).responses.find(({ props }) =>
    props['d:resourcetype']?.includes('c:calendar'),
  );
  expect(calendar).toMatchObject({ href: client.collection, props: { 'd:displayname': 'Pegboard' } });
  // iOS sets the order of calendars without a request, and accepts a refusal.
  const order = `<?xml version="1.0" encoding="UTF-8"?>
<A:propertyupdate xmlns:A="DAV:"><A:set><A:prop><D:calendar-order xmlns:D="http://apple.com/ns/ical/">1</D:calendar-order></A:prop></A:set></A:propertyupdate>`;
  expect((await xml('PROPPATCH', client.collection, order)).responses[0]?.others).toEqual({
    403: ['ical:calendar-order'],
  });
  const first = await xml('REPORT', client.collection, createIosSync(''));
  const hrefs = first.responses.map(({ href }) => href);
  const multiget = `<?xml version="1.0" encoding="UTF-8"?>
<B:calendar-multiget xmlns:B="urn:ietf:params:xml:ns:caldav"><A:prop xmlns:A="DAV:"><A:getetag/><B:calendar-data/><B:schedule-tag/><C:created-by xmlns:C="http://calendarserver.org/ns/"/></A:prop>${hrefs.map((href) => `<A:href xmlns:A="DAV:">${href}</A:href>`).join('')}</B:calendar-multiget>`;
  const [page] = (await xml('REPORT', client.collection, multiget)).responses;
  expect(page?.props['c:calendar-data']).toContain('SUMMARY:From the page');
  const put = await client.put('6F1C3C7A-0001.ics', PHONE_EVENT, { 'if-none-match': '*' });
  expect([put.status, put.headers.get('etag')]).toEqual([201, expect.stringMatching(/^".+"$/)]);
  const second = await xml('REPORT', client.collection, createIosSync(first.token ?? ''));
  expect(second.responses.map(({ href, props }) => [href, props['d:getetag']])).toEqual([
    [`${client.collection}6F1C3C7A-0001.ics`, put.headers.get('etag')],
  ]);
});

test('DAVx5 can find calendars and synchronize', async () => {
  const { server, client } = await setUp();
  await using _ = server;
  const { xml } = createRequester(client, {
    'user-agent': 'DAVx5/4.5 (2026/11/01; dav4jvm; okhttp/5) Android/16',
    'content-type': 'application/xml; charset=utf-8',
  });
  const open = `<?xml version='1.0' encoding='UTF-8' ?><propfind xmlns="DAV:" xmlns:CAL="urn:ietf:params:xml:ns:caldav" xmlns:CARD="urn:ietf:params:xml:ns:carddav">`;
  const [root] = (
    await xml(
      'PROPFIND',
      '/dav/',
      `${open}<prop><CAL:calendar-home-set /><CAL:supported-calendar-component-set /><resourcetype /><displayname /><CAL:calendar-description /><current-user-principal /></prop></propfind>`,
      '0',
    )
  ).responses;
  const principal = root?.props['d:current-user-principal'] ?? '';
  const [principalResponse] = (
    await xml(
      'PROPFIND',
      principal,
      `${open}<prop><displayname /><CAL:calendar-home-set /><CAL:calendar-proxy-read-for xmlns:CAL="http://calendarserver.org/ns/" /><group-membership /></prop></propfind>`,
      '0',
    )
  ).responses;
  const home = principalResponse?.props['c:calendar-home-set'] ?? '';
  const result = await xml(
    'PROPFIND',
    home,
    `${open}<prop><resourcetype /><displayname /><owner /><current-user-privilege-set /><CARD:addressbook-description /><CAL:calendar-description /><calendar-color xmlns="http://apple.com/ns/ical/" /><CAL:calendar-timezone /><CAL:supported-calendar-component-set /><source xmlns="http://calendarserver.org/ns/" /></prop></propfind>`,
    '1',
  );
  expect(result.responses.map(({ href }) => href)).toEqual([home, client.collection]);
  const [state] = (
    await xml(
      'PROPFIND',
      client.collection,
      `${open}<prop><CAL:max-resource-size /><supported-report-set /><CAL:supported-calendar-data /><getctag xmlns="http://calendarserver.org/ns/" /><sync-token /></prop></propfind>`,
      '0',
    )
  ).responses;
  expect(state?.props['d:sync-token']).toBeTruthy();
  const since = `<?xml version='1.0' encoding='UTF-8' ?><CAL:calendar-query xmlns="DAV:" xmlns:CAL="urn:ietf:params:xml:ns:caldav"><prop><getetag /></prop><CAL:filter><CAL:comp-filter name="VCALENDAR"><CAL:comp-filter name="VEVENT"><CAL:time-range start="20260823T120000Z" /></CAL:comp-filter></CAL:comp-filter></CAL:filter></CAL:calendar-query>`;
  const listed = await xml('REPORT', client.collection, since, '1');
  expect(listed.responses).toHaveLength(1);
  const multiget = `<?xml version='1.0' encoding='UTF-8' ?><CAL:calendar-multiget xmlns="DAV:" xmlns:CAL="urn:ietf:params:xml:ns:caldav"><prop><getetag /><schedule-tag xmlns="urn:ietf:params:xml:ns:caldav" /><CAL:calendar-data content-type="text/calendar" version="2.0" /></prop><href>${getHref(listed)}</href></CAL:calendar-multiget>`;
  const read = await xml('REPORT', client.collection, multiget);
  const [data, etag, path] = [getValue(read, 'c:calendar-data'), getValue(read, 'd:getetag'), getHref(read)];
  expect(data).toContain('From the page');
  const changed = data.replace('From the page', 'From the phone');
  const put = await client.request('PUT', path, {
    body: changed,
    headers: { 'content-type': 'text/calendar; charset=utf-8', 'if-match': etag },
  });
  expect(put.status).toBe(204);
  const deleted = await client.request('DELETE', path, { headers: { 'if-match': formatEtag(put) } });
  expect(deleted.status).toBe(204);
  const after = await xml(
    'REPORT',
    client.collection,
    `<?xml version='1.0' encoding='UTF-8' ?><sync-collection xmlns="DAV:"><sync-token>${state?.props['d:sync-token'] ?? ''}</sync-token><sync-level>1</sync-level><prop><getetag /></prop></sync-collection>`,
  );
  expect(after.responses).toMatchObject([{ href: path, status: '404' }]);
});

const createThunderbirdSync = (token: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<sync-collection xmlns="DAV:"><sync-token>${token}</sync-token><sync-level>1</sync-level><prop><getcontenttype/><getetag/></prop></sync-collection>`;

test('Thunderbird can subscribe to a calendar and synchronize', async () => {
  const { server, client } = await setUp();
  await using _ = server;
  const { xml } = createRequester(client, {
    'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Thunderbird/145.0',
    accept: 'text/xml',
    'accept-charset': 'utf-8,*;q=0.1',
    'content-type': 'text/xml; charset=utf-8',
  });
  const open = `<?xml version="1.0" encoding="UTF-8"?>\n<D:propfind xmlns:D='DAV:' xmlns:CS='http://calendarserver.org/ns/' xmlns:C='urn:ietf:params:xml:ns:caldav' xmlns:A='http://apple.com/ns/ical/'>`;
  const first = `${open}<D:prop><D:resourcetype/><D:displayname/><D:current-user-principal/><D:current-user-privilege-set/><A:calendar-color/><C:calendar-home-set/></D:prop></D:propfind>`;
  const [root] = (await xml('PROPFIND', '/', first, '0')).responses;
  expect(root?.props['d:current-user-principal']).toBe('/dav/principals/ada/');
  const result = await xml('PROPFIND', root?.props['c:calendar-home-set'] ?? '', first, '1');
  expect(result.responses.at(-1)?.props).toMatchObject({ 'ical:calendar-color': '#5B4BD4FF' });
  const check = `${open}<D:prop><D:resourcetype/><D:owner/><D:current-user-principal/><D:current-user-privilege-set/><D:supported-report-set/><C:supported-calendar-component-set/><CS:getctag/><C:schedule-inbox-URL/><D:sync-token/></D:prop></D:propfind>`;
  const [calendar] = (await xml('PROPFIND', client.collection, check, '0')).responses;
  expect(calendar?.others).toEqual({ 404: ['c:schedule-inbox-URL'] });
  const all = await xml('REPORT', client.collection, createThunderbirdSync(''), '1');
  expect(all.responses.map(({ props }) => props['d:getcontenttype'])).toEqual([
    'text/calendar; charset=utf-8; component=VEVENT',
  ]);
  const multiget = `<?xml version="1.0" encoding="UTF-8"?>\n<C:calendar-multiget xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:prop><D:getetag/><C:calendar-data/></D:prop><D:href>${all.responses[0]?.href ?? ''}</D:href></C:calendar-multiget>`;
  expect((await xml('REPORT', client.collection, multiget, '1')).responses[0]?.props['c:calendar-data']).toContain(
    'From the page',
  );
  const put = await client.put('abc-1.ics', PHONE_EVENT, { 'content-type': 'text/calendar; charset=utf-8' });
  expect(put.status).toBe(201);
  const [mine] = (
    await xml('PROPFIND', `${client.collection}abc-1.ics`, `${open}<D:prop><D:getetag/></D:prop></D:propfind>`, '0')
  ).responses;
  expect(mine?.props['d:getetag']).toBe(put.headers.get('etag'));
  expect((await xml('REPORT', client.collection, createThunderbirdSync(all.token ?? ''), '1')).responses).toHaveLength(
    1,
  );
  // After an unknown token the client starts from the beginning.
  const lost = await client.xml('REPORT', client.collection, createThunderbirdSync('http://old.example/1'), {});
  expect([lost.status, lost.text.includes('<d:valid-sync-token/>')]).toEqual([403, true]);
});
