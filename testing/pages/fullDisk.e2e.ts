import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { DISK_FULL_MESSAGE } from '#platform/server/storage/diskFullError.ts';
import { navigate } from '../kits/browser/browser.ts';
import { openLoggedIn } from '../kits/browser/openLoggedIn.ts';
import { startTestSite } from '../kits/browser/site.ts';
import { startDevice } from '../kits/desktop/device.ts';
import { createEditorKit, getButton, getNameField } from '../kits/planning/editor.ts';
import { createList, getItems, getPlusButton } from '../kits/planning/offlinePlanner.ts';
import { createManualTimers } from '../kits/server/manualTimers.ts';
import { TEST_PASSWORD } from '../kits/server/server.ts';

const PLENTY_BYTES = 10 * 1024 ** 3;
const timers = createManualTimers();
let freeBytes = PLENTY_BYTES;
const site = startTestSite({
  rateLimits: false,
  disk: { read: async () => freeBytes, reserveBytes: 1024, timers },
});
const EXPECTED = /status of 507/;
const editor = createEditorKit(site);

const waitForReserve = (): Promise<void> =>
  expect.poll(() => existsSync(join(site.server.dataDir, 'reserve'))).toBe(true);
const countLogged = (event: string): number => site.server.log.filter((line) => line.includes(`"${event}"`)).length;

/** Measures the disk, and waits until the server has noticed the change. */
async function setFreeBytes(bytes: number, event: string): Promise<void> {
  const countBefore = countLogged(event);
  freeBytes = bytes;
  timers.advance(30_000);
  await expect.poll(() => countLogged(event)).toBe(countBefore + 1);
}

/** Runs actions while the disk is full, as after a write that found no space. */
async function withFullDisk(actions: () => Promise<void>): Promise<void> {
  await waitForReserve();
  rmSync(join(site.server.dataDir, 'reserve'));
  await setFreeBytes(0, 'disk.full');
  try {
    await actions();
  } finally {
    await setFreeBytes(PLENTY_BYTES, 'disk.full.ended');
  }
}

const waitForSentence = (page: Page): Promise<void> => page.getByText(DISK_FULL_MESSAGE).first().waitFor();

describe.skipIf(site.skipReason)(
  `pages on a full disk${site.skipReason === undefined ? '' : `, ${site.skipReason}`}`,
  () => {
    beforeAll(() => site.server.createAccount('owner'));

    test('the pastebin says so, keeps the text, and stores it later', async () => {
      const account = await site.server.createAccount('paster');
      const page = await openLoggedIn(site, account, '/pastebin', { expects: EXPECTED });
      const text = page.getByRole('textbox', { name: 'Text', exact: true });
      await text.fill('not to be lost');
      await withFullDisk(async () => {
        await page.getByRole('button', { name: 'Submit' }).click();
        await waitForSentence(page);
        expect(await text.inputValue()).toBe('not to be lost');
      });
      await page.getByRole('button', { name: 'Submit' }).click();
      await page.getByRole('group', { name: 'Stored paste' }).waitFor();
    });

    test('the planner says so, keeps the change, and sends it later automatically', async () => {
      const account = await site.server.createAccount('shopper');
      const id = await createList(account, 'Groceries');
      const page = await openLoggedIn(site, account, `/shopplanner?list=${id}`, { expects: EXPECTED });
      await getPlusButton(page, 'Milk').waitFor();
      await withFullDisk(async () => {
        await getPlusButton(page, 'Milk').click();
        await waitForSentence(page);
        expect((await getItems(account, id))['Milk']?.actualquantity).toBe(0);
      });
      await expect.poll(async () => (await getItems(account, id))['Milk']?.actualquantity).toBe(1);
      await expect.poll(() => page.getByText(DISK_FULL_MESSAGE).count()).toBe(0);
    });

    test('messages say so, and keep the text', async () => {
      const account = await site.server.createAccount('writer');
      await using _ = await startDevice(site.server, account);
      const page = await openLoggedIn(site, account, '/messages', { expects: EXPECTED });
      await page.getByRole('complementary', { name: 'Devices' }).getByRole('button', { name: 'Laptop' }).click();
      const field = page.getByRole('textbox', { name: /^Message/ });
      await field.fill('still here');
      await withFullDisk(async () => {
        await field.press('Enter');
        await waitForSentence(page);
        expect(await page.locator('main').textContent()).toContain('still here');
      });
    });

    test('the event editor says so, keeps the event, and saves it later', async () => {
      const account = await editor.createPerson();
      const page = await editor.openNew(account, { expects: EXPECTED });
      await getNameField(page).fill('Dentist');
      await withFullDisk(async () => {
        await getButton(page, /^(Not saved|failed to save)$/).click();
        await waitForSentence(page);
        expect(await getNameField(page).inputValue()).toBe('Dentist');
      });
      await getButton(page, /^(Not saved|failed to save)$/).click();
      await getButton(page, 'Saved').waitFor();
    });

    test('a person logs in, and the owner reads what is wrong', async () => {
      await withFullDisk(async () => {
        const page = await site.browser.openPage(site.server.origin, '/login', { expects: EXPECTED });
        await page.getByLabel('Username').fill('owner');
        await page.getByLabel('Password', { exact: true }).fill(TEST_PASSWORD);
        await page.getByRole('button', { name: 'Go', exact: true }).click();
        await page.waitForURL('**/pagerouter');
        await navigate(page, '/dashboard/settings?tab=account');
        await page.getByText(/^The disk is full: only 0 MiB/).waitFor();
      });
    });
  },
);
