import { readFileSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { AWClient, type IEvent } from 'aw-client';
import { expect, onTestFinished, test } from 'vitest';
import { createFakeDrivers } from '#platform/agent/drivers/fakeDrivers.ts';
import { waitFor } from '#testing/kits/desktop/desktop.ts';
import { startDevice } from '#testing/kits/desktop/device.ts';
import { startServer } from '#testing/kits/server/server.ts';
import { createTempFolderSync } from '#testing/kits/server/tempFolder.ts';
import { usagestory } from '../../contract.ts';
import { createScreentime } from '../index.ts';
import { type ActivityWatchOptions, setActivityWatch, startActivityWatch } from './activityWatch.ts';
import { MAX_BUCKETS, MAX_STORED_EVENTS } from './buckets.ts';
import { MAX_BODY_BYTES } from './localApi.ts';

const CHROME = `chrome-extension://${'a'.repeat(32)}`;
const FIREFOX = 'moz-extension://01234567-89ab-cdef-0123-456789abcdef';

/** Starts the local API on a free port, with the command that turns it on and off. */
async function startKit(
  options: ActivityWatchOptions & { readonly stateDir?: string; readonly on?: readonly string[] } = {},
) {
  const printed: string[] = [];
  const { stateDir = createTempFolderSync(), on = ['on'], port = 0 } = options;
  const activityWatch = startActivityWatch(
    { allowed: { usage: true } as never, stateDir, print: (line) => void printed.push(line) },
    { ...options, port },
  );
  onTestFinished(async () => activityWatch.stop?.());
  const runCommand = async (...rest: readonly string[]): Promise<string> =>
    ((await activityWatch.subcommands?.[0]?.run(rest)) ?? []).join('\n');
  if (on.length > 0) await runCommand(...on);
  return {
    ...activityWatch,
    printed,
    runCommand,
    stateDir,
    origin: () => `http://127.0.0.1:${activityWatch.getPort() ?? 0}`,
  };
}

interface Raw {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}
/** Sends a request with headers that `fetch` does not allow. */
const sendRaw = (
  port: number | undefined,
  { method = 'GET', path = '/api/0/info', headers = {}, body }: Raw,
): Promise<{ readonly status: number; readonly headers: Readonly<Record<string, unknown>>; readonly text: string }> =>
  new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => void chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
        }),
      );
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });

const createClient = ({ origin }: { readonly origin: () => string }) =>
  new AWClient('aw-watcher-web', { baseURL: origin(), timeout: 30_000 });
/** An event as the browser watcher sends it; the client's own types lack booleans. */
const createTabEvent = (url: string, extra: object = {}): IEvent => ({
  timestamp: new Date(),
  duration: 0,
  data: { url, title: 'A page', tabCount: 3, ...({ audible: false, incognito: false, ...extra } as object) },
});
const formatTime = (second: number): string => new Date(second * 1000).toISOString();

test('ActivityWatch’s own client works as with its own server', async () => {
  const aw = createClient(await startKit());
  expect(await aw.getInfo()).toMatchObject({ testing: false, version: expect.stringMatching(/^v0\.\d+/) });
  expect(await aw.ensureBucket('aw-watcher-web-firefox', 'web.tab.current', 'laptop')).toEqual({ alreadyExist: false });
  expect(await aw.ensureBucket('aw-watcher-web-firefox', 'web.tab.current', 'laptop')).toEqual({ alreadyExist: true });
  const about = { client: 'aw-watcher-web', type: 'web.tab.current', hostname: 'laptop' };
  expect(await aw.getBucketInfo('aw-watcher-web-firefox')).toMatchObject({
    ...about,
    created: expect.any(Date),
    data: {},
  });
  const [one, two] = [createTabEvent('https://example.org/1'), createTabEvent('https://example.org/2')];
  await Promise.all([one, one, one, two].map((event) => aw.heartbeat('aw-watcher-web-firefox', 5, event)));
  const events = await aw.getEvents('aw-watcher-web-firefox', { limit: 10 });
  expect(events.map(({ data }) => data['url'])).toEqual(['https://example.org/2', 'https://example.org/1']);
  expect(await aw.countEvents('aw-watcher-web-firefox')).toBe(2);

  await aw.insertEvent('aw-watcher-web-firefox', { ...one, data: { label: 'old' } });
  const inserted = (await aw.getEvents('aw-watcher-web-firefox')).find(({ data }) => data['label'] === 'old');
  if (inserted?.id === undefined) throw new Error('it was not stored');
  await aw.replaceEvent('aw-watcher-web-firefox', { ...inserted, data: { label: 'new' } });
  const replaced = await aw.getEvent('aw-watcher-web-firefox', inserted.id);
  expect(replaced).toMatchObject({ timestamp: inserted.timestamp, data: { label: 'new' } });
  await aw.deleteEvent('aw-watcher-web-firefox', inserted.id);
  expect(await aw.countEvents('aw-watcher-web-firefox')).toBe(2);

  expect(Object.keys(await aw.getBuckets())).toEqual(['aw-watcher-web-firefox']);
  await aw.deleteBucket('aw-watcher-web-firefox');
  expect(await aw.getBuckets()).toEqual({});
  await expect(aw.getBucketInfo('aw-watcher-web-firefox')).rejects.toMatchObject({ response: { status: 404 } });
});

