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

/** Opens the dashboard of a user with a connected computer. */
async function openWithComputer(options: OpenPageOptions = {}) {
  const account = await site.createPerson();
  const device = await startDevice(site.server, account);
  const page = await reusePage(site, account, '/dashboard', { waitsForConnection: true, ...options });
  await page.getByRole('button', { name: /Connected device.*Laptop/ }).waitFor();
  return { account, device, page, [Symbol.asyncDispose]: () => device[Symbol.asyncDispose]() };
}

const getField = (page: Page) => page.getByRole('textbox', { name: 'Text to send' });
const getStoreToggle = (page: Page) => page.getByRole('button', { name: "Don't store in history" });
const getLog = (page: Page) => page.getByRole('log');
const getLine = (page: Page, text: string) => getLog(page).getByRole('button').filter({ hasText: text });
const getNotice = (page: Page, text: string) => page.getByRole('alert').filter({ hasText: text });
const getToggleState = (page: Page) => getStoreToggle(page).getAttribute('aria-pressed');
async function sendText(page: Page, text: string): Promise<void> {
  await getField(page).fill(text);
  await getField(page).press('Enter');
}
/** Returns everything that the browser stores for the site, and everything that the page shows. */
const readStoredAndShown = (page: Page) =>
  page.evaluate(() =>
    JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage), document.body.innerText]),
  );

