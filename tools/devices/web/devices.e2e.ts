import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findBarriersInBoth } from '#testing/kits/browser/axe.ts';
import type { OpenPageOptions } from '#testing/kits/browser/browser.ts';
import { pressCopy, pressAndConfirm } from '#testing/kits/browser/browser.ts';
import { reusePage } from '#testing/kits/browser/reusePage.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { startDevice } from '#testing/kits/desktop/device.ts';
import type { TestAccount } from '#testing/kits/server/server.ts';
import { devicedetails, pairdevice, requestpairing } from '../contract.ts';

const site = startTestSite({ rateLimits: false, addresses: () => ['http://192.168.1.20:8300'] });

const openSettings = (account: TestAccount, options?: OpenPageOptions): Promise<Page> =>
  reusePage(site, account, '/dashboard/settings?tab=devices', options);
const requestCode = async (name: string): Promise<string> =>
  (await site.server.call(requestpairing, { name, system: 'Debian 12, X11' })).code;
const listNames = async (account: TestAccount): Promise<readonly string[]> =>
  (await account.call(devicedetails, {})).devices.map(({ name }) => name);

describe.skipIf(site.skipReason)(`devices settings (${site.skipReason ?? 'in Chromium'})`, () => {
  test('show a computer with state, system and abilities, and reasons for missing ones', async () => {
    const account = await site.createPerson();
    await using device = await startDevice(site.server, account, { name: 'workstation', allow: { scripts: false } });
    const page = await openSettings(account);
    const row = page.getByRole('article', { name: device.name });
    await row.getByText('Connected', { exact: true }).waitFor();
    await row.getByText(/^Fake computer, agent/).waitFor();
    await row.getByText(/Scripts:.*Turned off on that computer/).waitFor();
    expect(
      await row
        .getByRole('listitem')
        .filter({ hasText: /^Typing/ })
        .innerText(),
    ).toContain('on');
  });

  test('show immediately that a computer disconnected', async () => {
    const account = await site.createPerson();
    const device = await startDevice(site.server, account, { name: 'workstation' });
    const page = await openSettings(account);
    const row = page.getByRole('article', { name: 'workstation' });
    await row.getByText('Connected', { exact: true }).waitFor();
    await device[Symbol.asyncDispose]();
    await row.getByText(/^(Reconnecting|Disconnected)$/).waitFor();
  });

  test('rename a computer, and explain why a name is refused', async () => {
    const account = await site.createPerson();
    await using device = await startDevice(site.server, account, { name: 'workstation' });
    const page = await openSettings(account);
    await page.getByRole('button', { name: `Rename ${device.name}` }).click();
    await page.getByRole('textbox', { name: 'New name for workstation' }).fill('media box');
    await page.keyboard.press('Enter');
    await page.getByRole('article', { name: 'media box' }).waitFor();
    await page.getByRole('button', { name: 'Rename media box' }).click();
    await page.getByRole('textbox', { name: 'New name for media box' }).fill('   ');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    expect(await listNames(account)).toEqual(['media box']);
  });

  test('revoke a computer on the second click', async () => {
    const account = await site.createPerson();
    await using device = await startDevice(site.server, account, { name: 'workstation' });
    const page = await openSettings(account);
    await pressAndConfirm(
      page.getByRole('button', { name: 'Revoke workstation' }),
      page.getByRole('button', { name: 'Confirm Revoke', exact: true }),
      async () => {
        expect(await listNames(account)).toEqual(['workstation']);
      },
    );
    await page.getByRole('article', { name: 'workstation' }).waitFor({ state: 'detached' });
    await device.ended;
    expect(await listNames(account)).toEqual([]);
    await page.getByText('Your computers appear here').waitFor();
  });

  test('list browsers separately, rename and remove them', async () => {
    const account = await site.createPerson();
    const phone = await reusePage(site, account, '/messages', { size: 'phone' });
    await phone.getByText('No other devices yet').waitFor();
    const page = await openSettings(account);
    const row = page.getByRole('article', { name: 'Chromium on Linux' });
    await row.getByText('messages open now').waitFor();
    await row.getByRole('button', { name: 'Rename Chromium on Linux' }).click();
    await page.getByRole('textbox', { name: 'New name for Chromium on Linux' }).fill('phone');
    await page.keyboard.press('Enter');
    const renamed = page.getByRole('article', { name: 'phone' });
    await renamed.waitFor();
    await phone.goto('/dashboard/about');
    await renamed.getByText(/^(Reconnecting|Disconnected)$/).waitFor();
    await pressAndConfirm(
      renamed.getByRole('button', { name: 'Remove phone' }),
      page.getByRole('button', { name: 'Confirm Remove', exact: true }),
    );
    await renamed.waitFor({ state: 'detached' });
    expect(await listNames(account)).toEqual([]);
  });

  test('pair a computer by its code in any notation, and explain wrong codes', async () => {
    const account = await site.createPerson();
    const page = await openSettings(account);
    const field = page.getByRole('textbox', { name: 'Code' });
    const pairButton = page.getByRole('button', { name: 'Pair', exact: true });
    await pairButton.click();
    await page.getByText('Enter the code that the computer shows').waitFor();
    await field.fill('AAAAAAAA');
    await pairButton.click();
    await page.getByText('No computer shows this code').waitFor();
    // The wrong code is selected, so that the next one replaces it.
    await page.keyboard.type((await requestCode('laptop')).toLowerCase());
    await page.keyboard.press('Enter');
    await page.getByText('Paired laptop').waitFor();
    await page.getByRole('article', { name: 'laptop' }).waitFor();
    await expect.poll(() => field.inputValue()).toBe('');
  });

  test('show the command to run, also without npx, and a QR code for the phone', async () => {
    const page = await openSettings(await site.createPerson());
    const command = 'npx http://192.168.1.20:8300/agent.tgz pair http://192.168.1.20:8300';
    await page.getByText(command).waitFor();
    await page.getByText('Without npx').click();
    await page.getByText('node agent.mjs pair http://192.168.1.20:8300').waitFor();
    await page.getByRole('img', { name: 'QR code for http://192.168.1.20:8300/login' }).waitFor();
  });

  test('show the command for another system, and what it asks for', async () => {
    const page = await openSettings(await site.createPerson());
    await page.getByRole('button', { name: 'Linux', pressed: true }).waitFor();
    await page.getByText('GNOME on Wayland').waitFor();
    await page.getByRole('button', { name: 'Windows' }).click();
    await page.getByText('npx.cmd http://192.168.1.20:8300/agent.tgz pair http://192.168.1.20:8300').waitFor();
    await page.getByText('Run this in PowerShell as yourself').waitFor();
    await page.getByText('Without npx').click();
    await page.getByText('curl.exe -fO http://192.168.1.20:8300/agent.mjs').waitFor();
    await page.getByRole('button', { name: 'macOS' }).click();
    const expectations = page.getByRole('list', { name: 'What to expect' });
    expect(await expectations.innerText()).toMatch(/^Accessibility:[\s\S]*Screen Recording:[\s\S]*Not tried by us/);
  });

  test('give a reason that several abilities share once', async () => {
    const account = await site.createPerson();
    await using device = await startDevice(site.server, account, { name: 'workstation' });
    device.drivers.behave({ gone: 'No display was found' });
    device.agent.sendDescription();
    const page = await openSettings(account);
    const missing = page.getByRole('article', { name: 'workstation' }).getByRole('list', { name: "What it can't do" });
    await missing.getByText('Typing, Mouse, Sound, Screen time, Notifications, Clipboard, Recording:').waitFor();
    expect(await missing.getByRole('listitem').count()).toBe(1);
  });

  test('nothing is below the page', async () => {
    const page = await openSettings(await site.createPerson(), { size: 'phone' });
    await page.getByText('ActivityWatch').first().waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollHeight - window.innerHeight)).toBe(0);
  });

  test('copy the command, also over plain HTTP', async () => {
    const page = await openSettings(await site.createPerson(), {
      plainHttp: true,
      expects: /Cross-Origin-Opener-Policy/,
    });
    await pressCopy(page.getByRole('button', { name: 'Copy command' }));
    await page.getByRole('textbox', { name: 'Code' }).focus();
    await page.keyboard.press('Control+V');
    await expect.poll(() => page.getByRole('textbox', { name: 'Code' }).inputValue()).toMatch(/^NPX HTTP:\/\/PEGB/);
  });

  test('the pairing page notices a pairing in another page, and does not clear a typed code', async () => {
    const account = await site.createPerson();
    const page = await reusePage(site, account, '/dashboard/settings/pair');
    await page.getByText(`logged in as ${account.name}`).waitFor();
    const pairElsewhere = async (name: string) => account.call(pairdevice, { code: await requestCode(name) });
    await pairElsewhere('attic');
    await page.getByRole('heading', { name: 'attic is ready' }).waitFor();
    await page.getByRole('button', { name: 'Pair another computer' }).click();
    await page.getByRole('textbox', { name: 'Code' }).fill('AB');
    await pairElsewhere('cellar');
    await page.getByText('cellar is paired').waitFor();
    expect(await page.getByRole('textbox', { name: 'Code' }).inputValue()).toBe('AB');
    await page.getByRole('textbox', { name: 'Code' }).fill('');
    await page.getByRole('heading', { name: 'cellar is ready' }).waitFor();
  });

  test('the pairing page leads from the code to the dashboard', async () => {
    const account = await site.createPerson();
    const page = await reusePage(site, account, '/dashboard/settings/pair', { size: 'phone' });
    await page.getByRole('heading', { name: 'Pair your computer' }).waitFor();
    await page.getByText(`logged in as ${account.name}`).waitFor();
    await page.getByRole('textbox', { name: 'Code' }).fill(await requestCode('laptop'));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'laptop is ready' }).waitFor();
    // Its flags are unknown until it is connected.
    await page.getByText('--allow-scripts').waitFor();
    await page.getByText('The agent ends with its terminal').waitFor();
    await page.getByText(/agent\.tgz install$/).waitFor();
    await page.getByRole('link', { name: 'Open the dashboard' }).tap();
    await page.waitForURL('**/dashboard');
  });

  test.for(['wide', 'phone'] as const)('is accessible, %s, in both schemes', { tags: 'matrix' }, async (size) => {
    const account = await site.createPerson();
    await using device = await startDevice(site.server, account, { name: 'workstation', allow: { scripts: false } });
    const page = await openSettings(account, { size });
    await page.getByRole('article', { name: device.name }).waitFor();
    await page.getByRole('button', { name: 'Revoke workstation' }).click();
    expect(await findBarriersInBoth(page)).toEqual([]);
    await page.goto('/dashboard/settings/pair');
    await page.getByText(/logged in as/).waitFor();
    expect(await findBarriersInBoth(page)).toEqual([]);
  });
});
