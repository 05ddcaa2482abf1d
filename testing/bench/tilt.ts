import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import x11 from 'x11';
import { openDesktopSession } from '#platform/agent/drivers/openDesktopSession.ts';
import { openDisplay } from '#platform/agent/drivers/x11/display.ts';
import { renamedevice } from '#tools/devices/contract.ts';
import { startProgram } from '../journeys/program.ts';
import { startChromium } from '../kits/browser/chromium.ts';
import { waitFor } from '../kits/desktop/desktop.ts';
import { GTK_ENV } from '../kits/desktop/textWindow.ts';
import type { VirtualDesktop } from '../kits/desktop/virtualDesktop.ts';
import { pairComputer, signUpOwner, type BenchOwner } from './account.ts';
import { printFigures, selectDesktops, startDesktopAgent } from './desktops.ts';
import {
  createScratchFolder,
  formatP50P99,
  percentile,
  runPegboard,
  runBaseline,
  type Bench,
  type BenchFigure,
} from './measure.ts';

const PAIRS = 20;
const PROBES = 150;
/** Fewer, because there are several desktops. */
const WAYLAND_PROBES = 60;
const TICK_MS = 30;
/** Equally long without any movement, so that the pointer rests. */
const REST_MS = 250;
/** One movement of the hand. */
const STEP_DEGREES = 2;
/** A hand always trembles, and a sensor only reports changes. */
const TREMBLE_DEGREES = 0.1;

/** A step that has moved nothing by then never will. */
const STEP_TIMEOUT_MS = 2000;

/** Epoch milliseconds with fractions; the page's clock is the same. */
const getNow = (): number => performance.timeOrigin + performance.now();

/** Reports when the pointer of a desktop moves. */
interface PointerWatch extends AsyncDisposable {
  readonly centre: () => void;
  /** Clears the first movement. */
  readonly reset: () => void;
  readonly getFirstMove: () => number | undefined;
  readonly isAtRest: () => boolean;
}

/** Records movements. @param centre moves the pointer to the middle of the screen */
function createMoveRecorder(centre: () => void) {
  let movedAt = 0;
  let firstAt: number | undefined;
  return {
    record: (): void => {
      movedAt = getNow();
      firstAt ??= movedAt;
    },
    centre,
    reset: (): void => {
      firstAt = undefined;
    },
    getFirstMove: (): number | undefined => firstAt,
    isAtRest: (): boolean => getNow() - movedAt > REST_MS,
  };
}

/** Covers an X11 desktop with a transparent window, which gets all movements. */
async function watchXPointer(desktop: VirtualDesktop): Promise<PointerWatch> {
  const display = await openDisplay(desktop.env['DISPLAY'] ?? '');
  const window = display.x.AllocID();
  const recorder = createMoveRecorder(() => {
    display.x.WarpPointer(0, display.root, 0, 0, 0, 0, display.width / 2, display.height / 2);
  });
  display.onEvent(({ name }) => {
    if (name === 'MotionNotify') recorder.record();
  });
  display.x.CreateWindow(window, display.root, 0, 0, display.width, display.height, 0, 0, 0, 0, {
    eventMask: x11.eventMask.PointerMotion,
    overrideRedirect: true,
  });
  display.x.MapWindow(window);
  await display.sync();
  return { ...recorder, [Symbol.asyncDispose]: () => display[Symbol.asyncDispose]() };
}

