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
const CODE = /^[0-9a-hjkmnp-tv-z]{10}$/;
const HOSTILE = '<img src=x onerror=alert(1)> <script>alert(2)</script>\n\t{{7*7}} \u202e👋 "quotes" & <b>bold</b>';
/** The browser itself says so of an answer that is no 200, and of no answer. */
const FAILED = /status of (413|429|500)|ERR_INTERNET_DISCONNECTED|ERR_FAILED/;

const open = (path = '/pastebin', options?: OpenPageOptions): Promise<Page> =>
  site.browser.openPage(site.server.origin, path, options);
let people = 0;
/** The page of somebody who has stored nothing yet. */
const openSignedUp = async (options?: OpenPageOptions): Promise<Page> =>
  reusePage(site, await site.server.createAccount(`writer ${++people}`), '/pastebin', options);
const area = (page: Page) => page.getByRole('textbox', { name: 'Text', exact: true });
const status = (page: Page) => page.locator('main').getByRole('status').first();
const pill = (page: Page) => page.getByRole('group', { name: 'Stored piece' });
const submit = (page: Page) => page.getByRole('button', { name: 'Submit' });
const said = (page: Page, text: string) => status(page).filter({ hasText: text }).waitFor();
/** The pill shows a code, or for an encrypted piece the link that has it. */
const codeOn = async (page: Page): Promise<string> => {
  const shown = (await pill(page).locator('b, .ellipsis').textContent()) ?? '';
  return /code=(\w+)/.exec(shown)?.[1] ?? shown;
};
/** Of a machine that may be busy. */
const holds = (page: Page, text: string) => expect.poll(() => area(page).inputValue()).toBe(text);
const burning = (page: Page) => page.getByRole('button', { name: 'Show it' });

const storeOn = async (page: Page, text: string): Promise<string> => {
  await area(page).fill(text);
  await submit(page).click();
  await pill(page).waitFor();
  return codeOn(page);
};
/** The piece as a stranger gets it. */
const fetched = async (code: string) => site.server.call(paste, { style: 'retreive', inputValue: code });

const giveFile = (page: Page, how: 'drop' | 'paste', name: string, bytes: readonly number[]): Promise<void> =>
  page.getByRole('textbox', { name: 'Text', exact: true }).evaluate(
    (field, [kind, file, content]) => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(content)], file));
      const as = { bubbles: true, cancelable: true };
      field.dispatchEvent(
        kind === 'drop'
          ? new DragEvent('drop', { ...as, dataTransfer: data })
          : new ClipboardEvent('paste', { ...as, clipboardData: data }),
      );
    },
    [how, name, bytes] as const,
  );

