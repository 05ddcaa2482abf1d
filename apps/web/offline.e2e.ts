import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startBrowser } from '#testing/kits/browser/browser.ts';
import { getSkipReason } from '#testing/machine.ts';

const lack = getSkipReason('chromium');
const worker = readFileSync(join(import.meta.dirname, 'public/service-worker.js'), 'utf8');
const EXPECTED = /ERR_|Failed to load resource|net::/;

interface Answer {
  readonly type: string;
  readonly body: string;
  readonly status?: number;
}

/** A site of a few files: its page says which build it is, by a built file. */
const buildOf = (name: string): Record<string, Answer> => {
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

/** Serves a build; it can be given another one, be taken away, or swallow everything. */
const startToy = async () => {
  let build = buildOf('one');
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

/** Has the service worker keep the site as a page of ours asks for it. Gives whether a whole build is kept. */
const keep = (page: Page): Promise<boolean> =>
  page.evaluate(async () => {
    await navigator.serviceWorker.register('/service-worker.js');
    const { active } = await navigator.serviceWorker.ready;
    return new Promise<boolean>((done) => {
      const { port1, port2 } = new MessageChannel();
      port1.addEventListener('message', ({ data }: MessageEvent<{ readonly isKept: boolean }>) => done(data.isKept));
      port1.start();
      active?.postMessage({ kind: 'keep' }, [port2]);
    });
  });

const shows = async (page: Page, text: string): Promise<void> => {
  await page.getByRole('heading', { name: text, exact: true }).waitFor();
};
const cachesOf = (page: Page): Promise<readonly string[]> => page.evaluate(() => caches.keys());

/** A page of the toy site in a browser of its own. */
const start = async (path = '/shopplanner') => {
  const browser = await startBrowser();
  onTestFinished(() => browser[Symbol.asyncDispose]());
  const toy = await startToy();
  const page = await browser.openPage(toy.origin, path, { expects: EXPECTED, keepsSite: true });
  return { toy, page };
};

describe.skipIf(lack)(`pages with no line (${lack ?? 'in Chromium'})`, () => {
  test('a kept page opens where the server is gone, others do not', async () => {
    const { toy, page } = await start();
    expect(await keep(page)).toBe(true);
    await toy.down();
    await page.reload();
    await shows(page, 'build one');
    await page.goto('/shopplanner?list=5');
    await shows(page, 'build one');
    await expect(page.goto('/other')).rejects.toThrow(/ERR_/);
  });

  test('a new build is there at once, takes the old one’s place, and opens with no line itself', async () => {
    const { toy, page } = await start();
    await keep(page);
    toy.give(buildOf('two'));
    // What is kept is given after four seconds of waiting, too.
    await expect
      .poll(async () => {
        await page.reload();
        return page.getByRole('heading').textContent();
      })
      .toBe('build two');
    expect(await keep(page)).toBe(true);
    expect(await cachesOf(page)).toEqual(['pegboard-two']);
    await toy.down();
    await page.reload();
    await shows(page, 'build two');
  });

  test('a new build that did not come whole leaves the old one in its place', async () => {
    const { toy, page } = await start();
    await keep(page);
    const { '/assets/a-two.js': _missing, ...broken } = buildOf('two');
    toy.give(broken);
    expect(await keep(page)).toBe(true);
    await toy.down();
    await page.reload();
    await shows(page, 'build one');
  });

  test('a page of another build than the list is not kept', async () => {
    const { toy, page } = await start();
    await keep(page);
    const [one, two] = [buildOf('one'), buildOf('two')];
    toy.give({ ...two, '/shopplanner': one['/shopplanner'] ?? { type: '', body: '' } });
    await keep(page);
    await toy.down();
    await page.reload();
    await shows(page, 'build one');
  });

  test.each([502, 503, 504])(
    'a proxy that says %i for a server that is down is not taken for an answer',
    async (status) => {
      const { toy, page } = await start();
      await keep(page);
      toy.give({ '/shopplanner': { status, type: 'text/html', body: '<h1>Bad gateway</h1>' } });
      await page.reload();
      await shows(page, 'build one');
    },
  );

  test('a line that swallows everything is not waited for', async () => {
    const { toy, page } = await start();
    await keep(page);
    toy.swallow(true);
    await page.reload();
    await shows(page, 'build one');
  });

  test('where nothing is kept the network’s own answer is shown', async () => {
    const { toy, page } = await start('/other');
    const { '/offline.json': _list, ...without } = buildOf('one');
    toy.give(without);
    expect(await keep(page)).toBe(false);
    await page.reload();
    await shows(page, 'build one');
    await toy.down();
    await expect(page.reload()).rejects.toThrow(/ERR_/);
  });
});
