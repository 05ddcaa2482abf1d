import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { AudioLevel, AudioState } from '#platform/agent/drivers/drivers.ts';
import type { OpenOptions } from './browser.ts';
import { startDevice, type TestDevice } from './device.ts';
import { reusePage } from './reuse.ts';
import type { TestAccount } from './server.ts';
import type { TestSite } from './site.ts';

export const sound = (name: string, level: number, colour = '#2fa37a', muted = false): AudioLevel => ({
  name,
  level,
  muted,
  colour,
});
export const room: AudioState = {
  outputs: [sound('HDMI', 40, '#777777'), sound('Master', 72, '#5b4bd4')],
  sessions: [
    sound('firefox', 54, '#4f86f7'),
    sound('spotify', 81),
    sound('vlc', 38, '#e27d2c', true),
    sound('voice chat', 66, '#d9508a'),
    sound('system sounds', 12, '#c98a1b'),
  ],
};

export const slider = (page: Page, name: string): Locator =>
  page.getByRole('slider', { name: `${name} volume`, exact: true });
export const spoken = (page: Page, name: string): Promise<string | null> =>
  slider(page, name).getAttribute('aria-valuetext');
/** Waits until it is so, on a machine that may be busy. */
export const soon = <T>(look: () => T | Promise<T>) => expect.poll(look);
export const shows = (page: Page, name: string, text: string): Promise<void> =>
  soon(() => spoken(page, name)).toBe(text);
export const strips = (page: Page): Promise<string[]> =>
  page.getByRole('slider').evaluateAll((all) => all.map((each) => each.getAttribute('aria-label') ?? ''));
export const notice = (page: Page, text: string): Locator => page.getByRole('alert').filter({ hasText: text });

/** The level as the computer has it. */
export const levelOf = ({ drivers }: TestDevice, name: string): string => {
  const { outputs, sessions } = drivers.audio.state();
  const found = [...outputs, ...sessions].find((each) => each.name === name);
  return found ? `${found.level}${found.muted ? ' muted' : ''}` : 'gone';
};
/** Changes one session as the computer's own mixer does. */
export const turnAtComputer = ({ drivers }: TestDevice, name: string, level: number, muted = false): void => {
  const { outputs, sessions } = drivers.audio.state();
  drivers.play({
    outputs,
    sessions: sessions.map((each) => (each.name === name ? { ...each, level, muted } : each)),
  });
};

let people = 0;

/** People of a site, with the mixer open. */
export const listenersOf = (site: TestSite) => {
  const newPerson = (): Promise<TestAccount> => site.server.account(`listener ${++people}`);
  const openMixer = (account: TestAccount, options?: OpenOptions): Promise<Page> =>
    reusePage(site, account, '/mixer', options);
  /** A person with a computer that plays, and the mixer open. */
  const listening = async (options: OpenOptions = {}, state: AudioState = room) => {
    const account = await newPerson();
    const device = await startDevice(site.server, account);
    device.drivers.play(state);
    // A fader cannot be moved while the line takes longer to come.
    const page = await reusePage(site, account, '/mixer', { ...options, hasLine: true });
    await page.getByRole('slider').first().waitFor();
    await expect.poll(() => page.getByRole('slider').first().isEnabled()).toBe(true);
    return { account, device, page, [Symbol.asyncDispose]: () => device[Symbol.asyncDispose]() };
  };
  return { newPerson, openMixer, listening };
};

/** Where on a fader a level is. */
export const placeOf = async (fader: Locator, level: number): Promise<{ readonly x: number; readonly y: number }> => {
  const box = await fader.boundingBox();
  if (!box) throw new Error('the fader is not to be seen');
  const isUpright = box.height > box.width;
  const share = isUpright ? 1 - level / 100 : level / 100;
  return isUpright
    ? { x: box.x + box.width / 2, y: box.y + 10 + share * (box.height - 20) }
    : { x: box.x + 12 + share * (box.width - 24), y: box.y + box.height / 2 };
};
/** Moves the pressed mouse to a level, a bit at a time. */
export const dragTo = async (page: Page, name: string, level: number): Promise<void> => {
  const { x, y } = await placeOf(slider(page, name), level);
  await page.mouse.move(x, y, { steps: 12 });
};
export const grab = async (page: Page, name: string, level: number): Promise<void> => {
  const { x, y } = await placeOf(slider(page, name), level);
  await page.mouse.move(x, y);
  await page.mouse.down();
};
