import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type BrowserContext } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createClient } from '#platform/contract/client.ts';
import { CHROMIUM } from '#testing/kits/browser/chromium.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import {
  OFFLINE_ERRORS,
  openPlanner,
  getItems,
  createList,
  getPlusButton,
  startFaultyLine,
  waitForAmount,
  waitForSiteCached,
  waitForSyncText,
  waitForStored,
} from '#testing/kits/planning/offlinePlanner.ts';
import { startServer, type TestAccount } from '#testing/kits/server/server.ts';
import { openFaultyLine } from '#testing/sync/faultyLine.ts';
import { getshoplists, modifyshoplist } from '../../contract.ts';

const site = startTestSite({ rateLimits: false });

describe.skipIf(site.skipReason)(`the planner offline (${site.skipReason ?? 'in Chromium'})`, () => {
  test('opens, ticks and edits offline, also after a reload, and everything is sent later', async () => {
    const person = await site.createPerson();
    const list = await createList(person, 'Saturday');
    const line = await startFaultyLine(site);
    const page = await openPlanner(site, person, line.origin, { path: `/shopplanner?list=${list}` });
    await getPlusButton(page, 'Milk').click();
    await waitForSyncText(page, 'Saved');
    await waitForSiteCached(page);

    line.setDown(true);
    line.disconnect();
    await getPlusButton(page, 'Milk').click();
    await waitForSyncText(page, /Offline \(\d+ unsent\)/);
    await waitForStored(page);
    await page.reload();
    await waitForAmount(page, 'Milk', '2/50');
    await getPlusButton(page, 'Milk').click();
    await page
      .getByRole('button', { name: /^Bread.*tick|tick.*Bread/i })
      .first()
      .click();
    await waitForAmount(page, 'Milk', '3/50');
    await waitForStored(page);
    await page.reload();
    await waitForAmount(page, 'Milk', '3/50');

    line.setDown(false);
    await waitForSyncText(page, 'Saved');
    await expect
      .poll(() => getItems(person, list))
      .toEqual({
        Milk: { actualquantity: 3, state: 0 },
        Bread: { actualquantity: 0, state: 1 },
      });
    await waitForAmount(page, 'Milk', '3/50');
  });

  test('a list created offline is shown after a reload, and is sent once', async () => {
    const person = await site.createPerson();
    await createList(person, 'Old');
    const line = await startFaultyLine(site);
    const page = await openPlanner(site, person, line.origin);
    await waitForSyncText(page, 'Old');
    await waitForSiteCached(page);
    line.setDown(true);
    line.disconnect();
    await page.getByRole('button', { name: 'Create', exact: true }).first().click();
    await waitForSyncText(page, /Offline \(\d+ unsent\)/);
    await waitForStored(page);
    await page.reload();
    await waitForSyncText(page, /Offline \(\d+ unsent\)/);
    line.setDown(false);
    await waitForSyncText(page, 'Saved');
    const names = async () => (await person.call(getshoplists, {})).data.lists.map(({ name }) => name);
    await expect.poll(names).toEqual(['Old', 'New list']);
    await page.reload();
    await waitForSyncText(page, 'Saved');
    expect(await names()).toEqual(['Old', 'New list']);
  });

  test('opens after a restart of the browser, and sends the stored changes', async () => {
    const person = await site.createPerson();
    const list = await createList(person, 'Market');
    const line = await startFaultyLine(site);
    const profile = await mkdtemp(join(tmpdir(), 'pegboard-browser-'));
    onTestFinished(() => rm(profile, { recursive: true, maxRetries: 5 }));
    async function start(): Promise<BrowserContext> {
      const context = await chromium.launchPersistentContext(profile, {
        ...CHROMIUM,
        baseURL: line.origin,
      });
      onTestFinished(() => context.close());
      return context;
    }
    const first = await start();
    const before = await first.newPage();
    const expires = Math.floor(Date.now() / 1000) + 86_400;
    await first.addCookies([{ name: 'usertoken', value: person.token, url: line.origin, expires }]);
    await before.goto(`/shopplanner?list=${list}`);
    await getPlusButton(before, 'Milk').click();
    await waitForSyncText(before, 'Saved');
    await waitForSiteCached(before);
    line.setDown(true);
    line.disconnect();
    await getPlusButton(before, 'Milk').click();
    await waitForSyncText(before, /Offline \(\d+ unsent\)/);
    await waitForStored(before);
    await first.close();

    const after = await (await start()).newPage();
    await after.goto(`/shopplanner?list=${list}`);
    await waitForAmount(after, 'Milk', '2/50');
    await getPlusButton(after, 'Milk').click();
    await waitForSyncText(after, /Offline \(\d+ unsent\)/);
    line.setDown(false);
    await waitForSyncText(after, 'Saved');
    expect((await getItems(person, list))['Milk']).toEqual({ actualquantity: 3, state: 0 });
  });

  test('a batch whose answer is lost counts once', async () => {
    const person = await site.createPerson();
    const list = await createList(person, 'Lost');
    const line = await startFaultyLine(site);
    const page = await openPlanner(site, person, line.origin, {
      path: `/shopplanner?list=${list}`,
      hasServiceWorker: false,
    });
    await waitForAmount(page, 'Milk', '0/50');
    await waitForSyncText(page, 'Saved');
    line.loseNext('answer');
    await getPlusButton(page, 'Milk').click();
    await expect.poll(async () => (await getItems(person, list))['Milk']?.actualquantity).toBe(1);
    await getPlusButton(page, 'Milk').click();
    await waitForAmount(page, 'Milk', '2/50');
    await expect.poll(async () => (await getItems(person, list))['Milk']?.actualquantity).toBe(2);
    await waitForSyncText(page, 'Saved');
    await waitForAmount(page, 'Milk', '2/50');
  });

  test('logging out asks if changes would be lost, and removes all stored data', async () => {
    const person = await site.createPerson();
    const list = await createList(person, 'Mine alone');
    const line = await startFaultyLine(site);
    const page = await openPlanner(site, person, line.origin, { path: `/shopplanner?list=${list}` });
    // It includes the dialog.
    await waitForSiteCached(page);
    await getPlusButton(page, 'Milk').click();
    await waitForSyncText(page, 'Saved');
    line.setDown(true);
    await getPlusButton(page, 'Milk').click();
    await waitForSyncText(page, 'Offline (1 unsent)');
    async function logOut(): Promise<void> {
      await page.getByRole('button', { name: 'Account', exact: true }).click();
      await page.getByRole('menuitem', { name: 'Log out' }).click();
    }
    await logOut();
    await page.getByText(/One change is not on the server yet/).waitFor();
    await page.getByRole('button', { name: 'Stay logged in' }).click();
    await waitForAmount(page, 'Milk', '2/50');
    line.setDown(false);
    await waitForSyncText(page, 'Saved');
    await expect.poll(async () => (await getItems(person, list))['Milk']?.actualquantity).toBe(2);

    line.setDown(true);
    await getPlusButton(page, 'Milk').click();
    await waitForSyncText(page, 'Offline (1 unsent)');
    await logOut();
    await page.getByRole('dialog').getByRole('button', { name: 'Log out', exact: true }).click();
    await page
      .getByText(/You are logged out in this browser/)
      .first()
      .waitFor();
    await expect.poll(() => page.evaluate(async () => (await indexedDB.databases()).length)).toBe(0);
    line.setDown(false);
    const other = await site.createPerson();
    await page.context().addCookies([{ name: 'usertoken', value: other.token, url: line.origin }]);
    await page.goto('/shopplanner');
    await page.getByText('Your shopping lists appear here', { exact: false }).first().waitFor();
    expect(await page.getByText('Mine alone').count()).toBe(0);
  });

  test('another account sees nothing of the previous one, whose changes remain stored', async () => {
    const [first, second] = [await site.createPerson(), await site.createPerson()];
    const list = await createList(first, 'Of the first');
    const line = await startFaultyLine(site);
    const page = await openPlanner(site, first, line.origin, {
      path: `/shopplanner?list=${list}`,
      hasServiceWorker: false,
    });
    await waitForAmount(page, 'Milk', '0/50');
    await waitForSyncText(page, 'Saved');
    line.setDown(true);
    await getPlusButton(page, 'Milk').click();
    await waitForSyncText(page, 'Offline (1 unsent)');
    async function as({ token }: TestAccount): Promise<void> {
      await page.context().addCookies([{ name: 'usertoken', value: token, url: line.origin }]);
      line.setDown(false);
      await page.goto('/dashboard/about');
    }
    await waitForStored(page);
    await page.goto('about:blank');
    await as(second);
    await page.goto('/shopplanner');
    await page.getByText('Your shopping lists appear here', { exact: false }).first().waitFor();
    expect(await page.getByText('Of the first').count()).toBe(0);
    await as(first);
    await page.goto(`/shopplanner?list=${list}`);
    await waitForAmount(page, 'Milk', '1/50');
    await waitForSyncText(page, 'Saved');
    await expect.poll(async () => (await getItems(first, list))['Milk']?.actualquantity).toBe(1);
  });

  test('over plain HTTP, the page says that this needs HTTPS', async () => {
    const person = await site.createPerson();
    const page = await openPlanner(site, person, site.server.origin, { plainHttp: true });
    await page.getByText('Opening lists offline needs https', { exact: false }).first().waitFor();
  });

  test('over plain HTTP, a phone says so once, on the page itself, visible while offline', async () => {
    const person = await site.createPerson();
    const items = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`new${index}`, { name: `Thing ${index}` }]),
    );
    const { id } = await person.call(modifyshoplist, {
      id: -1,
      changes: { name: 'Long', items },
      timesent: Date.now() / 1000,
    });
    const line = await startFaultyLine(site);
    const page = await openPlanner(site, person, line.origin, {
      path: `/shopplanner?list=${id}`,
      plainHttp: true,
      size: 'phone',
    });
    const notice = page.getByText('Opening lists offline needs https', { exact: false });
    await notice.waitFor();
    await page.getByRole('button', { name: 'Show Menu' }).click();
    await page.getByRole('dialog').getByText('Opening lists offline needs https', { exact: false }).waitFor();
    expect(await notice.count()).toBe(1);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    line.setDown(true);
    line.disconnect();
    await getPlusButton(page, 'Thing 0').click();
    await page.getByText('Offline. Changes are stored in this browser', { exact: false }).waitFor();
    const top = async (): Promise<number> => (await notice.boundingBox())?.y ?? Number.POSITIVE_INFINITY;
    await expect.poll(top).toBeLessThan(300);
    expect(await notice.count()).toBe(1);
  });

  test('a restarted server receives the stored changes', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'pegboard-restart-'));
    onTestFinished(() => rm(dataDir, { recursive: true, maxRetries: 5 }));
    let server = await startServer({ dataDir, rateLimits: false });
    const line = await openFaultyLine(() => Number(new URL(server.origin).port));
    onTestFinished(() => line[Symbol.asyncDispose]());
    const person = await server.createAccount('owner');
    const list = await createList(person, 'Restart');
    const page = await openPlanner(site, person, line.origin, { path: `/shopplanner?list=${list}` });
    await getPlusButton(page, 'Milk').click();
    await waitForSyncText(page, 'Saved');
    await waitForSiteCached(page);
    await server[Symbol.asyncDispose]();
    await page.reload();
    await getPlusButton(page, 'Milk').click();
    await waitForSyncText(page, 'Offline (1 unsent)');
    server = await startServer({ dataDir, rateLimits: false });
    await waitForSyncText(page, 'Saved');
    const call = createClient({ origin: server.origin, token: () => person.token });
    expect((await getItems({ ...person, call }, list))['Milk']?.actualquantity).toBe(2);
    await server[Symbol.asyncDispose]();
  });

  test('the timer also opens offline', async () => {
    const line = await startFaultyLine(site);
    const page = await site.browser.openPage(line.origin, '/stopwatch', {
      expects: OFFLINE_ERRORS,
      hasServiceWorker: true,
    });
    await page.getByRole('button', { name: 'Start', exact: true }).waitFor();
    await waitForSiteCached(page);
    line.setDown(true);
    await page.reload();
    await page.getByRole('button', { name: 'Start', exact: true }).waitFor();
    await page.goto('/stopwatch/minify');
    await page.getByRole('heading').first().waitFor();
  });
});