describe.skipIf(site.skipReason)(`paste page (${site.skipReason ?? 'in Chromium'})`, () => {
  test('a text is stored, comes back on opening the page, and under its code elsewhere, as text', async () => {
    const page = await open();
    await expect.poll(() => status(page).textContent()).toBe('waiting...');
    const code = await storeOn(page, HOSTILE);
    expect(code).toMatch(CODE);
    await said(page, 'ok');
    expect((await fetched(code)).clipmessage).toBe(HOSTILE);
    await page.goto('/pastebin');
    await holds(page, HOSTILE);
    const other = await open(`/pastebin?code=${code.toUpperCase()}`);
    await holds(other, HOSTILE);
    const { code: second = '' } = await site.server.call(paste, { inputValue: 'second' });
    await other.getByLabel('Code', { exact: true }).fill(` ${second.slice(0, 5)}-${second.slice(5)} `);
    await other.keyboard.press('Enter');
    await holds(other, 'second');
    await other.getByLabel('Code', { exact: true }).fill('0000000000');
    await other.getByRole('button', { name: 'Open', exact: true }).click();
    await said(other, 'There is no text under that code');
  });

  test('the dollar key submits and is not typed, until it is switched off', async () => {
    const page = await open();
    await area(page).fill('ab');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('$');
    await pill(page).waitFor();
    await expect.poll(() => area(page).inputValue()).toBe('ab');
    expect((await fetched(await codeOn(page))).clipmessage).toBe('ab');
    // A soft keyboard names no key.
    await area(page).evaluate((field: HTMLTextAreaElement) => field.setSelectionRange(1, 1));
    await page.keyboard.insertText('c');
    const before = await codeOn(page);
    await page.keyboard.insertText('$');
    await expect.poll(() => codeOn(page)).not.toBe(before);
    await expect.poll(() => area(page).inputValue()).toBe('acb');
    await page.keyboard.insertText('d');
    await expect.poll(() => area(page).inputValue()).toBe('acdb');
    // Outside the area too.
    const last = await codeOn(page);
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('$');
    await expect.poll(() => codeOn(page)).not.toBe(last);

    await page.getByRole('button', { name: 'Menu of Pastebin' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'The $ key submits' }).click();
    await page.keyboard.press('Escape');
    await area(page).focus();
    await page.keyboard.press('End');
    await page.keyboard.press('$');
    await expect.poll(() => area(page).inputValue()).toBe('acdb$');
    await page.reload();
    await area(page).focus();
    await page.keyboard.press('End');
    await page.keyboard.press('$');
    await expect.poll(() => area(page).inputValue()).toBe('acdb$$');
  });

  test('code and link are copied', async () => {
    const page = await openSignedUp();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const code = await storeOn(page, 'to copy');
    await page.getByRole('button', { name: 'Copy the code' }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(code);
    await page.getByRole('button', { name: 'Copy the link' }).click();
    const link = `${site.server.origin}/pastebin?code=${code}`;
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(link);
    // A whole link is understood where a code is asked for.
    const other = await openSignedUp({ size: 'phone' });
    await expect.poll(() => area(other).inputValue()).toBe('');
    await other.getByRole('button', { name: 'Open a code' }).click();
    await waitForDialogFocus(other.getByRole('dialog'));
    await other.getByRole('dialog').getByLabel('Code', { exact: true }).fill(link);
    await other.keyboard.press('Enter');
    await holds(other, 'to copy');
  });

  test('a text that is typed just before it is known who is signed in stays', async () => {
    const page = await openSignedUp();
    const named = Promise.withResolvers<void>();
    await page.route('**/api/tokenconv*', (route) => named.promise.then(() => route.continue()));
    // Where a tab is new, the account's name is asked for.
    await page.evaluate(() => sessionStorage.clear());
    const asked = page.waitForRequest('**/api/tokenconv*');
    await page.goto('/pastebin');
    await asked;
    await area(page).fill('typed early');
    named.resolve();
    await page.waitForResponse('**/api/tokenconv*');
    await waitForIdle(page);
    expect(await area(page).inputValue()).toBe('typed early');
    await storeOn(page, 'typed early and late');
  });

  test('what is refused and what fails is said in the status line, and the text stays', async () => {
    const page = await openSignedUp({ expects: FAILED });
    await submit(page).click();
    await said(page, 'Nothing to store');
    await area(page).fill('é'.repeat(2 ** 19) + 'x');
    await submit(page).click();
    await said(page, 'Text is too long at 1048577 bytes, limit is 1048576 bytes (1 MiB)');
    expect((await area(page).inputValue()).length).toBe(2 ** 19 + 1);
    await area(page).fill('kept');
    await page.route('**/api/paste', (route) => route.fulfill({ status: 500, json: { message: 'server error' } }));
    await submit(page).click();
    await said(page, 'HTTP error! Status: 500');
    await page.unroute('**/api/paste');
    await page.context().setOffline(true);
    await submit(page).click();
    await said(page, 'The server cannot be reached. What is typed is kept in this browser');
    await page.context().setOffline(false);
    await page.reload();
    await expect.poll(() => area(page).inputValue()).toBe('kept');
    await submit(page).click();
    await said(page, 'ok');
    expect((await fetched(await codeOn(page))).clipmessage).toBe('kept');
  });

  test('what was typed outlives a reload and a piece that takes its place', async () => {
    const { code = '' } = await site.server.call(paste, { inputValue: 'of another' });
    const page = await openSignedUp();
    await area(page).fill('typed and not sent');
    await page.goto(`/pastebin?code=${code}`);
    await holds(page, 'of another');
    await area(page).fill('of another, edited');
    await page.reload();
    await expect.poll(() => area(page).inputValue()).toBe('of another, edited');
    await page.getByRole('button', { name: 'Bring back what I typed' }).click();
    await expect.poll(() => area(page).inputValue()).toBe('typed and not sent');
    await page.getByRole('button', { name: 'Bring back what I typed' }).click();
    await expect.poll(() => area(page).inputValue()).toBe('of another, edited');
  });

  test('a text file that is dropped or pasted fills the area, and what is no text is refused', async () => {
    const page = await openSignedUp();
    await giveFile(page, 'drop', 'notes.txt', [...new TextEncoder().encode('dropped hé')]);
    await holds(page, 'dropped hé');
    await giveFile(page, 'paste', 'other.txt', [...new TextEncoder().encode('pasted')]);
    await holds(page, 'pasted');
    await giveFile(page, 'drop', 'photo.jpg', [0xff, 0xd8, 0xff]);
    await said(page, 'photo.jpg is no text in UTF-8');
    await giveFile(page, 'drop', 'null.bin', [65, 0, 66]);
    await said(page, 'null.bin is no text');
    await expect.poll(() => area(page).inputValue()).toBe('pasted');
  });

  test('an encrypted text is read with its link alone, and the server never sees it', async () => {
    const page = await open();
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.url(), request.postData() ?? ''));
    await page.getByRole('button', { name: 'Encrypt' }).click();
    const code = await storeOn(page, 'between us hé 👋');
    const link = page.url();
    const key = new URL(link).hash.slice(1);
    expect(key).toMatch(/^[\w-]{43}$/);
    const kept = await fetched(code);
    expect(kept).toMatchObject({ encrypted: true });
    expect(sent.join('\n')).not.toMatch(new RegExp(`between us|${key}`));
    // A reload of the writer's own page reads it again.
    await page.reload();
    await holds(page, 'between us hé 👋');
    const other = await open(link.slice(site.server.origin.length));
    await holds(other, 'between us hé 👋');
    const [raw] = await Promise.all([
      other.context().waitForEvent('page'),
      other
        .getByRole('button', { name: 'Menu of Pastebin' })
        .click()
        .then(() => other.getByRole('menuitem', { name: 'Raw view' }).click()),
    ]);
    await expect.poll(() => raw.evaluate(() => document.body.textContent)).toBe('between us hé 👋');
    expect(await raw.evaluate(() => document.contentType)).toBe('text/plain');
    await navigate(other, `/pastebin?code=${code}`);
    await said(other, 'This text is encrypted: open it by its whole link');
    await navigate(other, `/pastebin?code=${code}#${'A'.repeat(43)}`);
    await said(other, 'The key in this link does not open the text');
  });

  test('a text that burns is asked for first, shown once, and to one of two', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Burn after reading' }).click();
    await page.getByRole('button', { name: 'Encrypt' }).click();
    await storeOn(page, 'read me once');
    const path = page.url().slice(site.server.origin.length);
    const [one, two] = [await open(path), await open(path)];
    await burning(one).waitFor();
    await burning(two).waitFor();
    await one.reload();
    // Looking does not burn it, nor does opening it without its key.
    const late = await open(path.split('#', 1)[0]);
    await said(late, 'This text is encrypted');
    await navigate(late, path.replace(/#.*/, `#${'A'.repeat(43)}`));
    await said(late, 'The key in this link does not open the text');
    await navigate(late, '/pastebin?code=%zz');
    await said(late, 'There is no text under that code');
    await Promise.all([one, two].map((each) => burning(each).click()));
    const outcome = async (each: Page): Promise<string> =>
      (await burning(each).count()) > 0
        ? 'asking'
        : (await area(each).inputValue()) || ((await status(each).textContent()) ?? '');
    await expect
      .poll(async () => (await Promise.all([one, two].map(outcome))).toSorted())
      .toEqual([expect.stringMatching(/^There is no text under that code/), 'read me once']);
    await navigate(late, '/pastebin');
    await navigate(late, path);
    await said(late, 'There is no text under that code');
  });

  test('the raw view of a text is plain text', async () => {
    const page = await openSignedUp();
    const code = await storeOn(page, HOSTILE);
    await page.getByRole('button', { name: 'Menu of Pastebin' }).click();
    const raw = page.getByRole('menuitem', { name: 'Raw view' });
    await expect.poll(() => raw.getAttribute('href')).toBe(`/api/pasteraw?code=${code}`);
    const [shown] = await Promise.all([page.context().waitForEvent('page'), raw.click()]);
    await shown.waitForLoadState();
    expect(await shown.evaluate(() => [document.contentType, document.body.textContent])).toEqual([
      'text/plain',
      HOSTILE,
    ]);
    await page.getByRole('button', { name: 'Menu of Pastebin' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Save as a file' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`${code}.txt`);
    expect(await readFile(await download.path(), 'utf8')).toBe(HOSTILE);
  });

  test('a text is kept for as long as was chosen', async () => {
    const page = await openSignedUp();
    await page.getByLabel('Keep for').selectOption('1 hour');
    const code = await storeOn(page, 'short');
    const { expires = '' } = await fetched(code);
    expect(new Date(expires).getTime() - Date.now()).toBeLessThan(3_600_001);
    await pill(page)
      .getByText(/^until \d\d:\d\d$/)
      .waitFor();
  });

  test('the own pieces are listed, opened and deleted', async () => {
    const account = await site.server.createAccount('paster');
    for (const inputValue of ['first', 'second']) await account.call(paste, { inputValue });
    const page = await reusePage(site, account, '/pastebin');
    await holds(page, 'second');
    const [second, first] = (await account.call(mypastes, {})).pieces.map(({ code }) => code);
    await page.getByRole('button', { name: 'Menu of Pastebin' }).click();
    await page.getByRole('menuitem', { name: 'Your pieces' }).click();
    await page.getByRole('button', { name: `Open ${first ?? ''}` }).click();
    await holds(page, 'first');
    await page.getByRole('button', { name: 'Menu of Pastebin' }).click();
    await page.getByRole('menuitem', { name: 'Your pieces' }).click();
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
    await page.getByText('The last 20 texts that you stored will appear here.').waitFor();
    expect((await account.call(mypastes, {})).pieces).toEqual([]);
    await page.keyboard.press('Escape');
    await expect.poll(() => area(page).inputValue()).toBe('first');
    await expect.poll(() => pill(page).count()).toBe(0);
  });

  test('over plain http all but encryption works, and the page says why', async () => {
    const page = await open('/pastebin', { plainHttp: true, size: 'phone' });
    await page.getByText('Encryption is off: it needs https').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Encrypt' }).isDisabled()).toBe(true);
    const code = await storeOn(page, 'from a phone');
    await pressCopy(page.getByRole('button', { name: 'Copy the link' }));
    expect((await fetched(code)).clipmessage).toBe('from a phone');
    const sealed = await site.server.call(paste, { inputValue: 'c2VhbGVk', encrypted: true, burn: true });
    await page.goto(`/pastebin?code=${sealed.code ?? ''}#${'A'.repeat(43)}`);
    await said(page, 'This text is encrypted, and reading it needs https');
  });

  test.for(['wide', 'phone'] as const)(
    'axe finds nothing in any state, %s, in both schemes',
    { tags: 'matrix' },
    async (size) => {
      const page = await open('/pastebin', { size });
      await page.getByRole('button', { name: 'Burn after reading' }).click();
      await page.getByRole('button', { name: 'Encrypt' }).click();
      await storeOn(page, 'rsync -a --delete ~/photos/ /mnt/backup/photos/\n\ntomorrow: long cable, two adapters');
      expect(await findBarriersInBoth(page)).toEqual([]);
      await page.reload();
      await burning(page).waitFor();
      expect(await findBarriersInBoth(page)).toEqual([]);
      await page.getByRole('button', { name: 'Menu of Pastebin' }).click();
      await waitForIdle(page);
      expect(await findBarriersInBoth(page)).toEqual([]);
      await page.getByRole('menuitem', { name: 'Your pieces' }).click();
      await page.getByRole('button', { name: /^Delete / }).waitFor();
      expect(await findBarriersInBoth(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Not now' }).click();
      await submit(page).click();
      await said(page, 'Nothing to store');
      expect(await findBarriersInBoth(page)).toEqual([]);
    },
  );
});