describe.skipIf(site.skipReason)(`privacy of the dashboard (${site.skipReason ?? 'in Chromium'})`, () => {
  test('an offline page says so, leaves the text in the field, and sends nothing later automatically', async () => {
    await using setup = await openWithComputer({ expects: /ERR_INTERNET_DISCONNECTED|WebSocket/ });
    // Requests that are still running would be lost with the connection.
    await waitForIdle(setup.page);
    await setup.page.context().setOffline(true);
    await getField(setup.page).fill('not later');
    await getField(setup.page).press('Enter');
    await getNotice(setup.page, 'The server cannot be reached').waitFor();
    await expect.poll(() => getField(setup.page).inputValue()).toBe('not later');
    await setup.page.getByText(/^Offline/).waitFor();
    // Shown once, however many places could show it.
    expect(await setup.page.getByText('The server cannot be reached').count()).toBe(1);
    const unsent = getLine(setup.page, 'not later');
    await unsent.getByText('Not sent', { exact: true }).waitFor();
    await unsent.getByText('Send again').waitFor();
    await setup.page.context().setOffline(false);
    await setup.page.getByText(/^Offline/).waitFor({ state: 'detached' });
    await getNotice(setup.page, 'The server cannot be reached').waitFor({ state: 'detached' });
    expect(setup.device.drivers.listTypedTexts()).toEqual([]);
    await unsent.click();
    await getLine(setup.page, 'not later').getByText('ok', { exact: true }).waitFor();
    // The same message: it appears once, and its text leaves the field.
    expect(await getLine(setup.page, 'not later').count()).toBe(1);
    await expect.poll(() => getField(setup.page).inputValue()).toBe('');
    await getField(setup.page).fill('now');
    await getField(setup.page).press('Enter');
    await getLine(setup.page, 'now').getByText('ok', { exact: true }).waitFor();
    expect(setup.device.drivers.listTypedTexts()).toEqual(['not later', 'now']);
  });

  test('while a password field has the focus on the computer, the page suggests not to store the next message', async () => {
    await using setup = await openWithComputer();
    const { page, device, account } = setup;
    const suggestion = page.getByRole('button', { name: "Don't store the next message" });
    expect(await suggestion.count()).toBe(0);
    device.drivers.focusPassword(true);
    await page.getByRole('status').filter({ hasText: 'A password field is active on Laptop' }).waitFor();
    expect(await findBarriersInBoth(page)).toEqual([]);
    await suggestion.click();
    await suggestion.waitFor({ state: 'detached' });
    await sendText(page, PASSWORD);
    await expect.poll(() => device.drivers.listTypedTexts()).toEqual([PASSWORD]);
    // It suggests the same for the next message.
    await suggestion.waitFor();
    expect((await account.call(remotehistory, { target: device.target })).history[0]).toMatchObject({ kept: false });
    device.drivers.focusPassword(false);
    await suggestion.waitFor({ state: 'detached' });
  });

  test('a message that must not be stored stays in the field until it is typed, and leaves a line without its text', async () => {
    await using setup = await openWithComputer();
    const { page, device, account } = setup;
    device.drivers.behave({ gone: 'There is no screen here' });
    await getStoreToggle(page).click();
    await sendText(page, PASSWORD);
    await page.getByRole('alert').filter({ hasText: 'There is no screen here' }).waitFor();
    expect([await getField(page).inputValue(), await getToggleState(page)]).toEqual([PASSWORD, 'true']);
    device.drivers.behave({ slowMs: 1500 });
    await getField(page).press('Enter');
    await getField(page).press('Enter');
    await getLog(page).getByText('Sending').waitFor();
    expect(await getField(page).inputValue()).toBe(PASSWORD);
    await expect.poll(() => getField(page).inputValue()).toBe('');
    expect(await getToggleState(page)).toBe('false');
    expect(device.drivers.listTypedTexts()).toEqual([PASSWORD]);
    await expect.poll(() => getLog(page).getByText('Not in history').count()).toBe(2);
    expect(await readStoredAndShown(page)).not.toContain(PASSWORD);
    device.drivers.behave({ slowMs: 0 });
    // The choice was only for that message, and Up restores only stored texts.
    await sendText(page, 'plain');
    await getLog(page).getByRole('button').filter({ hasText: 'plain' }).getByText('ok', { exact: true }).waitFor();
    await getStoreToggle(page).click();
    await sendText(page, PASSWORD);
    await expect.poll(() => getField(page).inputValue()).toBe('');
    await getField(page).press('ArrowUp');
    expect(await getField(page).inputValue()).toBe('plain');
    await getField(page).fill('');
    await page.reload();
    await expect.poll(() => getLog(page).getByText('Not in history').count()).toBe(3);
    const { history } = await account.call(remotehistory, { target: device.target });
    expect(history.map(({ inputValue }) => inputValue)).toEqual(['', '', 'plain', '']);
    expect(await findBarriersInBoth(page)).toEqual([]);
  });

  test('a message is deleted, and then all, on every page of the account', async () => {
    await using setup = await openWithComputer();
    const { page, device, account } = setup;
    const other = await reusePage(site, account, '/dashboard', { waitsForConnection: true });
    for (const text of ['first', PASSWORD, 'last']) {
      await sendText(page, text);
      await getLog(other).getByRole('button').filter({ hasText: text }).getByText('ok', { exact: true }).waitFor();
    }
    const line = getLog(other).getByRole('button').filter({ hasText: PASSWORD });
    await line.hover();
    await line.locator('..').getByRole('button', { name: 'Delete message' }).click();
    await other.getByRole('button', { name: 'Cancel' }).click();
    expect(await line.count()).toBe(1);
    await line.locator('..').getByRole('button', { name: 'Delete message' }).click();
    await other.getByRole('button', { name: 'Delete', exact: true }).click();
    for (const each of [page, other]) await expect.poll(() => getLog(each).getByText(PASSWORD).count()).toBe(0);
    expect(await getLog(page).getByText('first').count()).toBe(1);
    await page.getByRole('button', { name: 'History', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Clear history' }).click();
    await page.getByRole('button', { name: 'Delete all' }).click();
    for (const each of [page, other]) await each.getByText('Text that you send to Laptop appears here').waitFor();
    expect(await account.call(remotehistory, { target: device.target })).toEqual({ history: [] });
  });

  test('deleting also removes lines that only this page has', async () => {
    await using setup = await openWithComputer();
    const { page, device, account } = setup;
    const listTimesSent = async () =>
      (await account.call(remotehistory, { target: device.target })).history.map(({ timesent }) => timesent);
    const line = getLog(page).getByRole('button').filter({ hasText: 'again' });
    device.drivers.behave({ gone: NO_ANSWER_MESSAGE });
    await sendText(page, 'again');
    await expect.poll(() => getField(page).inputValue()).toBe('again');
    const [first] = await listTimesSent();
    await line.hover();
    await line.locator('..').getByRole('button', { name: 'Delete message' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await expect.poll(() => line.count()).toBe(0);
    // After the deletion, sending it again is a new message.
    device.drivers.behave('well');
    await getField(page).press('Enter');
    await line.getByText('ok', { exact: true }).waitFor();
    const [second] = await listTimesSent();
    expect(second).not.toBe(first);
    // Refused before it was stored, so no other page has this line.
    await page.route('**/api/keyboardinput', (route) => route.fulfill({ json: { message: 'Not now' } }));
    await sendText(page, 'of this page');
    await getLog(page).getByText('Not now').waitFor();
    await page.getByRole('button', { name: 'History', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Clear history' }).click();
    await page.getByText('Your conversation under Messages is not deleted').waitFor();
    await page.getByRole('button', { name: 'Delete all' }).click();
    await page.getByText('Text that you send to Laptop appears here').waitFor();
  });

  test('the browser stores whether messages are stored, and the account stores for how long', async () => {
    await using setup = await openWithComputer();
    const { page, device, account } = setup;
    await page.getByRole('button', { name: 'History', exact: true }).click();
    await page.getByRole('menuitem', { name: /Don't store/ }).click();
    await expect.poll(() => getToggleState(page)).toBe('true');
    await page.reload();
    await expect.poll(() => getToggleState(page)).toBe('true');
    await page.getByRole('button', { name: /Connected device.*Laptop/ }).waitFor();
    await sendText(page, PASSWORD);
    await getLog(page).getByText('Not in history').waitFor();
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
    await using setup = await openWithComputer();
    const { page, device, account } = setup;
    const now = Date.now() / 1000;
    const times = [now + 86_400, now - 86_400, 1e300, now].entries();
    for (const [at, timesent] of times)
      await account.call(keyboardinput, {
        content: { inputtype: 1, inputValue: `line ${at}`, target: device.target, timesent },
      });
    await sendText(page, 'line 4');
    const listTexts = async () => (await getLog(page).innerText()).match(/line \d/g);
    await expect.poll(listTexts).toEqual([0, 1, 2, 3, 4].map((at) => `line ${at}`));
    await page.reload();
    await expect.poll(listTexts).toEqual([0, 1, 2, 3, 4].map((at) => `line ${at}`));
    expect((await getLog(page).innerText()).match(/\d [A-Z][a-z]{2} \d{4}, \d\d:\d\d/g)).toHaveLength(2);
    expect(await getLog(page).getByText('Today').count()).toBe(1);
  });

  test('a late result corrects the outcome, and the text sent again is not typed twice', async () => {
    await using setup = await openWithComputer();
    setup.device.drivers.behave({ slowMs: 6500 });
    await getField(setup.page).fill('late');
    await getField(setup.page).press('Enter');
    await setup.page.getByRole('alert').filter({ hasText: 'device did not answer' }).waitFor();
    await getLine(setup.page, 'late').getByText('device did not answer').waitFor();
    await expect.poll(() => getField(setup.page).inputValue()).toBe('late');
    await getLine(setup.page, 'late').getByText('ok', { exact: true }).waitFor();
    setup.device.drivers.behave('well');
    await getField(setup.page).press('Enter');
    await expect.poll(() => getField(setup.page).inputValue()).toBe('');
    await getField(setup.page).fill('behind it');
    await getField(setup.page).press('Enter');
    await getLine(setup.page, 'behind it').getByText('ok', { exact: true }).waitFor();
    expect(setup.device.drivers.listTypedTexts()).toEqual(['late', 'behind it']);
    expect(await getLine(setup.page, 'late').count()).toBe(1);
  });
});
