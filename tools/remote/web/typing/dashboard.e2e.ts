import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findBarriersInBoth } from '#testing/kits/browser/axe.ts';
import { navigate, type OpenPageOptions } from '#testing/kits/browser/browser.ts';
import { openLoggedIn, openConnected } from '#testing/kits/browser/openLoggedIn.ts';
import { reusePage } from '#testing/kits/browser/reusePage.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { startDevice, type TestDevice } from '#testing/kits/desktop/device.ts';
import type { TestAccount } from '#testing/kits/server/server.ts';
import { checkaccounts, endsessions } from '#tools/accounts/contract.ts';
import { pairdevice, requestpairing } from '#tools/devices/contract.ts';
import { keyboardinput } from '../../contract.ts';

const site = startTestSite({ rateLimits: false });

const reuseWithLine: typeof openConnected = (from, account, path, options) =>
  reusePage(from, account, path, { ...options, waitsForConnection: true });
const openDashboard = (account: TestAccount, options?: OpenPageOptions): Promise<Page> =>
  reusePage(site, account, '/dashboard', options);

/** Opens the dashboard of a user with one connected computer, and waits until it is selected. */
async function openWithComputer(options?: OpenPageOptions, open = reuseWithLine) {
  const account = await site.createPerson();
  const device = await startDevice(site.server, account);
  const page = await open(site, account, '/dashboard', options);
  await page.getByRole('button', { name: /Connected device.*Laptop/ }).waitFor();
  return { account, device, page, [Symbol.asyncDispose]: () => device[Symbol.asyncDispose]() };
}

const getField = (page: Page) => page.getByRole('textbox', { name: 'Text to send' });
const getSendButton = (page: Page) => page.getByRole('button', { name: 'Send', exact: true });
const getLine = (page: Page, text: string | RegExp) =>
  page.getByRole('log').getByRole('button').filter({ hasText: text });
const getNotice = (page: Page, text: string) => page.getByRole('alert').filter({ hasText: text });
const listTyped = ({ drivers }: TestDevice): readonly string[] => drivers.listTypedTexts();
const sendByCall = (account: TestAccount, device: TestDevice, text: string, timesent: number) =>
  account.call(keyboardinput, {
    content: { inputtype: 1, inputValue: text, target: device.target, timesent },
  });

