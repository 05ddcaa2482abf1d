import { expect, test } from 'vitest';
import { log } from '#platform/contract/session.ts';
import { startDevice } from '#testing/kits/desktop/device.ts';
import { createDavClient } from '#testing/kits/planning/dav.ts';
import { startServer, TEST_PASSWORD } from '#testing/kits/server/server.ts';
import { openSocket } from '#testing/kits/server/socket.ts';
import { mypastes, paste } from '#tools/paste/contract.ts';
import { parseBasePath, stripBasePath } from './basePath.ts';

test.each([
  ['', ''],
  ['/', ''],
  ['/pegboard', '/pegboard'],
  ['/tools/pegboard/', '/tools/pegboard'],
  ['pegboard', undefined],
  ['/a b', undefined],
  ['/a/../b', undefined],
  ['//host', undefined],
  ['/a?b', undefined],
])('%j as a base path is %j', (text, path) => {
  expect(parseBasePath(text)).toBe(path);
});

test.each([
  ['/pegboard', '/'],
  ['/pegboard?a=1', '/?a=1'],
  ['/pegboard/', '/'],
  ['/pegboard/api/log?x', '/api/log?x'],
  ['/pegboards', undefined],
  ['/', undefined],
  ['/api/log', undefined],
])('%s below /pegboard is %s', (url, stripped) => {
  expect(stripBasePath(url, '/pegboard')).toBe(stripped);
  expect(stripBasePath(url, '')).toBe(url);
});

/** Starts a server below a path, as the proxy of another site reaches it. */
async function startBelowPath() {
  const server = await startServer({ basePath: '/pegboard', trustProxy: ['loopback'] });
  const { origin } = new URL(server.origin);
  const getFrom = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(origin + path, { redirect: 'manual', headers });
  return { server, getFrom };
}

test('calls and sockets are below the path, and nothing else is at the root', async () => {
  const { server, getFrom } = await startBelowPath();
  await using _ = server;
  const ada = await server.createAccount('Ada');
  const { code = '' } = await ada.call(paste, { inputValue: 'hello' });
  expect((await ada.call(mypastes, {})).pieces.map((piece) => piece.code)).toEqual([code]);
  await using socket = await openSocket(server, { token: ada.token });
  expect(socket.raw.connected).toBe(true);
  await expect(openSocket({ origin: new URL(server.origin).origin }, { token: ada.token })).rejects.toThrow();

  for (const path of ['/', '/api/serverinfo', '/login', '/pegboards', '/assets/x.js']) {
    const response = await getFrom(path);
    expect([path, response.status]).toEqual([path, 404]);
    expect(await response.json()).toEqual({
      message: 'This server is at /pegboard/. A proxy in front of it must not remove that path',
    });
  }
  // Containers and programs that only know the host ask there.
  expect((await getFrom('/healthz')).status).toBe(200);
  expect((await getFrom('/readyz')).status).toBe(200);
  expect((await getFrom('/pegboard/healthz')).status).toBe(200);
  const wellKnown = await getFrom('/.well-known/caldav');
  expect([wellKnown.status, wellKnown.headers.get('location')]).toEqual([301, '/pegboard/dav/']);
  const home = await getFrom('/pegboard?a=1');
  expect([home.status, home.headers.get('location')]).toEqual([308, '/pegboard/?a=1']);
});

test('pages, cookies and the OpenAPI document name the path, and the other sites of the host are left alone', async () => {
  const { server, getFrom } = await startBelowPath();
  await using _ = server;
  await server.createAccount('Ada');
  const response = await getFrom('/pegboard/dashboard/settings', { 'x-forwarded-proto': 'https' });
  expect(response.headers.get('set-cookie')).toMatch(/^pb_visitor=\S+; Path=\/pegboard; .*Secure/);
  // It would apply to everything on that host.
  expect(response.headers.has('strict-transport-security')).toBe(false);
  const html = await response.text();
  const addresses = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address);
  expect(addresses.length).toBeGreaterThan(5);
  expect(addresses.filter((address) => !address.startsWith('/pegboard/'))).toEqual([]);
  for (const address of addresses) expect([address, (await getFrom(address)).status]).toEqual([address, 200]);
  expect(html).toContain('<meta name="base-path" content="/pegboard" />');
  expect(await (await getFrom('/pegboard/api/openapi.json')).json()).toMatchObject({
    servers: [{ url: '/pegboard/' }],
  });
  const login = await fetch(`${server.origin}${log.path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'Ada', password: TEST_PASSWORD }),
  });
  expect(login.headers.get('set-cookie')).toContain('pb_known=');
  expect(login.headers.get('set-cookie')).toContain('Path=/pegboard;');
});

test('at the root, pages have the addresses of the root', async () => {
  await using server = await startServer();
  const response = await fetch(`${server.origin}/dashboard/settings`);
  expect(response.headers.get('set-cookie')).toContain('; Path=/; ');
  const html = await response.text();
  expect(html).not.toContain('base-path');
  const addresses = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address);
  expect(addresses.filter((address) => !/^\/[a-z]/.test(address))).toEqual([]);
});

const multiget = (address: string): string =>
  `<C:calendar-multiget xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:prop><D:getetag/><C:calendar-data/></D:prop><D:href>${address}</D:href></C:calendar-multiget>`;

test('calendar clients find and sync the calendar below the path', async () => {
  const { server } = await startBelowPath();
  await using _ = server;
  const ada = await server.createAccount('Ada');
  const client = await createDavClient(server, ada);
  const found = await client.xml('PROPFIND', '/dav/', undefined, { depth: '0' });
  const hrefs = [...found.text.matchAll(/<d:href>([^<]*)<\/d:href>/g)].map(([, href = '']) => href);
  expect(hrefs.length).toBeGreaterThan(0);
  expect(hrefs.filter((href) => !href.startsWith('/pegboard/dav/'))).toEqual([]);

  const event = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//test//',
    'BEGIN:VEVENT',
    'UID:1',
    'DTSTAMP:20261101T120000Z',
  ];
  const text = [...event, 'DTSTART;VALUE=DATE:20261201', 'SUMMARY:Bread', 'END:VEVENT', 'END:VCALENDAR', ''].join(
    '\r\n',
  );
  expect((await client.put('1.ics', text)).status).toBe(201);
  const href = `/pegboard${client.collection}1.ics`;
  const read = await client.xml('REPORT', client.collection, multiget(href));
  expect(read.text).toContain(`<d:href>${href}</d:href>`);
  expect(read.text).toContain('SUMMARY:Bread');
  const outside = await client.xml('REPORT', client.collection, multiget(`${client.collection}1.ics`));
  expect(outside.text).not.toContain('SUMMARY:Bread');
});

test('an agent pairs and connects below the path', async () => {
  const { server } = await startBelowPath();
  await using _ = server;
  const ada = await server.createAccount('Ada');
  await using device = await startDevice(server, ada);
  expect(device.agent.isConnected()).toBe(true);
  expect((await fetch(`${server.origin}/agent.mjs`)).status).toBe(200);
});