test('a tab counts instead of its browser until the next event, also if the watcher sends no heartbeats', async () => {
  const activityWatch = await startKit();
  const aw = createClient(activityWatch);
  let changes = 0;
  activityWatch.hints.onChange(() => {
    changes += 1;
  });
  const getCountedName = (app: string) => activityWatch.hints.replace({ app }).app;
  await aw.heartbeat('aw-watcher-web-chrome', 60, createTabEvent('https://www.example.org/a'));
  expect([getCountedName('Chromium'), getCountedName('XTerm')]).toEqual(['example.org', 'XTerm']);
  await aw.heartbeat('aw-watcher-web-chrome', 60, createTabEvent('https://www.example.org/a'));
  expect(changes, 'nothing new was reported').toBe(1);
  await aw.heartbeat('aw-watcher-web-chrome', 60, createTabEvent('https://other.example/'));
  expect(getCountedName('Chromium')).toBe('other.example');
  await aw.heartbeat('aw-watcher-web-chrome', 60, createTabEvent('https://hidden.example/', { incognito: true }));
  expect(getCountedName('Chromium')).toBe('Chromium');
  const old = new Date(Date.now() - 3_600_000);
  await aw.heartbeat('aw-watcher-web-chrome', 60, { ...createTabEvent('https://old.example/'), timestamp: old });
  const future = new Date(Date.now() + 3_600_000);
  await aw.heartbeat('aw-watcher-web-chrome', 60, { ...createTabEvent('https://future.example/'), timestamp: future });
  expect(getCountedName('Chromium')).toBe('Chromium');
  await aw.heartbeat('aw-watcher-vscode', 60, {
    timestamp: new Date(),
    duration: 0,
    data: { project: '/p/shed', file: '/p/shed/a.ts' },
  });
  expect(activityWatch.hints.replace({ app: 'Code', title: 'T' })).toEqual({ app: 'Code', title: 'shed/a.ts' });
  await activityWatch.runCommand('off');
  expect(activityWatch.hints.replace({ app: 'Code', title: 'T' })).toEqual({ app: 'Code', title: 'T' });
});

test('the time of a tab in front is reported once, for its site', async () => {
  const drivers = createFakeDrivers();
  drivers.showWindows([
    { id: 1, application: 'Chromium', pid: undefined },
    { id: 2, application: 'XTerm', pid: undefined },
  ]);
  await using server = await startServer();
  const anna = await server.createAccount('anna');
  await using laptop = await startDevice(server, anna, {
    drivers,
    tools: [createScreentime({ uploadIntervalMs: 100 }, { port: 0 })],
  });
  const [printed = ''] = await laptop.agent.runSubcommand('activitywatch', ['on']);
  const port = Number(/127\.0\.0\.1:(\d+)/.exec(printed)?.[1]);
  const aw = createClient({ origin: () => `http://127.0.0.1:${port}` });
  /** Shows each site for more than a second, because time is counted in seconds. */
  async function waitUntilInUse(site: string): Promise<void> {
    await waitFor(`${site} is in use`, () => laptop.agent.listStatus().some((line) => line.includes(site)));
    await new Promise((done) => setTimeout(done, 1500));
  }
  async function listFocusedIntervals() {
    const hour = 3_600_000;
    const { stretches: intervals } = await anna.call(usagestory, {
      from: String(Date.now() - hour),
      until: String(Date.now() + hour),
    });
    return intervals.filter(({ status }) => status === 'on');
  }
  await aw.heartbeat('aw-watcher-web-chrome', 60, createTabEvent('https://www.example.org/a'));
  await waitUntilInUse('example.org');
  await aw.heartbeat('aw-watcher-web-chrome', 60, createTabEvent('https://other.example/b'));
  await waitUntilInUse('other.example');
  drivers.showWindows([{ id: 2, application: 'XTerm', pid: undefined }]);
  await waitFor('all is reported', async () =>
    (await listFocusedIntervals()).some(({ application }) => application === 'XTerm'),
  );
  const intervals = (await listFocusedIntervals()).toSorted((one, other) => one.from - other.from);
  expect([...new Set(intervals.map(({ application }) => application))].slice(-3)).toEqual([
    'example.org',
    'other.example',
    'XTerm',
  ]);
  for (const [place, { from }] of intervals.entries())
    expect(intervals[place - 1]?.until ?? 0).toBeLessThanOrEqual(from);
  expect(laptop.agent.listStatus().join('\n')).toContain(`listening on 127.0.0.1:${port}, 1 watcher connected`);
});

