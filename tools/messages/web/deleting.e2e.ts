import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findBarriersInBoth } from '#testing/kits/browser/axe.ts';
import { openConnected } from '#testing/kits/browser/openLoggedIn.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { startDevice } from '#testing/kits/desktop/device.ts';
import { messagesretention, retrievemessages, sendmessage } from '../contract.ts';

const site = startTestSite({ rateLimits: false });
const bubble = (page: Page, text: string) => page.getByRole('log').getByRole('article').filter({ hasText: text });

describe.skipIf(site.skipReason)(`deleting messages (${site.skipReason ?? 'in Chromium'})`, () => {
  test('one message, then a conversation, disappear from every page, also from one that was offline', async () => {
    const account = await site.server.createAccount('anna');
    await using laptop = await startDevice(site.server, account);
    const { target } = laptop;
    const now = Date.now() / 1000;
    // Senders’ clocks that are a day ahead or behind, or show an impossible time.
    for (const [at, timesent] of [now + 86_400, now - 86_400, 1e300, now].entries())
      await account.call(sendmessage, { inputtype: 1, inputValue: `text ${at}`, target, timesent });
    const page = await openConnected(site, account, `/messages?with=${target}`);
    const other = await openConnected(site, account, `/messages?with=${target}`, {
      expects: /ERR_INTERNET_DISCONNECTED|WebSocket/,
    });
    for (const each of [page, other]) await bubble(each, 'text 3').waitFor();
    expect((await page.getByRole('log').innerText()).match(/text \d/g)).toEqual([0, 1, 2, 3].map((at) => `text ${at}`));
    expect(await page.getByText('Today', { exact: true }).count()).toBe(1);
    expect(await findBarriersInBoth(page)).toEqual([]);

    await bubble(page, 'text 1').hover();
    await bubble(page, 'text 1').getByRole('button', { name: 'Delete message' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    for (const each of [page, other]) await bubble(each, 'text 1').waitFor({ state: 'detached' });
    expect((await account.call(retrievemessages, { target })).messages).toEqual(['text 0', 'text 2', 'text 3']);

    await other.context().setOffline(true);
    await page.getByRole('button', { name: 'Stored messages' }).click();
    await page.getByRole('menuitem', { name: 'Delete conversation' }).click();
    await page.getByRole('button', { name: 'Delete all' }).click();
    await page.getByText('No messages yet').waitFor();
    expect(await bubble(other, 'text 0').count()).toBe(1);
    await other.context().setOffline(false);
    await bubble(other, 'text 0').waitFor({ state: 'detached' });
    expect((await account.call(retrievemessages, { target })).messages).toEqual([]);

    await page.getByRole('button', { name: 'Stored messages' }).click();
    await page.getByRole('menuitem', { name: '30 days' }).click();
    await page.getByRole('button', { name: 'Delete older messages' }).click();
    await expect.poll(() => account.call(messagesretention, {})).toEqual({ period: 'month' });
  });
});
