// Shows push notifications, and opens offline pages (apps/web/offlineFiles.ts) if the server can't be reached. Pages
// are always requested from the network first, so that a new build is used immediately.

/** Path below which this site is served, such as `/pegboard`; '' for none. */
const BASE = new URL('.', self.location.href).pathname.slice(0, -1);

self.addEventListener('install', (event) => {
  void self.skipWaiting();
  // Serve built files from the cache without waking the service worker, in browsers that support it.
  event.addRoutes?.({ condition: { urlPattern: { pathname: `${BASE}/assets/*` } }, source: 'cache' });
});
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

/** One cache per build. It is complete once it contains the list of its files. */
const PREFIX = BASE === '' ? 'pegboard-' : `pegboard${BASE}-`;
const LIST = `${BASE}/offline.json`;
/** Cache key of the page itself. */
const SHELL = `${BASE}/offline-shell`;
/** How long to wait for the network before using the cache. */
const NETWORK_TIMEOUT_MS = 4000;

/** Finds the newest complete build in the caches. */
const findCachedBuild = async () => {
  const names = (await caches.keys()).filter((name) => name.startsWith(PREFIX));
  for (const name of names.toReversed()) {
    const cache = await caches.open(name);
    const list = await cache.match(LIST);
    if (list) return { name, cache, list: await list.json() };
  }
  return undefined;
};

const fetchIntoCache = async (path, cache) => {
  const response = await fetch(path, { cache: 'no-store', credentials: 'same-origin' });
  if (!response.ok) throw new Error(`${path} was answered ${response.status}`);
  await cache.put(path, response);
};

/** Names of built files contain a hash, so the same name means the same content. */
const isBuiltFile = (path) => path.startsWith(`${BASE}/assets/`);

const fillCache = async (cache, list, previous) => {
  await Promise.all(
    list.files.map(async (path) => {
      const cached = isBuiltFile(path) ? await previous?.cache.match(path) : undefined;
      await (cached ? cache.put(path, cached) : fetchIntoCache(path, cache));
    }),
  );
  const page = await fetch(list.pages[0], { cache: 'no-store', credentials: 'same-origin' });
  const text = await page.clone().text();
  // The server may have been upgraded between the requests for list and page.
  const isSameBuild = [...text.matchAll(/(?:src|href)="([^"]*\/assets\/[^"]+)"/g)].every(([, path]) =>
    list.files.includes(path),
  );
  if (!page.ok || !isSameBuild) throw new Error('the page is of another build');
  const headers = new Headers(page.headers);
  headers.delete('set-cookie');
  await cache.put(SHELL, new Response(text, { status: 200, headers }));
  // Must be last, because it marks the build as complete.
  await cache.put(LIST, Response.json(list));
};

/** Caches the current build of the server and removes all others. */
const cacheBuild = async () => {
  const { build, pages, files } = await (await fetch(LIST, { cache: 'no-store' })).json();
  const list = { build, pages: pages.map((path) => BASE + path), files: files.map((path) => BASE + path) };
  const previous = await findCachedBuild();
  const name = PREFIX + list.build;
  if (previous?.name !== name) {
    await caches.delete(name);
    await fillCache(await caches.open(name), list, previous);
  }
  const old = (await caches.keys()).filter((other) => other.startsWith(PREFIX) && other !== name);
  await Promise.all(old.map((other) => caches.delete(other)));
};

let pendingUpdate;
const updateCache = () =>
  (pendingUpdate ??= cacheBuild().finally(() => {
    pendingUpdate = undefined;
  }));

/** Offline pages ask for the caching of the site, and get the result. */
self.addEventListener('message', (event) => {
  if (event.data?.kind !== 'keep') return;
  const [port] = event.ports;
  const reply = (isKept) => port?.postMessage({ isKept });
  event.waitUntil(
    updateCache().then(
      () => reply(true),
      () => findCachedBuild().then((build) => reply(build !== undefined)),
    ),
  );
});

