import type { Locator, Page, Request } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { AudioLevel, AudioState } from '#platform/agent/drivers/drivers.ts';
import { findBarriers } from '#testing/axe.ts';
import type { OpenOptions } from '#testing/browser.ts';
import { startDevice, type TestDevice } from '#testing/device.ts';
import type { TestAccount } from '#testing/server.ts';
import { openSignedIn } from '#testing/signedIn.ts';
import { serveSite } from '#testing/site.ts';
import { checkaccounts, endsessions } from '#tools/accounts/contract.ts';

const site = serveSite({ rateLimits: false });
let people = 0;

const newPerson = (): Promise<TestAccount> => site.server.account(`listener ${++people}`);
const openMixer = (account: TestAccount, options?: OpenOptions): Promise<Page> =>
  openSignedIn(site, account, '/mixer', options);

const sound = (name: string, level: number, colour = '#2fa37a', muted = false): AudioLevel => ({
  name,
  level,
  muted,
  colour,
});
const room: AudioState = {
  outputs: [sound('HDMI', 40, '#777777'), sound('Master', 72, '#5b4bd4')],
  sessions: [
    sound('firefox', 54, '#4f86f7'),
    sound('spotify', 81),
    sound('vlc', 38, '#e27d2c', true),
    sound('voice chat', 66, '#d9508a'),
    sound('system sounds', 12, '#c98a1b'),
  ],
};

const slider = (page: Page, name: string): Locator => page.getByRole('slider', { name: `${name} volume`, exact: true });
const spoken = (page: Page, name: string): Promise<string | null> => slider(page, name).getAttribute('aria-valuetext');
const shows = (page: Page, name: string, text: string): Promise<void> =>
  expect.poll(() => spoken(page, name)).toBe(text);
const strips = (page: Page): Promise<string[]> =>
  page.getByRole('slider').evaluateAll((all) => all.map((each) => each.getAttribute('aria-label') ?? ''));
const notice = (page: Page, text: string): Locator => page.getByRole('alert').filter({ hasText: text });

/** The level as the computer has it. */
const levelOf = ({ drivers }: TestDevice, name: string): string => {
  const { outputs, sessions } = drivers.audio.state();
  const found = [...outputs, ...sessions].find((each) => each.name === name);
  return found ? `${found.level}${found.muted ? ' muted' : ''}` : 'gone';
};
/** Changes one session as the computer's own mixer does. */
const turnAtComputer = ({ drivers }: TestDevice, name: string, level: number, muted = false): void => {
  const { outputs, sessions } = drivers.audio.state();
  drivers.play({
    outputs,
    sessions: sessions.map((each) => (each.name === name ? { ...each, level, muted } : each)),
  });
};

/** A person with a computer that plays, and the mixer open. */
const listening = async (options?: OpenOptions, state: AudioState = room) => {
  const account = await newPerson();
  const device = await startDevice(site.server, account);
  device.drivers.play(state);
  const page = await openMixer(account, options);
  await page.getByRole('slider').first().waitFor();
  return { account, device, page, [Symbol.asyncDispose]: () => device[Symbol.asyncDispose]() };
};

/** Where on a fader a level is. */
const placeOf = async (fader: Locator, level: number) => {
  const box = await fader.boundingBox();
  if (!box) throw new Error('the fader is not to be seen');
  const isUpright = box.height > box.width;
  const share = isUpright ? 1 - level / 100 : level / 100;
  return isUpright
    ? { x: box.x + box.width / 2, y: box.y + 10 + share * (box.height - 20) }
    : { x: box.x + 12 + share * (box.width - 24), y: box.y + box.height / 2 };
};
/** Moves the pressed mouse to a level, a bit at a time. */
const dragTo = async (page: Page, name: string, level: number): Promise<void> => {
  const { x, y } = await placeOf(slider(page, name), level);
  await page.mouse.move(x, y, { steps: 12 });
};
const grab = async (page: Page, name: string, level: number): Promise<void> => {
  const { x, y } = await placeOf(slider(page, name), level);
  await page.mouse.move(x, y);
  await page.mouse.down();
};

