import type { Locator } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findBarriers } from '#testing/kits/browser/axe.ts';
import { pressCopy, pressAndConfirm } from '#testing/kits/browser/browser.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { createEvent } from '#testing/kits/planning/calendar.ts';
import { openConnectDialog, openConnectDialogOn } from '#testing/kits/planning/connectDialog.ts';

const site = startTestSite({ rateLimits: false });

const readAddress = async (dialog: Locator): Promise<string> =>
  (await dialog.locator('code').first().innerText()).trim();

describe.skipIf(site.skipReason)(`the secret address (${site.skipReason ?? 'in Chromium'})`, () => {
  test('is created, copied, replaced and revoked', async () => {
    const account = await site.createPerson();
    await createEvent(account, { name: 'Dentist' });
    const { page, dialog } = await openConnectDialog(site, account);
    await dialog.getByText('Anyone with the address can read your calendar').waitFor();
    await dialog.getByRole('button', { name: 'Create address' }).click();
    await dialog.getByRole('img', { name: /^QR code for / }).waitFor();
    const first = await readAddress(dialog);
    expect(first).toMatch(/^http:\/\/[^/]+\/calendar\/feed\/[\w-]{43}\.ics$/);
    expect(await (await fetch(first)).text()).toContain('SUMMARY:Dentist\r\n');
    await pressCopy(dialog.getByRole('button', { name: 'Copy address' }));

    await pressAndConfirm(
      dialog.getByRole('button', { name: 'Replace address' }),
      dialog.getByRole('button', { name: 'Confirm Replace address' }),
    );
    await expect.poll(() => readAddress(dialog)).not.toBe(first);
    const second = await readAddress(dialog);
    expect([(await fetch(first)).status, (await fetch(second)).status]).toEqual([404, 200]);

    await page.reload();
    await openConnectDialogOn(page);
    await expect.poll(() => readAddress(dialog)).toBe(second);
    await pressAndConfirm(
      dialog.getByRole('button', { name: 'Remove address' }),
      dialog.getByRole('button', { name: 'Confirm Remove address' }),
    );
    await dialog.getByRole('button', { name: 'Create address' }).waitFor();
    expect((await fetch(second)).status).toBe(404);
  });

  for (const options of [
    { size: 'wide', scheme: 'light' },
    { size: 'wide', scheme: 'dark' },
    { size: 'phone', scheme: 'light' },
    { size: 'phone', scheme: 'dark' },
  ] as const)
    test(`an address has no barriers (${options.size}, ${options.scheme})`, { tags: 'matrix' }, async () => {
      const { page, dialog } = await openConnectDialog(site, await site.createPerson(), {
        ...options,
        plainHttp: options.size === 'phone',
      });
      await dialog.getByRole('button', { name: 'Create address' }).click();
      await dialog.getByRole('button', { name: 'Replace address' }).waitFor();
      expect(await findBarriers(page)).toEqual([]);
      expect(await dialog.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    });
});
