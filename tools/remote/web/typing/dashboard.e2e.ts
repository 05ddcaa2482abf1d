import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findBarriersInBoth } from '#testing/kits/browser/axe.ts';
import type { OpenPageOptions } from '#testing/kits/browser/browser.ts';
import { reusePage } from '#testing/kits/browser/reusePage.ts';
import { openSignedIn, openWithLine } from '#testing/kits/browser/signedIn.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { startDevice, type TestDevice } from '#testing/kits/desktop/device.ts';
import type { TestAccount } from '#testing/kits/server/server.ts';
import { checkaccounts, endsessions } from '#tools/accounts/contract.ts';
import { pairdevice, requestpairing } from '#tools/devices/contract.ts';
import { keyboardinput } from '../../contract.ts';

const site = startTestSite({ rateLimits: false });
let people = 0;

const newPerson = (): Promise<TestAccount> => site.server.createAccount(`person ${++people}`);
const reuseWithLine: typeof openWithLine = (from, account, path, options) =>
  reusePage(from, account, path, { ...options, hasLine: true });
const dashboard = (account: TestAccount, options?: OpenPageOptions): Promise<Page> =>
  reusePage(site, account, '/dashboard', options);

/** A user with one connected computer, and the open dashboard with it selected and its socket connected. */
const atWork = async (options?: OpenPageOptions, open = reuseWithLine) => {
  const account = await newPerson();
  const device = await startDevice(site.server, account);
  const page = await open(site, account, '/dashboard', options);
  await page.getByRole('button', { name: /Connected device.*Laptop/ }).waitFor();
  return { account, device, page, [Symbol.asyncDispose]: () => device[Symbol.asyncDispose]() };
};

const field = (page: Page) => page.getByRole('textbox', { name: 'Text to send' });
const sendButton = (page: Page) => page.getByRole('button', { name: 'Send', exact: true });
const getLine = (page: Page, text: string | RegExp) =>
  page.getByRole('log').getByRole('button').filter({ hasText: text });
const notice = (page: Page, text: string) => page.getByRole('alert').filter({ hasText: text });
const typed = ({ drivers }: TestDevice): readonly string[] => drivers.listTypedTexts();
const sendByCall = (account: TestAccount, device: TestDevice, text: string, timesent: number) =>
  account.call(keyboardinput, {
    content: { inputtype: 1, inputValue: text, target: device.target, timesent },
  });

