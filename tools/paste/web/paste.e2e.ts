import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findBarriersInBoth } from '#testing/kits/browser/axe.ts';
import {
  waitForDialogFocus,
  navigate,
  type OpenPageOptions,
  pressCopy,
  pressAndConfirm,
  waitForIdle,
} from '#testing/kits/browser/browser.ts';
import { reusePage } from '#testing/kits/browser/reusePage.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { mypastes, paste } from '../contract.ts';

const site = startTestSite({ rateLimits: false });
const CODE_PATTERN = /^[0-9a-hjkmnp-tv-z]{10}$/;
const HOSTILE = '<img src=x onerror=alert(1)> <script>alert(2)</script>\n\t{{7*7}} \u202e👋 "quotes" & <b>bold</b>';
/** What the browser itself logs for a failed request. */
const REQUEST_FAILED_PATTERN = /status of (413|429|500)|ERR_INTERNET_DISCONNECTED|ERR_FAILED/;

const open = (path = '/pastebin', options?: OpenPageOptions): Promise<Page> =>
  site.browser.openPage(site.server.origin, path, options);
/** Opens the page for a new account without pastes. */
const openSignedUp = async (options?: OpenPageOptions): Promise<Page> =>
  reusePage(site, await site.createPerson(), '/pastebin', options);
const getTextArea = (page: Page) => page.getByRole('textbox', { name: 'Text', exact: true });
const getStatus = (page: Page) => page.locator('main').getByRole('status').first();
const getPill = (page: Page) => page.getByRole('group', { name: 'Stored paste' });
const getSubmitButton = (page: Page) => page.getByRole('button', { name: 'Submit' });
const waitForStatus = (page: Page, text: string) => getStatus(page).filter({ hasText: text }).waitFor();
/** Returns the code in the pill. For an encrypted paste the pill shows the link instead. */
async function getShownCode(page: Page): Promise<string> {
  const shownText = (await getPill(page).locator('b, .ellipsis').textContent()) ?? '';
  return /code=(\w+)/.exec(shownText)?.[1] ?? shownText;
}
const waitForText = (page: Page, text: string) => expect.poll(() => getTextArea(page).inputValue()).toBe(text);
const getRevealButton = (page: Page) => page.getByRole('button', { name: 'View text' });

async function storeOnPage(page: Page, text: string): Promise<string> {
  await getTextArea(page).fill(text);
  await getSubmitButton(page).click();
  await getPill(page).waitFor();
  return getShownCode(page);
}
/** Retrieves the paste as an unrelated visitor. */
const retrieve = async (code: string) => site.server.call(paste, { style: 'retreive', inputValue: code });

const sendFile = (page: Page, method: 'drop' | 'paste', name: string, bytes: readonly number[]): Promise<void> =>
  getTextArea(page).evaluate(
    (field, [eventType, fileName, content]) => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(content)], fileName));
      const eventOptions = { bubbles: true, cancelable: true };
      field.dispatchEvent(
        eventType === 'drop'
          ? new DragEvent('drop', { ...eventOptions, dataTransfer: data })
          : new ClipboardEvent('paste', { ...eventOptions, clipboardData: data }),
      );
    },
    [method, name, bytes] as const,
  );

