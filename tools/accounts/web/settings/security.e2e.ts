import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { DAY_MS } from '#platform/contract/duration.ts';
import { log } from '#platform/contract/session.ts';
import { findBarriersInBoth } from '#testing/kits/browser/axe.ts';
import type { OpenPageOptions } from '#testing/kits/browser/browser.ts';
import { avoidMidnight } from '#testing/kits/browser/midnight.ts';
import { openLoggedIn } from '#testing/kits/browser/openLoggedIn.ts';
import { reusePage } from '#testing/kits/browser/reusePage.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import type { TestAccount } from '#testing/kits/server/server.ts';
import { pairComputer } from '#testing/security/pairComputer.ts';
import { endsessions } from '../../contract.ts';

const site = startTestSite({
  disk: { read: async () => 1500 * 1024 ** 2, reserveBytes: 0 },
  backupIntervalMs: DAY_MS,
  backupCopyTo: { address: '/nowhere/pegboard' },
});
avoidMidnight();
let owner: TestAccount;

beforeAll(async () => {
  if (site.skipReason !== undefined) return;
  owner = await site.server.createAccount('owner');
  await fetch(`${site.server.origin}/api/serverinfo`, { headers: { 'x-forwarded-for': '203.0.113.9' } });
  await fetch(`${site.server.origin}/api/serverinfo`, { headers: { origin: 'https://elsewhere.example' } });
});

const openSettings = (account: TestAccount, options?: OpenPageOptions): Promise<Page> =>
  reusePage(site, account, '/dashboard/settings?tab=account', options);
/** Opens the settings with the session of the sign-up, because another login would be an event. */
const openSettingsWithoutLogin = (account: TestAccount): Promise<Page> =>
  openLoggedIn(site, account, '/dashboard/settings?tab=account');
async function logInWithWrongPassword({ name }: TestAccount): Promise<void> {
  await expect(site.server.call(log, { username: name, password: 'sesame sesame' })).rejects.toThrow('Wrong username');
}
/** Finds the card with a heading. */
const getCard = (page: Page, name: string) =>
  page.locator('section', { has: page.getByRole('heading', { name, exact: true, level: 2 }) }).last();

describe.skipIf(site.skipReason)(`security in the settings (${site.skipReason ?? 'in Chromium'})`, () => {
  test('users see their own security events, but not those of the server', async () => {
    const account = await site.createPerson();
    const page = await openSettingsWithoutLogin(account);
    await getCard(page, 'Security')
      .getByText('Wrong passwords, ended sessions and newly paired computers appear here')
      .waitFor();
    await logInWithWrongPassword(account);
    await logInWithWrongPassword(account);
    await pairComputer(site.server.origin, account, 'Desk');
    await getCard(page, 'Security').getByRole('button', { name: 'Reload' }).click();
    const eventLines = getCard(page, 'Security').getByRole('listitem');
    await expect.poll(() => eventLines.count()).toBe(2);
    await expect
      .poll(() => eventLines.first().innerText())
      .toMatch(/^Computer paired: Desk\s+today, \d\d:\d\d, 127\.0\.0\.1$/);
    await expect
      .poll(() => eventLines.last().innerText())
      .toMatch(/^Wrong password\s+2 times, last today, \d\d:\d\d, 127\.0\.0\.1$/);
    await expect.poll(() => page.getByRole('heading', { name: 'Server' }).count()).toBe(0);
  });

  test('the owner makes a backup with a button, and sees its size and that it was not copied', async () => {
    const page = await openSettings(owner);
    const card = getCard(page, 'Backups');
    await card.getByText('There is no backup yet').waitFor();
    await card.getByRole('button', { name: 'Back up now' }).click();
    await card.getByText(/^Made on request, \d+(\.\d+)? (KiB|MiB)$/).waitFor();
    expect(await card.getByRole('listitem').count()).toBe(1);
    await card.getByText('was not copied: The folder /nowhere/pegboard does not exist').waitFor();
    await card.getByText('There is no copy in /nowhere/pegboard yet').waitFor();
  });

  test('five events are shown, and all on request', async () => {
    const account = await site.createPerson();
    for (let at = 0; at < 7; at += 1) await pairComputer(site.server.origin, account, `Desk ${at}`);
    const page = await openSettingsWithoutLogin(account);
    const eventLines = getCard(page, 'Security').getByRole('listitem');
    await page.getByRole('button', { name: 'Show all 7' }).click();
    await expect.poll(() => eventLines.count()).toBe(7);
    await page.getByRole('button', { name: 'Show fewer' }).click();
    await expect.poll(() => eventLines.count()).toBe(5);
  });

  test('the owner sees the state and the security events of the server', async () => {
    const account = await site.createPerson();
    await logInWithWrongPassword(account);
    await logInWithWrongPassword({ ...account, name: 'nobody' });
    const page = await openSettings(owner);
    const state = getCard(page, 'Server');
    await state.getByText('Only 1500 MiB of disk space left').waitFor();
    await state.getByText('Forwarded headers from 127.0.0.1 are ignored').waitFor();
    await state.getByText(/^SQLite, \d/).waitFor();
    const events = getCard(page, 'Server security');
    await events.getByText('Login with an unknown username').waitFor();
    await events
      .getByRole('listitem')
      .filter({ hasText: account.name })
      .filter({ hasText: 'Wrong password' })
      .waitFor();
  });

  test.for(['wide', 'phone'] as const)(
    "the owner's page has no accessibility problems or overflows, %s, in both schemes",
    { tags: 'matrix' },
    async (size) => {
      const user = await site.createPerson();
      for (const account of [owner, user]) {
        await logInWithWrongPassword(account);
        await site.server.call(log, { username: account.name, password: account.password });
        await account.call(endsessions, {});
      }
      const page = await openSettings(owner, { size });
      await getCard(page, 'Server security').getByText(user.name).first().waitFor();
      await getCard(page, 'Security').getByText('Session ended').first().waitFor();
      await getCard(page, 'Server').getByText('Free disk space').waitFor();
      expect(await findBarriersInBoth(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    },
  );
});
