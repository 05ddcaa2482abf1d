import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBarriers } from '#testing/axe.ts';
import { startBrowser, type OpenBrowser, type OpenOptions } from '#testing/browser.ts';
import { startDevice } from '#testing/device.ts';
import { lacks } from '#testing/machine.ts';
import { startServer, type TestAccount, type TestServer } from '#testing/server.ts';
import { openSignedIn } from '#testing/signedIn.ts';
import { fileupload, returnfilenames } from '../contract.ts';

const lack = lacks('chromium');
let server: TestServer;
let browser: OpenBrowser;
let people = 0;

beforeAll(async () => {
  if (lack !== undefined) return;
  server = await startServer({ rateLimits: false });
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});

const withScript = async (): Promise<TestAccount> => {
  const account = await server.account(`person ${++people}`);
  await account.call(fileupload, { content: { name: 'backup.sh', text: 'echo <b>backed up</b>\n' } });
  return account;
};
const settings = (account: TestAccount, options?: OpenOptions): Promise<Page> =>
  openSignedIn({ browser, server }, account, '/dashboard/settings?tab=scripts', options);

describe.skipIf(lack)(`scripts settings (${lack ?? 'in Chromium'})`, () => {
  test('show the text of a script as text', async () => {
    const page = await settings(await withScript());
    await page.getByRole('button', { name: 'View backup.sh' }).click();
    await page.getByText('echo <b>backed up</b>').waitFor();
  });

  test('send a script to the computer, and say where it runs', async () => {
    const account = await withScript();
    await using device = await startDevice(server, account, { name: 'workstation' });
    const page = await settings(account);
    await page.getByRole('button', { name: `Send to ${device.name} backup.sh` }).click();
    await page.getByText('backup.sh runs on workstation').waitFor();
  });

  test('say that no device is selected where there is none', async () => {
    const page = await settings(await withScript());
    await page.getByRole('button', { name: 'Send backup.sh' }).click();
    await page.getByRole('alert').filter({ hasText: 'no device selected' }).waitFor();
  });

  test('show why the computer does not run it', async () => {
    const account = await withScript();
    await using device = await startDevice(server, account, { name: 'workstation', allow: { scripts: false } });
    const page = await settings(account);
    await page.getByRole('button', { name: `Send to ${device.name} backup.sh` }).click();
    await page
      .getByRole('alert')
      .filter({ hasText: /--allow-scripts/ })
      .waitFor();
  });

  test('delete at the second click', async () => {
    const account = await withScript();
    const page = await settings(account);
    await page.getByRole('button', { name: 'Delete backup.sh' }).click();
    await page.getByRole('button', { name: 'Confirm Delete', exact: true }).click();
    await page.getByText('Script files stand here').waitFor();
    expect((await account.call(returnfilenames, {})).names).toEqual([]);
  });

  test('take a new file, and refuse a name that is no file name', async () => {
    const page = await settings(await withScript());
    await page.getByRole('button', { name: 'Add script file' }).click();
    const upload = page.getByRole('dialog', { name: 'Add script file' });
    const choose = (name: string) =>
      upload.getByLabel('Script file').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from('echo\n') });
    await choose(`${'x'.repeat(120)}.sh`);
    await upload.getByRole('button', { name: 'Upload' }).click();
    await page.getByRole('alert').filter({ hasText: 'File name is too long' }).waitFor();
    await choose('lights.py');
    await upload.getByRole('button', { name: 'Upload' }).click();
    await page.getByRole('button', { name: 'View lights.py' }).waitFor();
  });

  test.for([
    ['wide', 'light'],
    ['wide', 'dark'],
    ['phone', 'light'],
    ['phone', 'dark'],
  ] as const)('axe finds nothing, %s and %s', async ([size, scheme]) => {
    const page = await settings(await withScript(), { size, scheme });
    await page.getByRole('button', { name: 'View backup.sh' }).click();
    await page.getByText('backed up').waitFor();
    await page.getByRole('button', { name: 'Add script file' }).click();
    expect(await findBarriers(page)).toEqual([]);
  });
});
