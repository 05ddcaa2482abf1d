import type { Locator, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { openFaultyLine, type FaultyLine } from '#testing/sync/faultyLine.ts';
import { getshoplist, modifyshoplist } from '#tools/shopping/contract.ts';
import type { OpenPageOptions } from '../browser/browser.ts';
import type { TestSite } from '../browser/site.ts';
import type { TestAccount } from '../server/server.ts';

/** Browser errors for a server that is not reachable. */
export const OFFLINE_ERRORS = /ERR_|WebSocket|Failed to load resource|net::|Unable to preload|dynamically imported/;

/** Creates a list with Milk (50 desired) and Bread (a checkbox). */
export async function createList({ call }: TestAccount, name: string): Promise<number> {
  const { id } = await call(modifyshoplist, {
    id: -1,
    changes: { name, items: { new1: { name: 'Milk', defaultquantity: 50 }, new2: { name: 'Bread', state: 3 } } },
    timesent: Date.now() / 1000,
  });
  if (id === undefined) throw new Error('no list was made');
  return id;
}

/** Returns amounts and answers by name, as on the server. */
export async function getItems({ call }: TestAccount, id: number) {
  const { items } = (await call(getshoplist, { id })).data;
  return Object.fromEntries(
    Object.values(items).map(({ name, actualquantity, state }) => [name, { actualquantity, state }]),
  );
}

/** Starts a connection to the site's server that the test can cut; closed at the end of the test. */
export async function startFaultyLine(site: TestSite): Promise<FaultyLine> {
  const line = await openFaultyLine(() => Number(new URL(site.server.origin).port));
  onTestFinished(() => line[Symbol.asyncDispose]());
  return line;
}

/** Opens a logged-in page at this origin. */
export function openPlanner(
  site: TestSite,
  { token }: TestAccount,
  origin: string,
  { path = '/shopplanner', ...options }: OpenPageOptions & { readonly path?: string } = {},
): Promise<Page> {
  return site.browser.openPage(origin, path, { token, expects: OFFLINE_ERRORS, hasServiceWorker: true, ...options });
}

/** Waits until the service worker has cached the site. */
export function waitForSiteCached(page: Page): Promise<void> {
  return expect
    .poll(() =>
      page.evaluate(async () => {
        const names = await caches.keys();
        const lists = await Promise.all(names.map(async (name) => (await caches.open(name)).match('/offline.json')));
        return lists.some((list) => list !== undefined);
      }),
    )
    .toBe(true);
}

export function getPlusButton(page: Page, name: string): Locator {
  return page.getByRole('button', { name: `One more ${name}`, exact: true });
}

/** Waits until the row of the item shows this: '2/50'. */
export function waitForAmount(page: Page, name: string, amount: string): Promise<void> {
  return page
    .getByRole('main')
    .locator('[data-item]')
    .filter({ hasText: name })
    .getByText(amount, { exact: true })
    .first()
    .waitFor();
}

/** Waits until changes are in the browser's store, which writes in order. A page that is left earlier loses them. */
export function waitForStored(page: Page): Promise<void> {
  return page.evaluate(async () => {
    await new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then)));
    const names = (await indexedDB.databases()).flatMap(({ name }) => (name?.endsWith(':shopping') ? [name] : []));
    for (const name of names) {
      const database = await new Promise<IDBDatabase>((done, fail) => {
        const request = indexedDB.open(name);
        request.addEventListener('success', () => done(request.result));
        request.addEventListener('error', () => fail(new Error('no store')));
      });
      // A write that another one causes comes after it.
      for (let turn = 0; turn < 3; turn += 1)
        await new Promise((done) => {
          const writing = database.transaction('heads', 'readwrite');
          writing.addEventListener('complete', done);
          writing.objectStore('heads').count();
        });
      database.close();
    }
  });
}

/** Waits until the page shows this sync state: 'Saved', 'Offline (2 unsent)'. */
export function waitForSyncText(page: Page, text: string | RegExp): Promise<void> {
  return page
    .getByText(text, { exact: typeof text === 'string' })
    .first()
    .waitFor();
}