test('it is off until it is turned on, and keeps its setting after a restart', async () => {
  const activityWatch = await startKit({ on: [] });
  expect(await activityWatch.runCommand()).toBe('ActivityWatch: off');
  expect([activityWatch.getPort(), activityWatch.status?.()]).toEqual([undefined, []]);
  await expect(activityWatch.runCommand('maybe')).rejects.toThrow('on` or');
  await expect(activityWatch.runCommand('on', 'https://example.org')).rejects.toThrow('is not a browser extension');
  expect(activityWatch.getPort()).toBeUndefined();
  expect(await activityWatch.runCommand('on', CHROME.toUpperCase())).toMatch(
    /listening on 127\.0\.0\.1:\d+, 0 watchers connected, 1 browser extension allowed/,
  );
  await activityWatch.stop?.();
  await expect(sendRaw(activityWatch.getPort(), {})).rejects.toThrow();

  const path = join(activityWatch.stateDir, 'activitywatch.json');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const next = await startKit({ stateDir: activityWatch.stateDir, on: [] });
  await waitFor('it is open again', () => next.getPort());
  expect((await sendRaw(next.getPort(), { headers: { origin: CHROME } })).status).toBe(200);
  expect(setActivityWatch(activityWatch.stateDir, ['off'])).toEqual(["ActivityWatch watchers can't connect"]);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ isOn: false, origins: [] });
});

