import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findBarriersInBoth } from '#testing/kits/browser/axe.ts';
import type { OpenPageOptions } from '#testing/kits/browser/browser.ts';
import { pressAndConfirm } from '#testing/kits/browser/browser.ts';
import { reusePage } from '#testing/kits/browser/reusePage.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { startDevice } from '#testing/kits/desktop/device.ts';
import type { TestAccount } from '#testing/kits/server/server.ts';
import { fileupload, remotehistory, returnfilenames } from '../../contract.ts';

const site = startTestSite({ rateLimits: false });

async function createAccountWithScript(): Promise<TestAccount> {
  const account = await site.createPerson();
  await account.call(fileupload, { content: { name: 'backup.sh', text: 'echo <b>backed up</b>\n' } });
  return account;
}
const openSettings = (account: TestAccount, options?: OpenPageOptions): Promise<Page> =>
  reusePage(site, account, '/dashboard/settings?tab=scripts', options);

describe.skipIf(site.skipReason)(`scripts settings (${site.skipReason ?? 'in Chromium'})`, () => {
  test('show the text of a script as text', async () => {
    const page = await openSettings(await createAccountWithScript());
    await page.getByRole('button', { name: 'View backup.sh' }).click();
    await page.getByText('echo <b>backed up</b>').waitFor();
  });

  test('send a script to the computer, and say where it runs', async () => {
    const account = await createAccountWithScript();
    await using device = await startDevice(site.server, account, { name: 'workstation' });
    const page = await openSettings(account);
    await page.getByRole('button', { name: `Send to ${device.name} backup.sh` }).click();
    await page.getByText('backup.sh is running on workstation').waitFor();
  });

  test('store nothing of what they send if this browser does not', async () => {
    const account = await createAccountWithScript();
    await using device = await startDevice(site.server, account, { name: 'workstation' });
    const page = await openSettings(account, {
      before: async (blank) => {
        await blank.addInitScript(() => localStorage.setItem('pegboard.dashboard.keep', 'off'));
      },
    });
    await page.getByRole('button', { name: `Send to ${device.name} backup.sh` }).click();
    await page.getByText('backup.sh is running on workstation').waitFor();
    const { history } = await account.call(remotehistory, { target: device.target });
    expect(history).toMatchObject([{ inputtype: 3, inputValue: '', kept: false }]);
  });

  test('say that no device is selected if there is none', async () => {
    const page = await openSettings(await createAccountWithScript());
    await page.getByRole('button', { name: 'Send backup.sh' }).click();
    await page.getByRole('alert').filter({ hasText: 'no device selected' }).waitFor();
  });

  test('show why the computer does not run scripts, and send none', async () => {
    const account = await createAccountWithScript();
    await using device = await startDevice(site.server, account, { name: 'workstation', allow: { scripts: false } });
    const page = await openSettings(account);
    await page.getByText(/--allow-scripts/).waitFor();
    expect(await page.getByRole('button', { name: `Send to ${device.name} backup.sh` }).isDisabled()).toBe(true);
  });

  test('delete at the second click', async () => {
    const account = await createAccountWithScript();
    const page = await openSettings(account);
    await pressAndConfirm(
      page.getByRole('button', { name: 'Delete backup.sh' }),
      page.getByRole('button', { name: 'Confirm Delete', exact: true }),
    );
    await page.getByText('Your script files appear here').waitFor();
    expect((await account.call(returnfilenames, {})).names).toEqual([]);
  });

  test('take a new file, and refuse an invalid file name', async () => {
    const page = await openSettings(await createAccountWithScript());
    await page.getByRole('button', { name: 'Add script file' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add script file' });
    const chooseFile = (name: string) =>
      dialog.getByLabel('Script file').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from('echo\n') });
    await chooseFile(`${'x'.repeat(120)}.sh`);
    await dialog.getByRole('button', { name: 'Upload' }).click();
    await page.getByRole('alert').filter({ hasText: 'This file name is too long' }).waitFor();
    await chooseFile('lights.py');
    await dialog.getByRole('button', { name: 'Upload' }).click();
    await page.getByRole('button', { name: 'View lights.py' }).waitFor();
  });

  test.for(['wide', 'phone'] as const)('axe finds nothing, %s, in both schemes', { tags: 'matrix' }, async (size) => {
    const page = await openSettings(await createAccountWithScript(), { size });
    await page.getByRole('button', { name: 'View backup.sh' }).click();
    await page.getByText('backed up').waitFor();
    await page.getByRole('button', { name: 'Add script file' }).click();
    expect(await findBarriersInBoth(page)).toEqual([]);
  });
});
