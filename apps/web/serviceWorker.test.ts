import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';

const source = readFileSync(join(import.meta.dirname, 'public/service-worker.js'), 'utf8');
const ORIGIN = 'https://pegboard.example';

interface ShownNotification {
  readonly title: string;
  readonly options: { readonly body: string; readonly tag: string; readonly data: { readonly path: string } };
}

/** Runs the service worker in a minimal fake browser, because programs can't click on notifications in real ones. */
function startWorker(openPaths: readonly string[] = [], base = '') {
  const listeners = new Map<string, (event: unknown) => void>();
  const shown: ShownNotification[] = [];
  const actions: string[] = [];
  const windows = openPaths.map((path) => ({
    url: ORIGIN + path,
    focus: async () => void actions.push(`focus ${path}`),
    postMessage: ({ kind, path: to }: { readonly kind: string; readonly path: string }) =>
      void actions.push(`notify ${path}: ${kind} ${to}`),
  }));
  runInNewContext(source, {
    URL,
    setTimeout: () => undefined,
    fetch: async () => Promise.reject(new TypeError('Failed to fetch')),
    caches: { keys: async () => [], match: async () => undefined },
    self: {
      location: { origin: ORIGIN, href: `${ORIGIN}${base}/service-worker.js` },
      addEventListener: (name: string, listener: (event: unknown) => void) => void listeners.set(name, listener),
      skipWaiting: () => undefined,
      registration: {
        showNotification: async (title: string, options: ShownNotification['options']) =>
          void shown.push({ title, options }),
      },
      clients: {
        matchAll: async () => windows,
        openWindow: async (address: string) => void actions.push(`open ${address}`),
      },
    },
  });
  async function dispatch(name: string, event: object): Promise<void> {
    const promises: Promise<unknown>[] = [];
    listeners.get(name)?.({ ...event, waitUntil: (promise: Promise<unknown>) => void promises.push(promise) });
    await Promise.all(promises);
  }
  return {
    shown,
    actions,
    handles: (request: object): boolean => {
      let isHandled = false;
      listeners.get('fetch')?.({
        request,
        respondWith: (answer: Promise<unknown>) => {
          isHandled = true;
          answer.catch(() => undefined); // there is no network here
        },
      });
      return isHandled;
    },
    push: (text: string | undefined) =>
      dispatch('push', { data: text === undefined ? null : { json: () => JSON.parse(text) as unknown } }),
    click: (path: unknown) =>
      dispatch('notificationclick', { notification: { close: () => void actions.push('close'), data: { path } } }),
  };
}

test('a push message is shown unchanged', async () => {
  const worker = startWorker();
  await worker.push(JSON.stringify({ title: 'Dentist, 09:40', body: 'Today', path: '/calendar?event=5', tag: 't' }));
  expect(worker.shown).toEqual([
    { title: 'Dentist, 09:40', options: { body: 'Today', tag: 't', data: { path: `${ORIGIN}/calendar?event=5` } } },
  ]);
});

test.each([undefined, 'no json', '5', 'null', '[]', '{"title":7,"path":{},"tag":""}'])(
  'the message %j shows a default notification',
  async (text) => {
    const worker = startWorker();
    await worker.push(text);
    expect(worker.shown).toMatchObject([
      { title: 'Pegboard', options: { tag: 'pegboard', data: { path: `${ORIGIN}/` } } },
    ]);
  },
);

test('a click opens the page, or focuses the window that shows it', async () => {
  const withoutPage = startWorker(['/mixer']);
  await withoutPage.click('/calendar?event=5');
  expect(withoutPage.actions).toEqual(['close', `open ${ORIGIN}/calendar?event=5`]);
  const withPage = startWorker(['/mixer', '/calendar?view=month']);
  await withPage.click('/calendar?event=5');
  expect(withPage.actions).toEqual([
    'close',
    'notify /calendar?view=month: notification /calendar?event=5',
    'focus /calendar?view=month',
  ]);
});

test.each([
  'https://evil.example/',
  '//evil.example/x',
  'javascript:alert(1)',
  'data:text/html,x',
  undefined,
  5,
  'http://[',
])('a click on %j stays on this site', async (path) => {
  const worker = startWorker();
  await worker.click(path);
  expect(worker.actions).toEqual(['close', `open ${ORIGIN}/`]);
});

