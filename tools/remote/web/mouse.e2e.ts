import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openDrivers, type LiveDrivers } from '#platform/agent/drivers/live.ts';
import { findBarriers } from '#testing/axe.ts';
import type { OpenOptions } from '#testing/browser.ts';
import { eventually, openRecorder, startDesktop, type Desktop, type Recorder } from '#testing/desktop.ts';
import { startDevice, type TestDevice } from '#testing/device.ts';
import { lacks } from '#testing/machine.ts';
import type { TestAccount } from '#testing/server.ts';
import { openSignedIn } from '#testing/signedIn.ts';
import { serveSite } from '#testing/site.ts';

const site = serveSite({ rateLimits: false });
const lack = site.lack ?? lacks('Xvfb', 'openbox');

/** A finger of ours on the page's glass. */
interface Spot {
  readonly x: number;
  readonly y: number;
}

/** The phone's glass, worked by the browser's own touch input. */
const fingersOn = async (page: Page) => {
  const cdp = await page.context().newCDPSession(page);
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', spots: readonly Spot[]) =>
    cdp.send('Input.dispatchTouchEvent', { type, touchPoints: spots.map((spot, id) => ({ ...spot, id })) });
  const frame = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
  return {
    cdp,
    down: (...spots: readonly Spot[]) => send('touchStart', spots),
    up: () => send('touchEnd', []),
    /** Moves all fingers the same way, in small steps as a hand does. */
    slide: async (from: readonly Spot[], by: Spot, steps = 12): Promise<void> => {
      for (let step = 1; step <= steps; step++) {
        await send(
          'touchMove',
          from.map(({ x, y }) => ({ x: x + (by.x * step) / steps, y: y + (by.y * step) / steps })),
        );
        await frame();
      }
    },
  };
};

const middleOf = async (page: Page, role: 'button' | 'group', name: string): Promise<Spot> => {
  const box = await page.getByRole(role, { name, exact: true }).boundingBox();
  if (!box) throw new Error(`${name} is not to be seen`);
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
};

const held = (cdp: CDPSession, alpha: number, beta: number) =>
  cdp.send('DeviceOrientation.setDeviceOrientationOverride', { alpha, beta, gamma: 0 });

describe.skipIf(lack)(`the mouse on a real screen (${lack ?? 'Chromium and Xvfb'})`, () => {
  let desktop: Desktop;
  let recorder: Recorder;
  let drivers: LiveDrivers;
  let stateDir: string;
  let account: TestAccount;
  let device: TestDevice<LiveDrivers>;
  beforeAll(async () => {
    desktop = await startDesktop();
    recorder = await openRecorder(desktop);
    stateDir = await mkdtemp(join(tmpdir(), 'pegboard-mouse-'));
    drivers = await openDrivers({ env: desktop.env, stateDir });
    account = await site.server.account('anna');
    device = await startDevice(site.server, account, { drivers, name: 'workstation' });
  });
  afterAll(async () => {
    await device[Symbol.asyncDispose]();
    await drivers[Symbol.asyncDispose]();
    await recorder[Symbol.asyncDispose]();
    await desktop[Symbol.asyncDispose]();
    await rm(stateDir, { recursive: true });
  });
  beforeEach(async () => {
    await recorder.centre();
    recorder.clear();
  });

  const open = async (path: string, options: OpenOptions = {}): Promise<Page> => {
    const page = await openSignedIn(site, account, path, { size: 'phone', ...options });
    await page.getByRole('button', { name: /Connected device.*workstation/ }).waitFor();
    return page;
  };
  /** Where the pointer stands once it has come to rest. */
  const rest = async (): Promise<Spot> => {
    let before = await recorder.pointer();
    return eventually('the pointer rests', async () => {
      await new Promise((done) => setTimeout(done, 150));
      const now = await recorder.pointer();
      const rests = now.x === before.x && now.y === before.y;
      before = now;
      return rests && now;
    });
  };
  const seen = (what: string): Promise<void> =>
    recorder.until(what, (all) => all.some((one) => one.startsWith(`${what}/`)));

  /** The dashboard with the phone's sensors on, at rest. */
  const tilting = async (path = '/dashboard') => {
    const page = await open(path);
    const fingers = await fingersOn(page);
    await held(fingers.cdp, 90, 20);
    await page.getByRole('button', { name: 'Start', exact: true }).tap();
    await page.getByText('Tilt moves the pointer.').waitFor();
    /** Turns the phone there in steps of a hand. */
    const turn = async (from: Spot, to: Spot): Promise<void> => {
      for (let step = 1; step <= 20; step++) {
        await held(fingers.cdp, from.x + ((to.x - from.x) * step) / 20, from.y + ((to.y - from.y) * step) / 20);
        await new Promise((done) => setTimeout(done, 20));
      }
    };
    return { page, fingers, turn };
  };

  test('tilting the phone moves the cursor by so many pixels a degree', async () => {
    const { turn } = await tilting();
    const before = await recorder.pointer();
    await turn({ x: 90, y: 20 }, { x: 82, y: 14 });
    const after = await eventually('the cursor has come there', async () => {
      const now = await rest();
      return now.x - before.x > 200 && now;
    });
    // 28 px a degree, less the dead zone: 8 degrees to the right, 6 downwards.
    expect(after.x - before.x).toBeGreaterThan(210);
    expect(after.x - before.x).toBeLessThan(230);
    expect(after.y - before.y).toBeGreaterThan(155);
    expect(after.y - before.y).toBeLessThan(172);
  });
});
