import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '#platform/contract/client.ts';
import { findBarriersInBoth } from '#testing/kits/browser/axe.ts';
import { waitForFocus, navigate, waitForIdle, type OpenPageOptions } from '#testing/kits/browser/browser.ts';
import { openConnected } from '#testing/kits/browser/openLoggedIn.ts';
import { reusePage } from '#testing/kits/browser/reusePage.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { startDevice, type TestDevice } from '#testing/kits/desktop/device.ts';
import type { TestAccount } from '#testing/kits/server/server.ts';
import { checkdevices } from '#tools/devices/contract.ts';
import { devicemessage, retrievemessages, sendmessage } from '../contract.ts';

const site = startTestSite({ rateLimits: false });
let [accountCount, keys] = [0, 0];

// The owner has one more row.
beforeAll(async () => void (site.skipReason ?? (await site.server.createAccount('owner'))));
const createAccount = (): Promise<TestAccount> => site.server.createAccount(`person ${++accountCount}`);
const openMessages = (account: TestAccount, options?: OpenPageOptions): Promise<Page> =>
  reusePage(site, account, '/messages', { ...options, waitsForConnection: true });
const openInNewBrowser: typeof openMessages = (account, options) => openConnected(site, account, '/messages', options);
/** Expected errors while the connection is cut on purpose. */
const CONNECTION_ERRORS = /ERR_INTERNET_DISCONNECTED|WebSocket|ERR_FAILED|Failed to load resource/;

/** A user with one connected computer, and the open screen with it selected. */
async function openWithComputer(options?: OpenPageOptions, open = openMessages) {
  const account = await createAccount();
  const device = await startDevice(site.server, account);
  const page = await open(account, options);
  await selectDevice(page, 'Laptop');
  return { account, device, page, [Symbol.asyncDispose]: () => device[Symbol.asyncDispose]() };
}

const row = (page: Page, name: string | RegExp) =>
  page.getByRole('complementary', { name: 'Devices' }).getByRole('button', { name });
const selectDevice = (page: Page, name: string | RegExp) => row(page, name).click();
const field = (page: Page) => page.getByRole('textbox', { name: /^Message/ });
const sendButton = (page: Page) => page.getByRole('button', { name: 'Send', exact: true });
const log = (page: Page) => page.getByRole('log');
const bubble = (page: Page, text: string | RegExp) => log(page).getByRole('article').filter({ hasText: text });
const notice = (page: Page, text: string) => page.getByRole('alert').filter({ hasText: text });
async function sendMessage(page: Page, text: string): Promise<void> {
  await field(page).fill(text);
  await field(page).press('Enter');
}
const sendAsDevice = ({ token }: TestDevice, text: string, inputtype: 1 | 3 = 1) =>
  createClient({ origin: site.server.origin, token: () => token })(devicemessage, {
    inputtype,
    text,
    key: `${++keys}`,
  });
const listDevices = async ({ call }: TestAccount) => (await call(checkdevices, {})).status;
const listTexts = async ({ call }: TestAccount, { target }: TestDevice): Promise<readonly string[]> =>
  (await call(retrievemessages, { target })).messages;
const isWiderThanWindow = (page: Page): Promise<boolean> =>
  page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll('main, aside, section')].some(
      (part) => part.scrollWidth > part.clientWidth,
    ),
  );