describe.skipIf(site.skipReason)(`the dashboard (${site.skipReason ?? 'in Chromium'})`, () => {
  test('types what is sent on the computer, shows ok and empties the field', async () => {
    await using work = await atWork();
    await field(work.page).fill('Grüße, "мир" — 你好 👋');
    await field(work.page).press('Enter');
    await getLine(work.page, 'Grüße').getByText('ok', { exact: true }).waitFor();
    expect(typed(work.device)).toEqual(['Grüße, "мир" — 你好 👋']);
    await expect.poll(() => field(work.page).inputValue()).toBe('');
  });

  test('checks the sending rules in their order, and shows at most five notices', async () => {
    const page = await dashboard(await newPerson());
    await sendButton(page).click();
    await notice(page, 'No text to send').waitFor();
    await field(page).fill('x'.repeat(201));
    await sendButton(page).click();
    await notice(page, 'no device selected').waitFor();
    for (let again = 0; again < 5; again++) await sendButton(page).click();
    await expect.poll(() => page.getByRole('alert').count()).toBe(5);
    await notice(page, 'No text to send').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Dismiss' }).first().click();
    await expect.poll(() => page.getByRole('alert').count()).toBe(4);
  });

  test('refuses 201 characters and the placeholder, and counts code points', async () => {
    await using work = await atWork();
    await field(work.page).fill('👋'.repeat(201));
    await sendButton(work.page).click();
    await notice(work.page, 'Message is too long at 201 characters, limit is 200 characters').waitFor();
    await work.page.getByText('201 / 200').waitFor();
    await field(work.page).fill('Enter text here');
    await sendButton(work.page).click();
    await notice(work.page, 'No text to send').waitFor();
    await field(work.page).fill('text [[keys]]Ctrl-T');
    await sendButton(work.page).click();
    await notice(work.page, 'A shortcut must be sent alone').waitFor();
    await field(work.page).fill('👋'.repeat(200));
    await sendButton(work.page).click();
    await expect.poll(() => typed(work.device)).toEqual(['👋'.repeat(200)]);
  });

  test('sends once for a double click', async () => {
    await using work = await atWork();
    await field(work.page).fill('once');
    await sendButton(work.page).dblclick();
    await getLine(work.page, 'once').getByText('ok', { exact: true }).waitFor();
    await field(work.page).fill('after');
    await field(work.page).press('Enter');
    await getLine(work.page, 'after').getByText('ok', { exact: true }).waitFor();
    expect(typed(work.device)).toEqual(['once', 'after']);
    await expect.poll(() => work.page.getByRole('alert').count()).toBe(0);
  });

  test('composes shortcuts with special buttons and sends them', async () => {
    await using work = await atWork();
    await work.page.keyboard.press('Alt+k');
    const panel = work.page.getByRole('region', { name: 'Special buttons' });
    for (const key of ['Ctrl', 'Alt', 'Gui', 'Left'])
      await panel.getByRole('button', { name: key, exact: true }).click();
    await expect.poll(() => field(work.page).inputValue()).toBe('[[keys]]Ctrl-Alt-Gui-Left');
    await expect.poll(() => panel.getByRole('button', { name: 'Gui' }).getAttribute('aria-pressed')).toBe('true');
    await panel.getByRole('button', { name: 'Gui' }).click();
    await expect.poll(() => field(work.page).inputValue()).toBe('[[keys]]Ctrl-Alt-Left');
    await sendButton(work.page).click();
    await work.device.drivers.waitForActions((acts) => acts.some(({ kind }) => kind === 'press'));
    expect(work.device.drivers.actions).toContainEqual({ kind: 'press', keys: ['Ctrl', 'Alt', 'Left'] });
    await work.page.keyboard.press('Alt+k');
    await panel.waitFor({ state: 'detached' });
  });

  test('has all keys of the specification, and media and F keys on the phone', async () => {
    await using work = await atWork({ size: 'phone' });
    const panel = work.page.getByRole('region', { name: 'Special buttons' });
    const shortcuts = work.page.getByRole('region', { name: 'Shortcuts' });
    await shortcuts.getByRole('button', { name: 'Alt-Tab' }).tap();
    await work.device.drivers.waitForActions((acts) => acts.some(({ kind }) => kind === 'press'));
    expect(work.device.drivers.actions).toEqual([{ kind: 'press', keys: ['Alt', 'Tab'] }]);
    expect(await panel.count()).toBe(0);
    await work.page.getByRole('button', { name: 'Special buttons' }).tap();
    await shortcuts.waitFor({ state: 'detached' });
    // In the order of a keyboard, each row on a selected line.
    const places = await Promise.all(
      Array.from('qpalzm').map((key) => panel.getByRole('button', { name: key, exact: true }).boundingBox()),
    );
    const [q = 0, p = 1, a = 2, l = 3, z = 4, m = 5] = places.map((box) => Math.round(box?.y ?? -1));
    expect([q === p, a === l, z === m, q < a, a < z]).toEqual([true, true, true, true, true]);
    const names = [
      'Ctrl',
      'Gui',
      'Alt',
      'Shift',
      'Tab',
      'Enter',
      'Esc',
      'Backspace',
      'Del',
      'Left',
      'Up',
      'Down',
      'Right',
    ];
    for (const key of [...names, ...Array.from('abcdefghijklmnopqrstuvwxyz')])
      expect(await panel.getByRole('button', { name: key, exact: true }).count(), key).toBe(1);
    await panel.getByRole('button', { name: 'Ctrl', exact: true }).tap();
    await panel.getByRole('button', { name: 'More keys' }).tap();
    await expect.poll(() => panel.getByRole('button', { name: 'Ctrl' }).getAttribute('aria-pressed')).toBe('true');
    await panel.getByRole('button', { name: 'F1', exact: true }).waitFor();
    for (const key of ['F1', 'F12', 'Play', 'Next', 'Volume up', 'Space', 'Minus'])
      expect(await panel.getByRole('button', { name: key, exact: true }).count(), key).toBe(1);
  });

  test('offers a chord pressed here as a shortcut instead of performing it', async () => {
    await using work = await atWork();
    await work.page.getByRole('button', { name: 'Special buttons' }).click();
    await field(work.page).press('Control+Alt+t');
    await work.page.getByRole('button', { name: 'Use as shortcut' }).click();
    await expect.poll(() => field(work.page).inputValue()).toBe('[[keys]]Ctrl-Alt-T');
  });

  test('sends a line of the history again with a click, and restores the last text with Up', async () => {
    await using work = await atWork();
    await field(work.page).fill('git status');
    await field(work.page).press('Enter');
    await getLine(work.page, 'git status').click();
    await expect.poll(() => typed(work.device)).toEqual(['git status', 'git status']);
    await expect.poll(() => getLine(work.page, 'git status').count()).toBe(2);
    await field(work.page).press('ArrowUp');
    await expect.poll(() => field(work.page).inputValue()).toBe('git status');
  });

  test('shows messages sent elsewhere immediately, complete lines only, newest last', async () => {
    await using work = await atWork();
    const start = Date.now() / 1000 - 100;
    for (let at = 0; at < 40; at++) await sendByCall(work.account, work.device, `line ${at}`, start + at);
    await getLine(work.page, 'line 39').waitFor();
    const log = await work.page.getByRole('log').boundingBox();
    const shown = await getLine(work.page, /line \d/)
      .filter({ visible: true })
      .all();
    expect(shown.length).toBeGreaterThan(5);
    expect(shown.length).toBeLessThan(40);
    for (const line of shown) expect((await line.boundingBox())?.y).toBeGreaterThanOrEqual(log?.y ?? Infinity);
    await work.page.setViewportSize({ width: 1280, height: 500 });
    await expect
      .poll(() =>
        getLine(work.page, /line \d/)
          .filter({ visible: true })
          .count(),
      )
      .toBeLessThan(shown.length);
    await work.page.reload();
    await getLine(work.page, 'line 39').waitFor();
  });

  test('uploads a script, writes it to the field, sends it and shows its result', async () => {
    await using work = await atWork();
    await work.page.getByRole('button', { name: /Add\/Send script files/ }).click();
    await work.page.getByRole('option', { name: 'Add script file' }).click();
    const upload = work.page.getByRole('dialog', { name: 'Add script file' });
    await upload.getByRole('button', { name: 'Upload' }).click();
    await notice(work.page, 'No file selected').waitFor();
    const choose = (name: string, text: string) =>
      upload.getByLabel('Script file').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
    await choose('empty.sh', '');
    await upload.getByRole('button', { name: 'Upload' }).click();
    await notice(work.page, 'file has no data').waitFor();
    await choose('hello.sh', 'echo hello from the script\n');
    await upload.getByRole('button', { name: 'Upload' }).click();
    await upload.waitFor({ state: 'detached' });
    await expect.poll(() => field(work.page).inputValue()).toBe('[[file]]hello.sh');
    await sendButton(work.page).click();
    await work.page.getByRole('log').getByText('hello from the script').waitFor();
    await work.page.getByRole('button', { name: /Add\/Send script files/ }).click();
    await work.page.getByRole('option', { name: 'hello.sh' }).click();
    await expect.poll(() => field(work.page).inputValue()).toBe('[[file]]hello.sh');
  });

  test('does not let a disconnected device be selected', async () => {
    await using work = await atWork();
    const { code } = await site.server.call(requestpairing, { name: 'Attic', system: 'Debian' });
    await work.account.call(pairdevice, { code });
    await work.page.reload();
    await work.page.getByRole('button', { name: /Connected device/ }).click();
    const bin = work.page.getByRole('option', { name: /Attic/ });
    await bin.getByText('Disconnected').waitFor();
    await expect.poll(() => bin.getAttribute('aria-disabled')).toBe('true');
    await bin.click({ force: true });
    await work.page.keyboard.press('Escape');
    await work.page.getByRole('button', { name: /Connected device.*Laptop/ }).waitFor();
  });

  test('shows why the device did not do it, and restores the text', async () => {
    await using work = await atWork();
    work.device.drivers.behave({ gone: 'There is no screen here' });
    await field(work.page).fill('hello');
    await field(work.page).press('Enter');
    await notice(work.page, 'There is no screen here').waitFor();
    await getLine(work.page, 'There is no screen here').waitFor();
    await expect.poll(() => field(work.page).inputValue()).toBe('hello');
  });

  test('leads to the login when its session has ended', async () => {
    await using work = await atWork({ expects: /WebSocket/ }, openWithLine);
    const { sessions } = await work.account.call(checkaccounts, {});
    await work.account.call(endsessions, { ids: sessions.map(({ id }) => id) });
    await work.page.waitForURL('**/login');
    await work.page.getByText('invalid token, please re-log').first().waitFor();
  });

  test('leads to the login when its session ended before its socket was connected', async () => {
    const account = await newPerson();
    await using _device = await startDevice(site.server, account);
    const page = await openSignedIn(site, account, '/dashboard/about', { expects: /WebSocket/ });
    const mayTalk = Promise.withResolvers<void>();
    await page.routeWebSocket(/socket\.io/, (line) => {
      const server = line.connectToServer();
      line.onMessage((sent) => void mayTalk.promise.then(() => server.send(sent)));
    });
    await page.goto('/dashboard');
    await page.getByRole('button', { name: /Connected device/ }).waitFor();
    const { sessions } = await account.call(checkaccounts, {});
    await account.call(endsessions, { ids: sessions.map(({ id }) => id) });
    mayTalk.resolve();
    await page.waitForURL('**/login');
  });

  test('can be operated by keyboard alone', async () => {
    const account = await newPerson();
    await using first = await startDevice(site.server, account, { name: 'Attic' });
    await using second = await startDevice(site.server, account, { name: 'Cellar' });
    const page = await dashboard(account);
    // With two computers none is selected automatically.
    await page.getByRole('button', { name: /Connected device.*Choose a device/ }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /Connected device.*Cellar/ }).waitFor();
    for (let step = 0; step < 12; step++) {
      if (await field(page).evaluate((element) => element === document.activeElement)) break;
      await page.keyboard.press('Tab');
    }
    await page.keyboard.type('by keys');
    await page.keyboard.press('Enter');
    await getLine(page, 'by keys').getByText('ok', { exact: true }).waitFor();
    expect([typed(first), typed(second)]).toEqual([[], ['by keys']]);
  });

  test('is a mouse on the phone: LMB is held while touched, Lift toggles', async () => {
    await using work = await atWork({ size: 'phone' });
    const panel = work.page.getByRole('region', { name: 'Mouse panel' });
    const lmb = await panel.getByRole('button', { name: 'LMB' }).boundingBox();
    await work.page.mouse.move((lmb?.x ?? 0) + 20, (lmb?.y ?? 0) + 20);
    await work.page.mouse.down();
    const leftButton = (down: boolean) =>
      work.device.drivers.waitForActions((acts) =>
        acts.some((act) => act.kind === 'button' && act.which === 'left' && act.down === down),
      );
    await leftButton(true);
    await work.page.mouse.up();
    await leftButton(false);
    const lift = panel.getByRole('button', { name: 'Lift' });
    await lift.tap();
    await expect.poll(() => lift.getAttribute('aria-pressed')).toBe('true');
    await lift.tap();
    await expect.poll(() => lift.getAttribute('aria-pressed')).toBe('false');
  });

  test('moves the pointer by tilting the phone', async () => {
    await using work = await atWork({ size: 'phone' }, openWithLine);
    await work.page.getByRole('button', { name: 'Lift' }).tap();
    await work.page.getByRole('button', { name: 'Lift' }).tap();
    // For the lifetime of the page: nothing moves before its socket is connected.
    await work.page.evaluate(() => {
      let step = 0;
      setInterval(() => {
        step += 1;
        const held = { alpha: (40 + step * 0.5) % 360, beta: 10 + (step % 60) * 0.3, gamma: 0 };
        window.dispatchEvent(new DeviceOrientationEvent('deviceorientation', held));
      }, 16);
    });
    await work.device.drivers.waitForActions((acts) => acts.some(({ kind }) => kind === 'move'));
    await work.page.getByText('Tilt the phone to move the pointer').waitFor();
  });

  test('works over plain http on a phone, and says what needs https', async () => {
    await using work = await atWork({ size: 'phone', plainHttp: true, expects: /Cross-Origin-Opener-Policy/ });
    expect(await work.page.evaluate(() => window.isSecureContext)).toBe(false);
    await work.page.getByRole('button', { name: 'Lift' }).tap();
    await work.page.getByText(/needs https/).waitFor();
    await field(work.page).fill('over http');
    await sendButton(work.page).tap();
    await getLine(work.page, 'over http').getByText('ok', { exact: true }).waitFor();
  });

  test('without a computer it says how to get one', async () => {
    const page = await dashboard(await newPerson());
    await page.getByRole('button', { name: 'Pair your computer' }).click();
    await page.waitForURL('**/dashboard/settings/pair');
    await page.goBack();
    await page.getByRole('button', { name: 'Devices Settings' }).click();
    await page.waitForURL('**/dashboard/settings?tab=devices');
  });

  test('its links clear the cookie, and lead home, to about and to the settings', async () => {
    const page = await openSignedIn(site, await newPerson(), '/dashboard');
    await page.getByRole('link', { name: /^Account person/ }).click();
    await page.waitForURL('**/dashboard/settings');
    await page.goBack();
    await page.getByRole('link', { name: 'About', exact: true }).click();
    await page.waitForURL('**/dashboard/about');
    await page.getByRole('heading', { name: 'about' }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'clear cookie' }).click();
    expect(
      await page
        .context()
        .cookies()
        .then((all) => all.some(({ name }) => name === 'usertoken')),
    ).toBe(false);
    await field(page).waitFor();
    await page.getByRole('link', { name: 'Go to home (clear cookie first)' }).click();
    await page.waitForURL((url) => url.pathname === '/');
  });

  test.for(['wide', 'phone'] as const)('axe finds nothing, %s, in both schemes', { tags: 'matrix' }, async (size) => {
    await using work = await atWork({ size });
    for (const text of ['plain text', '[[keys]]Ctrl-T']) {
      await field(work.page).fill(text);
      await field(work.page).press('Enter');
    }
    await expect.poll(() => getLine(work.page, /ok/).count()).toBe(2);
    if (size === 'wide') await work.page.keyboard.press('Alt+k');
    await field(work.page).fill('x'.repeat(201));
    await sendButton(work.page).click();
    await notice(work.page, 'Message is too long').waitFor();
    expect(await findBarriersInBoth(work.page)).toEqual([]);
  });
});
