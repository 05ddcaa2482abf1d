import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startBrowser } from '#testing/kits/browser/browser.ts';
import { getSkipReason } from '#testing/machine.ts';

const skipReason = getSkipReason('chromium');
const worker = readFileSync(join(import.meta.dirname, 'public/service-worker.js'), 'utf8');
const EXPECTED = /ERR_|Failed to load resource|net::/;

interface Answer {
  readonly type: string;
  readonly body: string;
  readonly status?: number;
}

/** Creates the responses of a small site, whose page shows the name of the build. */
const createBuild = (name: string): Record<string, Answer> => {
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
    '/service-worker.js': { type: 'text/javascript', body: worker },
  };
};

/** Serves a build, which can be replaced, stopped, or made to never answer. */
const startToy = async () => {
  let build = createBuild('one');
  let isSilent = false;
  const open = (): Server =>
    createServer(({ url = '/' }, response) => {
      if (isSilent) return;
      const {
        status = 200,
        type,
        body,
      } = build[url.split('?')[0] ?? ''] ?? { status: 404, type: 'text/plain', body: '' };
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
    });
  let server = open();
  let port = 0;
  const up = async (): Promise<void> => {
    server = open().listen(port, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    port = typeof address === 'object' && address ? address.port : port;
  };
  const down = async (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  await up();
  onTestFinished(async () => (server.listening ? down() : undefined));
  return {
    origin: `http://127.0.0.1:${port}`,
    up,
    down,
    give: (next: Record<string, Answer>) => void (build = next),
    swallow: (silent: boolean) => void (isSilent = silent),
  };
};

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

const expectHeading = async (page: Page, text: string): Promise<void> => {
  await page.getByRole('heading', { name: text, exact: true }).waitFor();
};
const listCaches = (page: Page): Promise<readonly string[]> => page.evaluate(() => caches.keys());

/** Opens a page of the small site in a new browser. */
const start = async (path = '/shopplanner') => {
  const browser = await startBrowser();
  onTestFinished(() => browser[Symbol.asyncDispose]());
  const toy = await startToy();
  const page = await browser.openPage(toy.origin, path, { expects: EXPECTED, keepsSite: true });
  return { toy, page };
};

describe.skipIf(skipReason)(`pages with no line (${skipReason ?? 'in Chromium'})`, () => {
  test('a cached page opens without the server, and other pages do not', async () => {
    const { toy, page } = await start();
    expect(await cacheSite(page)).toBe(true);
    await toy.down();
    await page.reload();
    await expectHeading(page, 'build one');
    await page.goto('/shopplanner?list=5');
    await expectHeading(page, 'build one');
    await expect(page.goto('/other')).rejects.toThrow(/ERR_/);
  });

  test('a new build is used immediately, replaces the old one, and opens offline', async () => {
    const { toy, page } = await start();
    await cacheSite(page);
    toy.give(createBuild('two'));
    // On a slow machine, the cached page can be shown first, after four seconds.
    await expect
      .poll(async () => {
        await page.reload();
        return page.getByRole('heading').textContent();
      })
      .toBe('build two');
    expect(await cacheSite(page)).toBe(true);
    expect(await listCaches(page)).toEqual(['pegboard-two']);
    await toy.down();
    await page.reload();
    await expectHeading(page, 'build two');
  });

  test('an incomplete new build does not replace the old one', async () => {
    const { toy, page } = await start();
    await cacheSite(page);
    const { '/assets/a-two.js': _missing, ...broken } = createBuild('two');
    toy.give(broken);
    expect(await cacheSite(page)).toBe(true);
    await toy.down();
    await page.reload();
    await expectHeading(page, 'build one');
  });

  test('a page of another build than the list is not cached', async () => {
    const { toy, page } = await start();
    await cacheSite(page);
    const [one, two] = [createBuild('one'), createBuild('two')];
    toy.give({ ...two, '/shopplanner': one['/shopplanner'] ?? { type: '', body: '' } });
    await cacheSite(page);
    await toy.down();
    await page.reload();
    await expectHeading(page, 'build one');
  });

  test.each([502, 503, 504])("a proxy's status %i counts as an unreachable server", async (status) => {
    const { toy, page } = await start();
    await cacheSite(page);
    toy.give({ '/shopplanner': { status, type: 'text/html', body: '<h1>Bad gateway</h1>' } });
    await page.reload();
    await expectHeading(page, 'build one');
  });

  test('a connection that never answers does not delay the cached page', async () => {
    const { toy, page } = await start();
    await cacheSite(page);
    toy.swallow(true);
    await page.reload();
    await expectHeading(page, 'build one');
  });

  test('without a cache, the response of the network is shown', async () => {
    const { toy, page } = await start('/other');
    const { '/offline.json': _list, ...without } = createBuild('one');
    toy.give(without);
    expect(await cacheSite(page)).toBe(false);
    await page.reload();
    await expectHeading(page, 'build one');
    await toy.down();
    await expect(page.reload()).rejects.toThrow(/ERR_/);
  });
});
