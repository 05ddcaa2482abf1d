import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContext, Page } from 'playwright-core';
import x11 from 'x11';
import { openDisplay } from '#platform/agent/drivers/x11/display.ts';
import { renamedevice } from '#tools/devices/contract.ts';
import { startProgram } from '../journeys/program.ts';
import { startChromium } from '../kits/browser/chromium.ts';
import { startDesktop, type TestDesktop } from '../kits/desktop/desktop.ts';
import { pairComputer, signUpOwner, type BenchOwner } from './account.ts';
import { startAgent } from './agent.ts';
import { formatP50P99, percentile, runPegboard, runServer, type Bench } from './measure.ts';

const PAIRS = 20;
const PROBES = 150;
const TICK_MS = 30;
/** Equally long without any movement, so that the pointer rests. */
const REST_MS = 250;
/** One movement of the hand. */
const STEP_DEGREES = 2;
/** A hand always trembles, and a sensor only reports changes. */
const TREMBLE_DEGREES = 0.1;

/** If a step has moved nothing by then, it never will. */
const STEP_TIMEOUT_MS = 2000;

/** Epoch milliseconds with fractions; the page's clock is the same. */
const getNow = (): number => performance.timeOrigin + performance.now();

/** Reports when the pointer of a desktop moves. */
async function watchPointer(desktop: TestDesktop) {
  const display = await openDisplay(desktop.name);
  const window = display.x.AllocID();
  let movedAt = 0;
  let firstAt: number | undefined;
  display.onEvent(({ name }) => {
    if (name !== 'MotionNotify') return;
    movedAt = getNow();
    firstAt ??= movedAt;
  });
  display.x.CreateWindow(window, display.root, 0, 0, display.width, display.height, 0, 0, 0, 0, {
    eventMask: x11.eventMask.PointerMotion,
    overrideRedirect: true,
  });
  display.x.MapWindow(window);
  await display.sync();
  return {
    centre: (): void => {
      firstAt = undefined;
      display.x.WarpPointer(0, display.root, 0, 0, 0, 0, display.width / 2, display.height / 2);
    },
    reset: (): void => {
      firstAt = undefined;
    },
    getFirstMove: (): number | undefined => firstAt,
    isAtRest: (): boolean => getNow() - movedAt > REST_MS,
    [Symbol.asyncDispose]: () => display[Symbol.asyncDispose](),
  };
}
type PointerWatch = Awaited<ReturnType<typeof watchPointer>>;

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
async function probe(page: Page, pointer: PointerWatch): Promise<number[]> {
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
  for (let index = 0; index < PROBES; index += 1) {
    pointer.centre();
    await sleep(REST_MS + 50);
    while (!pointer.isAtRest()) await sleep(20);
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

async function measurePegboard(context: BrowserContext, origin: string, owner: BenchOwner, pointer: PointerWatch) {
  await context.addCookies([{ name: 'usertoken', value: owner.token, url: origin }]);
  const page = await context.newPage();
  await page.goto(`${origin}/dashboard`);
  await page.getByRole('button', { name: /Connected device/ }).click();
  await page.getByRole('option', { name: /bench/ }).click();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  return probe(page, pointer);
}

async function measureBaseline(context: BrowserContext, desktop: TestDesktop, pointer: PointerWatch) {
  await using relay = await runServer({ args: ['testing/bench/baselines/relay.ts'], ready: '/' });
  await using mover = startProgram([join(import.meta.dirname, 'baselines/mover.ts'), relay.origin], {
    ...process.env,
    ...desktop.env,
  });
  await mover.waitForOutput(/ready/);
  const page = await context.newPage();
  await page.goto(relay.origin);
  await page.evaluate(
    async (address) => {
      const socket = new WebSocket(address);
      await new Promise((open) => socket.addEventListener('open', open, { once: true }));
      window.addEventListener('deviceorientation', ({ alpha }) => socket.send(JSON.stringify({ alpha })));
    },
    relay.origin.replace('http', 'ws'),
  );
  return await probe(page, pointer);
}

/**
 * A tilt of the phone, from the page's event to the pointer on a real X
 * server, while other phones move other computers.
 */
export const tiltBench: Bench = {
  name: 'tilt',
  run: async () => {
    await using desktop = await startDesktop();
    await using pointer = await watchPointer(desktop);
    await using server = await runPegboard({ RATE_LIMITS: 'off' });
    const owner = await signUpOwner(server.origin);
    await using agent = await startAgent(server, owner, desktop.env);
    await owner.call(renamedevice, { id: Number(agent.target), name: 'bench' });
    await using _crowd = await startCrowd(server.origin, owner);
    const browser = await startChromium();
    try {
      const contexts = [await browser.newContext(phone), await browser.newContext(phone)] as const;
      for (const context of contexts) await recordSensorEvents(context);
      const baseline = await measureBaseline(contexts[1], desktop, pointer);
      await contexts[1].close();
      const pegboard = await measurePegboard(contexts[0], server.origin, owner, pointer);
      const [p50, p99] = [percentile(pegboard, 0.5), percentile(pegboard, 0.99)];
      return [
        {
          name: `tilt event in the page to the cursor's first movement on X, 33 events/s, ${PAIRS} other pairs active`,
          target: 'p50 under 6 ms, p99 under 20 ms',
          measured: formatP50P99(pegboard),
          baseline: `${formatP50P99(baseline)} (bare ws relay and the same X call)`,
          isTargetMet: p50 < 6 && p99 < 20,
        },
      ];
    } finally {
      await browser.close();
    }
  },
};
