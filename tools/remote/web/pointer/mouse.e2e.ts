import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openSystemDrivers, type SystemDrivers } from '#platform/agent/drivers/systemDrivers.ts';
import { findBarriers } from '#testing/kits/browser/axe.ts';
import { waitForIdle, type OpenPageOptions } from '#testing/kits/browser/browser.ts';
import { openConnected } from '#testing/kits/browser/openLoggedIn.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import {
  waitFor,
  openInputRecorder,
  startDesktop,
  type TestDesktop,
  type InputRecorder,
} from '#testing/kits/desktop/desktop.ts';
import { startDevice, type TestDevice } from '#testing/kits/desktop/device.ts';
import type { TestAccount } from '#testing/kits/server/server.ts';
import { getSkipReason } from '#testing/machine.ts';

const site = startTestSite({ rateLimits: false });
const skipReason = site.skipReason ?? getSkipReason('Xvfb', 'openbox');

/** Position of a simulated finger on the touch screen. */
interface Spot {
  readonly x: number;
  readonly y: number;
}

/** Operates the phone’s touch screen by the browser’s own touch input. */
async function createFingers(page: Page) {
  const cdp = await page.context().newCDPSession(page);
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', spots: readonly Spot[]) =>
    cdp.send('Input.dispatchTouchEvent', { type, touchPoints: spots.map((spot, id) => ({ ...spot, id })) });
  const waitForFrame = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
  /** Moves all fingers in the same way, in small steps like a person. */
  async function slide(from: readonly Spot[], movement: Spot, steps = 12): Promise<void> {
    for (let step = 1; step <= steps; step++) {
      await send(
        'touchMove',
        from.map(({ x, y }) => ({ x: x + (movement.x * step) / steps, y: y + (movement.y * step) / steps })),
      );
      await waitForFrame();
    }
  }
  return {
    cdp,
    down: (...spots: readonly Spot[]) => send('touchStart', spots),
    up: () => send('touchEnd', []),
    /** Sends both together, because a gap on a slow machine would make it no tap. */
    tap: (...spots: readonly Spot[]) => Promise.all([send('touchStart', spots), send('touchEnd', [])]),
    slide,
    /** Presses and releases. */
    swipe: async (from: readonly Spot[], movement: Spot): Promise<void> => {
      await send('touchStart', from);
      await slide(from, movement);
      await send('touchEnd', []);
    },
  };
}