describe.skipIf(site.lack)(`the mixer (${site.lack ?? 'in Chromium'})`, () => {
  test('shows the outputs, Master first, and apart from them the sessions, with level and mute', async () => {
    await using at = await listening();
    const outputs = at.page.getByRole('region', { name: 'Outputs' });
    const sessions = at.page.getByRole('region', { name: 'Audio sessions' });
    await sessions.getByRole('slider').nth(4).waitFor();
    expect(await strips(at.page)).toEqual([
      'Master volume',
      'HDMI volume',
      'firefox volume',
      'spotify volume',
      'vlc volume',
      'voice chat volume',
      'system sounds volume',
    ]);
    expect(await outputs.getByRole('slider').count()).toBe(2);
    expect(await spoken(at.page, 'Master')).toBe('72 percent');
    expect(await spoken(at.page, 'vlc')).toBe('38 percent, muted');
    expect(await slider(at.page, 'firefox').inputValue()).toBe('54');
    await at.page.getByRole('button', { name: 'Unmute vlc', exact: true }).waitFor();
    await at.page.getByRole('button', { name: 'Mute firefox', exact: true }).waitFor();
    const colour = at.page.getByRole('group', { name: 'firefox' });
    expect(await colour.evaluate((strip) => getComputedStyle(strip).getPropertyValue('--c'))).toBe('#4f86f7');
  });

  test('sets the computer: 0 mutes, any other level unmutes, the button mutes truly and only above 0', async () => {
    await using at = await listening();
    const fader = slider(at.page, 'spotify');
    await fader.fill('30');
    await expect.poll(() => levelOf(at.device, 'spotify')).toBe('30');
    await fader.fill('0');
    await expect.poll(() => levelOf(at.device, 'spotify')).toBe('0 muted');
    expect(await spoken(at.page, 'spotify')).toBe('0 percent, muted');
    const unmute = at.page.getByRole('button', { name: 'Unmute spotify', exact: true });
    expect(await unmute.getAttribute('aria-disabled')).toBe('true');
    await unmute.click({ force: true });
    await fader.fill('45');
    await expect.poll(() => levelOf(at.device, 'spotify')).toBe('45');
    await at.page.getByRole('button', { name: 'Mute spotify', exact: true }).click();
    await expect.poll(() => levelOf(at.device, 'spotify')).toBe('45 muted');
    await shows(at.page, 'spotify', '45 percent, muted');
    await unmute.click();
    await expect.poll(() => levelOf(at.device, 'spotify')).toBe('45');
    // The click on the button at 0 set nothing.
    const levels = at.device.drivers.acts.flatMap((act) => (act.kind === 'level' ? [`${act.level} ${act.muted}`] : []));
    expect(levels).toEqual(['30 false', '0 true', '45 false', '45 true', '45 false']);
  });

  test('moves by keyboard alone: arrows by 1, pages by 10, ends, M mutes the focused strip', async () => {
    await using at = await listening();
    const fader = slider(at.page, 'firefox');
    await fader.focus();
    for (const [key, level] of [
      ['ArrowUp', 55],
      ['ArrowRight', 56],
      ['ArrowDown', 55],
      ['ArrowLeft', 54],
      ['PageUp', 64],
      ['PageDown', 54],
      ['End', 100],
      ['Home', 0],
      ['PageUp', 10],
    ] as const) {
      await fader.press(key);
      await shows(at.page, 'firefox', level === 0 ? '0 percent, muted' : `${level} percent`);
    }
    await expect.poll(() => levelOf(at.device, 'firefox')).toBe('10');
    await fader.press('m');
    await expect.poll(() => levelOf(at.device, 'firefox')).toBe('10 muted');
    await at.page.keyboard.press('Tab');
    await at.page.keyboard.press('m');
    await expect.poll(() => levelOf(at.device, 'firefox')).toBe('10');
    await at.page.keyboard.press('Enter');
    await expect.poll(() => levelOf(at.device, 'firefox')).toBe('10 muted');
    await at.page.keyboard.press('Tab');
    await at.page.keyboard.press('ArrowUp');
    await expect.poll(() => levelOf(at.device, 'spotify')).toBe('82');
  });

  test('goes with the mouse, and sends at most one value a frame, the newest', async () => {
    await using at = await listening();
    await grab(at.page, 'Master', 72);
    await dragTo(at.page, 'Master', 25);
    await at.page.mouse.up();
    await expect.poll(async () => levelOf(at.device, 'Master')).toBe(await slider(at.page, 'Master').inputValue());
    expect(Math.abs(Number(levelOf(at.device, 'Master')) - 25)).toBeLessThanOrEqual(2);

    const before = at.device.drivers.acts.length;
    const sent: string[] = [];
    const cdp = await at.page.context().newCDPSession(at.page);
    await cdp.send('Network.enable');
    cdp.on('Network.webSocketFrameSent', ({ response }) => {
      if (response.payloadData.includes('/api/audioset')) sent.push(response.payloadData);
    });
    // All of them within one frame.
    await slider(at.page, 'Master').evaluate((input: HTMLInputElement) => {
      for (let level = 30; level <= 90; level++) {
        input.valueAsNumber = level;
        input.dispatchEvent(new InputEvent('input', { bubbles: true }));
      }
    });
    await expect.poll(() => levelOf(at.device, 'Master')).toBe('90');
    expect(at.device.drivers.acts.length - before).toBe(1);
    await expect.poll(() => sent.length).toBe(1);
    expect(sent[0]).toContain('"outputs":{"Master":{"level":90,"muted":false}}');
  });

  test('follows the computer, and a held fader does not jump; what was set last holds', async () => {
    await using at = await listening();
    turnAtComputer(at.device, 'firefox', 20, true);
    await shows(at.page, 'firefox', '20 percent, muted');

    await grab(at.page, 'firefox', 20);
    await dragTo(at.page, 'firefox', 60);
    const held = await slider(at.page, 'firefox').inputValue();
    await expect.poll(() => levelOf(at.device, 'firefox')).toBe(held);
    turnAtComputer(at.device, 'firefox', 5);
    turnAtComputer(at.device, 'voice chat', 33);
    // The other one comes with the same event: the held one has heard of its own.
    await shows(at.page, 'voice chat', '33 percent');
    expect(await slider(at.page, 'firefox').inputValue()).toBe(held);
    // Let go without another move: the computer's was the last.
    await at.page.mouse.up();
    await shows(at.page, 'firefox', '5 percent');

    await grab(at.page, 'firefox', 5);
    await dragTo(at.page, 'firefox', 50);
    turnAtComputer(at.device, 'firefox', 90);
    turnAtComputer(at.device, 'voice chat', 34);
    await shows(at.page, 'voice chat', '34 percent');
    await dragTo(at.page, 'firefox', 70);
    await at.page.mouse.up();
    const last = await slider(at.page, 'firefox').inputValue();
    await expect.poll(() => levelOf(at.device, 'firefox')).toBe(last);
    expect(await slider(at.page, 'firefox').inputValue()).toBe(last);
  });

  test('a key that is down holds the fader too', async () => {
    await using at = await listening();
    await slider(at.page, 'firefox').focus();
    await at.page.keyboard.down('ArrowUp');
    await expect.poll(() => levelOf(at.device, 'firefox')).toBe('55');
    turnAtComputer(at.device, 'firefox', 5);
    turnAtComputer(at.device, 'spotify', 6);
    await shows(at.page, 'spotify', '6 percent');
    expect(await spoken(at.page, 'firefox')).toBe('55 percent');
    await at.page.keyboard.up('ArrowUp');
    await shows(at.page, 'firefox', '5 percent');
  });

  test('two browsers at once never fight: the last set level stands in both', async () => {
    await using at = await listening();
    const other = await openMixer(at.account, { size: 'phone', scheme: 'dark' });
    await slider(other, 'spotify').waitFor();
    await slider(at.page, 'spotify').fill('20');
    await shows(other, 'spotify', '20 percent');
    await slider(other, 'spotify').fill('64');
    await shows(at.page, 'spotify', '64 percent');

    // One holds, the other sets: nothing moves under the finger, and the last one holds.
    await grab(at.page, 'firefox', 54);
    await dragTo(at.page, 'firefox', 30);
    const held = await slider(at.page, 'firefox').inputValue();
    await shows(other, 'firefox', `${held} percent`);
    await slider(other, 'firefox').fill('88');
    await slider(other, 'voice chat').fill('11');
    await shows(at.page, 'voice chat', '11 percent');
    expect(await slider(at.page, 'firefox').inputValue()).toBe(held);
    await at.page.mouse.up();
    await shows(at.page, 'firefox', '88 percent');
    expect(levelOf(at.device, 'firefox')).toBe('88');
    // Both set by keys at the same time: both come to the same.
    await Promise.all([
      (async () => {
        for (let press = 0; press < 15; press++) await slider(at.page, 'vlc').press('ArrowUp');
      })(),
      (async () => {
        for (let press = 0; press < 15; press++) await slider(other, 'vlc').press('ArrowDown');
      })(),
    ]);
    await expect
      .poll(
        async () =>
          new Set([
            levelOf(at.device, 'vlc'),
            ...(await Promise.all([at.page, other].map((each) => slider(each, 'vlc').inputValue()))),
          ]).size,
      )
      .toBe(1);
  });

  test('a session that vanishes while it is held stays until it is let go, and nothing is said', async () => {
    await using at = await listening();
    await grab(at.page, 'spotify', 81);
    await dragTo(at.page, 'spotify', 60);
    at.device.drivers.play({
      outputs: room.outputs,
      sessions: [...room.sessions.filter(({ name }) => name !== 'spotify'), sound('mpv', 50)],
    });
    await slider(at.page, 'mpv').waitFor();
    await dragTo(at.page, 'spotify', 30);
    expect(await slider(at.page, 'spotify').isVisible()).toBe(true);
    await at.page.mouse.up();
    await slider(at.page, 'spotify').waitFor({ state: 'detached' });
    expect(await at.page.getByRole('alert').count()).toBe(0);
    expect(levelOf(at.device, 'spotify')).toBe('gone');
    // It comes back with the level that it has then.
    at.device.drivers.play(room);
    await shows(at.page, 'spotify', '81 percent');
    await slider(at.page, 'mpv').waitFor({ state: 'detached' });
  });

  test('tells that there is nothing to hear, outputs besides, until something plays', async () => {
    await using at = await listening({}, { outputs: room.outputs, sessions: [] });
    const nothing = at.page.getByText(
      'No audio sessions found (or a very rare error, might fix itself in a few seconds, if not, restart)',
      { exact: true },
    );
    await nothing.waitFor();
    expect(await strips(at.page)).toEqual(['Master volume', 'HDMI volume']);
    at.device.drivers.play(room);
    await slider(at.page, 'firefox').waitFor();
    await nothing.waitFor({ state: 'detached' });
    at.device.drivers.play({ outputs: [], sessions: [] });
    await nothing.waitFor();
    await at.page.getByRole('button', { name: 'Devices Settings' }).click();
    await at.page.waitForURL('**/dashboard/settings?tab=devices');
  });

  test('tells a visitor what to do, and leads to the login and back', async () => {
    const account = await newPerson();
    await using device = await startDevice(site.server, account);
    device.drivers.play(room);
    const page = await site.browser.open(site.server.origin, '/mixer');
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
    await slider(page, 'firefox').waitFor();
  });

  test('leads to the login when its session has ended', async () => {
    await using at = await listening({ expects: /WebSocket/ });
    const { sessions } = await at.account.call(checkaccounts, {});
    await at.account.call(endsessions, { ids: sessions.map(({ id }) => id) });
    await at.page.waitForURL('**/login');
    await at.page.getByText('invalid token, please re-log').first().waitFor();
  });

  test('a message with invalid token in it leads to the login', async () => {
    const page = await openMixer(await newPerson());
    await page.getByText('no device selected').waitFor();
    await page.route('**/api/mixerargs', (route) => route.fulfill({ json: { message: 'this is an invalid token' } }));
    await page.waitForURL('**/login');
  });

  test('without a computer it says what the server says, and leads to Devices', async () => {
    const page = await openMixer(await newPerson());
    await page.getByText('no device selected', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Pair your computer' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.getByRole('button', { name: 'Devices Settings' }).click();
    await page.waitForURL('**/dashboard/settings?tab=devices');
  });

  test('shows any other message, on the page and as one notice however often it is polled', async () => {
    const account = await newPerson();
    await using device = await startDevice(site.server, account, { allow: { sound: false } });
    const page = await openMixer(account);
    await notice(page, device.name).or(page.getByRole('alert')).first().waitFor();
    const said = (await page.getByRole('status').filter({ hasText: /\w/ }).first().textContent()) ?? '';
    expect(said).not.toBe('');
    expect(await notice(page, said).count()).toBe(1);
    const polled = (request: Request): boolean => request.url().endsWith('/api/mixerargs');
    await page.waitForEvent('requestfinished', polled);
    await page.waitForEvent('requestfinished', polled);
    expect(await page.getByRole('alert').count()).toBe(1);
    expect(await notice(page, said).count()).toBe(1);
  });

  test('a computer that goes away is told of, and its strips come back with it', async () => {
    const account = await newPerson();
    const device = await startDevice(site.server, account);
    device.drivers.play(room);
    const page = await openMixer(account);
    await slider(page, 'firefox').waitFor();
    await device[Symbol.asyncDispose]();
    await notice(page, 'Laptop is not connected').waitFor();
    // Only for a moment, perhaps: the strips stay in sight, and cannot be moved.
    await page.getByText('Reconnecting', { exact: true }).waitFor();
    expect(await slider(page, 'firefox').isDisabled()).toBe(true);
    await using again = await startDevice(site.server, account, { again: device });
    again.drivers.play({ ...room, sessions: [sound('firefox', 9)] });
    await shows(page, 'firefox', '9 percent');
    expect(await slider(page, 'firefox').isEnabled()).toBe(true);
  });

  test('says that it is offline, lets nothing be moved, and goes on afterwards', async () => {
    await using at = await listening({ expects: /ERR_INTERNET_DISCONNECTED|WebSocket/ });
    await at.page.context().setOffline(true);
    await at.page.getByText(/^Offline/).waitFor();
    await expect.poll(() => slider(at.page, 'firefox').isDisabled()).toBe(true);
    expect(await spoken(at.page, 'firefox')).toBe('54 percent');
    turnAtComputer(at.device, 'firefox', 77);
    await at.page.context().setOffline(false);
    await shows(at.page, 'firefox', '77 percent');
    await expect.poll(() => slider(at.page, 'firefox').isEnabled()).toBe(true);
    await slider(at.page, 'firefox').fill('50');
    await expect.poll(() => levelOf(at.device, 'firefox')).toBe('50');
    expect(await at.page.getByRole('alert').count()).toBe(0);
  });

  test('of several computers it shows and sets the chosen one alone, and remembers it with the dashboard', async () => {
    const account = await newPerson();
    await using desk = await startDevice(site.server, account, { name: 'Desk' });
    await using sofa = await startDevice(site.server, account, { name: 'Sofa' });
    desk.drivers.play({ outputs: [], sessions: [sound('firefox', 10), sound('only here', 1)] });
    sofa.drivers.play({ outputs: [], sessions: [sound('firefox', 90)] });
    const page = await openMixer(account);
    const picker = page.getByRole('button', { name: /Connected device/ });
    const choose = async (name: RegExp): Promise<void> => {
      await picker.click();
      await page.getByRole('option', { name }).click();
    };
    await choose(/Sofa/);
    await shows(page, 'firefox', '90 percent');
    expect(await strips(page)).toEqual(['firefox volume']);
    turnAtComputer(desk, 'firefox', 11);
    await choose(/Desk/);
    await shows(page, 'firefox', '11 percent');
    turnAtComputer(sofa, 'firefox', 91);
    turnAtComputer(desk, 'only here', 2);
    await shows(page, 'only here', '2 percent');
    expect(await spoken(page, 'firefox')).toBe('11 percent');
    await slider(page, 'firefox').fill('40');
    await expect.poll(() => levelOf(desk, 'firefox')).toBe('40');
    expect(levelOf(sofa, 'firefox')).toBe('91');
    await page.reload();
    await shows(page, 'firefox', '40 percent');
    await page.goto('/dashboard');
    await page.getByRole('button', { name: /Connected device.*Desk/ }).waitFor();
  });

  test('stands the loading in its place, after a moment', async () => {
    const account = await newPerson();
    await using device = await startDevice(site.server, account);
    device.drivers.play(room);
    const page = await openSignedIn(site, account, '/dashboard/about');
    const held = Promise.withResolvers<void>();
    await page.route('**/api/mixerargs', async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.goto('/mixer');
    await page.getByRole('status', { name: 'Loading' }).waitFor();
    held.resolve();
    await slider(page, 'firefox').waitFor();
    await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' });
  });

  test.for<OpenOptions>([
    { size: 'wide', scheme: 'light' },
    { size: 'wide', scheme: 'dark' },
    { size: 'phone', scheme: 'light' },
    { size: 'phone', scheme: 'dark' },
  ])('holds whatever names there are, without a barrier: $size $scheme', async (options) => {
    await using at = await listening(options, {
      outputs: room.outputs,
      sessions: [
        ...room.sessions,
        sound('<img src=x onerror=alert(1)>', 50, 'url(x)'),
        sound('w'.repeat(200), 50),
        sound('\u202Eمتصفح الويب', 50),
        sound('constructor', 50, 'not a colour'),
        sound('7', 50),
      ],
    });
    await slider(at.page, '7').waitFor();
    expect(await at.page.locator('main img').count()).toBe(0);
    await slider(at.page, 'constructor').fill('51');
    await expect.poll(() => levelOf(at.device, 'constructor')).toBe('51');
    await slider(at.page, '<img src=x onerror=alert(1)>').fill('52');
    await expect.poll(() => levelOf(at.device, '<img src=x onerror=alert(1)>')).toBe('52');
    expect(await findBarriers(at.page)).toEqual([]);
    const isWider = () =>
      at.page.evaluate(() => {
        const main = document.querySelector('main');
        return main !== null && main.scrollWidth > main.clientWidth;
      });
    expect(await isWider()).toBe(false);
    await at.page.setViewportSize({ width: 320, height: 700 });
    expect(await isWider()).toBe(false);
    await at.page.setViewportSize(
      options.size === 'phone' ? { width: 390, height: 844 } : { width: 1280, height: 800 },
    );
  });

  test('lies on a phone, with the fader under the thumb', async () => {
    await using at = await listening({ size: 'phone' });
    const fader = slider(at.page, 'firefox');
    const box = await fader.boundingBox();
    expect(box?.height).toBeGreaterThanOrEqual(44);
    expect(box?.width).toBeGreaterThan(180);
    expect(await fader.getAttribute('aria-orientation')).toBe('horizontal');
    const mute = await at.page.getByRole('button', { name: 'Mute firefox' }).boundingBox();
    expect(mute?.width).toBeGreaterThanOrEqual(44);

    const { x, y } = await placeOf(fader, 54);
    const to = await placeOf(fader, 20);
    const cdp = await at.page.context().newCDPSession(at.page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', at_: number): Promise<unknown> =>
      cdp.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x: at_, y }] });
    await touch('touchStart', x);
    for (let step = 1; step <= 10; step++) await touch('touchMove', x + ((to.x - x) * step) / 10);
    const held = await fader.inputValue();
    expect(Math.abs(Number(held) - 20)).toBeLessThanOrEqual(3);
    await expect.poll(() => levelOf(at.device, 'firefox')).toBe(held);
    turnAtComputer(at.device, 'firefox', 99);
    turnAtComputer(at.device, 'spotify', 1);
    await shows(at.page, 'spotify', '1 percent');
    expect(await fader.inputValue()).toBe(held);
    await touch('touchEnd', to.x);
    await shows(at.page, 'firefox', '99 percent');
    await at.page.getByRole('button', { name: 'Mute firefox' }).tap();
    await expect.poll(() => levelOf(at.device, 'firefox')).toBe('99 muted');
  });
});
