import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { createFakeDrivers } from '#platform/agent/drivers/fakeDrivers.ts';
import type { OpenPageOptions } from '#testing/kits/browser/browser.ts';
import { reusePage } from '#testing/kits/browser/reusePage.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { startDesktop } from '#testing/kits/desktop/desktop.ts';
import { startDevice } from '#testing/kits/desktop/device.ts';
import { startNotificationService } from '#testing/kits/desktop/dunst.ts';
import type { TestAccount } from '#testing/kits/server/server.ts';
import { getSkipReason } from '#testing/machine.ts';
import { sendText } from '../../../apps/agent/run.ts';

const site = startTestSite({ rateLimits: false });

/** The screen with the open conversation with the computer. */
async function openWithComputer(account: TestAccount, name: string, options?: OpenPageOptions): Promise<Page> {
  const page = await reusePage(site, account, '/messages', options);
  await page.getByRole('complementary', { name: 'Devices' }).getByRole('button', { name }).click();
  return page;
}
const bubble = (page: Page, text: string) => page.getByRole('log').getByRole('article').filter({ hasText: text });
const openClipboard = (page: Page) => page.getByRole('button', { name: 'Clipboard', exact: true }).click();
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

describe.skipIf(site.skipReason)(`the clipboard on the messages screen (${site.skipReason ?? 'in Chromium'})`, () => {
  test('is transferred to the computer and back', async () => {
    const account = await site.createPerson();
    await using device = await startDevice(site.server, account);
    const page = await openWithComputer(account, 'Laptop');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await openClipboard(page);
    await page.evaluate(() => navigator.clipboard.writeText('Grüße <b>👋</b>'));
    await button(page, 'Send clipboard').click();
    await page.getByText('Sent to the clipboard of Laptop').first().waitFor();
    expect(device.drivers.actions).toContainEqual({ kind: 'copy', text: 'Grüße <b>👋</b>' });
    device.drivers.copy('from <i>there</i>');
    await button(page, 'Fetch clipboard').click();
    await page.getByText('from <i>there</i>', { exact: true }).waitFor();
    await button(page, 'Copy text').click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('from <i>there</i>');
  });

  test('is pasted by hand if the browser does not let it be read', async () => {
    const account = await site.createPerson();
    await using device = await startDevice(site.server, account);
    const page = await openWithComputer(account, 'Laptop', { plainHttp: true, size: 'phone' });
    await openClipboard(page);
    await button(page, 'Send clipboard').tap();
    const paste = page.getByRole('textbox', { name: 'Text for the clipboard of Laptop' });
    await button(page, 'Send text').tap();
    await page.getByRole('alert').filter({ hasText: 'No text to send' }).waitFor();
    await paste.fill('by hand');
    await button(page, 'Send text').tap();
    await paste.waitFor({ state: 'detached' });
    expect(device.drivers.actions).toContainEqual({ kind: 'copy', text: 'by hand' });
  });

  test('is disabled, with the reason, if the computer does not allow it', async () => {
    const account = await site.createPerson();
    await using _device = await startDevice(site.server, account, { allow: { clipboard: false } });
    const page = await openWithComputer(account, 'Laptop');
    await openClipboard(page);
    await page.getByText(/turned off on that computer/i).waitFor();
    await expect.poll(() => button(page, 'Send clipboard').isDisabled()).toBe(true);
    await expect.poll(() => button(page, 'Fetch clipboard').isDisabled()).toBe(true);
  });
});

const skipReason = site.skipReason ?? getSkipReason('Xvfb', 'openbox', 'dunst', 'dbus-run-session');

describe.skipIf(skipReason)(`messages on a computer’s desktop (${skipReason ?? 'with dunst'})`, () => {
  test('a message written in the browser is a notification there, and the terminal’s answer appears in the open page', async () => {
    await using desk = await startDesktop();
    await using dunst = await startNotificationService(desk.env);
    const { notifications } = dunst;
    const account = await site.createPerson();
    const drivers = { ...createFakeDrivers(), notifications };
    await using device = await startDevice(site.server, account, { name: 'workstation', drivers });
    const page = await openWithComputer(account, 'workstation');
    await page.getByRole('textbox', { name: 'Message to workstation' }).fill('Tea & <i>biscuits</i> 👋');
    await page.keyboard.press('Enter');
    await dunst.waitForNotification(/Tea (&|&amp;) (<|&lt;)i/);
    expect(dunst.lines.join('\n')).toContain('Chromium on Linux');
    await sendText(device.agent.call, 'coming <b>down</b>');
    await bubble(page, 'coming <b>down</b>').getByText('workstation').waitFor();
  });
});
