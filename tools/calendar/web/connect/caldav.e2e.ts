import { describe, expect, test } from 'vitest';
import { findBarriersInBoth } from '#testing/kits/browser/axe.ts';
import { type OpenPageOptions, pressCopy, waitForIdle } from '#testing/kits/browser/browser.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { openConnectDialog } from '#testing/kits/planning/connectDialog.ts';
import { formatBasicAuth } from '#testing/kits/planning/dav.ts';
import type { TestAccount } from '#testing/kits/server/server.ts';
import { apppasswords } from '#tools/accounts/contract.ts';

const site = startTestSite({ rateLimits: false });

async function open(options: OpenPageOptions = {}) {
  const account: TestAccount = await site.createPerson();
  const { page } = await openConnectDialog(site, account, options);
  return { account, page, part: page.getByRole('region', { name: 'Calendar account (CalDAV)' }) };
}

describe.skipIf(site.skipReason)(`the calendar account in the dialog (${site.skipReason ?? 'in Chromium'})`, () => {
  test('the shown data let a client in; steps of each program expand, and settings are one click away', async () => {
    const { account, page, part } = await open();
    const [address, username] = await part.locator('dd code').allInnerTexts();
    expect([address, username]).toEqual([`${site.server.origin}/dav/`, account.name]);
    await part.getByLabel('Phone or app').fill('Tablet');
    await page.keyboard.press('Enter');
    await part.getByText('App password for “Tablet”. It is shown only once, so copy it now').waitFor();
    const password = await part.getByRole('status').locator('code').innerText();
    const answer = await fetch(address ?? '', {
      method: 'PROPFIND',
      headers: { authorization: formatBasicAuth(username ?? '', password), depth: '0' },
    });
    expect(answer.status).toBe(207);
    await part.getByRole('button', { name: 'Create another' }).click();
    await part.getByText('App password for “Calendar”. It is shown only once, so copy it now').waitFor();
    expect((await account.call(apppasswords, {})).passwords.map(({ name }) => name)).toEqual(['Calendar', 'Tablet']);

    await part.getByText("A phone can't reach 127.0.0.1").waitFor();
    for (const name of ['iPhone and iPad', 'Android, with DAVx5', 'Thunderbird']) await part.getByText(name).click();
    await expect.poll(() => part.getByRole('listitem').count()).toBe(9);
    await part.getByRole('link', { name: 'settings' }).click();
    await page.getByRole('heading', { name: 'App passwords' }).waitFor();
  });

  test('over plain http a warning is shown, and copying still works', async () => {
    const { part } = await open({ plainHttp: true });
    expect(await part.getByText(/^A phone can't reach/).count()).toBe(0);
    await part.getByText('Over http, others on the network can read the app password').waitFor();
    await pressCopy(part.getByRole('button', { name: 'Copy the server address' }));
  });

  test.for(['wide', 'phone'] as const)(
    'has no barriers and does not overflow, %s, in both schemes',
    { tags: 'matrix' },
    async (size) => {
      const { page, part } = await open({ size });
      await part.getByRole('button', { name: 'Create app password' }).click();
      await part.getByRole('status').locator('code').waitFor();
      await part.getByText('Thunderbird').click();
      await part.getByText('Thunderbird').scrollIntoViewIfNeeded();
      await waitForIdle(page);
      expect(await findBarriersInBoth(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    },
  );
});
