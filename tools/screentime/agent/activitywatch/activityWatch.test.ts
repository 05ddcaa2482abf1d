import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AWClient, type IEvent } from 'aw-client';
import { expect, onTestFinished, test } from 'vitest';
import { createFakeDrivers } from '#platform/agent/drivers/fakeDrivers.ts';
import { waitFor } from '#testing/kits/desktop/desktop.ts';
import { startDevice } from '#testing/kits/desktop/device.ts';
import { startServer } from '#testing/kits/server/server.ts';
import { usagestory } from '../../contract.ts';
import { createScreentime } from '../index.ts';
import { type ActivityWatchOptions, setActivityWatch, startActivityWatch } from './activityWatch.ts';
import { MAX_BUCKETS, MAX_STORED_EVENTS } from './buckets.ts';
import { MAX_BODY_BYTES } from './localApi.ts';

const CHROME = `chrome-extension://${'a'.repeat(32)}`;
const FIREFOX = 'moz-extension://01234567-89ab-cdef-0123-456789abcdef';

const scratchFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-aw-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
};

/** Starts the local API on a free port, with the command that turns it on and off. */
const startKit = async (
  options: ActivityWatchOptions & { readonly stateDir?: string; readonly on?: readonly string[] } = {},
) => {
  const printed: string[] = [];
  const { stateDir = scratchFolder(), on = ['on'], port = 0 } = options;
  const door = startActivityWatch(
    { allowed: { usage: true } as never, stateDir, print: (line) => void printed.push(line) },
    { ...options, port },
  );
  onTestFinished(async () => door.stop?.());
  const say = async (...rest: readonly string[]): Promise<string> =>
    ((await door.words?.[0]?.run(rest)) ?? []).join('\n');
  if (on.length > 0) await say(...on);
  return { ...door, printed, say, stateDir, origin: () => `http://127.0.0.1:${door.port() ?? 0}` };
};

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

const client = ({ origin }: { readonly origin: () => string }) =>
  new AWClient('aw-watcher-web', { baseURL: origin(), timeout: 30_000 });
/** An event as the browser watcher sends it; the client's own types lack booleans. */
const tab = (url: string, extra: object = {}): IEvent => ({
  timestamp: new Date(),
  duration: 0,
  data: { url, title: 'A page', tabCount: 3, ...({ audible: false, incognito: false, ...extra } as object) },
});
const at = (second: number): string => new Date(second * 1000).toISOString();

