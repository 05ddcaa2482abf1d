import { describe, expect, test } from 'vitest';
import { startTestSite } from '#testing/kits/browser/site.ts';
import {
  openPlanner,
  getItems,
  createList,
  getPlusButton,
  startFaultyLine,
  waitForAmount,
  waitForSyncText,
} from '#testing/kits/planning/offlinePlanner.ts';

const site = startTestSite({ rateLimits: false });

describe.skipIf(site.skipReason)(`two tabs of one browser (${site.skipReason ?? 'in Chromium'})`, () => {
  test('show each other’s changes offline, and stored changes are sent once, even if one tab was closed', async () => {
    const person = await site.server.createAccount('owner');
    const list = await createList(person, 'Shared by tabs');
    const line = await startFaultyLine(site);
    const path = `/shopplanner?list=${list}`;
    const one = await openPlanner(site, person, line.origin, { path, hasServiceWorker: false });
    const other = await one.context().newPage();
    await other.goto(path);
    for (const tab of [one, other]) {
      await waitForAmount(tab, 'Milk', '0/50');
      await waitForSyncText(tab, 'Saved');
    }
    line.setDown(true);
    await getPlusButton(one, 'Milk').click();
    await waitForAmount(other, 'Milk', '1/50');
    await getPlusButton(other, 'Milk').click();
    await waitForAmount(one, 'Milk', '2/50');
    await getPlusButton(one, 'Milk').click();
    await getPlusButton(other, 'Milk').click();
    for (const tab of [one, other]) await waitForAmount(tab, 'Milk', '4/50');
    await other.close();
    line.setDown(false);
    await waitForSyncText(one, 'Saved');
    await expect.poll(async () => (await getItems(person, list))['Milk']?.actualquantity).toBe(4);
    await waitForAmount(one, 'Milk', '4/50');
  });

  test('change concurrently, and every change counts', async () => {
    const person = await site.server.createAccount('second');
    const list = await createList(person, 'At once');
    const path = `/shopplanner?list=${list}`;
    const one = await openPlanner(site, person, site.server.origin, { path, hasServiceWorker: false });
    const other = await one.context().newPage();
    await other.goto(path);
    for (const tab of [one, other]) await waitForSyncText(tab, 'Saved');
    for (let press = 0; press < 10; press += 1)
      await Promise.all([one, other].map((tab) => getPlusButton(tab, 'Milk').dispatchEvent('click')));
    await expect.poll(async () => (await getItems(person, list))['Milk']?.actualquantity).toBe(20);
    for (const tab of [one, other]) await waitForAmount(tab, 'Milk', '20/50');
  });
});
