import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { startTestSite } from '#testing/kits/browser/site.ts';
import {
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
import { createSeededRandom } from '#testing/kits/random.ts';
import type { FaultyLine } from '#testing/sync/faultyLine.ts';
import { answershoplist, shareshoplist } from '../../contract.ts';

const site = startTestSite({ rateLimits: false });
const STEPS = 40;

interface Phone {
  readonly page: Page;
  readonly line: FaultyLine;
}

describe.skipIf(site.skipReason)(`two phones (${site.skipReason ?? 'in Chromium'})`, () => {
  test('shop one list over a broken connection without losing a tick', async () => {
    const seed = Math.floor(Math.random() * 2 ** 32);
    const dice = createSeededRandom(seed);
    const [ann, bob] = [await site.server.createAccount('ann'), await site.server.createAccount('bob')];
    const list = await createList(ann, 'Party');
    await ann.call(shareshoplist, { id: list, username: 'bob' });
    await bob.call(answershoplist, { id: list, join: true });
    const phones: readonly Phone[] = await Promise.all(
      [ann, bob].map(async (person) => {
        const line = await startFaultyLine(site);
        const page = await openPlanner(site, person, line.origin, { path: `/shopplanner?list=${list}`, size: 'phone' });
        await waitForAmount(page, 'Milk', '0/50');
        await waitForSyncText(page, 'Saved');
        await waitForSiteCached(page);
        return { page, line };
      }),
    );
    let pressed = 0;
    const acts: readonly ((phone: Phone) => Promise<void> | void)[] = [
      async ({ page }) => {
        pressed += 1;
        await getPlusButton(page, 'Milk').click();
      },
      async ({ page }) => {
        pressed += 2;
        await getPlusButton(page, 'Milk').click();
        await getPlusButton(page, 'Milk').click();
      },
      ({ line }) => line.disconnect(),
      ({ line }) => line.setDown(true),
      ({ line }) => line.setDown(false),
      ({ line }) => line.loseNext('answer'),
      ({ line }) => line.loseNext('request'),
      async ({ page }) => {
        await waitForStored(page);
        await page.reload();
        await getPlusButton(page, 'Milk').waitFor();
      },
    ];
    for (let step = 0; step < STEPS; step += 1) {
      const [phone, act] = [dice.pick(phones), dice.isOneOf(2) ? acts[0] : dice.pick(acts)];
      if (phone && act) await act(phone);
    }
    for (const { page, line } of phones) {
      line.loseNext(undefined);
      line.setDown(false);
      // Both phones show the final state after all failures.
      await page.getByRole('button', { name: /Bread/ }).first().waitFor();
    }
    for (const { page } of phones) await waitForSyncText(page, 'Saved');
    await expect
      .poll(async () => (await getItems(ann, list))['Milk']?.actualquantity, { message: `seed ${seed}` })
      .toBe(pressed);
    for (const { page } of phones) await waitForAmount(page, 'Milk', `${pressed}/50`);
  });
});
