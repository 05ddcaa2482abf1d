import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { NO_ANSWER_MESSAGE } from '#platform/contract/command.ts';
import { findBarriersInBoth } from '#testing/kits/browser/axe.ts';
import { waitForIdle, type OpenPageOptions } from '#testing/kits/browser/browser.ts';
import { reusePage } from '#testing/kits/browser/reusePage.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { startDevice } from '#testing/kits/desktop/device.ts';
import { historyretention, keyboardinput, remotehistory } from '../../contract.ts';

const site = startTestSite({ rateLimits: false });
const PASSWORD = 'Tr0ub4dor&3';
let people = 0;

/** A user with a connected computer, and its dashboard. */
const atWork = async (options: OpenPageOptions = {}) => {
  const account = await site.server.createAccount(`private ${++people}`);
  const device = await startDevice(site.server, account);
  const page = await reusePage(site, account, '/dashboard', { hasLine: true, ...options });
  await page.getByRole('button', { name: /Connected device.*Laptop/ }).waitFor();
  return { account, device, page, [Symbol.asyncDispose]: () => device[Symbol.asyncDispose]() };
};

const field = (page: Page) => page.getByRole('textbox', { name: 'Text to send' });
const dontKeep = (page: Page) => page.getByRole('button', { name: "Don't store in history" });
const log = (page: Page) => page.getByRole('log');
const lineWith = (page: Page, text: string) => log(page).getByRole('button').filter({ hasText: text });
const notice = (page: Page, text: string) => page.getByRole('alert').filter({ hasText: text });
const pressed = (page: Page) => dontKeep(page).getAttribute('aria-pressed');
const send = async (page: Page, text: string): Promise<void> => {
  await field(page).fill(text);
  await field(page).press('Enter');
};
/** Everything that the browser stores for the site, and everything that the page shows. */
const storedAndShown = (page: Page) =>
  page.evaluate(() =>
    JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage), document.body.innerText]),
  );

