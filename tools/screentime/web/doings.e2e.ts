import { describe, expect, test } from 'vitest';
import { serveSite } from '#testing/site.ts';
import { openTimetable } from '#testing/timetable.ts';
import { pairUsed } from '#testing/usedComputer.ts';

const site = serveSite({ rateLimits: false });

describe.skipIf(site.lack)(`screen time beside the timetable (${site.lack ?? 'in Chromium'})`, () => {
  test('what was really done stands beside the plan, once it is switched on', async () => {
    const account = await site.server.account('owner');
    const desk = await pairUsed(site.server, account, 'desk');
    await desk.used(
      ['code', 'on', '2026-11-19T09:00Z', '2026-11-19T10:00Z'],
      // A look at the mail is not worth a line of its own.
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
