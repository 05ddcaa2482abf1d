import type { Request } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findBarriers } from '#testing/kits/browser/axe.ts';
import { navigate, waitForIdle, type OpenPageOptions } from '#testing/kits/browser/browser.ts';
import { openLoggedIn, openConnected } from '#testing/kits/browser/openLoggedIn.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { startDevice } from '#testing/kits/desktop/device.ts';
import {
  getLevel,
  createMixerKit,
  getNotice,
  ROOM_STATE,
  expectText,
  getSlider,
  pollFor,
  createLevel,
  getSliderText,
  listStrips,
  setLevelAtComputer,
} from '#testing/kits/desktop/mixer.ts';
import { checkaccounts, endsessions } from '#tools/accounts/contract.ts';

const site = startTestSite({ rateLimits: false });
const { createPerson, openMixer, openPlayingMixer } = createMixerKit(site);
const isPoll = (request: Request): boolean => request.url().endsWith('/api/mixerargs');

describe.skipIf(site.skipReason)(`states of the mixer (${site.skipReason ?? 'in Chromium'})`, () => {
  test('shows next to the outputs that nothing plays, until something plays', async () => {
    await using setup = await openPlayingMixer({}, { outputs: ROOM_STATE.outputs, sessions: [] });
    const emptyMessage = setup.page.getByText(
      'No audio sessions found (or a very rare error, might fix itself in a few seconds, if not, restart)',
      { exact: true },
    );
    await emptyMessage.waitFor();
    expect(await listStrips(setup.page)).toEqual(['Master volume', 'HDMI volume']);
    setup.device.drivers.play(ROOM_STATE);
    await getSlider(setup.page, 'firefox').waitFor();
    await emptyMessage.waitFor({ state: 'detached' });
    setup.device.drivers.play({ outputs: [], sessions: [] });
    await emptyMessage.waitFor();
    await setup.page.getByRole('button', { name: 'Devices Settings' }).click();
    await setup.page.waitForURL('**/dashboard/settings?tab=devices');
  });

  test('shows a visitor what to do, and leads to the login and back', async () => {
    const account = await createPerson();
    await using device = await startDevice(site.server, account);
    device.drivers.play(ROOM_STATE);
    const page = await site.browser.openPage(site.server.origin, '/mixer');
    await page
      .getByText(
        'no token found, and not logged in also. Log in and either: click go to mixer, or save token. then come back :)',
        { exact: true },
      )
      .waitFor();
    await page.getByRole('button', { name: 'Log in', exact: true }).click();
    await page.waitForURL('**/login');
    await page.getByRole('textbox', { name: 'Username' }).fill(account.name);
    await page.getByLabel('Password', { exact: true }).fill(account.password);
    await page.getByRole('button', { name: 'Go', exact: true }).click();
    await page.waitForURL('**/mixer');
    await getSlider(page, 'firefox').waitFor();
  });

  test('leads to the login when its session has ended', async () => {
    const account = await createPerson();
    const page = await openConnected(site, account, '/mixer', { expects: /WebSocket/ });
    await page.getByText('no device selected').waitFor();
    const { sessions } = await account.call(checkaccounts, {});
    await account.call(endsessions, { ids: sessions.map(({ id }) => id) });
    await page.waitForURL('**/login');
    await page.getByText('invalid token, please re-log').first().waitFor();
  });

  test('a refusal that contains "invalid token" leads to the login', async () => {
    const page = await openLoggedIn(site, await createPerson(), '/mixer');
    await page.getByText('no device selected').waitFor();
    await page.route('**/api/mixerargs', (route) => route.fulfill({ json: { message: 'this is an invalid token' } }));
    await page.waitForURL('**/login');
  });

  test('without a computer it shows the server’s sentence, and leads to Devices', async () => {
    const page = await openMixer(await createPerson());
    await page.getByText('no device selected', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Pair your computer' }).waitFor();
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
    await page.getByRole('button', { name: 'Devices Settings' }).click();
    await page.waitForURL('**/dashboard/settings?tab=devices');
  });

  test('shows any other refusal on the page, and as one notice however often it is polled', async () => {
    const account = await createPerson();
    await using device = await startDevice(site.server, account, { allow: { sound: false } });
    const page = await openMixer(account);
    await getNotice(page, device.name).or(page.getByRole('alert')).first().waitFor();
    const message =
      (await page.locator('main').getByRole('status').filter({ hasText: /\w/ }).first().textContent()) ?? '';
    expect(message).not.toBe('');
    await expect.poll(() => getNotice(page, message).count()).toBe(1);
    await page.waitForEvent('requestfinished', isPoll);
    await page.waitForEvent('requestfinished', isPoll);
    await expect.poll(() => page.getByRole('alert').count()).toBe(1);
    await expect.poll(() => getNotice(page, message).count()).toBe(1);
  });

  test('a computer that disconnects is reported, and its strips return with it', async () => {
    const account = await createPerson();
    const device = await startDevice(site.server, account);
    device.drivers.play(ROOM_STATE);
    const page = await openMixer(account);
    await getSlider(page, 'firefox').waitFor();
    await device[Symbol.asyncDispose]();
    await getNotice(page, 'Laptop is not connected').waitFor();
    // It may return soon, so the strips stay visible and can’t be moved.
    await page.getByText('Reconnecting', { exact: true }).waitFor();
    await expect.poll(() => getSlider(page, 'firefox').isDisabled()).toBe(true);
    await using reconnected = await startDevice(site.server, account, { again: device });
    reconnected.drivers.play({ ...ROOM_STATE, sessions: [createLevel('firefox', 9)] });
    await expectText(page, 'firefox', '9 percent');
    await expect.poll(() => getSlider(page, 'firefox').isEnabled()).toBe(true);
  });

  test('shows that it is offline, disables the faders, and continues afterwards', async () => {
    await using setup = await openPlayingMixer({ expects: /ERR_INTERNET_DISCONNECTED|WebSocket/ });
    await setup.page.context().setOffline(true);
    await setup.page.getByText(/^Offline/).waitFor();
    await pollFor(() => getSlider(setup.page, 'firefox').isDisabled()).toBe(true);
    expect(await getSliderText(setup.page, 'firefox')).toBe('54 percent');
    setLevelAtComputer(setup.device, 'firefox', 77);
    await setup.page.context().setOffline(false);
    await expectText(setup.page, 'firefox', '77 percent');
    await pollFor(() => getSlider(setup.page, 'firefox').isEnabled()).toBe(true);
    await getSlider(setup.page, 'firefox').fill('50');
    await pollFor(() => getLevel(setup.device, 'firefox')).toBe('50');
    await expect.poll(() => setup.page.getByRole('alert').count()).toBe(0);
  });

  test('a network that fails while the page connects does not delay the connection afterwards', async () => {
    const account = await createPerson();
    await using device = await startDevice(site.server, account);
    device.drivers.play(ROOM_STATE);
    const page = await openMixer(account, { expects: /ERR_INTERNET_DISCONNECTED|WebSocket/ });
    await getSlider(page, 'firefox').waitFor();
    let isFirstSocket = true;
    const opening = Promise.withResolvers<void>();
    await page.routeWebSocket(/socket\.io/, (socket) => {
      if (!isFirstSocket) return void socket.connectToServer();
      isFirstSocket = false;
      opening.resolve();
    });
    await page.reload();
    await opening.promise;
    await page.context().setOffline(true);
    await page.getByText(/^Offline/).waitFor();
    await page.context().setOffline(false);
    await pollFor(() => getSlider(page, 'firefox').isEnabled()).toBe(true);
    await getSlider(page, 'firefox').fill('50');
    // Shorter than the 20 s after which an unanswered connection attempt ends.
    await expect.poll(() => getLevel(device, 'firefox'), { timeout: 18_000 }).toBe('50');
  });

  test('with several computers it shows and sets only the selected one, which is also selected on the dashboard', async () => {
    const account = await createPerson();
    await using desk = await startDevice(site.server, account, { name: 'Desk' });
    await using sofa = await startDevice(site.server, account, { name: 'Sofa' });
    desk.drivers.play({ outputs: [], sessions: [createLevel('firefox', 10), createLevel('only here', 1)] });
    sofa.drivers.play({ outputs: [], sessions: [createLevel('firefox', 90)] });
    const page = await openMixer(account);
    const picker = page.getByRole('button', { name: /Connected device/ });
    async function selectComputer(name: RegExp): Promise<void> {
      await picker.click();
      await page.getByRole('option', { name }).click();
    }
    await selectComputer(/Sofa/);
    await expectText(page, 'firefox', '90 percent');
    expect(await listStrips(page)).toEqual(['firefox volume']);
    setLevelAtComputer(desk, 'firefox', 11);
    await selectComputer(/Desk/);
    await expectText(page, 'firefox', '11 percent');
    setLevelAtComputer(sofa, 'firefox', 91);
    setLevelAtComputer(desk, 'only here', 2);
    await expectText(page, 'only here', '2 percent');
    expect(await getSliderText(page, 'firefox')).toBe('11 percent');
    await getSlider(page, 'firefox').fill('40');
    await pollFor(() => getLevel(desk, 'firefox')).toBe('40');
    expect(getLevel(sofa, 'firefox')).toBe('91');
    await page.reload();
    await expectText(page, 'firefox', '40 percent');
    await navigate(page, '/dashboard');
    await page.getByRole('button', { name: /Connected device.*Desk/ }).waitFor();
  });

  test('shows a loading state after a moment', async () => {
    const account = await createPerson();
    await using device = await startDevice(site.server, account);
    device.drivers.play(ROOM_STATE);
    const page = await openLoggedIn(site, account, '/dashboard/about');
    const response = Promise.withResolvers<void>();
    await page.route('**/api/mixerargs', async (route) => {
      await response.promise;
      await route.continue();
    });
    await navigate(page, '/mixer');
    await page.getByRole('status', { name: 'Loading' }).waitFor();
    response.resolve();
    await getSlider(page, 'firefox').waitFor();
    await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' });
  });

  test.for<OpenPageOptions>([
    { size: 'wide', scheme: 'light' },
    { size: 'wide', scheme: 'dark' },
    { size: 'phone', scheme: 'light' },
    { size: 'phone', scheme: 'dark' },
  ])('shows any names without a barrier: $size $scheme', { tags: 'matrix' }, async (options) => {
    await using setup = await openPlayingMixer(options, {
      outputs: ROOM_STATE.outputs,
      sessions: [
        ...ROOM_STATE.sessions,
        createLevel('<img src=x onerror=alert(1)>', 50, 'url(x)'),
        createLevel('w'.repeat(200), 50),
        createLevel('\u202Eمتصفح الويب', 50),
        createLevel('constructor', 50, 'not a colour'),
        createLevel('7', 50),
      ],
    });
    await getSlider(setup.page, '7').waitFor();
    await expect.poll(() => setup.page.locator('main img').count()).toBe(0);
    await getSlider(setup.page, 'constructor').fill('51');
    await pollFor(() => getLevel(setup.device, 'constructor')).toBe('51');
    await getSlider(setup.page, '<img src=x onerror=alert(1)>').fill('52');
    await pollFor(() => getLevel(setup.device, '<img src=x onerror=alert(1)>')).toBe('52');
    expect(await findBarriers(setup.page)).toEqual([]);
    const isWider = () =>
      setup.page.evaluate(() => {
        const main = document.querySelector('main');
        return main !== null && main.scrollWidth > main.clientWidth;
      });
    expect(await isWider()).toBe(false);
    await setup.page.setViewportSize({ width: 320, height: 700 });
    await waitForIdle(setup.page);
    expect(await isWider()).toBe(false);
    await setup.page.setViewportSize(
      options.size === 'phone' ? { width: 390, height: 844 } : { width: 1280, height: 800 },
    );
  });
});
