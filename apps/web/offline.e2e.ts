import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startBrowser } from '#testing/kits/browser/browser.ts';
import { getSkipReason } from '#testing/machine.ts';

const skipReason = getSkipReason('chromium');
const SERVICE_WORKER = readFileSync(join(import.meta.dirname, 'public/service-worker.js'), 'utf8');
const EXPECTED_ERRORS = /ERR_|Failed to load resource|net::/;

interface BuiltFile {
  readonly type: string;
  readonly body: string;
  readonly status?: number;
}

/** Creates the responses of a small site, whose page shows the name of the build. */
function createBuild(name: string): Record<string, BuiltFile> {
  const file = `/assets/a-${name}.js`;
  const html = `<!doctype html><html lang="en"><title>t</title><link rel="icon" href="data:,"><h1></h1><script type="module" src="${file}"></script>`;
  return {
    '/shopplanner': { type: 'text/html', body: html },
    '/other': { type: 'text/html', body: html },
    [file]: { type: 'text/javascript', body: `document.querySelector('h1').textContent = 'build ${name}'` },
    '/offline.json': {
      type: 'application/json',
      body: JSON.stringify({ build: name, pages: ['/shopplanner'], files: [file] }),
    },
    '/service-worker.js': { type: 'text/javascript', body: SERVICE_WORKER },
  };
}

/** Serves a build, which can be replaced, stopped, or made to never answer. */
async function startSmallSite() {
  let build = createBuild('one');
  let isSilent = false;
  const createSiteServer = (): Server =>
    createServer(({ url = '/' }, response) => {
      if (isSilent) return;
      const {
        status = 200,
        type,
        body,
      } = build[url.split('?')[0] ?? ''] ?? { status: 404, type: 'text/plain', body: '' };
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
    });
  let server = createSiteServer();
  let port = 0;
  async function startServer(): Promise<void> {
    server = createSiteServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    port = typeof address === 'object' && address ? address.port : port;
  }
  async function stopServer(): Promise<void> {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }
  await startServer();
  onTestFinished(async () => (server.listening ? stopServer() : undefined));
  return {
    origin: `http://127.0.0.1:${port}`,
    startServer,
    stopServer,
    setBuild: (next: Record<string, BuiltFile>) => void (build = next),
    setSilent: (next: boolean) => void (isSilent = next),
  };
}

/** Makes the service worker cache the site as our pages do. Returns whether a complete build is cached. */
const cacheSite = (page: Page): Promise<boolean> =>
  page.evaluate(async () => {
    await navigator.serviceWorker.register('/service-worker.js');
    const { active } = await navigator.serviceWorker.ready;
    return new Promise<boolean>((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.addEventListener('message', ({ data }: MessageEvent<{ readonly isKept: boolean }>) => resolve(data.isKept));
      port1.start();
      active?.postMessage({ kind: 'keep' }, [port2]);
    });
  });

async function expectHeading(page: Page, text: string): Promise<void> {
  await page.getByRole('heading', { name: text, exact: true }).waitFor();
}
const listCaches = (page: Page): Promise<readonly string[]> => page.evaluate(() => caches.keys());

/** Opens a page of the small site in a new browser. */
async function openSmallSite(path = '/shopplanner') {
  const browser = await startBrowser();
  onTestFinished(() => browser[Symbol.asyncDispose]());
  const site = await startSmallSite();
  const page = await browser.openPage(site.origin, path, { expects: EXPECTED_ERRORS, hasServiceWorker: true });
  return { site, page };
}

describe.skipIf(skipReason)(`pages without a connection (${skipReason ?? 'in Chromium'})`, () => {
  test('a cached page opens without the server, and other pages do not', async () => {
    const { site, page } = await openSmallSite();
    expect(await cacheSite(page)).toBe(true);
    await site.stopServer();
    await page.reload();
    await expectHeading(page, 'build one');
    await page.goto('/shopplanner?list=5');
    await expectHeading(page, 'build one');
    await expect(page.goto('/other')).rejects.toThrow(/ERR_/);
  });

  test('a new build is used immediately, replaces the old one, and opens offline', async () => {
    const { site, page } = await openSmallSite();
    await cacheSite(page);
    site.setBuild(createBuild('two'));
    // On a slow machine, the cached page can be shown first, after four seconds.
    await expect
      .poll(async () => {
        await page.reload();
        return page.getByRole('heading').textContent();
      })
      .toBe('build two');
    expect(await cacheSite(page)).toBe(true);
    expect(await listCaches(page)).toEqual(['pegboard-two']);
    await site.stopServer();
    await page.reload();
    await expectHeading(page, 'build two');
  });

  test('an incomplete new build does not replace the old one', async () => {
    const { site, page } = await openSmallSite();
    await cacheSite(page);
    const { '/assets/a-two.js': _missing, ...incompleteBuild } = createBuild('two');
    site.setBuild(incompleteBuild);
    expect(await cacheSite(page)).toBe(true);
    await site.stopServer();
    await page.reload();
    await expectHeading(page, 'build one');
  });

  test('a page of another build than the list is not cached', async () => {
    const { site, page } = await openSmallSite();
    await cacheSite(page);
    const [one, two] = [createBuild('one'), createBuild('two')];
    site.setBuild({ ...two, '/shopplanner': one['/shopplanner'] ?? { type: '', body: '' } });
    await cacheSite(page);
    await site.stopServer();
    await page.reload();
    await expectHeading(page, 'build one');
  });

  test.each([502, 503, 504])("a proxy's status %i counts as an unreachable server", async (status) => {
    const { site, page } = await openSmallSite();
    await cacheSite(page);
    site.setBuild({ '/shopplanner': { status, type: 'text/html', body: '<h1>Bad gateway</h1>' } });
    await page.reload();
    await expectHeading(page, 'build one');
  });

  test('a connection that never answers does not delay the cached page', async () => {
    const { site, page } = await openSmallSite();
    await cacheSite(page);
    site.setSilent(true);
    await page.reload();
    await expectHeading(page, 'build one');
  });

  test('without a cache, the response of the network is shown', async () => {
    const { site, page } = await openSmallSite('/other');
    const { '/offline.json': _list, ...buildWithoutList } = createBuild('one');
    site.setBuild(buildWithoutList);
    expect(await cacheSite(page)).toBe(false);
    await page.reload();
    await expectHeading(page, 'build one');
    await site.stopServer();
    await expect(page.reload()).rejects.toThrow(/ERR_/);
  });
});
