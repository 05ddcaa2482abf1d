import { describe, expect, test } from 'vitest';
import { findBarriers } from '#testing/kits/browser/axe.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { buildSiteWithExample } from '#testing/kits/example/withExample.ts';

const site = startTestSite(buildSiteWithExample);

describe.skipIf(site.skipReason)(`the example page (${site.skipReason ?? 'in Chromium'})`, () => {
  test('a note that is added or deleted on one page changes the other page at once', async () => {
    const { token } = await site.server.createAccount('anna');
    const first = await site.browser.openPage(site.server.origin, '/example', { token });
    const second = await site.browser.openPage(site.server.origin, '/example', { token, size: 'phone' });
    for (const page of [first, second]) await page.getByText('Your notes appear here, on every device').waitFor();

    await first.getByLabel('New note').fill('<b>feed</b> the birds');
    await first.getByRole('button', { name: 'Add note' }).click();
    const note = second.getByRole('listitem').filter({ hasText: '<b>feed</b> the birds' });
    await note.waitFor();
    await expect.poll(() => first.getByLabel('New note').inputValue()).toBe('');
    for (const page of [first, second]) expect(await findBarriers(page)).toEqual([]);

    await note.getByRole('button', { name: 'Delete <b>feed</b> the birds' }).click();
    for (const page of [first, second]) await page.getByText('Your notes appear here, on every device').waitFor();
  });

  test('an empty note is refused with a notice', async () => {
    const { token } = await site.server.createAccount('ben');
    const page = await site.browser.openPage(site.server.origin, '/example', { token });
    await page.getByRole('button', { name: 'Add note' }).click();
    await page.getByText('There is no text to add. Enter some text first').waitFor();
  });
});
