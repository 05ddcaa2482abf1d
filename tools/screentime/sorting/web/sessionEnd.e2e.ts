import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { INVALID_TOKEN_MESSAGE } from '#platform/contract/refusal.ts';
import { waitForIdle } from '#testing/kits/browser/browser.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import type { TestAccount } from '#testing/kits/server/server.ts';
import { pairUsageComputer } from '#testing/kits/usage/usedComputer.ts';
import { applicationcatinfo, modifyapplicationcatinfo } from '../../contract.ts';
import { UNASSIGNED } from '../../contract/limits.ts';

const site = startTestSite({ rateLimits: false });

/** Creates a user with firefox and obs, both unassigned, and the category media. */
async function createUser(name: string): Promise<TestAccount> {
  const account = await site.server.createAccount(name);
  const laptop = await pairUsageComputer(site.server, account, 'laptop');
  await laptop.reportUse(
    ['firefox', 'on', '2026-11-01T10:00Z', '2026-11-01T11:00Z'],
    ['obs', 'on', '2026-11-01T11:00Z', '2026-11-01T12:00Z'],
  );
  const keys = { media: { up: '', down: '', mute: '' } };
  await account.call(modifyapplicationcatinfo, { keys, cats: { media: [], [UNASSIGNED]: ['firefox', 'obs'] } });
  return account;
}
const listMedia = async (account: TestAccount) => (await account.call(applicationcatinfo, {})).data.cats['media'];

const chipIn = (page: Page, category: string, application: string): Locator =>
  page
    .getByRole('region', { name: category, exact: true })
    .getByRole('button', { name: `${application}, move`, exact: true });

async function logIn(page: Page, { name, password }: TestAccount): Promise<void> {
  await page.getByLabel('Username').fill(name);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.keyboard.press('Enter');
  await page.getByText(`User: ${name}`).waitFor();
}

/** Moves an application to media after the session has ended. */
async function moveAfterExpiry(page: Page, application: string): Promise<void> {
  await page.route('**/api/modifyapplicationcatinfo', (route) =>
    route.fulfill({ json: { message: INVALID_TOKEN_MESSAGE } }),
  );
  await chipIn(page, UNASSIGNED, application).click();
  await page.getByRole('option', { name: 'media' }).click();
  await page.getByText('Your last changes are not saved yet. Log in again to save them').waitFor();
  await page.unrouteAll({ behavior: 'wait' });
}

describe.skipIf(site.skipReason)(`/catsmmod as a session ends (${site.skipReason ?? 'in Chromium'})`, () => {
  test('moves are saved when the same user logs in again, and never shown to another', async () => {
    const [anna, bert] = [await createUser('anna'), await createUser('bert')];
    const page = await site.browser.openPage(site.server.origin, '/catsmmod');
    await logIn(page, anna);
    await moveAfterExpiry(page, 'obs');
    await logIn(page, anna);
    await chipIn(page, 'media', 'obs').waitFor();
    await expect.poll(() => listMedia(anna)).toEqual(['obs']);
    await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();

    await moveAfterExpiry(page, 'firefox');
    await logIn(page, bert);
    await chipIn(page, UNASSIGNED, 'firefox').waitFor();
    await waitForIdle(page);
    expect(await listMedia(bert)).toEqual([]);
    expect(await listMedia(anna)).toEqual(['obs']);
  });
});
