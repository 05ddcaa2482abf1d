import { connect } from 'node:net';
import { text as readAll } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { createDavClient, type DavClient, formatEvent } from '#testing/kits/planning/dav.ts';
import { startServer } from '#testing/kits/server/server.ts';

async function setUp(options: Parameters<typeof startServer>[0] = { rateLimits: false }) {
  const server = await startServer(options);
  return { server, client: await createDavClient(server, await server.createAccount('ada')) };
}
const listFaults = (log: readonly string[]): readonly string[] =>
  log.filter((line) => line.includes('"status":500') || line.includes('http.request.failed'));

/** Sends a request with an address that no client library would send, and returns the status. */
async function sendRaw(origin: string, method: string, path: string, client: DavClient): Promise<number> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  socket.write(
    `${method} ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: ${client.authorization}\r\nDepth: 1\r\nConnection: close\r\n\r\n`,
  );
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(await readAll(socket))?.[1]);
}

const EVENT = formatEvent('x', 'DTSTART;VALUE=DATE:20261201', 'SUMMARY:x');

test('addresses that try to escape lead nowhere', async () => {
  const { server, client } = await setUp();
  await using _ = server;
  await client.put('x.ics', EVENT);
  const paths = [
    '/dav/../dav/calendars/ada/events/x.ics',
    '/dav/calendars/ada/events/../events/x.ics',
    '/dav/calendars/ada/events/..%2Fevents%2Fx.ics',
    '/dav/calendars/ada/events/%2e%2e',
    '/dav/calendars/ada/events/%2e',
    '/dav/calendars/ada/events/x.ics%00',
    '/dav/calendars/ada/events/%00',
    '/dav/calendars/ada/events/x%0A.ics',
    '/dav/calendars/ada/events/a%2Fb.ics',
    '/dav/calendars/ada/events/a%5Cb.ics',
    '/dav/calendars/ada/events/%FF%FE.ics',
    '/dav/calendars/ada/events/%ED%A0%80.ics',
    `/dav/calendars/ada/events/${'x'.repeat(300)}`,
    '/dav/calendars/ada/events//x.ics',
    '/dav/calendars/ada/events/x.ics/more',
    '/dav//calendars/ada/events/',
    '/dav/calendars/__proto__/events/',
    '/dav/calendars/ada/constructor/',
    '/dav/toString/ada/',
    '/dav/calendars/account-2/events/',
    '//dav/calendars/ada/events/x.ics',
  ];
  for (const path of paths)
    for (const method of ['GET', 'PUT', 'DELETE', 'PROPFIND']) {
      const status = await sendRaw(server.origin, method, path, client);
      expect([400, 404, 405], `${method} ${path}: ${status}`).toContain(status);
    }
  for (const path of ['/dav/%zz', '/dav/%']) expect(await sendRaw(server.origin, 'PROPFIND', path, client)).toBe(400);
  expect((await client.request('GET', `${client.collection}x.ics?x=%00#y`)).text).toBe(EVENT);
  expect(listFaults(server.log)).toEqual([]);
});

test('no method with any broken body and header causes an internal error', async () => {
  const { server, client } = await setUp();
  await using _ = server;
  await client.put('x.ics', EVENT);
  const bodies = [
    '',
    '<',
    '<a/>',
    '<!DOCTYPE a [<!ENTITY b "b">]><a>&b;</a>',
    '<propfind xmlns="DAV:"/>',
    '<propfind xmlns="DAV:"><prop/></propfind>',
    '<propfind xmlns="DAV:"><prop><__proto__/><constructor/><toString xmlns="urn:ietf:params:xml:ns:caldav"/></prop></propfind>',
    '<sync-collection xmlns="DAV:"/>',
    '<sync-collection xmlns="DAV:"><limit><nresults>-1</nresults></limit></sync-collection>',
    '<calendar-query xmlns="urn:ietf:params:xml:ns:caldav"><filter><comp-filter name="VCALENDAR"><comp-filter name="VEVENT"><time-range start="99999999T999999Z"/></comp-filter></comp-filter></filter></calendar-query>',
    '<calendar-multiget xmlns="urn:ietf:params:xml:ns:caldav"><href xmlns="DAV:">%zz</href><href xmlns="DAV:">/dav/calendars/ada/events/%00</href></calendar-multiget>',
    '<propertyupdate xmlns="DAV:"/>',
    '<propertyupdate xmlns="DAV:"><set/></propertyupdate>',
    new Uint8Array([0xff, 0xfe, 0, 0x3c]),
  ];
  const paths = [
    '/',
    '/dav/',
    '/dav/principals/ada/',
    '/dav/calendars/ada/',
    client.collection,
    `${client.collection}x.ics`,
  ];
  const headers = [
    { 'content-type': 'application/xml', depth: '1' },
    { 'content-type': 'text/xml; charset=utf-16', depth: '2' },
    { 'content-type': 'application/json', depth: 'infinity', 'if-match': '"' },
  ];
  const methods = ['PROPFIND', 'PROPPATCH', 'REPORT', 'PUT', 'MKCALENDAR', 'LOCK'];
  const everything = methods.flatMap((method) =>
    paths
      .slice(method === 'PROPFIND' ? 0 : 1)
      .flatMap((path) => bodies.flatMap((body) => headers.map((more) => ({ method, path, body, headers: more })))),
  );
  for (const { method, path, ...more } of everything) {
    const { status } = await client.request(method, path, more);
    expect(status, `${method} ${path} ${String(more.body)}`).toBeLessThan(500);
  }
  for (const method of ['TRACE', 'PURGE', 'M-SEARCH', 'BREW'])
    expect([400, 404, 405]).toContain(await sendRaw(server.origin, method, '/dav/', client));
  expect((await client.request('PROPFIND', '/dav/', { body: 'x'.repeat(3 * 1024 * 1024) })).status).toBe(413);
  expect((await client.request('GET', `${client.collection}x.ics`)).text).toBe(EVENT);
  expect(listFaults(server.log)).toEqual([]);
});

test('wrong app passwords are limited by IP address, and a valid one is not', async () => {
  const { server, client } = await setUp({});
  await using _ = server;
  const getStatus = async (authorization: string) =>
    (await client.request('PROPFIND', '/dav/', { headers: { authorization } })).status;
  const wrongCredentials = `Basic ${Buffer.from('ada:0000-0000-0000-0000-0000-0000').toString('base64')}`;
  const tries: number[] = [];
  for (let at = 0; at < 32; at += 1) tries.push(await getStatus(wrongCredentials));
  expect(tries).toEqual([...Array<number>(30).fill(401), 429, 429]);
  expect(await getStatus(client.authorization)).toBe(207);
});

test('neither the app password nor searches or sent data are logged', async () => {
  const { server, client } = await setUp({ logLevel: 'debug' });
  await using _ = server;
  await client.put('hunter2.ics', EVENT.replace('SUMMARY:x', 'SUMMARY:hunter2'));
  await client.request('GET', `${client.collection}hunter2.ics?hunter2`);
  await client.xml('PROPFIND', '/dav/hunter2', '<hunter2/>', { 'if-match': 'hunter2' });
  await client.request('PUT', `${client.collection}y.ics`, {
    body: 'hunter2',
    headers: { 'content-type': 'text/hunter2' },
  });
  const secrets = ['hunter2', client.password, client.password.replaceAll('-', ''), client.authorization.slice(6)];
  expect(server.log.some((line) => line.includes('/dav/*'))).toBe(true);
  expect(server.log.filter((line) => secrets.some((secret) => line.includes(secret)))).toEqual([]);
});
