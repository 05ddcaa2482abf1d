// Shows what the server sends while no page of ours may be open, and opens the pages that work with no line (apps/web/offlineFiles.ts) where
// the server cannot be reached. The network always comes first for pages, so a new build is there at once.

self.addEventListener('install', (event) => {
  void self.skipWaiting();
  // Where the browser can it takes built files from the kept build by itself, and need not ask here for each.
  event.addRoutes?.({ condition: { urlPattern: { pathname: '/assets/*' } }, source: 'cache' });
});
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

/** One cache for each kept build; it is whole once it holds the list of its files. */
const PREFIX = 'pegboard-';
const LIST = '/offline.json';
/** Under this address the page itself is kept. */
const SHELL = '/offline-shell';
/** A line that swallows everything is waited for no longer than this. */
const PATIENCE_MS = 4000;

/** The newest whole build that is kept. */
const keptBuild = async () => {
  const names = (await caches.keys()).filter((name) => name.startsWith(PREFIX));
  for (const name of names.toReversed()) {
    const cache = await caches.open(name);
    const list = await cache.match(LIST);
    if (list) return { name, cache, list: await list.json() };
  }
  return undefined;
};

const fetched = async (path, cache) => {
  const response = await fetch(path, { cache: 'no-store', credentials: 'same-origin' });
  if (!response.ok) throw new Error(`${path} was answered ${response.status}`);
  await cache.put(path, response);
};

/** A built file of the same name is the same file. */
const isBuilt = (path) => path.startsWith('/assets/');

const fill = async (cache, list, before) => {
  await Promise.all(
    list.files.map(async (path) => {
      const known = isBuilt(path) ? await before?.cache.match(path) : undefined;
      await (known ? cache.put(path, known) : fetched(path, cache));
    }),
  );
  const page = await fetch(list.pages[0], { cache: 'no-store', credentials: 'same-origin' });
  const text = await page.clone().text();
  // Between the list and the page the server may have got a new build.
  const isOfList = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].every(([, path]) =>
    list.files.includes(path),
  );
  if (!page.ok || !isOfList) throw new Error('the page is of another build');
  const headers = new Headers(page.headers);
  headers.delete('set-cookie');
  await cache.put(SHELL, new Response(text, { status: 200, headers }));
  // Last: from here on it is whole.
  await cache.put(LIST, Response.json(list));
};

/** Keeps the build that the server has now, and lets others go. */
const keepBuild = async () => {
  const list = await (await fetch(LIST, { cache: 'no-store' })).json();
  const before = await keptBuild();
  const name = PREFIX + list.build;
  if (before?.name !== name) {
    await caches.delete(name);
    await fill(await caches.open(name), list, before);
  }
  const old = (await caches.keys()).filter((each) => each.startsWith(PREFIX) && each !== name);
  await Promise.all(old.map((each) => caches.delete(each)));
};

let keeping;
const keep = () =>
  (keeping ??= keepBuild().finally(() => {
    keeping = undefined;
  }));

/** A page that works with no line asks for it, and is told what came of it. */
self.addEventListener('message', (event) => {
  if (event.data?.kind !== 'keep') return;
  const [port] = event.ports;
  const tell = (isKept) => port?.postMessage({ isKept });
  event.waitUntil(
    keep().then(
      () => tell(true),
      () => keptBuild().then((build) => tell(build !== undefined)),
    ),
  );
});

const inTime = (promise) =>
  Promise.race([
    promise,
    new Promise((_, fail) => {
      setTimeout(() => fail(new Error('no answer in time')), PATIENCE_MS);
    }),
  ]);

/** A proxy in front of a server that is down answers in its place. */
const isAnswer = ({ status }) => status < 502 || status > 504;

const pathOf = ({ url }) => new URL(url).pathname.replace(/(?<=.)\/$/, '');

/** Clients whose page came from the kept build. The server has just not answered, so it is not asked for their other files. */
const offlineClients = new Set();

const answerPage = async ({ request, resultingClientId }) => {
  const answer = fetch(request);
  // Looked for meanwhile; where nothing is kept the network has all the time it wants.
  const build = await keptBuild().catch(() => undefined);
  if (!build?.list.pages.includes(pathOf(request))) return answer;
  try {
    const response = await inTime(answer);
    if (isAnswer(response)) return response;
  } catch {
    // The kept one stands in.
  }
  const shell = await build.cache.match(SHELL);
  if (!shell) return answer;
  offlineClients.add(resultingClientId);
  return shell;
};

const answerFile = async (request) => (await caches.match(request, { ignoreVary: true })) ?? fetch(request);

/** The network first, as these have no hash in their names. */
const answerLoose = async ({ request, clientId }) => {
  if (offlineClients.has(clientId)) return answerFile(request);
  try {
    return await inTime(fetch(request));
  } catch (error) {
    const kept = await caches.match(request, { ignoreVary: true });
    if (kept) return kept;
    throw error;
  }
};

const isLoose = (path) => path === '/scheme.js' || path === '/mark.svg' || path.startsWith('/images/');

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== self.location.origin) return;
  if (request.mode === 'navigate') event.respondWith(answerPage(event));
  else if (isBuilt(pathname)) event.respondWith(answerFile(request));
  else if (isLoose(pathname)) event.respondWith(answerLoose(event));
});

/** An address of this site, whatever a message says. */
const ownAddress = (path) => {
  const home = new URL('/', self.location.origin);
  if (typeof path !== 'string' || !URL.canParse(path, home)) return home;
  const address = new URL(path, home);
  return address.origin === home.origin ? address : home;
};

const textOr = (value, otherwise) => (typeof value === 'string' && value !== '' ? value : otherwise);

const messageOf = (data) => {
  try {
    return { ...data?.json() };
  } catch {
    return {}; // a browser that shows nothing for a message may be taken the right to get more
  }
};

self.addEventListener('push', (event) => {
  const { title, body, path, tag } = messageOf(event.data);
  event.waitUntil(
    self.registration.showNotification(textOr(title, 'Pegboard'), {
      body: textOr(body, ''),
      tag: textOr(tag, 'pegboard'),
      data: { path: ownAddress(path).href },
    }),
  );
});

/** A window that shows that page already is brought to the front and told; what is typed in another one stays there. */
const open = async (address) => {
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const there = windows.find(({ url }) => new URL(url).pathname === address.pathname);
  if (!there) return self.clients.openWindow(address.href);
  there.postMessage({ kind: 'notification', path: `${address.pathname}${address.search}${address.hash}` }, []);
  return there.focus();
};

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(open(ownAddress(event.notification.data?.path)));
});
