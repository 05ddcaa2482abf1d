import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findBarriers } from '#testing/kits/browser/axe.ts';
import type { OpenPageOptions } from '#testing/kits/browser/browser.ts';
import { pressCopy, pressAndConfirm } from '#testing/kits/browser/browser.ts';
import { openLoggedIn } from '#testing/kits/browser/openLoggedIn.ts';
import { reusePage } from '#testing/kits/browser/reusePage.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { startServer, type TestAccount } from '#testing/kits/server/server.ts';
import { deletevisitormessage, spmessage, visitormessages } from '../contract.ts';

const site = startTestSite({ rateLimits: false });
const HOSTILE =
  '<img src=x onerror="document.title=`run`"> \u202eright to left\n\n**bold** {{7*7}} javascript:alert(1)';

let first: TestAccount | undefined;
/** The first account of the server, without messages. */
async function owner(): Promise<TestAccount> {
  first ??= await site.server.createAccount('owner');
  const { visitors } = await first.call(visitormessages, {});
  for (const { id } of visitors) await first.call(deletevisitormessage, { id });
  return first;
}
const listReceived = async (account: TestAccount) =>
  (await account.call(visitormessages, {})).visitors.map(({ name, text }) => [name, text]);
const openForm = (options?: OpenPageOptions): Promise<Page> => reusePage(site, undefined, '/spmessage', options);
const nameIn = (page: Page) => page.getByRole('textbox', { name: 'Name' });
const textIn = (page: Page) => page.getByRole('textbox', { name: 'Main message' });
const statusIn = (page: Page) => page.getByRole('form').getByRole('status');
/** Resolves once the status line shows this. */
const waitForStatus = (page: Page, text: string | RegExp): Promise<void> => statusIn(page).getByText(text).waitFor();
const submit = (page: Page) => page.getByRole('button', { name: 'Submit' });
const visitors = async (options?: OpenPageOptions): Promise<Page> =>
  reusePage(site, await owner(), '/messages?with=visitors', options);
const sendLetter = (name: string, text: string) =>
  site.server.call(spmessage, { type: 'toserver', message: name, message2: text });

describe.skipIf(site.skipReason)(`the message form (${site.skipReason ?? 'in Chromium'})`, () => {
  test.for<OpenPageOptions>([{ size: 'wide' }, { size: 'phone' }, { size: 'phone', plainHttp: true }])(
    'a visitor writes without an account, sees ok, and the form is empty again: $size',
    async (options) => {
      const account = await owner();
      const page = await openForm(options);
      await nameIn(page).fill('someone');
      await textIn(page).fill(HOSTILE);
      await submit(page).click();
      await waitForStatus(page, /^ok$/);
      expect([await nameIn(page).inputValue(), await textIn(page).inputValue()]).toEqual(['', '']);
      expect(await listReceived(account)).toEqual([['someone', HOSTILE]]);
    },
  );

  test('can be used by keyboard alone, and skips the honeypot', async () => {
    const account = await owner();
    const page = await openForm();
    await nameIn(page).focus();
    await page.keyboard.type('keys');
    await page.keyboard.press('Tab');
    await expect.poll(() => textIn(page).getAttribute('placeholder')).toBe('');
    await page.keyboard.type('one');
    await page.keyboard.press('Enter');
    await page.keyboard.type('two');
    await page.keyboard.press('Tab');
    expect(await submit(page).evaluate((button) => button === document.activeElement)).toBe(true);
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Control+Enter');
    await waitForStatus(page, /^ok$/);
    expect(await listReceived(account)).toEqual([['keys', 'one\ntwo']]);
  });

  test('its placeholder disappears while the field has the focus', async () => {
    await owner();
    const page = await openForm();
    await expect.poll(() => textIn(page).getAttribute('placeholder')).toBe('Main message');
    await textIn(page).focus();
    await expect.poll(() => textIn(page).getAttribute('placeholder')).toBe('');
  });

  test('says what is missing or too long, and keeps the draft', async () => {
    const account = await owner();
    const page = await openForm();
    await submit(page).click();
    await waitForStatus(page, 'Enter a name');
    await nameIn(page).fill('n'.repeat(101));
    await page.getByText('101 / 100').waitFor();
    await textIn(page).fill('👋'.repeat(5001));
    await page.getByText('5001 / 5000').waitFor();
    await submit(page).click();
    await waitForStatus(page, 'Name is too long. Enter at most 100 characters');
    await nameIn(page).fill('n');
    await expect.poll(() => statusIn(page).innerText()).toBe('');
    await submit(page).click();
    await waitForStatus(page, 'Message is too long. Enter at most 5,000 characters');
    await expect.poll(() => textIn(page).inputValue()).toHaveLength(10_002);
    expect(await listReceived(account)).toEqual([]);
  });

  test('the draft survives a reload, an unreachable server, and an invalid answer', async () => {
    const account = await owner();
    const page = await openForm({ expects: /ERR_FAILED|ERR_INTERNET_DISCONNECTED|503|429/ });
    await nameIn(page).fill('patient');
    await textIn(page).fill('still here');
    await page.reload();
    expect([await nameIn(page).inputValue(), await textIn(page).inputValue()]).toEqual(['patient', 'still here']);

    await page.route(`**${spmessage.path}`, (route) => route.abort());
    await submit(page).click();
    await waitForStatus(page, 'The server cannot be reached');
    await page.unroute(`**${spmessage.path}`);

    await page.route(`**${spmessage.path}`, (route) => route.fulfill({ status: 503, body: '<h1>Bad</h1>' }));
    await submit(page).click();
    await waitForStatus(page, 'HTTP error! Status: 503');
    await page.unroute(`**${spmessage.path}`);
    await expect.poll(() => textIn(page).inputValue()).toBe('still here');

    await submit(page).click();
    await waitForStatus(page, /^ok$/);
    expect(await listReceived(account)).toEqual([['patient', 'still here']]);
    await page.reload();
    await expect.poll(() => textIn(page).inputValue()).toBe('');
  });

  test('after too many messages it says when to retry, and keeps the text', async () => {
    await using server = await startServer();
    await server.createAccount('owner');
    // This computer may send ten times as much as others.
    for (let count = 0; count < 50; count += 1)
      await server.call(spmessage, { type: 'toserver', message: 'flood', message2: 'x' });
    const page = await site.browser.openPage(server.origin, '/spmessage', { size: 'phone', expects: /429/ });
    await nameIn(page).fill('late');
    await textIn(page).fill('one more');
    await submit(page).click();
    await waitForStatus(page, 'HTTP error! Status: 429');
    await waitForStatus(page, 'You can send five messages per hour. Try again later. Your text is still here');
    expect([await nameIn(page).inputValue(), await textIn(page).inputValue()]).toEqual(['late', 'one more']);
    // The server stops before a page that is still open, whose socket could then not reconnect.
    await page.context().close();
  });

  test('a filled honeypot is answered with ok, and nothing is stored', async () => {
    const account = await owner();
    const page = await openForm();
    await nameIn(page).fill('bot');
    await page.locator('input[name=website]').fill('https://spam.example', { force: true });
    await textIn(page).fill('buy');
    await submit(page).click();
    await waitForStatus(page, /^ok$/);
    expect(await listReceived(account)).toEqual([]);
  });

  test.for<OpenPageOptions>([
    { size: 'wide', scheme: 'light' },
    { size: 'wide', scheme: 'dark' },
    { size: 'phone', scheme: 'light' },
    { size: 'phone', scheme: 'dark' },
  ])(
    'axe finds nothing in the form, nor in what visitors wrote: $size $scheme',
    { tags: 'matrix' },
    async (options) => {
      const account = await owner();
      await sendLetter('someone', HOSTILE);
      await sendLetter('n'.repeat(100), 'x'.repeat(5000));
      const page = await openForm(options);
      await textIn(page).fill('x'.repeat(5001));
      await submit(page).click();
      expect(await findBarriers(page)).toEqual([]);
      const inside = await openLoggedIn(site, account, '/messages?with=visitors', options);
      await inside.getByText('right to left').waitFor();
      expect(await findBarriers(inside)).toEqual([]);
    },
  );
});