test('no web page gets access, whatever name or trick it uses; only allowed extensions do', async () => {
  const { getPort: port, hints } = await startKit({ on: ['on', FIREFOX] });
  const portNumber = port();
  const heartbeat = {
    method: 'POST',
    path: '/api/0/buckets/aw-watcher-web-chrome/heartbeat?pulsetime=60',
    body: JSON.stringify(createTabEvent('https://evil.example/')),
  };
  const foreign = [
    'https://evil.example',
    'null',
    'http://127.0.0.1:5600',
    CHROME,
    `${FIREFOX}.evil.example`,
    `http://localhost:${portNumber}`,
  ];
  for (const origin of foreign) {
    for (const sent of [heartbeat, { method: 'OPTIONS', path: heartbeat.path }, { path: '/api/0/buckets/' }]) {
      const refused = await sendRaw(portNumber, { ...sent, headers: { origin } });
      expect(refused.status, `${origin} ${sent.path}`).toBe(403);
      expect(Object.keys(refused.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  }
  for (const host of [
    'evil.example',
    `evil.example:${portNumber}`,
    '127.0.0.1',
    `127.0.0.1:${(portNumber ?? 0) + 1}`,
    `127.0.0.1.evil.example:${portNumber}`,
  ]) {
    const refused = await sendRaw(portNumber, { ...heartbeat, headers: { host } });
    expect(refused.status, host).toBe(403);
  }
  const headersWithoutOrigin = { headers: { 'sec-fetch-mode': 'cors', 'sec-fetch-site': 'none' } };
  expect(
    (await sendRaw(portNumber, { ...headersWithoutOrigin, path: '/api/0/buckets/' })).status,
    'a browser that names nobody',
  ).toBe(403);
  expect((await sendRaw(portNumber, headersWithoutOrigin)).status).toBe(200);
  expect((await fetch(`http://localhost:${portNumber}/api/0/buckets/`)).status, 'a program by Node’s fetch').toBe(200);
  expect(hints.replace({ app: 'Chromium' }).app, 'nothing was accepted').toBe('Chromium');

  const preflight = await sendRaw(portNumber, {
    method: 'OPTIONS',
    headers: { origin: FIREFOX, host: `localhost:${portNumber}` },
  });
  expect(preflight).toMatchObject({ status: 204, headers: { 'access-control-allow-origin': FIREFOX } });
  expect(preflight.headers['access-control-allow-credentials']).toBeUndefined();
  expect((await sendRaw(portNumber, { ...heartbeat, headers: { origin: FIREFOX } })).status).toBe(200);
  expect(hints.replace({ app: 'Chromium' }).app).toBe('evil.example');
});

test('invalid and oversized requests are refused with a sentence, and later ones work', async () => {
  const { getPort: port } = await startKit();
  const portNumber = port();
  async function post(path: string, body: string | Buffer) {
    // A client that sends too much may be disconnected before it reads the reason.
    const { status } = await sendRaw(portNumber, { method: 'POST', path, body }).catch(() => ({ status: 413 }));
    return status;
  }
  const events = '/api/0/buckets/a/events';
  const heartbeat = '/api/0/buckets/a/heartbeat?pulsetime=1';
  expect(await post(events, Buffer.alloc(MAX_BODY_BYTES + 1, 'a'))).toBe(413);
  expect(await post(events, Buffer.alloc(20 * MAX_BODY_BYTES, 'a'))).toBe(413);
  const invalidRequests: readonly (readonly [string, string])[] = [
    [events, '{'],
    [events, ''],
    [events, '7'],
    [heartbeat, '[]'],
    [heartbeat, '{"timestamp":"never","data":{}}'],
    [heartbeat, '{"timestamp":"2020-01-01T00:00:00Z","duration":-1,"data":{}}'],
    ['/api/0/buckets/a/heartbeat?pulsetime=x', '{"timestamp":"2020-01-01T00:00:00Z","data":{}}'],
    [`/api/0/buckets/a`, JSON.stringify({ type: 't'.repeat(500) })],
  ];
  for (const [path, body] of invalidRequests) expect(await post(path, body), `${path} ${body}`).toBe(400);
  for (const path of [
    '/',
    '/api',
    '/api/0/',
    '/api/0/query/',
    '/api/0/export',
    '/api/0/buckets/%',
    `/api/0/buckets/${'a'.repeat(201)}`,
    '/api/0/buckets/a/b/c/d',
    '//evil.example/api/0/info',
  ])
    expect((await sendRaw(portNumber, { path })).status, path).toBe(404);
  for (let each = 0; each < MAX_STORED_EVENTS + 20; each += 1)
    await post(
      heartbeat,
      JSON.stringify({ timestamp: formatTime(each * 10), data: { each, long: 'x'.repeat(10_000) } }),
    );
  expect(JSON.parse((await sendRaw(portNumber, { path: events })).text)).toHaveLength(MAX_STORED_EVENTS);
  for (let each = 0; each < MAX_BUCKETS + 5; each += 1) await post(`/api/0/buckets/b${each}`, '{}');
  expect(Object.keys(JSON.parse((await sendRaw(portNumber, { path: '/api/0/buckets/' })).text) as object)).toHaveLength(
    MAX_BUCKETS,
  );
  expect(await post('/api/0/buckets/__proto__/heartbeat', JSON.stringify({ timestamp: formatTime(1), data: {} }))).toBe(
    400,
  );
});

test('while ActivityWatch itself runs, the agent says so, and takes over when it ends', async () => {
  const other = createServer();
  await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
  const { port } = other.address() as { readonly port: number };
  const activityWatch = await startKit({ port, retryIntervalMs: 20 });
  expect(await activityWatch.runCommand()).toContain(
    `port ${port} is already in use. Stop ActivityWatch if it is running`,
  );
  expect(activityWatch.status?.()).toEqual([expect.stringContaining('is already in use')]);
  await new Promise((done) => other.close(done));
  await waitFor('it is open', () => activityWatch.getPort());
  expect(activityWatch.printed).toHaveLength(1);
});
