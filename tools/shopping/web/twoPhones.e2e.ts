import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import {
  atPlanner,
  itemsOf,
  makeList,
  moreOf,
  startLine,
  untilAmount,
  untilKept,
  untilSaid,
  untilStored,
} from '#testing/offlinePlanner.ts';
import { serveSite } from '#testing/site.ts';
import { throwDice } from '#testing/sync/dice.ts';
import type { FaultyLine } from '#testing/sync/line.ts';
import { answershoplist, shareshoplist } from '../contract.ts';

const site = serveSite({ rateLimits: false });
const STEPS = 40;

interface Phone {
  readonly page: Page;
  readonly line: FaultyLine;
}

describe.skipIf(site.lack)(`two phones (${site.lack ?? 'in Chromium'})`, () => {
  test('shop one list through a broken line without losing a tick', async () => {
    const seed = Math.floor(Math.random() * 2 ** 32);
    const dice = throwDice(seed);
    const [ann, bob] = [await site.server.account('ann'), await site.server.account('bob')];
    const list = await makeList(ann, 'Party');
    await ann.call(shareshoplist, { id: list, username: 'bob' });
    await bob.call(answershoplist, { id: list, join: true });
    const phones: readonly Phone[] = await Promise.all(
      [ann, bob].map(async (person) => {
        const line = await startLine(site);
        const page = await atPlanner(site, person, line.origin, { path: `/shopplanner?list=${list}`, size: 'phone' });
        await untilAmount(page, 'Milk', '0/50');
        await untilSaid(page, 'Saved');
        await untilKept(page);
        return { page, line };
      }),
    );
    let pressed = 0;
    const acts: readonly ((phone: Phone) => Promise<void> | void)[] = [
      async ({ page }) => {
        pressed += 1;
        await moreOf(page, 'Milk').click();
      },
      async ({ page }) => {
        pressed += 2;
        await moreOf(page, 'Milk').click();
        await moreOf(page, 'Milk').click();
      },
      ({ line }) => line.cut(),
      ({ line }) => line.setDown(true),
      ({ line }) => line.setDown(false),
      ({ line }) => line.spoil('answer'),
      ({ line }) => line.spoil('request'),
      async ({ page }) => {
        await untilStored(page);
        await page.reload();
        await moreOf(page, 'Milk').waitFor();
      },
    ];
    for (let step = 0; step < STEPS; step += 1) {
      const [phone, act] = [dice.of(phones), dice.isOneIn(2) ? acts[0] : dice.of(acts)];
      if (phone && act) await act(phone);
    }
    for (const { page, line } of phones) {
      line.spoil(undefined);
      line.setDown(false);
      // The last word on both phones, after all that was broken.
      await page.getByRole('button', { name: /Bread/ }).first().waitFor();
    }
    for (const { page } of phones) await untilSaid(page, 'Saved');
    await expect
      .poll(async () => (await itemsOf(ann, list))['Milk']?.actualquantity, { message: `seed ${seed}` })
      .toBe(pressed);
    for (const { page } of phones) await untilAmount(page, 'Milk', `${pressed}/50`);
  });
});