test('ActivityWatch’s own client works as with its own server', async () => {
  const aw = client(await startKit());
  expect(await aw.getInfo()).toMatchObject({ testing: false, version: expect.stringMatching(/^v0\.\d+/) });
  expect(await aw.ensureBucket('aw-watcher-web-firefox', 'web.tab.current', 'laptop')).toEqual({ alreadyExist: false });
  expect(await aw.ensureBucket('aw-watcher-web-firefox', 'web.tab.current', 'laptop')).toEqual({ alreadyExist: true });
  const about = { client: 'aw-watcher-web', type: 'web.tab.current', hostname: 'laptop' };
  expect(await aw.getBucketInfo('aw-watcher-web-firefox')).toMatchObject({
    ...about,
    created: expect.any(Date),
    data: {},
  });
  const [one, two] = [tab('https://example.org/1'), tab('https://example.org/2')];
  await Promise.all([one, one, one, two].map((event) => aw.heartbeat('aw-watcher-web-firefox', 5, event)));
  const events = await aw.getEvents('aw-watcher-web-firefox', { limit: 10 });
  expect(events.map(({ data }) => data['url'])).toEqual(['https://example.org/2', 'https://example.org/1']);
  expect(await aw.countEvents('aw-watcher-web-firefox')).toBe(2);

  await aw.insertEvent('aw-watcher-web-firefox', { ...one, data: { label: 'old' } });
  const inserted = (await aw.getEvents('aw-watcher-web-firefox')).find(({ data }) => data['label'] === 'old');
  if (inserted?.id === undefined) throw new Error('it was not kept');
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
  const door = await startKit();
  const aw = client(door);
  let changes = 0;
  door.hints.onChange(() => {
    changes += 1;
  });
  const counted = (app: string) => door.hints.replace({ app }).app;
  await aw.heartbeat('aw-watcher-web-chrome', 60, tab('https://www.example.org/a'));
  expect([counted('Chromium'), counted('XTerm')]).toEqual(['example.org', 'XTerm']);
  await aw.heartbeat('aw-watcher-web-chrome', 60, tab('https://www.example.org/a'));
  expect(changes, 'nothing new was said').toBe(1);
  await aw.heartbeat('aw-watcher-web-chrome', 60, tab('https://other.example/'));
  expect(counted('Chromium')).toBe('other.example');
  await aw.heartbeat('aw-watcher-web-chrome', 60, tab('https://hidden.example/', { incognito: true }));
  expect(counted('Chromium')).toBe('Chromium');
  const old = new Date(Date.now() - 3_600_000);
  await aw.heartbeat('aw-watcher-web-chrome', 60, { ...tab('https://old.example/'), timestamp: old });
  const future = new Date(Date.now() + 3_600_000);
  await aw.heartbeat('aw-watcher-web-chrome', 60, { ...tab('https://future.example/'), timestamp: future });
  expect(counted('Chromium')).toBe('Chromium');
  await aw.heartbeat('aw-watcher-vscode', 60, {
    timestamp: new Date(),
    duration: 0,
    data: { project: '/p/shed', file: '/p/shed/a.ts' },
  });
  expect(door.hints.replace({ app: 'Code', title: 'T' })).toEqual({ app: 'Code', title: 'shed/a.ts' });
  await door.say('off');
  expect(door.hints.replace({ app: 'Code', title: 'T' })).toEqual({ app: 'Code', title: 'T' });
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
  const aw = client({ origin: () => `http://127.0.0.1:${port}` });
  /** Shows each site for more than a second, because time is counted in seconds. */
  const isLookedAt = async (site: string): Promise<void> => {
    await waitFor(`${site} is in use`, () => laptop.agent.listStatus().some((line) => line.includes(site)));
    await new Promise((done) => setTimeout(done, 1500));
  };
  const story = async () => {
    const hour = 3_600_000;
    const { stretches: intervals } = await anna.call(usagestory, {
      from: String(Date.now() - hour),
      until: String(Date.now() + hour),
    });
    return intervals.filter(({ status }) => status === 'on');
  };
  await aw.heartbeat('aw-watcher-web-chrome', 60, tab('https://www.example.org/a'));
  await isLookedAt('example.org');
  await aw.heartbeat('aw-watcher-web-chrome', 60, tab('https://other.example/b'));
  await isLookedAt('other.example');
  drivers.showWindows([{ id: 2, application: 'XTerm', pid: undefined }]);
  await waitFor('all is told', async () => (await story()).some(({ application }) => application === 'XTerm'));
  const intervals = (await story()).toSorted((one, other) => one.from - other.from);
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
  const door = await startKit({ on: [] });
  expect(await door.say()).toBe('ActivityWatch: off');
  expect([door.port(), door.status?.()]).toEqual([undefined, []]);
  await expect(door.say('maybe')).rejects.toThrow('on` or');
  await expect(door.say('on', 'https://example.org')).rejects.toThrow('is not a browser extension');
  expect(door.port()).toBeUndefined();
  expect(await door.say('on', CHROME.toUpperCase())).toMatch(
    /listening on 127\.0\.0\.1:\d+, 0 watchers connected, 1 browser extension allowed/,
  );
  await door.stop?.();
  await expect(sendRaw(door.port(), {})).rejects.toThrow();

  const path = join(door.stateDir, 'activitywatch.json');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const next = await startKit({ stateDir: door.stateDir, on: [] });
  await waitFor('it is open again', () => next.port());
  expect((await sendRaw(next.port(), { headers: { origin: CHROME } })).status).toBe(200);
  expect(setActivityWatch(door.stateDir, ['off'])).toEqual(["ActivityWatch watchers can't connect"]);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ isOn: false, origins: [] });
});

