import { once } from 'node:events';
import { createServer, request as openRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pages } from '../../apps/server/pages.ts';
import { navigate, waitForIdle } from '../kits/browser/browser.ts';
import { startTestSite } from '../kits/browser/site.ts';
import { startDevice } from '../kits/desktop/device.ts';
import { TEST_PASSWORD, type TestAccount } from '../kits/server/server.ts';

const BASE = '/pegboard';
const site = startTestSite({ basePath: BASE, trustProxy: ['loopback'], rateLimits: false });
/** Browser messages about the unknown address and the missing picture. */
const EXPECTED = /404 \(Not Found\).*\/(nowhere|images\/none)/;
/** Intentionally blank. */
const BLANK = '/backy';
/** Pages per window, so that no test takes minutes. */
const PAGES_PER_WINDOW = 8;
const all = [...pages, '/nowhere'];
const groups = Array.from({ length: Math.ceil(all.length / PAGES_PER_WINDOW) }, (_, at) => {
  const paths = all.slice(at * PAGES_PER_WINDOW, (at + 1) * PAGES_PER_WINDOW);
  return { paths, named: paths.join(', ') };
});

/** A proxy that has one path of its host for the server, and another site at all other paths. */
async function startProxy(target: URL) {
  const strayPaths: string[] = [];
  const isForServer = ({ url = '' }: IncomingMessage): boolean => {
    const isBelow = url === BASE || url.startsWith(`${BASE}/`);
    if (!isBelow) strayPaths.push(url);
    return isBelow;
  };
  const forward = ({ method, url, headers }: IncomingMessage) =>
    openRequest({ host: target.hostname, port: target.port, method, path: url, headers });
  const proxy = createServer((request, response) => {
    if (!isForServer(request)) return void response.writeHead(404).end('another site');
    const forwarded = forward(request).on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    request.pipe(forwarded);
  });
  const openSockets = new Set<Duplex>();
  proxy.on('upgrade', (request, client, clientHead) => {
    if (!isForServer(request)) return void client.destroy();
    forward(request)
      .on('upgrade', ({ rawHeaders }, upstream, head) => {
        openSockets.add(client).add(upstream);
        const lines = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${rawHeaders[at + 1]}`] : []));
        client.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`);
        // First frames that came along with the headers.
        client.write(head);
        upstream.write(clientHead);
        upstream.pipe(client).on('error', () => upstream.destroy());
        client.pipe(upstream).on('error', () => client.destroy());
      })
      .on('error', () => client.destroy())
      .end();
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    origin: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    /** Paths outside of the base path that a page requested. */
    strayPaths,
    close: (): void => {
      for (const socket of openSockets) socket.destroy();
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}

async function waitForPage(page: Page, path: string): Promise<void> {
  await page
    .locator(path === BLANK ? 'main' : 'h1')
    .first()
    .waitFor({ state: 'attached' });
  await waitForIdle(page);
}

describe.skipIf(site.skipReason)(
  `below a path of another site${site.skipReason === undefined ? '' : `, ${site.skipReason}`}`,
  () => {
    let owner: TestAccount;
    let proxy: Awaited<ReturnType<typeof startProxy>>;
    beforeAll(async () => {
      owner = await site.server.createAccount('owner');
      proxy = await startProxy(new URL(site.server.origin));
    });
    afterAll(() => proxy.close());

    const open = (path: string, options: Parameters<typeof site.browser.openPage>[2] = {}): Promise<Page> =>
      site.browser.openPage(proxy.origin, BASE + path, { token: owner.token, expects: EXPECTED, ...options });
    const expectNoStrays = () => expect(proxy.strayPaths.splice(0)).toEqual([]);

    // A browser opens the same script for each of them: the other tests here open some by address as well.
    test('every page has an address below the path, and loads nothing from outside of it', async () => {
      for (const path of all) {
        const response = await fetch(proxy.origin + BASE + path, { headers: { Accept: 'text/html' } });
        expect(response.status).toBe(path === '/nowhere' ? 404 : 200);
        const sources = [...(await response.text()).matchAll(/ (?:src|href)="(\/[^"]*)"/g)].map(([, source]) => source);
        expect(sources.length).toBeGreaterThan(2);
        expect(sources.filter((source) => !source?.startsWith(`${BASE}/`))).toEqual([]);
      }
      expectNoStrays();
    });

    test.each(['/', '/nowhere', '/dashboard/settings'])('%s opens by its address', async (path) => {
      const page = await open(path);
      await waitForPage(page, path);
      expect(new URL(page.url()).pathname).toBe(BASE + path);
      expectNoStrays();
    });

    test.each(groups)('every page opens by links: $named', async ({ paths }) => {
      const page = await open('/');
      await waitForPage(page, '/');
      for (const path of paths) {
        const left = await page.title();
        if (path === '/') continue;
        await navigate(page, BASE + path);
        await page.waitForFunction((title) => document.title !== title, left);
        await waitForPage(page, path);
      }
      const links = await page
        .locator('a[href^="/"]')
        .evaluateAll((found) => found.map((link) => link.getAttribute('href')));
      expect(links.filter((href) => href !== BASE && href?.startsWith(`${BASE}/`) !== true)).toEqual([]);
      expectNoStrays();
    });

    test('a person logs in, stores a text, and opens its link without the session', async () => {
      const page = await site.browser.openPage(proxy.origin, `${BASE}/pastebin`);
      await page.goto(`${BASE}/login`);
      await page.getByLabel('Username').fill('owner');
      await page.getByLabel('Password', { exact: true }).fill(TEST_PASSWORD);
      await page.getByRole('button', { name: 'Go', exact: true }).click();
      await page.waitForURL(`**${BASE}/pagerouter`);
      await navigate(page, `${BASE}/pastebin`);
      await page.getByRole('textbox', { name: 'Text', exact: true }).fill('hello below a path');
      await page.getByRole('button', { name: 'Submit' }).click();
      await page.getByRole('group', { name: 'Stored paste' }).waitFor();
      const code = (await page.getByRole('group', { name: 'Stored paste' }).locator('b').textContent()) ?? '';
      const visitor = await site.browser.openPage(proxy.origin, `${BASE}/pastebin?code=${code}`);
      await expect
        .poll(() => visitor.getByRole('textbox', { name: 'Text', exact: true }).inputValue())
        .toBe('hello below a path');
      expectNoStrays();
    });

    test('a computer that is paired below the path receives what the phone types', async () => {
      await using device = await startDevice({ ...site.server, origin: proxy.origin + BASE }, owner);
      const page = await open('/dashboard', { size: 'phone' });
      await page.getByRole('textbox', { name: 'Text to send' }).fill('typed below a path');
      await page.getByRole('button', { name: 'Send', exact: true }).tap();
      await expect.poll(() => device.drivers.listTypedTexts()).toEqual(['typed below a path']);
      expectNoStrays();
    });

    test('pairing commands, calendar address and set-up name the path', async () => {
      const page = await open('/dashboard/settings/pair');
      await page.getByText(`${BASE}/agent.tgz pair`).first().waitFor();
      expect(await page.locator('main').textContent()).toContain(`${BASE}/agent.tgz`);
      expectNoStrays();
    });

    // The last test, because it stops the proxy.
    test('the planner opens without a connection', async () => {
      const page = await open('/shopplanner', { hasServiceWorker: true, expects: /ERR_|Failed to|net::/ });
      const scope = await page.evaluate(async () => new URL((await navigator.serviceWorker.ready).scope).pathname);
      expect(scope).toBe(`${BASE}/`);
      const isCached = () =>
        page.evaluate(async (list) => (await caches.match(list)) !== undefined, `${BASE}/offline.json`);
      await expect.poll(isCached).toBe(true);
      expectNoStrays();
      proxy.close();
      await page.reload();
      await page.locator('h1').first().waitFor({ state: 'attached' });
      expect(await page.title()).toBe('Shopping planner');
    });
  },
);
