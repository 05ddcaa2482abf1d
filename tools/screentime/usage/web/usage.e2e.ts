import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findBarriers } from '#testing/kits/browser/axe.ts';
import { pressAndConfirm, type OpenPageOptions } from '#testing/kits/browser/browser.ts';
import { reusePage } from '#testing/kits/browser/reusePage.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import type { TestAccount } from '#testing/kits/server/server.ts';
import { pairUsageComputer } from '#testing/kits/usage/usedComputer.ts';
import { getcomputernames, revokedevice } from '#tools/devices/contract.ts';
import { usagecomputers, usageperiod } from '../../contract.ts';

const site = startTestSite({ rateLimits: false });

const open = (account: TestAccount, options?: OpenPageOptions): Promise<Page> =>
  reusePage(site, account, '/dashboard/settings?tab=devices', options);

const ago = (minutes: number): string =>
  Temporal.Now.instant().subtract({ minutes }).round({ smallestUnit: 'second' }).toString();

/** Creates an ActivityWatch export with this number of windows of ten seconds, the last of them away. */
function createExport(windows: number): Buffer {
  const begin = Temporal.Instant.from('2026-01-05T08:00:00Z');
  const at = (second: number): string => begin.add({ seconds: second }).toString();
  const window = Array.from({ length: windows }, (_, index) => ({
    id: index,
    timestamp: at(index * 10),
    duration: 10,
    data: { app: index % 2 === 0 ? 'Firefox' : 'Code', title: 'secret' },
  }));
  const away = [{ timestamp: at((windows - 1) * 10), duration: 600, data: { status: 'afk' } }];
  const buckets = {
    'aw-watcher-window_desk': { type: 'currentwindow', hostname: 'desk', events: window.toReversed() },
    'aw-watcher-afk_desk': { type: 'afkstatus', hostname: 'desk', events: away },
  };
  return Buffer.from(JSON.stringify({ buckets }));
}

describe.skipIf(site.skipReason)(`screen time in the settings (${site.skipReason ?? 'in Chromium'})`, () => {
  test('is exported as CSV and JSON', async () => {
    const account = await site.createPerson();
    const laptop = await pairUsageComputer(site.server, account, 'laptop');
    await laptop.reportUse(['=cmd "x"', 'on', ago(30), ago(20)]);
    const page = await open(account);
    async function take(): Promise<string> {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Export', exact: true }).click(),
      ]);
      expect(download.suggestedFilename()).toMatch(/^screen-time-.*\.(csv|json)$/);
      return readFile(await download.path(), 'utf8');
    }
    const lines = (await take()).trim().split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain('cmd');
    await page.getByRole('button', { name: 'JSON' }).click();
    expect(JSON.stringify(JSON.parse(await take()))).toContain('=cmd');
    await page.getByLabel('Until').fill('2020-01-01');
    await page.getByRole('button', { name: 'CSV' }).click();
    expect((await take()).trim().split('\n')).toHaveLength(1);
  });

  test('imports an ActivityWatch export in chunks; the same file adds nothing, and other files are refused', async () => {
    const account = await site.createPerson();
    const page = await open(account, { expects: /ERR_FAILED/ });
    const field = page.getByLabel('ActivityWatch export');
    const choose = (name: string, buffer: Buffer): Promise<void> =>
      field.setInputFiles({ name, mimeType: 'application/json', buffer });
    await choose('holiday.jpg', Buffer.from([0xff, 0xd8]));
    await page.getByRole('alert').filter({ hasText: 'This file is not JSON' }).waitFor();
    await choose('package.json', Buffer.from('{"name":"x"}'));
    await page.getByRole('alert').filter({ hasText: 'This file has no buckets' }).waitFor();

    // The connection breaks between two chunks, and the import continues where it stopped.
    let parts = 0;
    await page.route('**/api/importactivitywatch', async (route) => {
      parts += 1;
      await (parts === 2 ? route.abort() : route.continue());
    });
    await choose('aw.json', createExport(4001));
    await page.getByText('1 of 3 parts sent').waitFor();
    await page.getByRole('alert').filter({ hasText: 'The server cannot be reached' }).waitFor();
    await page.getByRole('button', { name: 'Continue import' }).click();
    await page.getByText('4,000 events imported from desk, 1 skipped').waitFor();
    expect(parts).toBe(4);
    await page.getByRole('article', { name: 'desk' }).waitFor();
    expect(Object.values((await account.call(getcomputernames, {})).computernames)).toEqual(['desk']);
    const { total, applications } = await account.call(usageperiod, {
      from: '2026-01-05',
      until: '2026-01-05',
      tz: 'UTC',
    });
    expect([total, applications.map(({ name, seconds }) => [name, seconds])]).toEqual([
      40_000,
      expect.arrayContaining([
        ['Firefox', 20_000],
        ['Code', 20_000],
      ]),
    ]);

    await choose('aw.json', createExport(4001));
    await page.getByText('0 events imported from desk, 4,001 skipped').waitFor();

    // All chunks are undone together, and the computer, which has nothing else, is removed.
    await pressAndConfirm(
      page.getByRole('button', { name: 'Undo the import from desk' }),
      page.getByRole('button', { name: 'Confirm Undo', exact: true }),
    );
    await page.getByRole('article', { name: 'desk' }).waitFor({ state: 'detached' });
    await page.getByText('Screen time by computer', { exact: true }).waitFor({ state: 'detached' });
    expect(await account.call(usagecomputers, {})).toEqual({ computers: [], imports: [] });
  });

  test('of a revoked computer is merged into another one, or deleted', async () => {
    const account = await site.createPerson();
    const [old, older, laptop] = [
      await pairUsageComputer(site.server, account, 'old'),
      await pairUsageComputer(site.server, account, 'older'),
      await pairUsageComputer(site.server, account, 'laptop'),
    ];
    await old.reportUse(['Code', 'on', ago(120), ago(90)]);
    await older.reportUse(['Code', 'on', ago(60), ago(50)]);
    await laptop.reportUse(['Code', 'on', ago(100), ago(80)]);
    for (const { id } of [old, older]) await account.call(revokedevice, { id });
    const page = await open(account);
    const rows = page.getByRole('list', { name: 'Computers with screen time' }).getByRole('listitem');
    const texts = async (): Promise<readonly string[]> =>
      (await rows.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').replace(/,.*/, ''));
    await expect.poll(texts).toEqual(['old Removed 30m', 'older Removed 10m', 'laptop Paired 20m']);
    await page.getByRole('button', { name: 'Merge old', exact: false }).first().click();
    await page.getByRole('option', { name: /^laptop/ }).click();
    await page.getByRole('button', { name: 'Merge into laptop' }).click();
    await page.getByText('Merged 20m. Skipped 10m when both computers were in use').waitFor();
    await expect.poll(texts).toEqual(['older Removed 10m', 'laptop Paired 40m']);
    await pressAndConfirm(
      page.getByRole('button', { name: 'Delete screen time of older' }),
      page.getByRole('button', { name: 'Confirm Delete', exact: true }),
    );
    await expect.poll(texts).toEqual(['laptop Paired 40m']);
    expect((await account.call(usagecomputers, {})).computers.map(({ name }) => name)).toEqual(['laptop']);
  });

  test('is accessible on a phone', { tags: 'matrix' }, async () => {
    const page = await open(await site.createPerson(), { size: 'phone', scheme: 'dark' });
    await page.getByRole('button', { name: 'Choose file' }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0);
  });
});