test('no web page gets access, whatever name or trick it uses; only allowed extensions do', async () => {
  const { port, hints } = await startKit({ on: ['on', FIREFOX] });
  const own = port();
  const heartbeat = {
    method: 'POST',
    path: '/api/0/buckets/aw-watcher-web-chrome/heartbeat?pulsetime=60',
    body: JSON.stringify(tab('https://evil.example/')),
  };
  const foreign = [
    'https://evil.example',
    'null',
    'http://127.0.0.1:5600',
    CHROME,
    `${FIREFOX}.evil.example`,
    `http://localhost:${own}`,
  ];
  for (const origin of foreign) {
    for (const sent of [heartbeat, { method: 'OPTIONS', path: heartbeat.path }, { path: '/api/0/buckets/' }]) {
      const refused = await sendRaw(own, { ...sent, headers: { origin } });
      expect(refused.status, `${origin} ${sent.path}`).toBe(403);
      expect(Object.keys(refused.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  }
  for (const host of [
    'evil.example',
    `evil.example:${own}`,
    '127.0.0.1',
    `127.0.0.1:${(own ?? 0) + 1}`,
    `127.0.0.1.evil.example:${own}`,
  ]) {
    const refused = await sendRaw(own, { ...heartbeat, headers: { host } });
    expect(refused.status, host).toBe(403);
  }
  const unnamed = { headers: { 'sec-fetch-mode': 'cors', 'sec-fetch-site': 'none' } };
  expect((await sendRaw(own, { ...unnamed, path: '/api/0/buckets/' })).status, 'a browser that names nobody').toBe(403);
  expect((await sendRaw(own, unnamed)).status).toBe(200);
  expect((await fetch(`http://localhost:${own}/api/0/buckets/`)).status, 'a program by Node’s fetch').toBe(200);
  expect(hints.replace({ app: 'Chromium' }).app, 'nothing was taken').toBe('Chromium');

  const preflight = await sendRaw(own, { method: 'OPTIONS', headers: { origin: FIREFOX, host: `localhost:${own}` } });
  expect(preflight).toMatchObject({ status: 204, headers: { 'access-control-allow-origin': FIREFOX } });
  expect(preflight.headers['access-control-allow-credentials']).toBeUndefined();
  expect((await sendRaw(own, { ...heartbeat, headers: { origin: FIREFOX } })).status).toBe(200);
  expect(hints.replace({ app: 'Chromium' }).app).toBe('evil.example');
});

test('invalid and oversized requests are refused with a sentence, and later ones work', async () => {
  const { port } = await startKit();
  const own = port();
  const post = async (path: string, body: string | Buffer) => {
    // A client that sends too much may be disconnected before it reads the reason.
    const { status } = await sendRaw(own, { method: 'POST', path, body }).catch(() => ({ status: 413 }));
    return status;
  };
  const events = '/api/0/buckets/a/events';
  const heartbeat = '/api/0/buckets/a/heartbeat?pulsetime=1';
  expect(await post(events, Buffer.alloc(MAX_BODY_BYTES + 1, 'a'))).toBe(413);
  expect(await post(events, Buffer.alloc(20 * MAX_BODY_BYTES, 'a'))).toBe(413);
  const wrong: readonly (readonly [string, string])[] = [
    [events, '{'],
    [events, ''],
    [events, '7'],
    [heartbeat, '[]'],
    [heartbeat, '{"timestamp":"never","data":{}}'],
    [heartbeat, '{"timestamp":"2020-01-01T00:00:00Z","duration":-1,"data":{}}'],
    ['/api/0/buckets/a/heartbeat?pulsetime=x', '{"timestamp":"2020-01-01T00:00:00Z","data":{}}'],
    [`/api/0/buckets/a`, JSON.stringify({ type: 't'.repeat(500) })],
  ];
  for (const [path, body] of wrong) expect(await post(path, body), `${path} ${body}`).toBe(400);
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
    expect((await sendRaw(own, { path })).status, path).toBe(404);
  for (let each = 0; each < MAX_STORED_EVENTS + 20; each += 1)
    await post(heartbeat, JSON.stringify({ timestamp: at(each * 10), data: { each, long: 'x'.repeat(10_000) } }));
  expect(JSON.parse((await sendRaw(own, { path: events })).text)).toHaveLength(MAX_STORED_EVENTS);
  for (let each = 0; each < MAX_BUCKETS + 5; each += 1) await post(`/api/0/buckets/b${each}`, '{}');
  expect(Object.keys(JSON.parse((await sendRaw(own, { path: '/api/0/buckets/' })).text) as object)).toHaveLength(
    MAX_BUCKETS,
  );
  expect(await post('/api/0/buckets/__proto__/heartbeat', JSON.stringify({ timestamp: at(1), data: {} }))).toBe(400);
});

test('while ActivityWatch itself runs, the agent says so, and takes over when it ends', async () => {
  const other = createServer();
  await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
  const { port } = other.address() as { readonly port: number };
  const door = await startKit({ port, retryIntervalMs: 20 });
  expect(await door.say()).toContain(`port ${port} is already in use. Stop ActivityWatch if it is running`);
  expect(door.status?.()).toEqual([expect.stringContaining('is already in use')]);
  await new Promise((done) => other.close(done));
  await waitFor('it is open', () => door.port());
  expect(door.printed).toHaveLength(1);
});
