import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { AudioLevel, AudioState } from '#platform/agent/drivers/drivers.ts';
import type { OpenPageOptions } from '../browser/browser.ts';
import { reusePage } from '../browser/reusePage.ts';
import type { TestSite } from '../browser/site.ts';
import type { TestAccount } from '../server/server.ts';
import { startDevice, type TestDevice } from './device.ts';

export function createLevel(name: string, level: number, colour = '#2fa37a', muted = false): AudioLevel {
  return {
    name,
    level,
    muted,
    colour,
  };
}
export const ROOM_STATE: AudioState = {
  outputs: [createLevel('HDMI', 40, '#777777'), createLevel('Master', 72, '#5b4bd4')],
  sessions: [
    createLevel('firefox', 54, '#4f86f7'),
    createLevel('spotify', 81),
    createLevel('vlc', 38, '#e27d2c', true),
    createLevel('voice chat', 66, '#d9508a'),
    createLevel('system sounds', 12, '#c98a1b'),
  ],
};

export function getSlider(page: Page, name: string): Locator {
  return page.getByRole('slider', { name: `${name} volume`, exact: true });
}
export function getSliderText(page: Page, name: string): Promise<string | null> {
  return getSlider(page, name).getAttribute('aria-valuetext');
}
/** Polls until the expectation holds, with a timeout for busy machines. */
export function pollFor<T>(look: () => T | Promise<T>) {
  return expect.poll(look);
}
export function expectText(page: Page, name: string, text: string): Promise<void> {
  return pollFor(() => getSliderText(page, name)).toBe(text);
}
export function listStrips(page: Page): Promise<string[]> {
  return page.getByRole('slider').evaluateAll((all) => all.map((entry) => entry.getAttribute('aria-label') ?? ''));
}
export function getNotice(page: Page, text: string): Locator {
  return page.getByRole('alert').filter({ hasText: text });
}

/** Returns the level on the computer. */
export function getLevel({ drivers }: TestDevice, name: string): string {
  const { outputs, sessions } = drivers.audio.getState();
  const strip = [...outputs, ...sessions].find((entry) => entry.name === name);
  return strip ? `${strip.level}${strip.muted ? ' muted' : ''}` : 'gone';
}
/** Changes a session like the computer's own mixer. */
export function setLevelAtComputer({ drivers }: TestDevice, name: string, level: number, muted = false): void {
  const { outputs, sessions } = drivers.audio.getState();
  drivers.play({
    outputs,
    sessions: sessions.map((entry) => (entry.name === name ? { ...entry, level, muted } : entry)),
  });
}

let people = 0;

/** Creates accounts of a site with the mixer open. */
export function createMixerKit(site: TestSite) {
  const createPerson = (): Promise<TestAccount> => site.server.createAccount(`listener ${++people}`);
  const openMixer = (account: TestAccount, options?: OpenPageOptions): Promise<Page> =>
    reusePage(site, account, '/mixer', options);
  /** Creates an account with a computer that plays sound, and opens the mixer. */
  async function openPlayingMixer(options: OpenPageOptions = {}, state: AudioState = ROOM_STATE) {
    const account = await createPerson();
    const device = await startDevice(site.server, account);
    device.drivers.play(state);
    // A fader can't be moved before the page is connected.
    const page = await reusePage(site, account, '/mixer', { ...options, waitsForConnection: true });
    await page.getByRole('slider').first().waitFor();
    await expect.poll(() => page.getByRole('slider').first().isEnabled()).toBe(true);
    return { account, device, page, [Symbol.asyncDispose]: () => device[Symbol.asyncDispose]() };
  }
  return { createPerson, openMixer, openPlayingMixer };
}

/** Returns the position of a level on a fader. */
export async function getFaderPoint(
  fader: Locator,
  level: number,
): Promise<{ readonly x: number; readonly y: number }> {
  const box = await fader.boundingBox();
  if (!box) throw new Error('the fader is not to be seen');
  const isUpright = box.height > box.width;
  const share = isUpright ? 1 - level / 100 : level / 100;
  return isUpright
    ? { x: box.x + box.width / 2, y: box.y + 10 + share * (box.height - 20) }
    : { x: box.x + 12 + share * (box.width - 24), y: box.y + box.height / 2 };
}
/** Drags the pressed mouse to a level in steps. */
export async function dragFader(page: Page, name: string, level: number): Promise<void> {
  const { x, y } = await getFaderPoint(getSlider(page, name), level);
  await page.mouse.move(x, y, { steps: 12 });
}
export async function grabFader(page: Page, name: string, level: number): Promise<void> {
  const { x, y } = await getFaderPoint(getSlider(page, name), level);
  await page.mouse.move(x, y);
  await page.mouse.down();
}