test('below a path, a click opens its pages and no others, and pages get paths without it', async () => {
  const worker = startWorker(['/pegboard/calendar'], '/pegboard');
  await worker.click('/calendar?event=5');
  await worker.click('/paste');
  await worker.click(`${ORIGIN}/elsewhere`);
  expect(worker.actions).toEqual([
    'close',
    'notify /pegboard/calendar: notification /calendar?event=5',
    'focus /pegboard/calendar',
    'close',
    `open ${ORIGIN}/pegboard/paste`,
    'close',
    `open ${ORIGIN}/pegboard/`,
  ]);
  const request = { method: 'GET', mode: 'no-cors' };
  expect(worker.handles({ ...request, url: `${ORIGIN}/pegboard/assets/a.js` })).toBe(true);
  expect(worker.handles({ ...request, url: `${ORIGIN}/assets/a.js` })).toBe(false);
});

const BUILD = 'pegboard-one';

/**
 * Runs the service worker offline, with the build `one` cached. Returns its responses and its requests to the network.
 */
function startOfflineWorker() {
  const cached: Readonly<Record<string, string>> = {
    '/offline.json': JSON.stringify({ build: 'one', pages: ['/shopplanner'], files: ['/scheme.js'] }),
    '/offline-shell': 'the cached page',
    '/scheme.js': 'the cached script',
  };
  const listeners = new Map<string, (event: unknown) => void>();
  const requests: string[] = [];
  async function match(request: string | { readonly url: string }) {
    const text = cached[typeof request === 'string' ? request : new URL(request.url).pathname];
    return text === undefined ? undefined : new Response(text);
  }
  runInNewContext(source, {
    URL,
    setTimeout: () => undefined,
    fetch: async ({ url }: { readonly url: string }) => {
      requests.push(new URL(url).pathname);
      return Promise.reject(new TypeError('Failed to fetch'));
    },
    caches: { keys: async () => [BUILD], open: async () => ({ match }), match },
    self: {
      location: { origin: ORIGIN, href: `${ORIGIN}/service-worker.js` },
      addEventListener: (name: string, listener: (event: unknown) => void) => void listeners.set(name, listener),
    },
  });
  async function fetchFrom(client: { readonly clientId?: string; readonly resultingClientId?: string }, path: string) {
    const mode = client.resultingClientId === undefined ? 'no-cors' : 'navigate';
    const answer = await new Promise<Response>((respondWith) => {
      listeners.get('fetch')?.({ ...client, respondWith, request: { method: 'GET', mode, url: ORIGIN + path } });
    });
    return answer.text();
  }
  return { requests, fetchFrom };
}

test('a page from the cache loads its other files from the cache, without network requests', async () => {
  const { requests, fetchFrom } = startOfflineWorker();
  expect(await fetchFrom({ resultingClientId: 'tab' }, '/shopplanner?list=3')).toBe('the cached page');
  expect(await fetchFrom({ clientId: 'tab' }, '/scheme.js')).toBe('the cached script');
  expect(requests).toEqual(['/shopplanner']);
});

test('any other page requests them from the network first', async () => {
  const { requests, fetchFrom } = startOfflineWorker();
  await fetchFrom({ resultingClientId: 'tab' }, '/shopplanner');
  expect(await fetchFrom({ clientId: 'another tab' }, '/scheme.js')).toBe('the cached script');
  expect(requests).toEqual(['/shopplanner', '/scheme.js']);
});

test.each([
  ['a call', { method: 'GET', mode: 'cors', url: `${ORIGIN}/api/getshoplists` }],
  ['a form', { method: 'POST', mode: 'navigate', url: `${ORIGIN}/shopplanner` }],
  ['another origin', { method: 'GET', mode: 'no-cors', url: 'https://elsewhere.example/assets/a.js' }],
])('%s is not handled by the service worker', (_, request) => {
  expect(startWorker().handles(request)).toBe(false);
});

test.each([
  ['a page', { method: 'GET', mode: 'navigate', url: `${ORIGIN}/shopplanner?list=3` }],
  ['a built file', { method: 'GET', mode: 'cors', url: `${ORIGIN}/assets/a-12345678.js` }],
])('%s is handled by the service worker', (_, request) => {
  expect(startWorker().handles(request)).toBe(true);
});
