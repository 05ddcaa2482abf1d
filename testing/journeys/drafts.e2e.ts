import type { BrowserContext, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { openLoggedIn, openConnected } from '#testing/kits/browser/openLoggedIn.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { startDevice } from '#testing/kits/desktop/device.ts';
import { getNameField } from '#testing/kits/planning/editor.ts';
import type { TestAccount } from '#testing/kits/server/server.ts';
import { checkaccounts, endsessions } from '#tools/accounts/contract.ts';

const site = startTestSite({ rateLimits: false });

async function logIn(page: Page, { name, password }: TestAccount): Promise<void> {
  await page.getByLabel('Username').fill(name);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Go', exact: true }).click();
}
async function endAll(account: TestAccount): Promise<void> {
  const { sessions } = await account.call(checkaccounts, {});
  await account.call(endsessions, { ids: sessions.map(({ id }) => id) });
}
async function signInElsewhere(context: BrowserContext, { token }: TestAccount): Promise<void> {
  const all = await context.cookies();
  const cookie = all.find(({ name }) => name === 'usertoken');
  if (cookie) await context.addCookies([{ ...cookie, value: token }]);
}
const field = (page: Page) => page.getByRole('textbox', { name: 'Text to send' });

describe.skipIf(site.skipReason)(`typed text (${site.skipReason ?? 'in Chromium'})`, () => {
  test('on the dashboard is restored after its session was ended elsewhere, for the same account only', async () => {
    const [anna, ben] = [await site.server.createAccount('anna'), await site.server.createAccount('ben')];
    const page = await openConnected(site, anna, '/dashboard', { expects: /WebSocket/ });
    await page.getByText('anna').first().waitFor();
    await field(page).fill('half a thought');
    await endAll(anna);
    await page.waitForURL('**/login');
    // It also survives a reload.
    await page.reload();
    await logIn(page, ben);
    await page.waitForURL('**/dashboard');
    await field(page).waitFor();
    expect(await field(page).inputValue()).toBe('');
    await field(page).fill('of Ben');
    await endAll(ben);
    await page.waitForURL('**/login');
    await logIn(page, anna);
    await page.waitForURL('**/dashboard');
    await expect.poll(() => field(page).inputValue()).toBe('half a thought');
  });

  test('and marked as not to be stored is never stored, and restored in the page after the login', async () => {
    const account = await site.server.createAccount('cleo');
    const page = await openConnected(site, account, '/dashboard', { expects: /WebSocket/ });
    await page.getByText('cleo').first().waitFor();
    await page.getByRole('button', { name: "Don't store in history" }).click();
    await field(page).fill('Tr0ub4dor&3');
    await endAll(account);
    await page.waitForURL('**/login');
    const stored = () =>
      page.evaluate(() => JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)]));
    expect(await stored()).not.toContain('Tr0ub');
    await logIn(page, account);
    await page.waitForURL('**/dashboard');
    await expect.poll(() => field(page).inputValue()).toBe('Tr0ub4dor&3');
    expect(await stored()).not.toContain('Tr0ub');
    // The choice is restored with its text, also after another page in this tab.
    const dontKeep = page.getByRole('button', { name: "Don't store in history" });
    expect(await dontKeep.getAttribute('aria-pressed')).toBe('true');
    await page.getByRole('link', { name: 'Timer' }).first().click();
    await page.getByRole('heading', { name: 'Timer' }).waitFor();
    await page.goBack();
    await expect.poll(() => field(page).inputValue()).toBe('Tr0ub4dor&3');
    expect(await dontKeep.getAttribute('aria-pressed')).toBe('true');
  });

  test('in a tab of another account after a reload is not shown, and the page says whose it is', async () => {
    const [dora, emil] = [await site.server.createAccount('dora'), await site.server.createAccount('emil')];
    await using _laptop = await startDevice(site.server, dora);
    const notice = 'You are now logged in as emil. Before, this tab was logged in as dora';
    const texts = { messages: 'a draft of Dora', pastebin: 'a piece of Dora' };
    const page = await openLoggedIn(site, dora, '/messages', { expects: /WebSocket/ });
    await page
      .getByText('Choose a device')
      .or(page.getByRole('textbox', { name: /^Message/ }))
      .first()
      .waitFor();
    const message = page.getByRole('textbox', { name: /Message|Text/ }).first();
    await message.fill(texts.messages);
    await page.reload();
    await expect.poll(() => message.inputValue()).toBe(texts.messages);
    expect(await page.getByText('You are now logged in').count()).toBe(0);
    await page.goto('/pastebin');
    const area = page.getByRole('textbox', { name: 'Text', exact: true });
    await area.fill(texts.pastebin);
    await page.waitForTimeout(400);

    await signInElsewhere(page.context(), emil);
    await page.reload();
    await page.getByText(notice).waitFor();
    await expect.poll(() => area.inputValue()).toBe('');
    // Shown once: the tab belongs to Emil from now on.
    await page.goto('/messages');
    await message.waitFor();
    expect(await page.getByText(notice).count()).toBe(0);
    expect(await message.inputValue()).toBe('');

    await signInElsewhere(page.context(), dora);
    await page.goto('/pastebin');
    await page.getByText('You are now logged in as dora').waitFor();
    await expect.poll(() => area.inputValue()).toBe(texts.pastebin);
    await page.goto('/messages');
    await expect.poll(() => message.inputValue()).toBe(texts.messages);
  });

  test('is counted before logging out deletes it, and removed from this browser afterwards', async () => {
    const account = await site.server.createAccount('fay');
    await using _laptop = await startDevice(site.server, account, { name: 'Laptop' });
    const page = await openLoggedIn(site, account, '/calendar?view=event&new=2026-12-24', { expects: /status of 500/ });
    await getNameField(page).fill('an idea of Fay');
    await page.route('**/api/sendmessage', (route) =>
      route.fulfill({ status: 500, contentType: 'application/json', body: '{"message":"server error"}' }),
    );
    await page.goto('/messages');
    await page.getByRole('textbox', { name: 'Message to Laptop' }).fill('a message of Fay');
    await page.keyboard.press('Enter');
    await page.getByText('Not sent: server error').waitFor();
    const stored = () =>
      page.evaluate(() => JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)]));
    expect(await stored()).toMatch(/of Fay.*of Fay/);
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await page.getByText('2 changes are not on the server yet').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Log out' }).click();
    await page.waitForURL('**/login');
    await expect.poll(stored).not.toContain('of Fay');
  });
});