/** Covers a Wayland desktop with a GTK window. */
async function watchWaylandPointer(desktop: VirtualDesktop): Promise<PointerWatch> {
  const stack = new AsyncDisposableStack();
  const folder = stack.use(await createScratchFolder());
  const session = stack.use(await openDesktopSession({ env: desktop.env, heldPath: join(folder.path, 'held.json') }));
  const recorder = createMoveRecorder(session.mouse.centre);
  const env = { ...desktop.env, ...GTK_ENV };
  const program = spawn('/usr/bin/python3', ['testing/python/motionWindow.py'], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  stack.defer(() => void program.kill('SIGKILL'));
  program.stdout.on('data', recorder.record);
  // The window moves under the pointer when it opens, which is a movement too.
  await waitFor('the window gets movements', () => {
    session.mouse.move(1, 0);
    return recorder.getFirstMove() !== undefined;
  });
  return { ...recorder, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** Recorded by the page for each sensor event. */
interface SensorEvent {
  readonly at: number;
  readonly alpha: number;
}

async function recordSensorEvents(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const sensorEvents: SensorEvent[] = [];
    Object.assign(window, { sensorEvents });
    window.addEventListener('deviceorientation', ({ alpha }) =>
      sensorEvents.push({ at: performance.timeOrigin + performance.now(), alpha: alpha ?? 0 }),
    );
  });
}

/**
 * Turns the phone slightly 33 times a second, sometimes by a step;
 * returns milliseconds from each step to the first movement.
 */
async function probe(page: Page, pointer: PointerWatch, probeCount: number): Promise<number[]> {
  const cdp = await page.context().newCDPSession(page);
  let base = 90;
  let count = 0;
  const abort = new AbortController();
  async function tremble(): Promise<void> {
    let dueAt = performance.now();
    while (!abort.signal.aborted) {
      count += 1;
      const alpha = base + (count % 2) * TREMBLE_DEGREES;
      await cdp.send('DeviceOrientation.setDeviceOrientationOverride', { alpha, beta: 10, gamma: 0 });
      dueAt = Math.max(dueAt + TICK_MS, performance.now());
      await sleep(Math.max(0, dueAt - performance.now()));
    }
  }
  const trembling = tremble();
  const times: number[] = [];
  for (let index = 0; index < probeCount; index += 1) {
    pointer.centre();
    await sleep(REST_MS + 50);
    await waitFor('the pointer rests', pointer.isAtRest);
    const previousCount = await page.evaluate(
      () => (window as unknown as { sensorEvents: SensorEvent[] }).sensorEvents.length,
    );
    pointer.reset();
    const previousBase = base;
    base += index % 2 === 0 ? STEP_DEGREES : -STEP_DEGREES;
    const deadline = getNow() + STEP_TIMEOUT_MS;
    while (pointer.getFirstMove() === undefined && getNow() < deadline) await sleep(5);
    // A step without a movement counts with the time waited.
    const movedAt = pointer.getFirstMove() ?? getNow();
    const newEvents = await page.evaluate(
      (since) => (window as unknown as { sensorEvents: SensorEvent[] }).sensorEvents.slice(since),
      previousCount,
    );
    const step = newEvents.find(({ alpha }) => Math.abs(alpha - previousBase) > STEP_DEGREES / 2);
    if (step) times.push(movedAt - step.at);
  }
  abort.abort();
  await trembling;
  return times;
}

async function startCrowd(origin: string, owner: BenchOwner) {
  const pairs = [];
  for (let count = 0; count < PAIRS; count += 1) {
    const { token: device, target } = await pairComputer(origin, owner);
    pairs.push({ token: owner.token, target, device });
  }
  const crowd = startProgram([join(import.meta.dirname, '../load/crowd.ts'), origin], {
    ...process.env,
    PAIRS: JSON.stringify(pairs),
  });
  await crowd.waitForOutput(/ready/);
  return crowd;
}

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

interface TiltSubject {
  readonly browser: Browser;
  readonly desktop: VirtualDesktop;
  readonly pointer: PointerWatch;
  readonly probeCount: number;
}

/** Opens a page in a phone-like context of its own. */
async function withPage<T>(browser: Browser, use: (page: Page, context: BrowserContext) => Promise<T>): Promise<T> {
  await using context = await browser.newContext(phone);
  await recordSensorEvents(context);
  return await use(await context.newPage(), context);
}

const measurePegboard = (
  { browser, pointer, probeCount }: TiltSubject,
  origin: string,
  owner: BenchOwner,
  name: string,
) =>
  withPage(browser, async (page, context) => {
    await context.addCookies([{ name: 'usertoken', value: owner.token, url: origin }]);
    await page.goto(`${origin}/dashboard`);
    await page.getByRole('button', { name: /Connected device/ }).click();
    await page.getByRole('option', { name }).click();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    return probe(page, pointer, probeCount);
  });

async function measureBaseline({ browser, desktop, pointer, probeCount }: TiltSubject) {
  await using relay = await runBaseline('relay');
  await using mover = startProgram([join(import.meta.dirname, 'baselines/mover.ts'), relay.origin], desktop.env);
  await mover.waitForOutput(/ready/);
  return await withPage(browser, async (page) => {
    await page.goto(relay.origin);
    await page.evaluate(
      async (address) => {
        const socket = new WebSocket(address);
        await new Promise((open) => socket.addEventListener('open', open, { once: true }));
        window.addEventListener('deviceorientation', ({ alpha }) => socket.send(JSON.stringify({ alpha })));
      },
      relay.origin.replace('http', 'ws'),
    );
    return probe(page, pointer, probeCount);
  });
}

interface TiltLimits {
  readonly p50: number;
  readonly p99: number;
}
const X_LIMITS: TiltLimits = { p50: 6, p99: 20 };
/** A compositor passes movements on with its next frame, up to 17 ms later. */
const WAYLAND_LIMITS: TiltLimits = { p50: 20, p99: 50 };

/**
 * A tilt of the phone, from the page's event to the pointer on a real desktop, while other phones move other computers.
 */
export const tiltBench: Bench = {
  name: 'tilt',
  run: async () => {
    await using server = await runPegboard({ RATE_LIMITS: 'off' });
    const owner = await signUpOwner(server.origin);
    await using _crowd = await startCrowd(server.origin, owner);
    await using browser = await startChromium();
    const figures: BenchFigure[] = [];
    for (const { name, start } of selectDesktops()) {
      await using desktop = await start();
      const isX = desktop.name === 'X11';
      await using pointer = isX ? await watchXPointer(desktop) : await watchWaylandPointer(desktop);
      const subject = { browser, desktop, pointer, probeCount: isX ? PROBES : WAYLAND_PROBES };
      const baseline = await measureBaseline(subject);
      await using agent = await startDesktopAgent(server, owner, desktop, name);
      await owner.call(renamedevice, { id: Number(agent.target), name });
      const pegboard = await measurePegboard(subject, server.origin, owner, name);
      const [p50, p99] = [percentile(pegboard, 0.5), percentile(pegboard, 0.99)];
      const limits = isX ? X_LIMITS : WAYLAND_LIMITS;
      const figure = {
        name: `${name}: tilt event in the page to the pointer's first movement, 33 events/s, ${PAIRS} other pairs active`,
        target: `p50 under ${limits.p50} ms, p99 under ${limits.p99} ms`,
        measured: formatP50P99(pegboard),
        baseline: `${formatP50P99(baseline)} (bare ws relay and the same driver)`,
        isTargetMet: p50 < limits.p50 && p99 < limits.p99,
      };
      figures.push(figure);
      printFigures([figure]);
    }
    return figures;
  },
};