async function getMiddle(page: Page, role: 'button' | 'group', name: string): Promise<Spot> {
  const box = await page.getByRole(role, { name, exact: true }).boundingBox();
  if (!box) throw new Error(`${name} is not visible`);
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

const inspectTouchpad = async (page: Page) => ({
  page,
  fingers: await createFingers(page),
  spot: await getMiddle(page, 'group', 'Touchpad'),
});

const tiltPhone = (cdp: CDPSession, alpha: number, beta: number) =>
  cdp.send('DeviceOrientation.setDeviceOrientationOverride', { alpha, beta, gamma: 0 });

describe.skipIf(skipReason)(`the mouse on a real screen (${skipReason ?? 'Chromium and Xvfb'})`, () => {
  let desktop: TestDesktop;
  let recorder: InputRecorder;
  let drivers: SystemDrivers;
  let stateDir: string;
  let account: TestAccount;
  let device: TestDevice<SystemDrivers>;
  beforeAll(async () => {
    desktop = await startDesktop();
    recorder = await openInputRecorder(desktop);
    stateDir = await mkdtemp(join(tmpdir(), 'pegboard-mouse-'));
    drivers = await openSystemDrivers({ env: desktop.env, stateDir });
    account = await site.server.createAccount('anna');
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
    await recorder.centrePointer();
    await recorder.focus();
    recorder.clear();
  });

  async function open(path: string, options: OpenPageOptions = {}): Promise<Page> {
    // Touches before the connection is open move nothing.
    const page = await openConnected(site, account, path, { size: 'phone', ...options });
    await page.getByRole('button', { name: /Connected device.*workstation/ }).waitFor();
    return page;
  }
  const openTouchpad = async (options: OpenPageOptions = {}) =>
    inspectTouchpad(await open('/dashboard/touchpad', options));
  /** Returns the position of the pointer once it has come to rest. */
  async function waitForRest(): Promise<Spot> {
    let start = await recorder.getPointer();
    return waitFor('the pointer rests', async () => {
      await new Promise((done) => setTimeout(done, 150));
      const position = await recorder.getPointer();
      const isResting = position.x === start.x && position.y === start.y;
      start = position;
      return isResting && position;
    });
  }
  /** Returns how far `move` moves the cursor from the middle; false if that is not far enough. */
  async function measureDistance(
    isFar: (movement: Spot) => boolean,
    move: () => Promise<unknown>,
  ): Promise<Spot | false> {
    await waitForRest();
    await recorder.centrePointer();
    const start = await waitForRest();
    await move();
    const position = await waitForRest();
    const movement = { x: position.x - start.x, y: position.y - start.y };
    return isFar(movement) && movement;
  }
  const waitForInput = (what: string): Promise<void> =>
    recorder.waitFor(what, (all) => all.some((input) => input.startsWith(`${what}/`)));

  /** Opens the dashboard with the phone’s sensors on, at rest. */
  async function openTilting(path = '/dashboard') {
    const page = await open(path, { isFullBrowser: true });
    const fingers = await createFingers(page);
    await tiltPhone(fingers.cdp, 90, 20);
    await page.getByRole('button', { name: 'Start', exact: true }).tap();
    await page.getByText('Tilt the phone to move the pointer').waitFor();
    /** Turns the phone in steps like a person. */
    async function turn(from: Spot, to: Spot): Promise<void> {
      for (let step = 1; step <= 20; step++) {
        await tiltPhone(fingers.cdp, from.x + ((to.x - from.x) * step) / 20, from.y + ((to.y - from.y) * step) / 20);
        await new Promise((done) => setTimeout(done, 20));
      }
    }
    /**
     * Returns how far turning the phone moves the cursor, once it is far enough. Late events start over, and the turn
     * is repeated.
     */
    const measureTurn = (from: Spot, to: Spot, isFar: (movement: Spot) => boolean): Promise<Spot> =>
      waitFor('the cursor has gone far enough', async () => {
        await tiltPhone(fingers.cdp, from.x, from.y);
        return measureDistance(isFar, () => turn(from, to));
      });
    return { page, fingers, turn, measureTurn };
  }

  test('tilting the phone moves the cursor by a fixed number of pixels per degree', async () => {
    const { measureTurn } = await openTilting();
    // 28 px per degree, minus the dead zone: 8 degrees to the right, 6 down.
    const movement = await measureTurn({ x: 90, y: 20 }, { x: 82, y: 14 }, ({ x, y }) => x > 210 && y > 155);
    expect(movement.x).toBeLessThan(230);
    expect(movement.y).toBeLessThan(172);
  });

  test('LMB holds the button while it is touched, Scroll turns the wheel and Lift moves nothing', async () => {
    const { page, fingers, turn } = await openTilting();
    await fingers.down(await getMiddle(page, 'button', 'LMB'));
    await waitForInput('b+1');
    expect(recorder.listSeen()).not.toContainEqual(expect.stringMatching(/^b-1/));
    await fingers.up();
    await waitForInput('b-1');

    const before = await waitForRest();
    await fingers.down(await getMiddle(page, 'button', 'Scroll'));
    await waitFor('the wheel turned four steps down', async () => {
      await tiltPhone(fingers.cdp, 90, 20);
      await waitForRest();
      recorder.clear();
      await turn({ x: 90, y: 20 }, { x: 90, y: 0 });
      await waitForRest();
      return recorder.listSeen().filter((input) => input.startsWith('b+5/')).length >= 4;
    });
    await fingers.up();
    await turn({ x: 90, y: 0 }, { x: 90, y: 0 });
    expect(await waitForRest()).toEqual(before);

    const lift = page.getByRole('button', { name: 'Lift' });
    await lift.tap();
    await expect.poll(() => lift.getAttribute('aria-pressed')).toBe('true');
    await turn({ x: 90, y: 0 }, { x: 110, y: 30 });
    expect(await waitForRest()).toEqual(before);
    // While held, Scroll clears Lift; after its release Lift is restored.
    await fingers.down(await getMiddle(page, 'button', 'Scroll'));
    await expect.poll(() => lift.getAttribute('aria-pressed')).toBe('false');
    await fingers.up();
    await expect.poll(() => lift.getAttribute('aria-pressed')).toBe('true');
  });

  test('Recenter moves the cursor to the middle of the screen, and Stop ends tilting', async () => {
    const { page, turn } = await openTilting();
    await turn({ x: 90, y: 20 }, { x: 95, y: 25 });
    await waitFor('the cursor is in the middle', async () => {
      await page.getByRole('button', { name: 'Recenter' }).tap();
      const { x, y } = await waitForRest();
      return x === 640 && y === 400;
    });
    await page.getByRole('button', { name: 'Stop' }).tap();
    await page.getByRole('button', { name: 'Start', exact: true }).waitFor();
    await turn({ x: 95, y: 25 }, { x: 60, y: 0 });
    expect(await waitForRest()).toEqual({ x: 640, y: 400 });
  });

  test('the speed is stored, and scales the movement of the cursor', async () => {
    const { page, measureTurn } = await openTilting();
    await page.getByRole('button', { name: 'Mouse settings' }).tap();
    const slider = page.getByRole('slider', { name: /Speed/ });
    await slider.focus();
    await page.keyboard.press('Home');
    await page.getByText('25 %').waitFor();
    // 20 degrees at a quarter of 28 px.
    const movement = await measureTurn({ x: 90, y: 20 }, { x: 70, y: 20 }, ({ x }) => x > 130);
    expect(movement.x).toBeLessThan(145);
    await page.reload();
    await page.getByRole('button', { name: 'Mouse settings' }).tap();
    await page.getByText('25 %').waitFor();
  });

  test('the page asks for permission to use the sensors if the browser requires it, and is a touchpad without it', async () => {
    const page = await open('/dashboard');
    await page.evaluate(() => {
      Object.assign(DeviceOrientationEvent, { requestPermission: () => Promise.resolve('denied') });
    });
    await page.getByRole('button', { name: 'Start', exact: true }).tap();
    await page.getByText('The motion sensors are blocked, so this is a touchpad').waitFor();
    await page.getByRole('group', { name: 'Touchpad' }).waitFor();
  });

  test('a page over plain http is a touchpad, and says how to get tilt', async () => {
    const page = await open('/dashboard', { plainHttp: true });
    await page.getByText(/Tilt needs https/).waitFor();
    await page.getByRole('link', { name: /https/ }).waitFor();
    const { fingers, spot } = await inspectTouchpad(page);
    await waitFor('the cursor has moved', () =>
      measureDistance(
        ({ x }) => x > 60,
        () => fingers.swipe([spot], { x: 60, y: 0 }),
      ),
    );
  });

  describe('the touchpad', () => {
    test('one finger moves the cursor there and back', async () => {
      const { fingers, spot } = await openTouchpad();
      // Late events start over, and the movement is repeated.
      const movement = await waitFor('the cursor has gone far enough', () =>
        measureDistance(
          ({ x, y }) => x > 90 && y > 60,
          () => fingers.swipe([spot], { x: 90, y: 60 }),
        ),
      );
      // The movement has the finger’s direction: 3 to 2.
      expect(movement.x / movement.y).toBeCloseTo(1.5, 1);
      expect(recorder.listSeen()).toEqual([]);
    });

    test('a tap is a click, with two fingers the right button, with three the middle one', async () => {
      const { fingers, spot } = await openTouchpad();
      const second = { x: spot.x + 60, y: spot.y };
      const third = { x: spot.x - 60, y: spot.y };
      for (const [spots, button] of [
        [[spot], 1],
        [[spot, second], 3],
        [[spot, second, third], 2],
      ] as const) {
        // A stalled computer drops input that has become too old, and the tap is repeated.
        await waitFor(`a tap is button ${button} and nothing else`, async () => {
          recorder.clear();
          await fingers.tap(...spots);
          await waitForRest();
          const inputs = recorder.listSeen().map((input) => input.split('/')[0]);
          return inputs.join() === `b+${button},b-${button}`;
        });
      }
    });

    test('two fingers turn the wheel, and so does the strip', async () => {
      const { page, fingers, spot } = await openTouchpad();
      const spots = [spot, { x: spot.x + 60, y: spot.y }];
      const before = await waitForRest();
      // A stalled computer drops input that has become too old, and it is repeated.
      await waitFor('the wheel turned down', async () => {
        recorder.clear();
        await fingers.swipe(spots, { x: 0, y: -120 });
        await waitForRest();
        return recorder.listSeen().filter((input) => input.startsWith('b+5/')).length >= 3;
      });
      await waitFor('the wheel turned up', async () => {
        await page.getByRole('button', { name: 'Scroll up' }).tap();
        return recorder.listSeen().some((input) => input.startsWith('b+4/'));
      });
      expect(await waitForRest()).toEqual(before);
    });

    test('a finger that rests drags', async () => {
      const { fingers, spot } = await openTouchpad();
      // A computer that receives nothing for half a second releases, and the drag is repeated.
      await waitFor('the cursor has moved with the button down', async () => {
        recorder.clear();
        const dragged = await measureDistance(
          ({ x }) => x > 30,
          async () => {
            await fingers.down(spot);
            await waitForInput('b+1');
            await fingers.slide([spot], { x: 40, y: 0 });
          },
        );
        const isDown = !recorder.listSeen().some((input) => input.startsWith('b-1/'));
        await fingers.up();
        await waitForInput('b-1');
        return dragged && isDown;
      });
    });

    test('LMB and the right button are held while touched, the pad moves meanwhile, and Lift moves nothing', async () => {
      const { page, fingers, spot } = await openTouchpad();
      await fingers.down(await getMiddle(page, 'button', 'LMB'));
      await waitForInput('b+1');
      await fingers.up();
      await waitForInput('b-1');
      const right = await getMiddle(page, 'button', 'Right button');
      // The browser’s touch input identifies fingers by their index in the list.
      await fingers.down(right);
      await waitForInput('b+3');
      await fingers.up();
      await waitForInput('b-3');
      await page.getByRole('button', { name: 'Lift' }).tap();
      recorder.clear();
      const before = await waitForRest();
      await fingers.down(spot);
      await fingers.slide([spot], { x: 80, y: 0 });
      await fingers.up();
      await fingers.tap(spot);
      expect(await waitForRest()).toEqual(before);
      expect(recorder.listSeen()).toEqual([]);
    });

    test('a latched modifier is held during the click, and applies to the next key', async () => {
      const { page, fingers, spot } = await openTouchpad();
      const keys = page.getByRole('region', { name: 'Special buttons' });
      await keys.getByRole('button', { name: 'Ctrl' }).tap();
      // A stalled computer drops input that has become too old, and the tap is repeated.
      await waitFor('a tap is a click', async () => {
        await fingers.tap(spot);
        await waitForRest();
        return recorder.listSeen().some((input) => input.startsWith('b+1/'));
      });
      // 4 is Control in X’s mask.
      expect(recorder.listSeen()).toContain('b+1/4');
      await recorder.waitFor('Control is released', (all) => all.some((input) => input.startsWith('-37/')));
      expect(await desktop.listKeysDown()).toEqual([]);
      recorder.clear();
      await keys.getByRole('button', { name: 'Left', exact: true }).tap();
      await recorder.waitFor('Ctrl-Left is pressed', (all) => all.some((input) => input.startsWith('+113/')));
      expect(recorder.listSeen()).toContain('+113/4');
      await expect.poll(() => keys.getByRole('button', { name: 'Ctrl' }).getAttribute('aria-pressed')).toBe('false');
    });

    test('types its text, leads back to the dashboard, and does not scroll', async () => {
      const { page } = await openTouchpad();
      await page.getByRole('textbox', { name: 'Text to send' }).fill('ab');
      await page.getByRole('textbox', { name: 'Text to send' }).press('Enter');
      await recorder.waitFor('a and b are typed', (all) => all.filter((input) => input.startsWith('+')).length === 2);
      for (const size of [
        { width: 390, height: 844 },
        { width: 360, height: 640 },
        { width: 320, height: 568 },
        { width: 844, height: 390 },
      ]) {
        await page.setViewportSize(size);
        await waitForIdle(page);
        const overflow = await page.evaluate(() => {
          const { scrollWidth, clientWidth, scrollHeight, clientHeight } =
            document.querySelector('main') ?? document.body;
          return [scrollWidth - clientWidth, scrollHeight - clientHeight];
        });
        expect(overflow, JSON.stringify(size)).toEqual([0, 0]);
      }
      await page.getByRole('button', { name: 'Back', exact: true }).tap();
      await page.waitForURL('**/dashboard');
    });

    test.for(['light', 'dark'] as const)('axe finds nothing, %s', { tags: 'matrix' }, async (scheme) => {
      const { page } = await openTouchpad({ scheme });
      await page.getByRole('button', { name: 'Lift' }).tap();
      await page.getByRole('button', { name: 'Mouse settings' }).tap();
      expect(await findBarriers(page)).toEqual([]);
    });
  });
});
