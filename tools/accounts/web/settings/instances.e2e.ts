import { describe, expect, test } from 'vitest';
import { openLoggedIn } from '#testing/kits/browser/openLoggedIn.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';

const site = startTestSite({ isCluster: true });

describe.skipIf(site.skipReason)(`instances in the settings (${site.skipReason ?? 'in Chromium'})`, () => {
  test('the owner sees which instances run the server, and which of them runs the schedules', async () => {
    const owner = await site.server.createAccount('owner');
    const page = await openLoggedIn(site, owner, '/dashboard/settings?tab=account');
    const card = page.locator('section', { has: page.getByRole('heading', { name: 'Instances', level: 2 }) }).last();
    const lines = card.getByRole('listitem');
    await expect.poll(() => lines.count()).toBe(2);
    const texts = await lines.allInnerTexts();
    expect(texts.map((text) => text.split('\n')[0])).toEqual(['first', 'second']);
    expect(texts.filter((text) => text.includes('runs the schedules'))).toHaveLength(1);
    await card.scrollIntoViewIfNeeded();
  });
});
