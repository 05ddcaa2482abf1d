import { describe, expect, test } from 'vitest';
import { waitForIdle } from '#testing/kits/browser/browser.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import {
  dragFader,
  grabFader,
  getLevel,
  createMixerKit,
  getFaderPoint,
  ROOM_STATE,
  expectText,
  getSlider,
  pollFor,
  createLevel,
  getSliderText,
  listStrips,
  setLevelAtComputer,
} from '#testing/kits/desktop/mixer.ts';

const site = startTestSite({ rateLimits: false });
const { openMixer, openPlayingMixer } = createMixerKit(site);

describe.skipIf(site.skipReason)(`the mixer (${site.skipReason ?? 'in Chromium'})`, () => {
  test('shows the outputs, Master first, and separately the sessions, with level and mute', async () => {
    await using setup = await openPlayingMixer();
    const outputs = setup.page.getByRole('region', { name: 'Outputs' });
    const sessions = setup.page.getByRole('region', { name: 'Audio sessions' });
    await sessions.getByRole('slider').nth(4).waitFor();
    expect(await listStrips(setup.page)).toEqual([
      'Master volume',
      'HDMI volume',
      'firefox volume',
      'spotify volume',
      'vlc volume',
      'voice chat volume',
      'system sounds volume',
    ]);
    await expect.poll(() => outputs.getByRole('slider').count()).toBe(2);
    expect(await getSliderText(setup.page, 'Master')).toBe('72 percent');
    expect(await getSliderText(setup.page, 'vlc')).toBe('38 percent, muted');
    await expect.poll(() => getSlider(setup.page, 'firefox').inputValue()).toBe('54');
    await setup.page.getByRole('button', { name: 'Unmute vlc', exact: true }).waitFor();
    await setup.page.getByRole('button', { name: 'Mute firefox', exact: true }).waitFor();
    const colour = setup.page.getByRole('group', { name: 'firefox' });
    expect(await colour.evaluate((strip) => getComputedStyle(strip).getPropertyValue('--c'))).toBe('#4f86f7');
  });

  test('sets the computer: 0 mutes, other levels unmute, and the button mutes only above 0', async () => {
    await using setup = await openPlayingMixer();
    const fader = getSlider(setup.page, 'spotify');
    await fader.fill('30');
    await pollFor(() => getLevel(setup.device, 'spotify')).toBe('30');
    await fader.fill('0');
    await pollFor(() => getLevel(setup.device, 'spotify')).toBe('0 muted');
    await pollFor(() => getSliderText(setup.page, 'spotify')).toBe('0 percent, muted');
    const unmute = setup.page.getByRole('button', { name: 'Unmute spotify', exact: true });
    await expect.poll(() => unmute.getAttribute('aria-disabled')).toBe('true');
    await unmute.click({ force: true });
    await fader.fill('45');
    await pollFor(() => getLevel(setup.device, 'spotify')).toBe('45');
    await setup.page.getByRole('button', { name: 'Mute spotify', exact: true }).click();
    await pollFor(() => getLevel(setup.device, 'spotify')).toBe('45 muted');
    await expectText(setup.page, 'spotify', '45 percent, muted');
    await unmute.click();
    await pollFor(() => getLevel(setup.device, 'spotify')).toBe('45');
    // The click on the button at 0 has set nothing.
    const levels = setup.device.drivers.actions.flatMap((act) =>
      act.kind === 'level' ? [`${act.level} ${act.muted}`] : [],
    );
    expect(levels).toEqual(['30 false', '0 true', '45 false', '45 true', '45 false']);
  });

  test('is operated by keyboard alone: arrows by 1, pages by 10, ends, M mutes the focused strip', async () => {
    await using setup = await openPlayingMixer();
    const fader = getSlider(setup.page, 'firefox');
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
      await pollFor(() => getLevel(setup.device, 'firefox')).toBe(level === 0 ? '0 muted' : `${level}`);
      await expectText(setup.page, 'firefox', level === 0 ? '0 percent, muted' : `${level} percent`);
    }
    await fader.press('m');
    await pollFor(() => getLevel(setup.device, 'firefox')).toBe('10 muted');
    await setup.page.keyboard.press('Tab');
    await setup.page.keyboard.press('m');
    await pollFor(() => getLevel(setup.device, 'firefox')).toBe('10');
    await setup.page.keyboard.press('Enter');
    await pollFor(() => getLevel(setup.device, 'firefox')).toBe('10 muted');
    await setup.page.keyboard.press('Tab');
    await setup.page.keyboard.press('ArrowUp');
    await pollFor(() => getLevel(setup.device, 'spotify')).toBe('82');
  });

  test('follows the mouse, and sends at most one value per frame, the newest', async () => {
    await using setup = await openPlayingMixer();
    await grabFader(setup.page, 'Master', 72);
    await dragFader(setup.page, 'Master', 25);
    await setup.page.mouse.up();
    await pollFor(async () => getLevel(setup.device, 'Master')).toBe(
      await getSlider(setup.page, 'Master').inputValue(),
    );
    expect(Math.abs(Number(getLevel(setup.device, 'Master')) - 25)).toBeLessThanOrEqual(2);

    const before = setup.device.drivers.actions.length;
    const sent: string[] = [];
    const cdp = await setup.page.context().newCDPSession(setup.page);
    await cdp.send('Network.enable');
    cdp.on('Network.webSocketFrameSent', ({ response }) => {
      if (response.payloadData.includes('/api/audioset')) sent.push(response.payloadData);
    });
    // All of them within one frame.
    await getSlider(setup.page, 'Master').evaluate((input: HTMLInputElement) => {
      for (let level = 30; level <= 90; level++) {
        input.valueAsNumber = level;
        input.dispatchEvent(new InputEvent('input', { bubbles: true }));
      }
    });
    await pollFor(() => getLevel(setup.device, 'Master')).toBe('90');
    expect(setup.device.drivers.actions.length - before).toBe(1);
    await pollFor(() => sent.length).toBe(1);
    expect(sent[0]).toContain('"outputs":{"Master":{"level":90,"muted":false}}');
  });

  test('follows the computer; a held fader does not jump, and the last setting counts', async () => {
    await using setup = await openPlayingMixer();
    setLevelAtComputer(setup.device, 'firefox', 20, true);
    await expectText(setup.page, 'firefox', '20 percent, muted');

    await grabFader(setup.page, 'firefox', 20);
    await dragFader(setup.page, 'firefox', 60);
    const heldLevel = await getSlider(setup.page, 'firefox').inputValue();
    await pollFor(() => getLevel(setup.device, 'firefox')).toBe(heldLevel);
    setLevelAtComputer(setup.device, 'firefox', 5);
    setLevelAtComputer(setup.device, 'voice chat', 33);
    // Both are in the same event, so the level of the held one has arrived too.
    await expectText(setup.page, 'voice chat', '33 percent');
    await expect.poll(() => getSlider(setup.page, 'firefox').inputValue()).toBe(heldLevel);
    // Released without another move: the computer’s change was the last.
    await setup.page.mouse.up();
    await expectText(setup.page, 'firefox', '5 percent');

    await grabFader(setup.page, 'firefox', 5);
    await dragFader(setup.page, 'firefox', 50);
    setLevelAtComputer(setup.device, 'firefox', 90);
    setLevelAtComputer(setup.device, 'voice chat', 34);
    await expectText(setup.page, 'voice chat', '34 percent');
    await dragFader(setup.page, 'firefox', 70);
    await setup.page.mouse.up();
    const last = await getSlider(setup.page, 'firefox').inputValue();
    await pollFor(() => getLevel(setup.device, 'firefox')).toBe(last);
    await expect.poll(() => getSlider(setup.page, 'firefox').inputValue()).toBe(last);
  });

  test('a pressed key holds the fader too', async () => {
    await using setup = await openPlayingMixer();
    await getSlider(setup.page, 'firefox').focus();
    await setup.page.keyboard.down('ArrowUp');
    await pollFor(() => getLevel(setup.device, 'firefox')).toBe('55');
    setLevelAtComputer(setup.device, 'firefox', 5);
    setLevelAtComputer(setup.device, 'spotify', 6);
    await expectText(setup.page, 'spotify', '6 percent');
    expect(await getSliderText(setup.page, 'firefox')).toBe('55 percent');
    await setup.page.keyboard.up('ArrowUp');
    await expectText(setup.page, 'firefox', '5 percent');
  });

  test('two browsers never fight: the last level counts in both', async () => {
    await using setup = await openPlayingMixer();
    const other = await openMixer(setup.account, { size: 'phone', scheme: 'dark' });
    await getSlider(other, 'spotify').waitFor();
    await getSlider(setup.page, 'spotify').fill('20');
    await expectText(other, 'spotify', '20 percent');
    await getSlider(other, 'spotify').fill('64');
    await expectText(setup.page, 'spotify', '64 percent');

    // A fader that is held does not move when the other browser sets it.
    await grabFader(setup.page, 'firefox', 54);
    await dragFader(setup.page, 'firefox', 30);
    const heldLevel = await getSlider(setup.page, 'firefox').inputValue();
    await expectText(other, 'firefox', `${heldLevel} percent`);
    await getSlider(other, 'firefox').fill('88');
    await getSlider(other, 'voice chat').fill('11');
    await expectText(setup.page, 'voice chat', '11 percent');
    await expect.poll(() => getSlider(setup.page, 'firefox').inputValue()).toBe(heldLevel);
    await setup.page.mouse.up();
    await expectText(setup.page, 'firefox', '88 percent');
    expect(getLevel(setup.device, 'firefox')).toBe('88');
    // Both change the level by keys at the same time, and end with the same level.
    await Promise.all([
      (async () => {
        for (let press = 0; press < 15; press++) await getSlider(setup.page, 'vlc').press('ArrowUp');
      })(),
      (async () => {
        for (let press = 0; press < 15; press++) await getSlider(other, 'vlc').press('ArrowDown');
      })(),
    ]);
    await pollFor(
      async () =>
        new Set([
          getLevel(setup.device, 'vlc'),
          ...(await Promise.all([setup.page, other].map((each) => getSlider(each, 'vlc').inputValue()))),
        ]).size,
    ).toBe(1);
  });

  test('a session that vanishes while it is held stays until it is released, without an error', async () => {
    await using setup = await openPlayingMixer();
    await grabFader(setup.page, 'spotify', 81);
    await dragFader(setup.page, 'spotify', 60);
    setup.device.drivers.play({
      outputs: ROOM_STATE.outputs,
      sessions: [...ROOM_STATE.sessions.filter(({ name }) => name !== 'spotify'), createLevel('mpv', 50)],
    });
    await getSlider(setup.page, 'mpv').waitFor();
    await dragFader(setup.page, 'spotify', 30);
    await expect.poll(() => getSlider(setup.page, 'spotify').isVisible()).toBe(true);
    await setup.page.mouse.up();
    await getSlider(setup.page, 'spotify').waitFor({ state: 'detached' });
    await expect.poll(() => setup.page.getByRole('alert').count()).toBe(0);
    expect(getLevel(setup.device, 'spotify')).toBe('gone');
    // It returns with the level that it has then.
    setup.device.drivers.play(ROOM_STATE);
    await expectText(setup.page, 'spotify', '81 percent');
    await getSlider(setup.page, 'mpv').waitFor({ state: 'detached' });
  });

  test('fits on a phone, with the fader under the thumb', async () => {
    await using setup = await openPlayingMixer({ size: 'phone' });
    const fader = getSlider(setup.page, 'firefox');
    const box = await fader.boundingBox();
    expect(box?.height).toBeGreaterThanOrEqual(44);
    expect(box?.width).toBeGreaterThan(180);
    await expect.poll(() => fader.getAttribute('aria-orientation')).toBe('horizontal');
    const mute = await setup.page.getByRole('button', { name: 'Mute firefox' }).boundingBox();
    expect(mute?.width).toBeGreaterThanOrEqual(44);

    const { x, y } = await getFaderPoint(fader, 54);
    const to = await getFaderPoint(fader, 20);
    const cdp = await setup.page.context().newCDPSession(setup.page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', touchX: number): Promise<unknown> =>
      cdp.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x: touchX, y }] });
    await touch('touchStart', x);
    for (let step = 1; step <= 10; step++) await touch('touchMove', x + ((to.x - x) * step) / 10);
    await waitForIdle(setup.page);
    await pollFor(async () => Math.abs(Number(await fader.inputValue()) - 20)).toBeLessThanOrEqual(3);
    await pollFor(async () => getLevel(setup.device, 'firefox') === (await fader.inputValue())).toBe(true);
    const held = await fader.inputValue();
    setLevelAtComputer(setup.device, 'firefox', 99);
    setLevelAtComputer(setup.device, 'spotify', 1);
    await expectText(setup.page, 'spotify', '1 percent');
    await expect.poll(() => fader.inputValue()).toBe(held);
    await touch('touchEnd', to.x);
    await expectText(setup.page, 'firefox', '99 percent');
    await setup.page.getByRole('button', { name: 'Mute firefox' }).tap();
    await pollFor(() => getLevel(setup.device, 'firefox')).toBe('99 muted');
  });
});
