import { describe, expect, test } from 'vitest';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { openTimetable } from '#testing/kits/planning/timetable.ts';
import { pairUsageComputer } from '#testing/kits/usage/usedComputer.ts';

const site = startTestSite({ rateLimits: false });

describe.skipIf(site.skipReason)(`screen time beside the timetable (${site.skipReason ?? 'in Chromium'})`, () => {
  test('actual usage appears beside the plan once it is turned on', async () => {
    const account = await site.server.createAccount('owner');
    const desk = await pairUsageComputer(site.server, account, 'desk');
    await desk.reportUse(
      ['code', 'on', '2026-11-19T09:00Z', '2026-11-19T10:00Z'],
      // A glance at the mail is too short for its own line.
      ['mail', 'on', '2026-11-19T10:00Z', '2026-11-19T10:00:30Z'],
      ['code', 'on', '2026-11-19T10:00:30Z', '2026-11-19T11:00Z'],
      ['vlc', 's', '2026-11-19T09:00Z', '2026-11-19T11:00Z'],
    );
    const page = await openTimetable(site, account);
    expect(await page.getByRole('img', { name: /^What I actually did/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Show what I actually did' }).click();
    const done = page.getByRole('img', { name: /^What I actually did/ });
    await done.waitFor();
    expect(await done.getAttribute('aria-label')).toMatch(/^What I actually did: code, \d\d:00 to \d\d:00$/);
    expect(await done.locator('span').count()).toBe(1);
  });
});