describe.skipIf(site.skipReason)(`visitors' messages on the owner's page (${site.skipReason ?? 'in Chromium'})`, () => {
  test('arrive live, newest last, and as text', async () => {
    const page = await visitors();
    await page.getByText('Messages from visitors appear here').waitFor();
    await page.getByRole('link', { name: /\/spmessage$/ }).waitFor();
    await sendLetter('first', 'one');
    await sendLetter('second', HOSTILE);
    await page.getByRole('article', { name: 'Message from second' }).waitFor();
    const shown = page.getByRole('list', { name: 'Messages from visitors' }).getByRole('article');
    await expect.poll(() => shown.locator('p').allInnerTexts()).toEqual(['one', HOSTILE]);
    expect(await page.title()).not.toBe('run');
    await expect.poll(() => page.locator('main img').count()).toBe(0);
  });

  test('are deleted at the second click, and the focus stays in the list', async () => {
    const page = await visitors();
    await sendLetter('keep', 'one');
    await sendLetter('gone', 'two');
    await pressAndConfirm(
      page.getByRole('button', { name: 'Delete message from gone' }),
      page.getByRole('button', { name: 'Confirm Delete', exact: true }),
    );
    await page.getByRole('article', { name: 'Message from gone' }).waitFor({ state: 'detached' });
    await expect.poll(() => page.getByRole('article', { name: 'Message from keep' }).isVisible()).toBe(true);
    await page.waitForFunction(() => document.activeElement?.tagName === 'OL');
  });

  test('the form’s address is copied', async () => {
    const page = await visitors();
    await pressCopy(page.getByRole('button', { name: 'Copy form address' }));
  });

  test('the newest of many is in view, and so is a new one', async () => {
    await owner();
    for (let count = 0; count < 12; count += 1) await sendLetter(`visitor ${count}`, 'line\n'.repeat(10));
    if (!first) throw new Error('the owner is there by now');
    const page = await reusePage(site, first, '/messages?with=visitors', { size: 'phone' });
    async function inView(name: string): Promise<void> {
      const article = page.getByRole('article', { name: `Message from ${name}`, exact: true });
      await article.waitFor();
      await page.waitForFunction(
        (shown) => {
          const { top, bottom } = shown?.getBoundingClientRect() ?? { top: 0, bottom: 0 };
          return bottom > 0 && top < innerHeight;
        },
        await article.elementHandle(),
      );
    }
    await inView('visitor 11');
    await sendLetter('latest', 'hello');
    await inView('latest');
  });
});