const withTimeout = (promise) =>
  Promise.race([
    promise,
    new Promise((_, reject) => {
      setTimeout(() => reject(new Error('no answer in time')), NETWORK_TIMEOUT_MS);
    }),
  ]);

/** Status 502 to 504 comes from a proxy in front of a server that is down. */
const isFromServer = ({ status }) => status < 502 || status > 504;

const getPath = ({ url }) => new URL(url).pathname.replace(/(?<=.)\/$/, '');

/**
 * Clients whose page came from the cache. The server was unreachable a moment ago, so their other files are not
 * requested from it.
 */
const offlineClients = new Set();

const respondWithPage = async ({ request, resultingClientId }) => {
  const networkResponse = fetch(request);
  // Read meanwhile. Pages that are not cached get no timeout.
  const build = await findCachedBuild().catch(() => undefined);
  if (!build?.list.pages.includes(getPath(request))) return networkResponse;
  try {
    const response = await withTimeout(networkResponse);
    if (isFromServer(response)) return response;
  } catch {
    // Use the cached page.
  }
  const shell = await build.cache.match(SHELL);
  if (!shell) return networkResponse;
  offlineClients.add(resultingClientId);
  return shell;
};

const respondWithFile = async (request) => (await caches.match(request, { ignoreVary: true })) ?? fetch(request);

/** Tries the network first, because names of these files contain no hash. */
const respondWithUnhashedFile = async ({ request, clientId }) => {
  if (offlineClients.has(clientId)) return respondWithFile(request);
  try {
    return await withTimeout(fetch(request));
  } catch (error) {
    const cached = await caches.match(request, { ignoreVary: true });
    if (cached) return cached;
    throw error;
  }
};

const isUnhashedFile = (path) =>
  [`${BASE}/scheme.js`, `${BASE}/mark.svg`].includes(path) || path.startsWith(`${BASE}/images/`);

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== self.location.origin) return;
  if (request.mode === 'navigate') event.respondWith(respondWithPage(event));
  else if (isBuiltFile(pathname)) event.respondWith(respondWithFile(request));
  else if (isUnhashedFile(pathname)) event.respondWith(respondWithUnhashedFile(event));
});

/** Resolves a path, and falls back to the home page for anything outside this site. */
const resolveSiteAddress = (path) => {
  const home = new URL(`${BASE}/`, self.location.origin);
  if (typeof path !== 'string' || !URL.canParse(path, home)) return home;
  const address = new URL(path.startsWith('/') && !path.startsWith('//') ? BASE + path : path, home);
  return address.origin === home.origin && address.pathname.startsWith(home.pathname) ? address : home;
};

const getText = (value, fallback) => (typeof value === 'string' && value !== '' ? value : fallback);

const parseMessage = (data) => {
  try {
    return { ...data?.json() };
  } catch {
    return {}; // browsers revoke push permission if a message shows no notification
  }
};

self.addEventListener('push', (event) => {
  const { title, body, path, tag } = parseMessage(event.data);
  event.waitUntil(
    self.registration.showNotification(getText(title, 'Pegboard'), {
      body: getText(body, ''),
      tag: getText(tag, 'pegboard'),
      data: { path: resolveSiteAddress(path).href },
    }),
  );
});

/**
 * Focuses a window that already shows the page and tells it, or opens a new one. Windows with other pages are left
 * alone, because they may contain unsaved input.
 */
const openPage = async (address) => {
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const existing = windows.find(({ url }) => new URL(url).pathname === address.pathname);
  if (!existing) return self.clients.openWindow(address.href);
  existing.postMessage(
    { kind: 'notification', path: `${address.pathname.slice(BASE.length)}${address.search}${address.hash}` },
    [],
  );
  return existing.focus();
};

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(openPage(resolveSiteAddress(event.notification.data?.path)));
});
