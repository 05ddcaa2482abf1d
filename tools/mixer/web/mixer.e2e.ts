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
const { openMixer, listening } = createMixerKit(site);

describe.skipIf(site.skipReason)(`the mixer (${site.skipReason ?? 'in Chromium'})`, () => {
  test('shows the outputs, Master first, and separately the sessions, with level and mute', async () => {
    await using at = await listening();
    const outputs = at.page.getByRole('region', { name: 'Outputs' });
    const sessions = at.page.getByRole('region', { name: 'Audio sessions' });
    await sessions.getByRole('slider').nth(4).waitFor();
    expect(await listStrips(at.page)).toEqual([
      'Master volume',
      'HDMI volume',
      'firefox volume',
      'spotify volume',
      'vlc volume',
      'voice chat volume',
      'system sounds volume',
    ]);
    await expect.poll(() => outputs.getByRole('slider').count()).toBe(2);
    expect(await getSliderText(at.page, 'Master')).toBe('72 percent');
    expect(await getSliderText(at.page, 'vlc')).toBe('38 percent, muted');
    await expect.poll(() => getSlider(at.page, 'firefox').inputValue()).toBe('54');
    await at.page.getByRole('button', { name: 'Unmute vlc', exact: true }).waitFor();
    await at.page.getByRole('button', { name: 'Mute firefox', exact: true }).waitFor();
    const colour = at.page.getByRole('group', { name: 'firefox' });
    expect(await colour.evaluate((strip) => getComputedStyle(strip).getPropertyValue('--c'))).toBe('#4f86f7');
  });

  test('sets the computer: 0 mutes, other levels unmute, and the button mutes only above 0', async () => {
    await using at = await listening();
    const fader = getSlider(at.page, 'spotify');
    await fader.fill('30');
    await pollFor(() => getLevel(at.device, 'spotify')).toBe('30');
    await fader.fill('0');
    await pollFor(() => getLevel(at.device, 'spotify')).toBe('0 muted');
    await pollFor(() => getSliderText(at.page, 'spotify')).toBe('0 percent, muted');
    const unmute = at.page.getByRole('button', { name: 'Unmute spotify', exact: true });
    await expect.poll(() => unmute.getAttribute('aria-disabled')).toBe('true');
    await unmute.click({ force: true });
    await fader.fill('45');
    await pollFor(() => getLevel(at.device, 'spotify')).toBe('45');
    await at.page.getByRole('button', { name: 'Mute spotify', exact: true }).click();
    await pollFor(() => getLevel(at.device, 'spotify')).toBe('45 muted');
    await expectText(at.page, 'spotify', '45 percent, muted');
    await unmute.click();
    await pollFor(() => getLevel(at.device, 'spotify')).toBe('45');
    // The click on the button at 0 has set nothing.
    const levels = at.device.drivers.actions.flatMap((act) =>
      act.kind === 'level' ? [`${act.level} ${act.muted}`] : [],
    );
    expect(levels).toEqual(['30 false', '0 true', '45 false', '45 true', '45 false']);
  });

  test('is operated by keyboard alone: arrows by 1, pages by 10, ends, M mutes the focused strip', async () => {
    await using at = await listening();
    const fader = getSlider(at.page, 'firefox');
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
      await pollFor(() => getLevel(at.device, 'firefox')).toBe(level === 0 ? '0 muted' : `${level}`);
      await expectText(at.page, 'firefox', level === 0 ? '0 percent, muted' : `${level} percent`);
    }
    await fader.press('m');
    await pollFor(() => getLevel(at.device, 'firefox')).toBe('10 muted');
    await at.page.keyboard.press('Tab');
    await at.page.keyboard.press('m');
    await pollFor(() => getLevel(at.device, 'firefox')).toBe('10');
    await at.page.keyboard.press('Enter');
    await pollFor(() => getLevel(at.device, 'firefox')).toBe('10 muted');
    await at.page.keyboard.press('Tab');
    await at.page.keyboard.press('ArrowUp');
    await pollFor(() => getLevel(at.device, 'spotify')).toBe('82');
  });

  test('follows the mouse, and sends at most one value per frame, the newest', async () => {
    await using at = await listening();
    await grabFader(at.page, 'Master', 72);
    await dragFader(at.page, 'Master', 25);
    await at.page.mouse.up();
    await pollFor(async () => getLevel(at.device, 'Master')).toBe(await getSlider(at.page, 'Master').inputValue());
    expect(Math.abs(Number(getLevel(at.device, 'Master')) - 25)).toBeLessThanOrEqual(2);

    const before = at.device.drivers.actions.length;
    const sent: string[] = [];
    const cdp = await at.page.context().newCDPSession(at.page);
    await cdp.send('Network.enable');
    cdp.on('Network.webSocketFrameSent', ({ response }) => {
      if (response.payloadData.includes('/api/audioset')) sent.push(response.payloadData);
    });
    // All of them within one frame.
    await getSlider(at.page, 'Master').evaluate((input: HTMLInputElement) => {
      for (let level = 30; level <= 90; level++) {
        input.valueAsNumber = level;
        input.dispatchEvent(new InputEvent('input', { bubbles: true }));
      }
    });
    await pollFor(() => getLevel(at.device, 'Master')).toBe('90');
    expect(at.device.drivers.actions.length - before).toBe(1);
    await pollFor(() => sent.length).toBe(1);
    expect(sent[0]).toContain('"outputs":{"Master":{"level":90,"muted":false}}');
  });

  test('follows the computer; a held fader does not jump, and the last setting counts', async () => {
    await using at = await listening();
    setLevelAtComputer(at.device, 'firefox', 20, true);
    await expectText(at.page, 'firefox', '20 percent, muted');

    await grabFader(at.page, 'firefox', 20);
    await dragFader(at.page, 'firefox', 60);
    const held = await getSlider(at.page, 'firefox').inputValue();
    await pollFor(() => getLevel(at.device, 'firefox')).toBe(held);
    setLevelAtComputer(at.device, 'firefox', 5);
    setLevelAtComputer(at.device, 'voice chat', 33);
    // The other one is in the same event, so the held one has been reported too.
    await expectText(at.page, 'voice chat', '33 percent');
    await expect.poll(() => getSlider(at.page, 'firefox').inputValue()).toBe(held);
    // Released without another move: the computer’s change was the last.
    await at.page.mouse.up();
    await expectText(at.page, 'firefox', '5 percent');

    await grabFader(at.page, 'firefox', 5);
    await dragFader(at.page, 'firefox', 50);
    setLevelAtComputer(at.device, 'firefox', 90);
    setLevelAtComputer(at.device, 'voice chat', 34);
    await expectText(at.page, 'voice chat', '34 percent');
    await dragFader(at.page, 'firefox', 70);
    await at.page.mouse.up();
    const last = await getSlider(at.page, 'firefox').inputValue();
    await pollFor(() => getLevel(at.device, 'firefox')).toBe(last);
    await expect.poll(() => getSlider(at.page, 'firefox').inputValue()).toBe(last);
  });

  test('a pressed key holds the fader too', async () => {
    await using at = await listening();
    await getSlider(at.page, 'firefox').focus();
    await at.page.keyboard.down('ArrowUp');
    await pollFor(() => getLevel(at.device, 'firefox')).toBe('55');
    setLevelAtComputer(at.device, 'firefox', 5);
    setLevelAtComputer(at.device, 'spotify', 6);
    await expectText(at.page, 'spotify', '6 percent');
    expect(await getSliderText(at.page, 'firefox')).toBe('55 percent');
    await at.page.keyboard.up('ArrowUp');
    await expectText(at.page, 'firefox', '5 percent');
  });

  test('two browsers never fight: the last level counts in both', async () => {
    await using at = await listening();
    const other = await openMixer(at.account, { size: 'phone', scheme: 'dark' });
    await getSlider(other, 'spotify').waitFor();
    await getSlider(at.page, 'spotify').fill('20');
    await expectText(other, 'spotify', '20 percent');
    await getSlider(other, 'spotify').fill('64');
    await expectText(at.page, 'spotify', '64 percent');

    // One holds, the other sets: nothing moves under the finger, and the one that holds sets last.
    await grabFader(at.page, 'firefox', 54);
    await dragFader(at.page, 'firefox', 30);
    const held = await getSlider(at.page, 'firefox').inputValue();
    await expectText(other, 'firefox', `${held} percent`);
    await getSlider(other, 'firefox').fill('88');
    await getSlider(other, 'voice chat').fill('11');
    await expectText(at.page, 'voice chat', '11 percent');
    await expect.poll(() => getSlider(at.page, 'firefox').inputValue()).toBe(held);
    await at.page.mouse.up();
    await expectText(at.page, 'firefox', '88 percent');
    expect(getLevel(at.device, 'firefox')).toBe('88');
    // Both set by keys at the same time: both end with the same level.
    await Promise.all([
      (async () => {
        for (let press = 0; press < 15; press++) await getSlider(at.page, 'vlc').press('ArrowUp');
      })(),
      (async () => {
        for (let press = 0; press < 15; press++) await getSlider(other, 'vlc').press('ArrowDown');
      })(),
    ]);
    await pollFor(
      async () =>
        new Set([
          getLevel(at.device, 'vlc'),
          ...(await Promise.all([at.page, other].map((each) => getSlider(each, 'vlc').inputValue()))),
        ]).size,
    ).toBe(1);
  });

  test('a session that vanishes while it is held stays until it is released, without an error', async () => {
    await using at = await listening();
    await grabFader(at.page, 'spotify', 81);
    await dragFader(at.page, 'spotify', 60);
    at.device.drivers.play({
      outputs: ROOM_STATE.outputs,
      sessions: [...ROOM_STATE.sessions.filter(({ name }) => name !== 'spotify'), createLevel('mpv', 50)],
    });
    await getSlider(at.page, 'mpv').waitFor();
    await dragFader(at.page, 'spotify', 30);
    await expect.poll(() => getSlider(at.page, 'spotify').isVisible()).toBe(true);
    await at.page.mouse.up();
    await getSlider(at.page, 'spotify').waitFor({ state: 'detached' });
    await expect.poll(() => at.page.getByRole('alert').count()).toBe(0);
    expect(getLevel(at.device, 'spotify')).toBe('gone');
    // It returns with the level that it has then.
    at.device.drivers.play(ROOM_STATE);
    await expectText(at.page, 'spotify', '81 percent');
    await getSlider(at.page, 'mpv').waitFor({ state: 'detached' });
  });

  test('fits on a phone, with the fader under the thumb', async () => {
    await using at = await listening({ size: 'phone' });
    const fader = getSlider(at.page, 'firefox');
    const box = await fader.boundingBox();
    expect(box?.height).toBeGreaterThanOrEqual(44);
    expect(box?.width).toBeGreaterThan(180);
    await expect.poll(() => fader.getAttribute('aria-orientation')).toBe('horizontal');
    const mute = await at.page.getByRole('button', { name: 'Mute firefox' }).boundingBox();
    expect(mute?.width).toBeGreaterThanOrEqual(44);

    const { x, y } = await getFaderPoint(fader, 54);
    const to = await getFaderPoint(fader, 20);
    const cdp = await at.page.context().newCDPSession(at.page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', touchX: number): Promise<unknown> =>
      cdp.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x: touchX, y }] });
    await touch('touchStart', x);
    for (let step = 1; step <= 10; step++) await touch('touchMove', x + ((to.x - x) * step) / 10);
    await waitForIdle(at.page);
    await pollFor(async () => Math.abs(Number(await fader.inputValue()) - 20)).toBeLessThanOrEqual(3);
    await pollFor(async () => getLevel(at.device, 'firefox') === (await fader.inputValue())).toBe(true);
    const held = await fader.inputValue();
    setLevelAtComputer(at.device, 'firefox', 99);
    setLevelAtComputer(at.device, 'spotify', 1);
    await expectText(at.page, 'spotify', '1 percent');
    await expect.poll(() => fader.inputValue()).toBe(held);
    await touch('touchEnd', to.x);
    await expectText(at.page, 'firefox', '99 percent');
    await at.page.getByRole('button', { name: 'Mute firefox' }).tap();
    await pollFor(() => getLevel(at.device, 'firefox')).toBe('99 muted');
  });
});