describe.skipIf(site.skipReason)(`what the dashboard keeps (${site.skipReason ?? 'in Chromium'})`, () => {
  test('shows that it is offline, keeps the text, and sends nothing later automatically', async () => {
    await using work = await atWork({ expects: /ERR_INTERNET_DISCONNECTED|WebSocket/ });
    // Requests that are still running would be lost with the connection.
    await waitForIdle(work.page);
    await work.page.context().setOffline(true);
    await field(work.page).fill('not later');
    await field(work.page).press('Enter');
    await notice(work.page, 'The server cannot be reached').waitFor();
    await expect.poll(() => field(work.page).inputValue()).toBe('not later');
    await work.page.getByText(/^Offline/).waitFor();
    // Shown once, however many places could show it.
    expect(await work.page.getByText('The server cannot be reached').count()).toBe(1);
    const unsent = lineWith(work.page, 'not later');
    await unsent.getByText('Not sent', { exact: true }).waitFor();
    await unsent.getByText('Send again').waitFor();
    await work.page.context().setOffline(false);
    await work.page.getByText(/^Offline/).waitFor({ state: 'detached' });
    await notice(work.page, 'The server cannot be reached').waitFor({ state: 'detached' });
    expect(work.device.drivers.listTypedTexts()).toEqual([]);
    await unsent.click();
    await lineWith(work.page, 'not later').getByText('ok', { exact: true }).waitFor();
    // The same message: it appears once, and its text leaves the field.
    expect(await lineWith(work.page, 'not later').count()).toBe(1);
    await expect.poll(() => field(work.page).inputValue()).toBe('');
    await field(work.page).fill('now');
    await field(work.page).press('Enter');
    await lineWith(work.page, 'now').getByText('ok', { exact: true }).waitFor();
    expect(work.device.drivers.listTypedTexts()).toEqual(['not later', 'now']);
  });

  test('while a password field has the focus there, it suggests not to keep the next message', async () => {
    await using work = await atWork();
    const { page, device, account } = work;
    const offer = page.getByRole('button', { name: "Don't store the next message" });
    expect(await offer.count()).toBe(0);
    device.drivers.focusPassword(true);
    await page.getByRole('status').filter({ hasText: 'A password field is active on Laptop' }).waitFor();
    expect(await findBarriersInBoth(page)).toEqual([]);
    await offer.click();
    await offer.waitFor({ state: 'detached' });
    await send(page, PASSWORD);
    await expect.poll(() => device.drivers.listTypedTexts()).toEqual([PASSWORD]);
    // It suggests the same for the next message.
    await offer.waitFor();
    expect((await account.call(remotehistory, { target: device.target })).history[0]).toMatchObject({ kept: false });
    device.drivers.focusPassword(false);
    await offer.waitFor({ state: 'detached' });
  });

  test('a message that is not kept is typed, stays in the field until then, and leaves a line without its text', async () => {
    await using work = await atWork();
    const { page, device, account } = work;
    device.drivers.behave({ gone: 'There is no screen here' });
    await dontKeep(page).click();
    await send(page, PASSWORD);
    await page.getByRole('alert').filter({ hasText: 'There is no screen here' }).waitFor();
    expect([await field(page).inputValue(), await pressed(page)]).toEqual([PASSWORD, 'true']);
    device.drivers.behave({ slowMs: 1500 });
    await field(page).press('Enter');
    await field(page).press('Enter');
    await log(page).getByText('Sending').waitFor();
    expect(await field(page).inputValue()).toBe(PASSWORD);
    await expect.poll(() => field(page).inputValue()).toBe('');
    expect(await pressed(page)).toBe('false');
    expect(device.drivers.listTypedTexts()).toEqual([PASSWORD]);
    await expect.poll(() => log(page).getByText('Not in history').count()).toBe(2);
    expect(await storedAndShown(page)).not.toContain(PASSWORD);
    device.drivers.behave({ slowMs: 0 });
    // The choice was only for that message, and Up restores only stored texts.
    await send(page, 'plain');
    await log(page).getByRole('button').filter({ hasText: 'plain' }).getByText('ok', { exact: true }).waitFor();
    await dontKeep(page).click();
    await send(page, PASSWORD);
    await expect.poll(() => field(page).inputValue()).toBe('');
    await field(page).press('ArrowUp');
    expect(await field(page).inputValue()).toBe('plain');
    await field(page).fill('');
    await page.reload();
    await expect.poll(() => log(page).getByText('Not in history').count()).toBe(3);
    const { history } = await account.call(remotehistory, { target: device.target });
    expect(history.map(({ inputValue }) => inputValue)).toEqual(['', '', 'plain', '']);
    expect(await findBarriersInBoth(page)).toEqual([]);
  });

  test('a message is deleted, and then all, on every page of the account', async () => {
    await using work = await atWork();
    const { page, device, account } = work;
    const other = await reusePage(site, account, '/dashboard', { hasLine: true });
    for (const text of ['first', PASSWORD, 'last']) {
      await send(page, text);
      await log(other).getByRole('button').filter({ hasText: text }).getByText('ok', { exact: true }).waitFor();
    }
    const line = log(other).getByRole('button').filter({ hasText: PASSWORD });
    await line.hover();
    await line.locator('..').getByRole('button', { name: 'Delete message' }).click();
    await other.getByRole('button', { name: 'Cancel' }).click();
    expect(await line.count()).toBe(1);
    await line.locator('..').getByRole('button', { name: 'Delete message' }).click();
    await other.getByRole('button', { name: 'Delete', exact: true }).click();
    for (const each of [page, other]) await expect.poll(() => log(each).getByText(PASSWORD).count()).toBe(0);
    expect(await log(page).getByText('first').count()).toBe(1);
    await page.getByRole('button', { name: 'History', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Clear history' }).click();
    await page.getByRole('button', { name: 'Delete all' }).click();
    for (const each of [page, other]) await each.getByText('Text that you send to Laptop appears here').waitFor();
    expect(await account.call(remotehistory, { target: device.target })).toEqual({ history: [] });
  });

  test('lines that only this page has are removed with what is deleted', async () => {
    await using work = await atWork();
    const { page, device, account } = work;
    const timesSent = async () =>
      (await account.call(remotehistory, { target: device.target })).history.map(({ timesent }) => timesent);
    const line = log(page).getByRole('button').filter({ hasText: 'again' });
    device.drivers.behave({ gone: NO_ANSWER_MESSAGE });
    await send(page, 'again');
    await expect.poll(() => field(page).inputValue()).toBe('again');
    const [first] = await timesSent();
    await line.hover();
    await line.locator('..').getByRole('button', { name: 'Delete message' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await expect.poll(() => line.count()).toBe(0);
    // After the deletion, sending it again is a new message.
    device.drivers.behave('well');
    await field(page).press('Enter');
    await line.getByText('ok', { exact: true }).waitFor();
    const [second] = await timesSent();
    expect(second).not.toBe(first);
    // Refused before it was stored, so no other page has this line.
    await page.route('**/api/keyboardinput', (route) => route.fulfill({ json: { message: 'Not now' } }));
    await send(page, 'of this page');
    await log(page).getByText('Not now').waitFor();
    await page.getByRole('button', { name: 'History', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Clear history' }).click();
    await page.getByText('Your conversation under Messages is not deleted').waitFor();
    await page.getByRole('button', { name: 'Delete all' }).click();
    await page.getByText('Text that you send to Laptop appears here').waitFor();
  });

  test('the browser stores not to keep messages, and the account how long texts are stored', async () => {
    await using work = await atWork();
    const { page, device, account } = work;
    await page.getByRole('button', { name: 'History', exact: true }).click();
    await page.getByRole('menuitem', { name: /Don't store/ }).click();
    await expect.poll(() => pressed(page)).toBe('true');
    await page.reload();
    await expect.poll(() => pressed(page)).toBe('true');
    await page.getByRole('button', { name: /Connected device.*Laptop/ }).waitFor();
    await send(page, PASSWORD);
    await log(page).getByText('Not in history').waitFor();
    await page.getByRole('button', { name: 'History', exact: true }).click();
    await page.getByRole('menuitem', { name: 'A week' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await account.call(historyretention, {})).toEqual({ period: 'forever' });
    await page.getByRole('button', { name: 'History', exact: true }).click();
    await page.getByRole('menuitem', { name: 'A week' }).click();
    await page.getByRole('button', { name: 'Delete older messages' }).click();
    await expect.poll(() => account.call(historyretention, {})).toEqual({ period: 'week' });
    expect((await account.call(remotehistory, { target: device.target })).history).toHaveLength(1);
  });

  test('lines are in the order in which the server received them, with the time at which they were sent', async () => {
    await using work = await atWork();
    const { page, device, account } = work;
    const now = Date.now() / 1000;
    const ahead = [now + 86_400, now - 86_400, 1e300, now].entries();
    for (const [at, timesent] of ahead)
      await account.call(keyboardinput, {
        content: { inputtype: 1, inputValue: `line ${at}`, target: device.target, timesent },
      });
    await send(page, 'line 4');
    const texts = async () => (await log(page).innerText()).match(/line \d/g);
    await expect.poll(texts).toEqual([0, 1, 2, 3, 4].map((at) => `line ${at}`));
    await page.reload();
    await expect.poll(texts).toEqual([0, 1, 2, 3, 4].map((at) => `line ${at}`));
    expect((await log(page).innerText()).match(/\d\d-\d\d-\d{4}, \d\d:\d\d/g)).toHaveLength(2);
    expect(await log(page).getByText('Today').count()).toBe(1);
  });

  test('a late result corrects the outcome, and the text sent again is not typed twice', async () => {
    await using work = await atWork();
    const getLine = (text: string) => log(work.page).getByRole('button').filter({ hasText: text });
    work.device.drivers.behave({ slowMs: 6500 });
    await field(work.page).fill('late');
    await field(work.page).press('Enter');
    await work.page.getByRole('alert').filter({ hasText: 'device did not answer' }).waitFor();
    await getLine('late').getByText('device did not answer').waitFor();
    await expect.poll(() => field(work.page).inputValue()).toBe('late');
    await getLine('late').getByText('ok', { exact: true }).waitFor();
    work.device.drivers.behave('well');
    await field(work.page).press('Enter');
    await expect.poll(() => field(work.page).inputValue()).toBe('');
    await field(work.page).fill('behind it');
    await field(work.page).press('Enter');
    await getLine('behind it').getByText('ok', { exact: true }).waitFor();
    expect(work.device.drivers.listTypedTexts()).toEqual(['late', 'behind it']);
    expect(await getLine('late').count()).toBe(1);
  });
});