describe.skipIf(site.skipReason)(`the dashboard (${site.skipReason ?? 'in Chromium'})`, () => {
  test('types what is sent on the computer, shows ok and empties the field', async () => {
    await using setup = await openWithComputer();
    await getField(setup.page).fill('Grüße, "мир" — 你好 👋');
    await getField(setup.page).press('Enter');
    await getLine(setup.page, 'Grüße').getByText('ok', { exact: true }).waitFor();
    expect(listTyped(setup.device)).toEqual(['Grüße, "мир" — 你好 👋']);
    await expect.poll(() => getField(setup.page).inputValue()).toBe('');
  });

  test('reports a history that could not be loaded, and loads it by Try again', async () => {
    const account = await site.createPerson();
    await using device = await startDevice(site.server, account);
    await sendByCall(account, device, 'sent earlier', Date.now() / 1000);
    const page = await reusePage(site, account, '/dashboard/about');
    let isBroken = true;
    await page.route('**/api/remotehistory**', (route) =>
      isBroken ? route.fulfill({ json: { message: 'The history is not available' } }) : route.continue(),
    );
    await navigate(page, '/dashboard');
    await getNotice(page, 'The history is not available').waitFor();
    isBroken = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await getLine(page, 'sent earlier').waitFor();
  });

  test('checks the sending rules in their order, and shows at most five notices', async () => {
    const page = await openDashboard(await site.createPerson());
    await getSendButton(page).click();
    await getNotice(page, 'No text to send').waitFor();
    await getField(page).fill('x'.repeat(201));
    await getSendButton(page).click();
    await getNotice(page, 'no device selected').waitFor();
    for (let again = 0; again < 5; again++) await getSendButton(page).click();
    await expect.poll(() => page.getByRole('alert').count()).toBe(5);
    await getNotice(page, 'No text to send').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Dismiss' }).first().click();
    await expect.poll(() => page.getByRole('alert').count()).toBe(4);
  });

  test('refuses 201 characters and the placeholder, and counts code points', async () => {
    await using setup = await openWithComputer();
    await getField(setup.page).fill('👋'.repeat(201));
    await getSendButton(setup.page).click();
    await getNotice(setup.page, 'Message is too long at 201 characters, limit is 200 characters').waitFor();
    await setup.page.getByText('201 / 200').waitFor();
    await getField(setup.page).fill('Enter text here');
    await getSendButton(setup.page).click();
    await getNotice(setup.page, 'No text to send').waitFor();
    await getField(setup.page).fill('text [[keys]]Ctrl-T');
    await getSendButton(setup.page).click();
    await getNotice(setup.page, 'A shortcut must be sent alone').waitFor();
    await getField(setup.page).fill('👋'.repeat(200));
    await getSendButton(setup.page).click();
    await expect.poll(() => listTyped(setup.device)).toEqual(['👋'.repeat(200)]);
  });

  test('sends once for a double click', async () => {
    await using setup = await openWithComputer();
    await getField(setup.page).fill('once');
    await getSendButton(setup.page).dblclick();
    await getLine(setup.page, 'once').getByText('ok', { exact: true }).waitFor();
    await getField(setup.page).fill('after');
    await getField(setup.page).press('Enter');
    await getLine(setup.page, 'after').getByText('ok', { exact: true }).waitFor();
    expect(listTyped(setup.device)).toEqual(['once', 'after']);
    await expect.poll(() => setup.page.getByRole('alert').count()).toBe(0);
  });

  test('composes shortcuts with special buttons and sends them', async () => {
    await using setup = await openWithComputer();
    await setup.page.keyboard.press('Alt+k');
    const panel = setup.page.getByRole('region', { name: 'Special buttons' });
    for (const key of ['Ctrl', 'Alt', 'Gui', 'Left'])
      await panel.getByRole('button', { name: key, exact: true }).click();
    await expect.poll(() => getField(setup.page).inputValue()).toBe('[[keys]]Ctrl-Alt-Gui-Left');
    await expect.poll(() => panel.getByRole('button', { name: 'Gui' }).getAttribute('aria-pressed')).toBe('true');
    await panel.getByRole('button', { name: 'Gui' }).click();
    await expect.poll(() => getField(setup.page).inputValue()).toBe('[[keys]]Ctrl-Alt-Left');
    await getSendButton(setup.page).click();
    await setup.device.drivers.waitForActions((acts) => acts.some(({ kind }) => kind === 'press'));
    expect(setup.device.drivers.actions).toContainEqual({ kind: 'press', keys: ['Ctrl', 'Alt', 'Left'] });
    await setup.page.keyboard.press('Alt+k');
    await panel.waitFor({ state: 'detached' });
  });

  test('has all keys of the specification, and media and F keys on the phone', async () => {
    await using setup = await openWithComputer({ size: 'phone' });
    const panel = setup.page.getByRole('region', { name: 'Special buttons' });
    const shortcuts = setup.page.getByRole('region', { name: 'Shortcuts' });
    await shortcuts.getByRole('button', { name: 'Alt-Tab' }).tap();
    await setup.device.drivers.waitForActions((acts) => acts.some(({ kind }) => kind === 'press'));
    expect(setup.device.drivers.actions).toEqual([{ kind: 'press', keys: ['Alt', 'Tab'] }]);
    expect(await panel.count()).toBe(0);
    await setup.page.getByRole('button', { name: 'Special buttons' }).tap();
    await shortcuts.waitFor({ state: 'detached' });
    // In the order of a keyboard, each row on its own line.
    const boxes = await Promise.all(
      Array.from('qpalzm').map((key) => panel.getByRole('button', { name: key, exact: true }).boundingBox()),
    );
    const [q = 0, p = 1, a = 2, l = 3, z = 4, m = 5] = boxes.map((box) => Math.round(box?.y ?? -1));
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
    await using setup = await openWithComputer();
    await setup.page.getByRole('button', { name: 'Special buttons' }).click();
    await getField(setup.page).press('Control+Alt+t');
    await setup.page.getByRole('button', { name: 'Use as shortcut' }).click();
    await expect.poll(() => getField(setup.page).inputValue()).toBe('[[keys]]Ctrl-Alt-T');
  });

  test('sends a line of the history again with a click, and restores the last text with Up', async () => {
    await using setup = await openWithComputer();
    await getField(setup.page).fill('git status');
    await getField(setup.page).press('Enter');
    await getLine(setup.page, 'git status').click();
    await expect.poll(() => listTyped(setup.device)).toEqual(['git status', 'git status']);
    await expect.poll(() => getLine(setup.page, 'git status').count()).toBe(2);
    await getField(setup.page).press('ArrowUp');
    await expect.poll(() => getField(setup.page).inputValue()).toBe('git status');
  });

  test('shows messages sent elsewhere immediately, complete lines only, newest last', async () => {
    await using setup = await openWithComputer();
    const start = Date.now() / 1000 - 100;
    for (let at = 0; at < 40; at++) await sendByCall(setup.account, setup.device, `line ${at}`, start + at);
    await getLine(setup.page, 'line 39').waitFor();
    const getLog = await setup.page.getByRole('log').boundingBox();
    const shown = await getLine(setup.page, /line \d/)
      .filter({ visible: true })
      .all();
    expect(shown.length).toBeGreaterThan(5);
    expect(shown.length).toBeLessThan(40);
    for (const line of shown) expect((await line.boundingBox())?.y).toBeGreaterThanOrEqual(getLog?.y ?? Infinity);
    await setup.page.setViewportSize({ width: 1280, height: 500 });
    await expect
      .poll(() =>
        getLine(setup.page, /line \d/)
          .filter({ visible: true })
          .count(),
      )
      .toBeLessThan(shown.length);
    await setup.page.reload();
    await getLine(setup.page, 'line 39').waitFor();
  });

  test('uploads a script, writes it to the field, sends it and shows its result', async () => {
    await using setup = await openWithComputer();
    await setup.page.getByRole('button', { name: /Add\/Send script files/ }).click();
    await setup.page.getByRole('option', { name: 'Add script file' }).click();
    const dialog = setup.page.getByRole('dialog', { name: 'Add script file' });
    await dialog.getByRole('button', { name: 'Upload' }).click();
    await getNotice(setup.page, 'No file selected').waitFor();
    const chooseFile = (name: string, text: string) =>
      dialog.getByLabel('Script file').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
    await chooseFile('empty.sh', '');
    await dialog.getByRole('button', { name: 'Upload' }).click();
    await getNotice(setup.page, 'file has no data').waitFor();
    await chooseFile('hello.sh', 'echo hello from the script\n');
    await dialog.getByRole('button', { name: 'Upload' }).click();
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => getField(setup.page).inputValue()).toBe('[[file]]hello.sh');
    await getSendButton(setup.page).click();
    await setup.page.getByRole('log').getByText('hello from the script').waitFor();
    await setup.page.getByRole('button', { name: /Add\/Send script files/ }).click();
    await setup.page.getByRole('option', { name: 'hello.sh' }).click();
    await expect.poll(() => getField(setup.page).inputValue()).toBe('[[file]]hello.sh');
  });

  test('does not let a disconnected device be selected', async () => {
    await using setup = await openWithComputer();
    const { code } = await site.server.call(requestpairing, { name: 'Attic', system: 'Debian' });
    await setup.account.call(pairdevice, { code });
    await setup.page.reload();
    await setup.page.getByRole('button', { name: /Connected device/ }).click();
    const option = setup.page.getByRole('option', { name: /Attic/ });
    await option.getByText('Disconnected').waitFor();
    await expect.poll(() => option.getAttribute('aria-disabled')).toBe('true');
    await option.click({ force: true });
    await setup.page.keyboard.press('Escape');
    await setup.page.getByRole('button', { name: /Connected device.*Laptop/ }).waitFor();
  });

  test('shows why the device did not do it, and restores the text', async () => {
    await using setup = await openWithComputer();
    setup.device.drivers.behave({ gone: 'There is no screen here' });
    await getField(setup.page).fill('hello');
    await getField(setup.page).press('Enter');
    await getNotice(setup.page, 'There is no screen here').waitFor();
    await getLine(setup.page, 'There is no screen here').waitFor();
    await expect.poll(() => getField(setup.page).inputValue()).toBe('hello');
  });

  test('leads to the login when its session has ended', async () => {
    await using setup = await openWithComputer({ expects: /WebSocket/ }, openConnected);
    const { sessions } = await setup.account.call(checkaccounts, {});
    await setup.account.call(endsessions, { ids: sessions.map(({ id }) => id) });
    await setup.page.waitForURL('**/login');
    await setup.page.getByText('invalid token, please re-log').first().waitFor();
  });

  test('leads to the login when its session ended before its socket was connected', async () => {
    const account = await site.createPerson();
    await using _device = await startDevice(site.server, account);
    const page = await openLoggedIn(site, account, '/dashboard/about', { expects: /WebSocket/ });
    const connectionStart = Promise.withResolvers<void>();
    await page.routeWebSocket(/socket\.io/, (socket) => {
      const server = socket.connectToServer();
      socket.onMessage((sent) => void connectionStart.promise.then(() => server.send(sent)));
    });
    await page.goto('/dashboard');
    await page.getByRole('button', { name: /Connected device/ }).waitFor();
    const { sessions } = await account.call(checkaccounts, {});
    await account.call(endsessions, { ids: sessions.map(({ id }) => id) });
    connectionStart.resolve();
    await page.waitForURL('**/login');
  });

  test('can be operated by keyboard alone', async () => {
    const account = await site.createPerson();
    await using first = await startDevice(site.server, account, { name: 'Attic' });
    await using second = await startDevice(site.server, account, { name: 'Cellar' });
    const page = await openDashboard(account);
    // With two computers none is selected automatically.
    await page.getByRole('button', { name: /Connected device.*Choose a device/ }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /Connected device.*Cellar/ }).waitFor();
    for (let step = 0; step < 12; step++) {
      if (await getField(page).evaluate((element) => element === document.activeElement)) break;
      await page.keyboard.press('Tab');
    }
    await page.keyboard.type('by keys');
    await page.keyboard.press('Enter');
    await getLine(page, 'by keys').getByText('ok', { exact: true }).waitFor();
    expect([listTyped(first), listTyped(second)]).toEqual([[], ['by keys']]);
  });

  test('is a mouse on the phone: LMB is held while touched, Lift toggles', async () => {
    await using setup = await openWithComputer({ size: 'phone' });
    const panel = setup.page.getByRole('region', { name: 'Mouse panel' });
    const lmb = await panel.getByRole('button', { name: 'LMB' }).boundingBox();
    await setup.page.mouse.move((lmb?.x ?? 0) + 20, (lmb?.y ?? 0) + 20);
    await setup.page.mouse.down();
    const waitForLeftButton = (down: boolean) =>
      setup.device.drivers.waitForActions((acts) =>
        acts.some((act) => act.kind === 'button' && act.which === 'left' && act.down === down),
      );
    await waitForLeftButton(true);
    await setup.page.mouse.up();
    await waitForLeftButton(false);
    const lift = panel.getByRole('button', { name: 'Lift' });
    await lift.tap();
    await expect.poll(() => lift.getAttribute('aria-pressed')).toBe('true');
    await lift.tap();
    await expect.poll(() => lift.getAttribute('aria-pressed')).toBe('false');
  });

  test('moves the pointer by tilting the phone', async () => {
    await using setup = await openWithComputer({ size: 'phone' }, openConnected);
    await setup.page.getByRole('button', { name: 'Lift' }).tap();
    await setup.page.getByRole('button', { name: 'Lift' }).tap();
    // For the lifetime of the page: nothing moves before its socket is connected.
    await setup.page.evaluate(() => {
      let step = 0;
      setInterval(() => {
        step += 1;
        const held = { alpha: (40 + step * 0.5) % 360, beta: 10 + (step % 60) * 0.3, gamma: 0 };
        window.dispatchEvent(new DeviceOrientationEvent('deviceorientation', held));
      }, 16);
    });
    await setup.device.drivers.waitForActions((acts) => acts.some(({ kind }) => kind === 'move'));
    await setup.page.getByText('Tilt the phone to move the pointer').waitFor();
  });

  test('works over plain http on a phone, and says what needs https', async () => {
    await using setup = await openWithComputer({
      size: 'phone',
      plainHttp: true,
      expects: /Cross-Origin-Opener-Policy/,
    });
    expect(await setup.page.evaluate(() => window.isSecureContext)).toBe(false);
    await setup.page.getByRole('button', { name: 'Lift' }).tap();
    await setup.page.getByText(/needs https/).waitFor();
    await getField(setup.page).fill('over http');
    await getSendButton(setup.page).tap();
    await getLine(setup.page, 'over http').getByText('ok', { exact: true }).waitFor();
  });

  test('without a computer it says how to get one', async () => {
    const page = await openDashboard(await site.createPerson());
    await page.getByRole('button', { name: 'Pair your computer' }).click();
    await page.waitForURL('**/dashboard/settings/pair');
    await page.goBack();
    await page.getByRole('button', { name: 'Devices Settings' }).click();
    await page.waitForURL('**/dashboard/settings?tab=devices');
  });

  test('its links clear the cookie, and lead home, to about and to the settings', async () => {
    const page = await openLoggedIn(site, await site.createPerson(), '/dashboard');
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
    await getField(page).waitFor();
    await page.getByRole('link', { name: 'Go to home (clear cookie first)' }).click();
    await page.waitForURL((url) => url.pathname === '/');
  });

  test.for(['wide', 'phone'] as const)('axe finds nothing, %s, in both schemes', { tags: 'matrix' }, async (size) => {
    await using setup = await openWithComputer({ size });
    for (const text of ['plain text', '[[keys]]Ctrl-T']) {
      await getField(setup.page).fill(text);
      await getField(setup.page).press('Enter');
    }
    await expect.poll(() => getLine(setup.page, /ok/).count()).toBe(2);
    if (size === 'wide') await setup.page.keyboard.press('Alt+k');
    await getField(setup.page).fill('x'.repeat(201));
    await getSendButton(setup.page).click();
    await getNotice(setup.page, 'Message is too long').waitFor();
    expect(await findBarriersInBoth(setup.page)).toEqual([]);
  });
});