describe.skipIf(site.skipReason)(`the messages screen (${site.skipReason ?? 'in Chromium'})`, () => {
  test('two browsers exchange messages, and both see one conversation, live', async () => {
    const account = await createAccount();
    const wide = await openMessages(account);
    const phone = await openMessages(account, { size: 'phone' });
    await selectDevice(wide, /Chromium on Linux/);
    await selectDevice(phone, /Chromium on Linux/);
    await sendMessage(phone, 'photo list for the planner');
    await bubble(wide, 'photo list').waitFor();
    await sendMessage(wide, 'Thanks');
    await bubble(phone, 'Thanks').waitFor();
    for (const page of [wide, phone])
      expect(await bubble(page, /./).locator('[dir=auto]').allInnerTexts()).toEqual(
        expect.arrayContaining(['photo list for the planner', 'Thanks']),
      );
    await bubble(wide, 'Thanks').getByText('Delivered').waitFor();
    const names = await Promise.all([wide, phone].map((page) => bubble(page, 'photo list').locator('b').innerText()));
    expect(names[0]).toBe(names[1]);
    await expect.poll(() => bubble(wide, 'Thanks').locator('b').innerText()).not.toBe(names[0]);
  });

  test('each browser is one device however many pages it has, and is not in its own list', async () => {
    const account = await createAccount();
    const page = await openInNewBrowser(account);
    await page.getByText('No other devices yet').waitFor();
    const second = await page.context().newPage();
    await second.goto('/messages');
    await second.getByText('No other devices yet').waitFor();
    await expect
      .poll(async () => (await listDevices(account)).map(([, name, state]) => [name, state]))
      .toEqual([['Chromium on Linux', 'Connected']]);
    await second.close();
    expect((await listDevices(account)).map(([, , state]) => state)).toEqual(['Connected']);
    await page.getByRole('link', { name: 'Dashboard' }).first().click();
    await expect.poll(async () => (await listDevices(account))[0]?.[2]).toBe('Disconnected');
    await page.getByRole('button', { name: /Connected device/ }).waitFor();
    await expect.poll(() => page.getByText('Chromium on Linux').count()).toBe(0);
    await page.goto('/messages');
    await page.reload();
    await expect.poll(async () => (await listDevices(account)).map(([, , state]) => state)).toEqual(['Connected']);
  });

  test('messages to a browser whose screen is closed wait for it', async () => {
    const account = await createAccount();
    const here = await openInNewBrowser(account);
    const away = await openInNewBrowser(account, { size: 'phone' });
    await selectDevice(here, /Chromium on Linux/);
    // Messages from before a browser’s first visit count as read, so it must have visited.
    await expect
      .poll(() => away.evaluate(() => localStorage.getItem('pegboard.messages.read') ?? ''))
      .toContain('begun');
    await away.goto('/dashboard/about');
    await row(here, /Disconnected|Reconnecting/).waitFor();
    await sendMessage(here, 'when you are back');
    await away.goto('/messages');
    await row(away, /unread 1/).waitFor();
    expect(await away.title()).toBe('(1) messages');
    await selectDevice(away, /when you are back/);
    await bubble(away, 'when you are back').waitFor();
    await expect.poll(() => away.title()).toBe('messages');
  });

  test('a computer and this browser exchange text, shortcut, file and script result, which differ by more than colour', async () => {
    await using work = await openWithComputer();
    await sendMessage(work.page, '[[file]]backup.sh');
    await sendMessage(work.page, '[[keys]]Ctrl-Alt-T');
    await sendAsDevice(work.device, 'backup.sh ended with 0\n12,418 files', 3);
    await sendAsDevice(work.device, 'all well');
    await bubble(work.page, /^.*File.*backup\.sh/s).waitFor();
    await bubble(work.page, /Shortcut.*Ctrl-Alt-T/s).waitFor();
    await bubble(work.page, 'all well').getByText('Text', { exact: true }).waitFor();
    const result = work.page.getByLabel('Script result');
    await expect.poll(() => result.innerText()).toBe('backup.sh ended with 0\n12,418 files');
    expect(await result.evaluate((element) => getComputedStyle(element).fontFamily)).toContain('mono');
    // A message that is shown as written may still be pending.
    await expect
      .poll(() => work.device.drivers.actions)
      .toMatchObject([
        { kind: 'show', title: 'Chromium on Linux', text: '[[file]]backup.sh' },
        { kind: 'show', text: '[[keys]]Ctrl-Alt-T' },
      ]);
    await navigate(work.page, '/dashboard');
    await work.page.getByRole('log').getByText('all well').waitFor();
    await expect.poll(() => work.page.getByRole('log').getByText('Ctrl-Alt-T').count()).toBe(0);
  });

  test('checks the sending rules in their order, and keeps the draft', async () => {
    const alone = await openMessages(await createAccount());
    await sendButton(alone).click();
    await notice(alone, 'No text to send').waitFor();
    await sendMessage(alone, 'x'.repeat(201));
    await notice(alone, 'no device selected').waitFor();
    await using work = await openWithComputer();
    await sendMessage(work.page, 'Enter text here');
    await notice(work.page, 'No text to send').waitFor();
    await sendMessage(work.page, '👋'.repeat(201));
    await notice(work.page, 'Message is too long at 201 characters, limit is 200 characters').waitFor();
    await expect.poll(() => field(work.page).inputValue()).toBe('👋'.repeat(201));
    await work.page.getByText('201 / 200').waitFor();
    await sendMessage(work.page, '👋'.repeat(200));
    await bubble(work.page, '👋'.repeat(200)).getByText('Delivered').waitFor();
    await expect.poll(() => field(work.page).inputValue()).toBe('');
  });

  test('sends on Enter, starts a line on Shift+Enter, and sends once for a double Enter', async () => {
    await using work = await openWithComputer();
    await field(work.page).fill('first line');
    await field(work.page).press('Shift+Enter');
    await field(work.page).pressSequentially('second line');
    await field(work.page).press('Enter');
    await field(work.page).press('Enter');
    await bubble(work.page, 'second line').getByText('Delivered').waitFor();
    await field(work.page).fill('by mouse');
    await sendButton(work.page).dblclick();
    await bubble(work.page, 'by mouse').getByText('Delivered').waitFor();
    expect(await listTexts(work.account, work.device)).toEqual(['first line\nsecond line', 'by mouse']);
    await expect.poll(() => bubble(work.page, /./).count()).toBe(2);
  });

  test('offline, a message waits and is sent once after a reconnection, in order, also after a reload', async () => {
    await using work = await openWithComputer({ expects: CONNECTION_ERRORS }, openInNewBrowser);
    await waitForIdle(work.page);
    await work.page.context().setOffline(true);
    await sendMessage(work.page, 'one');
    await sendMessage(work.page, 'two');
    await bubble(work.page, 'two').getByText('Waiting for the server').waitFor();
    await field(work.page).fill('half writ');
    await work.page.context().setOffline(false);
    await work.page.reload();
    await bubble(work.page, 'two').getByText('Delivered').waitFor();
    await expect.poll(() => field(work.page).inputValue()).toBe('half writ');
    expect(await listTexts(work.account, work.device)).toEqual(['one', 'two']);
    await expect.poll(() => bubble(work.page, /./).count()).toBe(2);
  });

  test('a refused message can be retried or deleted, which restores its text', async () => {
    await using work = await openWithComputer({ expects: CONNECTION_ERRORS });
    const refuse = () =>
      work.page.route('**/api/sendmessage', (route) =>
        route.fulfill({ status: 500, contentType: 'application/json', body: '{"message":"server error"}' }),
      );
    await refuse();
    await sendMessage(work.page, 'stubborn');
    const refused = bubble(work.page, 'stubborn');
    await refused.getByText('Not sent: server error').waitFor();
    await work.page.unroute('**/api/sendmessage');
    await refused.getByRole('button', { name: 'Try again' }).click();
    await refused.getByText('Delivered').waitFor();
    await refuse();
    await sendMessage(work.page, 'regretted');
    await bubble(work.page, 'regretted').getByRole('button', { name: 'Delete', exact: true }).click();
    await expect.poll(() => field(work.page).inputValue()).toBe('regretted');
    await expect.poll(() => bubble(work.page, 'regretted').count()).toBe(0);
    expect(await listTexts(work.account, work.device)).toEqual(['stubborn']);
  });

  test('unread messages are counted in the list and the title, and appear after New', async () => {
    const account = await createAccount();
    await using laptop = await startDevice(site.server, account, { name: 'Laptop' });
    await using bin = await startDevice(site.server, account, { name: 'Attic' });
    await sendAsDevice(bin, 'long ago');
    const page = await openInNewBrowser(account);
    await selectDevice(page, 'Laptop');
    await row(page, /Attic.*long ago/s).waitFor();
    await expect.poll(() => row(page, /unread/).count()).toBe(0);
    for (const text of ['one', 'two', 'three']) await sendAsDevice(bin, text);
    await row(page, /Attic.*three.*unread 3/s).waitFor();
    await expect.poll(() => page.title()).toBe('(3) messages');
    await selectDevice(page, 'Attic');
    await log(page).getByText('New', { exact: true }).waitFor();
    const shown = await log(page).innerText();
    expect(shown.indexOf('long ago')).toBeLessThan(shown.indexOf('New'));
    expect(shown.indexOf('New')).toBeLessThan(shown.indexOf('one'));
    await expect.poll(() => page.title()).toBe('messages');
    await sendAsDevice(laptop, 'elsewhere');
    await row(page, /Laptop.*unread 1/s).waitFor();
    await page.reload();
    await row(page, /Laptop.*unread 1/s).waitFor();
    await expect.poll(() => row(page, /Attic.*unread/s).count()).toBe(0);
  });

  test('can be operated by keyboard alone', async () => {
    const account = await createAccount();
    await using bin = await startDevice(site.server, account, { name: 'Attic' });
    await using cellar = await startDevice(site.server, account, { name: 'Cellar' });
    const page = await openMessages(account);
    await row(page, 'Cellar').waitFor();
    await page.keyboard.press('Alt+ArrowDown');
    await page.getByRole('heading', { name: 'Cellar' }).waitFor();
    await expect.poll(() => field(page).evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.type('to the cellar');
    await page.keyboard.press('Enter');
    await bubble(page, 'to the cellar').getByText('Delivered').waitFor();
    await page.keyboard.press('Alt+ArrowUp');
    await page.getByRole('heading', { name: 'Attic' }).waitFor();
    await expect.poll(() => field(page).evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.type('kept');
    await page.keyboard.press('Alt+ArrowUp');
    await page.keyboard.press('Alt+ArrowUp');
    await page.getByRole('heading', { name: 'Attic' }).waitFor();
    await expect.poll(() => field(page).inputValue()).toBe('kept');
    expect(await listTexts(account, cellar)).toEqual(['to the cellar']);
    expect(await listTexts(account, bin)).toEqual([]);
  });

  test('a phone shows the list, then the conversation, and Back', async () => {
    await using work = await openWithComputer({ size: 'phone' });
    await work.page.getByRole('heading', { name: 'Laptop', level: 1 }).waitFor();
    await expect.poll(() => work.page.getByRole('complementary').count()).toBe(0);
    await work.page.getByRole('button', { name: 'Back' }).tap();
    await row(work.page, 'Laptop').tap();
    await field(work.page).fill('by thumb');
    await sendButton(work.page).tap();
    await bubble(work.page, 'by thumb').getByText('Delivered').waitFor();
    await work.page.goBack();
    await row(work.page, 'by thumb').waitFor();
    await work.page.setViewportSize({ width: 320, height: 640 });
    await row(work.page, 'Laptop').tap();
    expect(await isWiderThanWindow(work.page)).toBe(false);
  });

  test('hostile texts and names run nothing and break nothing', async () => {
    const account = await createAccount();
    const name = '<img src=x onerror=alert(1)>\u{645}\u{631}\u{62d}\u{628}\u{627}xxxxxx';
    await using device = await startDevice(site.server, account, { name });
    const page = await openInNewBrowser(account, { size: 'phone' });
    await row(page, /img src/).click();
    await sendAsDevice(device, '<script>alert(1)</script><b>bold</b> javascript:alert(1) \u202eabc\u2066');
    await sendAsDevice(device, `${'W'.repeat(2400)}\n${'<b>'.repeat(800)}`, 3);
    await sendMessage(page, `${'ﷺ'.repeat(190)} a\u0301\u0323`);
    await bubble(page, 'Delivered').waitFor();
    await log(page).getByText('<script>alert(1)</script><b>bold</b>').waitFor();
    await expect.poll(() => log(page).locator('script, img, b b, a').count()).toBe(0);
    expect(await isWiderThanWindow(page)).toBe(false);
    await sendAsDevice(device, 'see https://example.org/a?b=c. (or http://example.org)');
    await log(page).getByRole('link', { name: 'https://example.org/a?b=c', exact: true }).waitFor();
    await expect.poll(() => log(page).getByRole('link').last().getAttribute('rel')).toBe('noopener noreferrer');
  });

  test('searches a conversation, and shows earlier messages', async () => {
    const account = await createAccount();
    await using device = await startDevice(site.server, account);
    for (let at = 0; at < 205; at += 1) await sendAsDevice(device, at === 0 ? 'the very first' : `Größe ${at}`);
    const page = await openMessages(account);
    await selectDevice(page, 'Laptop');
    await bubble(page, 'Größe 204').waitFor();
    await expect.poll(() => bubble(page, 'the very first').count()).toBe(0);
    await log(page).getByRole('button', { name: 'Show earlier messages' }).click();
    await bubble(page, 'the very first').waitFor();
    await page.getByRole('button', { name: 'Find in this conversation' }).click();
    await waitForFocus(page.getByRole('searchbox'));
    await page.keyboard.type('grösser 12');
    await page.getByText('0 found').waitFor();
    for (const typed of ['größe 12', 'GROSSE 12']) {
      await page.getByRole('searchbox').fill('nowhere');
      await page.getByText('0 found').waitFor();
      await page.getByRole('searchbox').fill(typed);
      await page.getByText('11 found').waitFor();
    }
    await page.keyboard.press('Escape');
    await expect.poll(() => bubble(page, /./).count()).toBe(205);
    await page.keyboard.type('/204');
    await page.getByText('1 found').waitFor();
    await page.getByRole('searchbox').blur();
    await page.keyboard.press('/');
    await waitForFocus(page.getByRole('searchbox'));
    await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('204');
  });

  test('requests notifications on a click only, and shows messages that arrive while the page is hidden', async () => {
    await using work = await openWithComputer({ hasServiceWorker: true, isFullBrowser: true });
    await work.page.context().grantPermissions(['notifications']);
    await work.page.evaluate(() => {
      const shown: string[] = [];
      Object.assign(window, {
        shown,
        Notification: class extends EventTarget {
          static permission = 'granted';
          static requestPermission: () => Promise<string> = async () => 'granted';
          constructor(title: string, { body }: { body: string }) {
            super();
            shown.push(`${title}: ${body}`);
          }
        },
      });
    });
    const shown = () => work.page.evaluate(() => (window as unknown as { shown: string[] }).shown);
    await work.page.getByRole('button', { name: 'Turn on notifications in this browser' }).click();
    await work.page.getByRole('button', { name: 'Notifications are on in this browser' }).waitFor();
    await sendAsDevice(work.device, 'seen');
    await bubble(work.page, 'seen').waitFor();
    await work.page.evaluate(() => {
      Object.defineProperty(document, 'visibilityState', { get: () => 'hidden', configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    });
    await sendAsDevice(work.device, 'tea is ready');
    await expect.poll(shown).toEqual(['Laptop: tea is ready']);
    await expect.poll(() => work.page.title()).toBe('(1) messages');
  });

  test('over plain http notifications are not offered, with the reason', async () => {
    const page = await openMessages(await createAccount(), { plainHttp: true, size: 'phone' });
    await page.getByText('Notifications need https').waitFor();
    await expect.poll(() => page.getByRole('button', { name: /Turn on notifications/ }).count()).toBe(0);
  });

  test('messages of a program with the account’s token appear under the account', async () => {
    const account = await createAccount();
    const page = await openMessages(account);
    await page.getByText('No other devices yet').waitFor();
    await expect.poll(async () => (await listDevices(account)).length).toBe(1);
    const target = (await listDevices(account))[0]?.[0] ?? '';
    await account.call(sendmessage, { inputtype: 1, inputValue: 'by curl', target, timesent: 1 });
    await selectDevice(page, new RegExp(`${account.name}.*by curl`, 's'));
    await bubble(page, 'by curl').waitFor();
  });

  test.for(['wide', 'phone'] as const)('axe finds nothing, %s, in both schemes', { tags: 'matrix' }, async (size) => {
    const account = await createAccount();
    await using device = await startDevice(site.server, account);
    await using bin = await startDevice(site.server, account, { name: 'Attic' });
    await sendAsDevice(bin, 'before');
    await sendAsDevice(device, 'x'.repeat(900), 3);
    const page = await openMessages(account, { size, expects: CONNECTION_ERRORS });
    await row(page, /Attic.*before/s).waitFor();
    await sendAsDevice(bin, 'after');
    await row(page, /Attic.*unread 1/s).waitFor();
    expect(await findBarriersInBoth(page)).toEqual([]);
    await selectDevice(page, 'Laptop');
    for (const text of ['text', '[[keys]]Ctrl-T', '[[file]]a.sh']) await sendMessage(page, text);
    await page.getByText('Delivered').waitFor();
    await page.getByRole('button', { name: 'Clipboard', exact: true }).click();
    await page.getByRole('button', { name: 'Find in this conversation' }).click();
    expect(await findBarriersInBoth(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.context().setOffline(true);
    await sendMessage(page, 'waiting');
    await page.getByText('Waiting for the server').waitFor();
    expect(await findBarriersInBoth(page)).toEqual([]);
  });
});