describe.skipIf(site.skipReason)(`paste page (${site.skipReason ?? 'in Chromium'})`, () => {
  test('a stored text is loaded when the page opens again, and elsewhere by its code', async () => {
    const page = await open();
    await expect.poll(() => getStatus(page).textContent()).toBe('waiting...');
    const code = await storeOnPage(page, HOSTILE);
    expect(code).toMatch(CODE_PATTERN);
    await waitForStatus(page, 'ok');
    expect((await retrieve(code)).clipmessage).toBe(HOSTILE);
    await page.goto('/pastebin');
    await waitForText(page, HOSTILE);
    const other = await open(`/pastebin?code=${code.toUpperCase()}`);
    await waitForText(other, HOSTILE);
    const { code: second = '' } = await site.server.call(paste, { inputValue: 'second' });
    await other.getByLabel('Code', { exact: true }).fill(` ${second.slice(0, 5)}-${second.slice(5)} `);
    await other.keyboard.press('Enter');
    await waitForText(other, 'second');
    await other.getByLabel('Code', { exact: true }).fill('0000000000');
    await other.getByRole('button', { name: 'Open', exact: true }).click();
    await waitForStatus(other, 'There is no paste with this code');
  });

  test('the dollar key submits instead of typing, and can be switched off', async () => {
    const page = await open();
    await getTextArea(page).fill('ab');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('$');
    await getPill(page).waitFor();
    await expect.poll(() => getTextArea(page).inputValue()).toBe('ab');
    expect((await retrieve(await getShownCode(page))).clipmessage).toBe('ab');
    // On-screen keyboards don't report keys.
    await getTextArea(page).evaluate((field: HTMLTextAreaElement) => field.setSelectionRange(1, 1));
    await page.keyboard.insertText('c');
    const before = await getShownCode(page);
    await page.keyboard.insertText('$');
    await expect.poll(() => getShownCode(page)).not.toBe(before);
    await expect.poll(() => getTextArea(page).inputValue()).toBe('acb');
    await page.keyboard.insertText('d');
    await expect.poll(() => getTextArea(page).inputValue()).toBe('acdb');
    // The key also works outside of the text field.
    const last = await getShownCode(page);
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('$');
    await expect.poll(() => getShownCode(page)).not.toBe(last);

    await page.getByRole('button', { name: 'Pastebin menu' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Submit with the $ key' }).click();
    await page.keyboard.press('Escape');
    await getTextArea(page).focus();
    await page.keyboard.press('End');
    await page.keyboard.press('$');
    await expect.poll(() => getTextArea(page).inputValue()).toBe('acdb$');
    await page.reload();
    await getTextArea(page).focus();
    await page.keyboard.press('End');
    await page.keyboard.press('$');
    await expect.poll(() => getTextArea(page).inputValue()).toBe('acdb$$');
  });

  test('the code and the link can be copied and opened', async () => {
    const page = await openSignedUp();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const code = await storeOnPage(page, 'to copy');
    await page.getByRole('button', { name: 'Copy code' }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(code);
    await page.getByRole('button', { name: 'Copy link' }).click();
    const link = `${site.server.origin}/pastebin?code=${code}`;
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(link);
    // The code field also accepts a link.
    const other = await openSignedUp({ size: 'phone' });
    await expect.poll(() => getTextArea(other).inputValue()).toBe('');
    await other.getByRole('button', { name: 'Open a paste' }).click();
    await waitForDialogFocus(other.getByRole('dialog'));
    await other.getByRole('dialog').getByLabel('Code', { exact: true }).fill(link);
    await other.keyboard.press('Enter');
    await waitForText(other, 'to copy');
  });

  test('a draft that is typed before the account is known survives', async () => {
    const page = await openSignedUp();
    const nameReleased = Promise.withResolvers<void>();
    await page.route('**/api/tokenconv*', (route) => nameReleased.promise.then(() => route.continue()));
    // A new tab has to ask the server for the account's name.
    await page.evaluate(() => sessionStorage.clear());
    const nextRequest = page.waitForRequest('**/api/tokenconv*');
    await page.goto('/pastebin');
    await nextRequest;
    await getTextArea(page).fill('typed early');
    nameReleased.resolve();
    await page.waitForResponse('**/api/tokenconv*');
    await waitForIdle(page);
    await expect
      .poll(() =>
        page.evaluate(() =>
          Object.keys(localStorage)
            .filter((key) => key.endsWith('paste.draft'))
            .join(),
        ),
      )
      .toContain('person');
    // The cursor is still in the same field.
    await page.keyboard.type(' and late');
    await expect.poll(() => getTextArea(page).inputValue()).toBe('typed early and late');
    await getSubmitButton(page).click();
    await getPill(page).waitFor();
    expect((await retrieve(await getShownCode(page))).clipmessage).toBe('typed early and late');
  });

  test('errors are shown in the status line, and the text stays', async () => {
    const page = await openSignedUp({ expects: REQUEST_FAILED_PATTERN });
    await getSubmitButton(page).click();
    await waitForStatus(page, 'There is no text to store. Enter some text first');
    await getTextArea(page).fill('é'.repeat(2 ** 19) + 'x');
    await getSubmitButton(page).click();
    await waitForStatus(
      page,
      'The text is too long: 1,048,577 bytes, and the limit is 1,048,576 (1 MiB). Split it into several pastes',
    );
    expect((await getTextArea(page).inputValue()).length).toBe(2 ** 19 + 1);
    await getTextArea(page).fill('kept');
    await page.route('**/api/paste', (route) => route.fulfill({ status: 500, json: { message: 'server error' } }));
    await getSubmitButton(page).click();
    await waitForStatus(page, 'HTTP error! Status: 500');
    await page.unroute('**/api/paste');
    await page.context().setOffline(true);
    await getSubmitButton(page).click();
    await waitForStatus(page, 'The server cannot be reached. Your text is saved in this browser');
    await page.context().setOffline(false);
    await page.reload();
    await expect.poll(() => getTextArea(page).inputValue()).toBe('kept');
    await getSubmitButton(page).click();
    await waitForStatus(page, 'ok');
    expect((await retrieve(await getShownCode(page))).clipmessage).toBe('kept');
  });

  test('a draft survives a reload, and can be restored after another paste was opened', async () => {
    const { code = '' } = await site.server.call(paste, { inputValue: 'of another' });
    const page = await openSignedUp();
    await getTextArea(page).fill('typed and not sent');
    await page.goto(`/pastebin?code=${code}`);
    await waitForText(page, 'of another');
    await getTextArea(page).fill('of another, edited');
    await page.reload();
    await expect.poll(() => getTextArea(page).inputValue()).toBe('of another, edited');
    await page.getByRole('button', { name: 'Restore draft' }).click();
    await expect.poll(() => getTextArea(page).inputValue()).toBe('typed and not sent');
    await page.getByRole('button', { name: 'Restore draft' }).click();
    await expect.poll(() => getTextArea(page).inputValue()).toBe('of another, edited');
    // A paste that is requested replaces the restored draft, too.
    await page.reload();
    await storeOnPage(page, 'the next one');
    await page.getByLabel('Code', { exact: true }).fill(code);
    await page.keyboard.press('Enter');
    await waitForText(page, 'of another');
  });

  test('an empty editor in another tab deletes no draft', async () => {
    const page = await openSignedUp();
    const other = await page.context().newPage();
    await other.goto('/pastebin');
    await waitForIdle(other);
    await getTextArea(page).fill('kept');
    await page.goto('about:blank');
    await other.goto('about:blank');
    await page.goto('/pastebin');
    await expect.poll(() => getTextArea(page).inputValue()).toBe('kept');
  });

  test('a dropped or pasted text file is loaded, and other files are refused', async () => {
    const page = await openSignedUp();
    await sendFile(page, 'drop', 'notes.txt', [...new TextEncoder().encode('dropped hé')]);
    await waitForText(page, 'dropped hé');
    await sendFile(page, 'paste', 'other.txt', [...new TextEncoder().encode('pasted')]);
    await waitForText(page, 'pasted');
    await sendFile(page, 'drop', 'photo.jpg', [0xff, 0xd8, 0xff]);
    await waitForStatus(page, 'photo.jpg is not UTF-8 text. Choose a text file');
    await sendFile(page, 'drop', 'null.bin', [65, 0, 66]);
    await waitForStatus(page, 'null.bin is not a text file');
    await expect.poll(() => getTextArea(page).inputValue()).toBe('pasted');
  });

  test('an encrypted text can only be read with its link, and never reaches the server', async () => {
    const page = await open();
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.url(), request.postData() ?? ''));
    await page.getByRole('button', { name: 'Encrypt' }).click();
    const code = await storeOnPage(page, 'between us hé 👋');
    const link = page.url();
    const key = new URL(link).hash.slice(1);
    expect(key).toMatch(/^[\w-]{43}$/);
    const stored = await retrieve(code);
    expect(stored).toMatchObject({ encrypted: true });
    expect(sent.join('\n')).not.toMatch(new RegExp(`between us|${key}`));
    // A reload of the author's page opens the paste again.
    await page.reload();
    await waitForText(page, 'between us hé 👋');
    const other = await open(link.slice(site.server.origin.length));
    await waitForText(other, 'between us hé 👋');
    const [raw] = await Promise.all([
      other.context().waitForEvent('page'),
      other
        .getByRole('button', { name: 'Pastebin menu' })
        .click()
        .then(() => other.getByRole('menuitem', { name: 'View raw text' }).click()),
    ]);
    await expect.poll(() => raw.evaluate(() => document.body.textContent)).toBe('between us hé 👋');
    expect(await raw.evaluate(() => document.contentType)).toBe('text/plain');
    await navigate(other, `/pastebin?code=${code}`);
    await waitForStatus(other, 'This paste is encrypted. Open it with its full link');
    await navigate(other, `/pastebin?code=${code}#${'A'.repeat(43)}`);
    await waitForStatus(other, 'The key in this link does not match the paste');
  });

  test('a paste that burns is shown only on request, once, and to one of two readers', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Burn after reading' }).click();
    await page.getByRole('button', { name: 'Encrypt' }).click();
    await storeOnPage(page, 'read me once');
    const path = page.url().slice(site.server.origin.length);
    const [first, second] = [await open(path), await open(path)];
    await getRevealButton(first).waitFor();
    await getRevealButton(second).waitFor();
    await first.reload();
    // Neither opening it without viewing nor opening it without its key burns it.
    const late = await open(path.split('#', 1)[0]);
    await waitForStatus(late, 'This paste is encrypted');
    await navigate(late, path.replace(/#.*/, `#${'A'.repeat(43)}`));
    await waitForStatus(late, 'The key in this link does not match the paste');
    await navigate(late, '/pastebin?code=%zz');
    await waitForStatus(late, 'There is no paste with this code');
    await Promise.all([first, second].map((reader) => getRevealButton(reader).click()));
    const getOutcome = async (reader: Page): Promise<string> =>
      (await getRevealButton(reader).count()) > 0
        ? 'asking'
        : (await getTextArea(reader).inputValue()) || ((await getStatus(reader).textContent()) ?? '');
    await expect
      .poll(async () => (await Promise.all([first, second].map(getOutcome))).toSorted())
      .toEqual([expect.stringMatching(/^There is no paste with this code/), 'read me once']);
    await navigate(late, '/pastebin');
    await navigate(late, path);
    await waitForStatus(late, 'There is no paste with this code');
  });

  test('a stored text can be viewed raw and downloaded', async () => {
    const page = await openSignedUp();
    const code = await storeOnPage(page, HOSTILE);
    await page.getByRole('button', { name: 'Pastebin menu' }).click();
    const raw = page.getByRole('menuitem', { name: 'View raw text' });
    await expect.poll(() => raw.getAttribute('href')).toBe(`/api/pasteraw?code=${code}`);
    const [rawPage] = await Promise.all([page.context().waitForEvent('page'), raw.click()]);
    await rawPage.waitForLoadState();
    expect(await rawPage.evaluate(() => [document.contentType, document.body.textContent])).toEqual([
      'text/plain',
      HOSTILE,
    ]);
    await page.getByRole('button', { name: 'Pastebin menu' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Download as file' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`${code}.txt`);
    expect(await readFile(await download.path(), 'utf8')).toBe(HOSTILE);
  });

  test('a text is stored for the chosen time', async () => {
    const page = await openSignedUp();
    await page.getByLabel('Keep for').selectOption('1 hour');
    const code = await storeOnPage(page, 'short');
    const { expires = '' } = await retrieve(code);
    expect(new Date(expires).getTime() - Date.now()).toBeLessThan(3_600_001);
    await getPill(page)
      .getByText(/^expires \d\d:\d\d$/)
      .waitFor();
  });

  test('your pastes can be listed, opened and deleted', async () => {
    const account = await site.server.createAccount('paster');
    for (const inputValue of ['first', 'second']) await account.call(paste, { inputValue });
    const page = await reusePage(site, account, '/pastebin');
    await waitForText(page, 'second');
    const [second, first] = (await account.call(mypastes, {})).pieces.map(({ code }) => code);
    await page.getByRole('button', { name: 'Pastebin menu' }).click();
    await page.getByRole('menuitem', { name: 'Your pastes' }).click();
    await page.getByRole('button', { name: `Open ${first ?? ''}` }).click();
    await waitForText(page, 'first');
    await page.getByRole('button', { name: 'Pastebin menu' }).click();
    await page.getByRole('menuitem', { name: 'Your pastes' }).click();
    for (const code of [first, second]) {
      await pressAndConfirm(
        page.getByRole('button', { name: `Delete ${code ?? ''}` }),
        page.getByRole('button', { name: 'Confirm Delete' }),
      );
      await page
        .getByText(code ?? '', { exact: true })
        .first()
        .waitFor({ state: 'detached' });
    }
    await page.getByText('Your last 20 pastes appear here. Submit some text to create one').waitFor();
    expect((await account.call(mypastes, {})).pieces).toEqual([]);
    await page.keyboard.press('Escape');
    await expect.poll(() => getTextArea(page).inputValue()).toBe('first');
    await expect.poll(() => getPill(page).count()).toBe(0);
  });

  test('everything but encryption works over plain HTTP, and the page says why', async () => {
    const page = await open('/pastebin', { plainHttp: true, size: 'phone' });
    await page.getByText('Encryption needs https').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Encrypt' }).isDisabled()).toBe(true);
    const code = await storeOnPage(page, 'from a phone');
    await pressCopy(page.getByRole('button', { name: 'Copy link' }));
    expect((await retrieve(code)).clipmessage).toBe('from a phone');
    const sealed = await site.server.call(paste, { inputValue: 'c2VhbGVk', encrypted: true, burn: true });
    await page.goto(`/pastebin?code=${sealed.code ?? ''}#${'A'.repeat(43)}`);
    await waitForStatus(page, 'This paste is encrypted, and decrypting it needs https. Open the link over https');
  });

  test.for(['wide', 'phone'] as const)(
    'axe finds nothing in any state, %s, in both schemes',
    { tags: 'matrix' },
    async (size) => {
      const page = await open('/pastebin', { size });
      await page.getByRole('button', { name: 'Burn after reading' }).click();
      await page.getByRole('button', { name: 'Encrypt' }).click();
      await storeOnPage(page, 'rsync -a --delete ~/photos/ /mnt/backup/photos/\n\ntomorrow: long cable, two adapters');
      expect(await findBarriersInBoth(page)).toEqual([]);
      await page.reload();
      await getRevealButton(page).waitFor();
      expect(await findBarriersInBoth(page)).toEqual([]);
      await page.getByRole('button', { name: 'Pastebin menu' }).click();
      await waitForIdle(page);
      expect(await findBarriersInBoth(page)).toEqual([]);
      await page.getByRole('menuitem', { name: 'Your pastes' }).click();
      await page.getByRole('button', { name: /^Delete / }).waitFor();
      expect(await findBarriersInBoth(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Not now' }).click();
      await getSubmitButton(page).click();
      await waitForStatus(page, 'There is no text to store. Enter some text first');
      expect(await findBarriersInBoth(page)).toEqual([]);
    },
  );
});
