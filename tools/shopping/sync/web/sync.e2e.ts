import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { startTestSite } from '#testing/kits/browser/site.ts';
import {
  openPlanner,
  OFFLINE_ERRORS,
  getItems,
  createList,
  getPlusButton,
  startFaultyLine,
  waitForAmount,
  waitForSyncText,
} from '#testing/kits/planning/offlinePlanner.ts';
import type { TestAccount } from '#testing/kits/server/server.ts';
import {
  answershoplist,
  deleteshoplist,
  getshoplist,
  getshoplists,
  modifyshoplist,
  shareshoplist,
} from '../../contract.ts';

const site = startTestSite({ rateLimits: false });
const NOT_STORED_TEXT = /This browser does not store data for this page/;
const YEAR_MS = 365 * 86_400_000;

/** Opens a page whose browser is changed by `change` before the planner loads. */
const openPrepared = ({ token }: TestAccount, path: string, change: (page: Page) => Promise<unknown>) =>
  site.browser.openPage(site.server.origin, path, { token, expects: OFFLINE_ERRORS, before: change });
const getAmount = async (person: TestAccount, list: number) => (await getItems(person, list))['Milk']?.actualquantity;

describe.skipIf(site.skipReason)(`the planner's sync (${site.skipReason ?? 'in Chromium'})`, () => {
  test('changes of two members appear on both sides, and counts are added up', async () => {
    const [ann, bob] = [await site.createPerson(), await site.createPerson()];
    const list = await createList(ann, 'Together');
    await ann.call(shareshoplist, { id: list, username: bob.name });
    await bob.call(answershoplist, { id: list, join: true });
    const path = `/shopplanner?list=${list}`;
    const [one, other] = [
      await openPlanner(site, ann, site.server.origin, { path, hasServiceWorker: false }),
      await openPlanner(site, bob, site.server.origin, { path, hasServiceWorker: false }),
    ];
    for (const page of [one, other]) await waitForAmount(page, 'Milk', '0/50');
    await Promise.all([getPlusButton(one, 'Milk').click(), getPlusButton(other, 'Milk').click()]);
    for (const page of [one, other]) await waitForAmount(page, 'Milk', '2/50');
    expect(await getAmount(ann, list)).toBe(2);
  });

  test.each([
    ['ahead', YEAR_MS],
    ['behind', -YEAR_MS],
  ])('a clock that is a year %s neither loses nor wins indefinitely', async (_, wrong) => {
    const person = await site.createPerson();
    const list = await createList(person, 'Clock');
    const path = `/shopplanner?list=${list}`;
    const page = await openPrepared(person, path, async ({ clock }) => {
      await clock.install({ time: Date.now() + wrong });
      await clock.resume();
    });
    await getPlusButton(page, 'Milk').click();
    await waitForSyncText(page, 'Saved');
    await expect.poll(() => getAmount(person, list)).toBe(1);
    // A later change by a client with a correct clock wins here too.
    const { items } = (await person.call(getshoplist, { id: list })).data;
    const id = Object.keys(items).find((itemId) => items[itemId]?.name === 'Milk') ?? '';
    const changes = { items: { [id]: { actualquantity: 7 } } };
    await person.call(modifyshoplist, { id: list, changes, timesent: Date.now() / 1000 });
    await waitForAmount(page, 'Milk', '7/50');
    await getPlusButton(page, 'Milk').click();
    await expect.poll(() => getAmount(person, list)).toBe(8);
  });

  test('a browser without storage loses nothing while the page is open, and says so', async () => {
    const person = await site.createPerson();
    const list = await createList(person, 'No store');
    const page = await openPrepared(person, `/shopplanner?list=${list}`, (opened) =>
      opened.addInitScript(() => {
        IDBFactory.prototype.open = () => {
          throw new DOMException('denied', 'SecurityError');
        };
      }),
    );
    await getPlusButton(page, 'Milk').click();
    await waitForAmount(page, 'Milk', '1/50');
    await page
      .getByText(/you lose unsent changes when you close it/)
      .first()
      .waitFor();
    await expect.poll(() => getAmount(person, list)).toBe(1);
    await waitForSyncText(page, 'Saved');
  });

  test('a full browser storage loses nothing while the page is open, and says so', async () => {
    const person = await site.createPerson();
    const list = await createList(person, 'Full');
    const page = await openPrepared(person, `/shopplanner?list=${list}`, async (opened) => {
      const devtools = await opened.context().newCDPSession(opened);
      await devtools.send('Storage.overrideQuotaForOrigin', { origin: site.server.origin, quotaSize: 1 });
    });
    await getPlusButton(page, 'Milk').click();
    await waitForAmount(page, 'Milk', '1/50');
    await page.getByText(NOT_STORED_TEXT).first().waitFor();
    await expect.poll(() => getAmount(person, list)).toBe(1);
  });

  test('a browser storage that becomes full loses nothing, says so, and sends nothing twice', async () => {
    const person = await site.createPerson();
    const list = await createList(person, 'Filling');
    const line = await startFaultyLine(site);
    const page = await openPlanner(site, person, line.origin, {
      path: `/shopplanner?list=${list}`,
      hasServiceWorker: false,
    });
    await getPlusButton(page, 'Milk').click();
    await waitForSyncText(page, 'Saved');
    line.setDown(true);
    await getPlusButton(page, 'Milk').click();
    await waitForSyncText(page, 'Offline (1 unsent)');
    // Browsers update their quota only now and then, so this makes every write fail from now on.
    await page.evaluate(() => {
      IDBObjectStore.prototype.put = () => {
        throw new DOMException('full', 'QuotaExceededError');
      };
    });
    for (let press = 0; press < 3; press += 1) await getPlusButton(page, 'Milk').click();
    await waitForAmount(page, 'Milk', '5/50');
    await page.getByText(NOT_STORED_TEXT).first().waitFor();
    line.setDown(false);
    await waitForSyncText(page, 'Saved');
    await expect.poll(() => getAmount(person, list)).toBe(5);
    await page.reload();
    await waitForAmount(page, 'Milk', '5/50');
    await waitForSyncText(page, 'Saved');
    expect(await getAmount(person, list)).toBe(5);
  });

  test('a list that was deleted in the meantime can be saved as a copy with its unsent changes', async () => {
    const [ann, bob] = [await site.createPerson(), await site.createPerson()];
    const list = await createList(ann, 'Going');
    await ann.call(shareshoplist, { id: list, username: bob.name });
    await bob.call(answershoplist, { id: list, join: true });
    const line = await startFaultyLine(site);
    const page = await openPlanner(site, bob, line.origin, {
      path: `/shopplanner?list=${list}`,
      hasServiceWorker: false,
    });
    await waitForAmount(page, 'Milk', '0/50');
    line.setDown(true);
    await getPlusButton(page, 'Milk').click();
    await waitForSyncText(page, 'Offline (1 unsent)');
    await ann.call(deleteshoplist, { id: list });
    line.setDown(false);
    await page.getByRole('button', { name: 'Save a copy' }).first().click();
    await waitForSyncText(page, 'Saved');
    await waitForAmount(page, 'Milk', '1/50');
    const own = async () => (await bob.call(getshoplists, {})).data.lists;
    await expect.poll(async () => (await own()).length).toBe(1);
    const [copy] = await own();
    await expect.poll(() => getAmount(bob, copy?.id ?? 0)).toBe(1);
  });
});
