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
const clock = (): number => performance.timeOrigin + performance.now();

/** Reports when the pointer of a desktop moves. */
async function watchPointer(desktop: TestDesktop) {
  const own = await openDisplay(desktop.name);
  const window = own.x.AllocID();
  let movedAt = 0;
  let firstAt: number | undefined;
  own.onEvent(({ name }) => {
    if (name !== 'MotionNotify') return;
    movedAt = clock();
    firstAt ??= movedAt;
  });
  own.x.CreateWindow(window, own.root, 0, 0, own.width, own.height, 0, 0, 0, 0, {
    eventMask: x11.eventMask.PointerMotion,
    overrideRedirect: true,
  });
  own.x.MapWindow(window);
  await own.sync();
  return {
    begin: (): void => {
      firstAt = undefined;
      own.x.WarpPointer(0, own.root, 0, 0, 0, 0, own.width / 2, own.height / 2);
    },
    forget: (): void => {
      firstAt = undefined;
    },
    first: (): number | undefined => firstAt,
    rests: (): boolean => clock() - movedAt > REST_MS,
    [Symbol.asyncDispose]: () => own[Symbol.asyncDispose](),
  };
}
type Watched = Awaited<ReturnType<typeof watchPointer>>;

/** Recorded by the page for each sensor event. */
interface Turned {
  readonly at: number;
  readonly alpha: number;
}

async function writeTurns(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const turned: Turned[] = [];
    Object.assign(window, { turned });
    window.addEventListener('deviceorientation', ({ alpha }) =>
      turned.push({ at: performance.timeOrigin + performance.now(), alpha: alpha ?? 0 }),
    );
  });
}

/**
 * Turns the phone slightly 33 times a second, sometimes by a step;
 * returns milliseconds from each step to the first movement.
 */
async function probe(page: Page, pointer: Watched): Promise<number[]> {
  const cdp = await page.context().newCDPSession(page);
  let base = 90;
  let count = 0;
  const over = new AbortController();
  async function tremble(): Promise<void> {
    let due = performance.now();
    while (!over.signal.aborted) {
      count += 1;
      const alpha = base + (count % 2) * TREMBLE_DEGREES;
      await cdp.send('DeviceOrientation.setDeviceOrientationOverride', { alpha, beta: 10, gamma: 0 });
      due = Math.max(due + TICK_MS, performance.now());
      await sleep(Math.max(0, due - performance.now()));
    }
  }
  const trembling = tremble();
  const took: number[] = [];
  for (let at = 0; at < PROBES; at += 1) {
    pointer.begin();
    await sleep(REST_MS + 50);
    while (!pointer.rests()) await sleep(20);
    const seenBefore = await page.evaluate(() => (window as unknown as { turned: Turned[] }).turned.length);
    pointer.forget();
    const from = base;
    base += at % 2 === 0 ? STEP_DEGREES : -STEP_DEGREES;
    const deadline = clock() + STEP_TIMEOUT_MS;
    while (pointer.first() === undefined && clock() < deadline) await sleep(5);
    // A step without a movement counts with the time waited.
    const movedAt = pointer.first() ?? clock();
    const turns = await page.evaluate(
      (since) => (window as unknown as { turned: Turned[] }).turned.slice(since),
      seenBefore,
    );
    const step = turns.find(({ alpha }) => Math.abs(alpha - from) > STEP_DEGREES / 2);
    if (step) took.push(movedAt - step.at);
  }
  over.abort();
  await trembling;
  return took;
}

async function startCrowd(origin: string, owner: BenchOwner) {
  const pairs = [];
  for (let at = 0; at < PAIRS; at += 1) {
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

async function throughPegboard(context: BrowserContext, origin: string, owner: BenchOwner, pointer: Watched) {
  await context.addCookies([{ name: 'usertoken', value: owner.token, url: origin }]);
  const page = await context.newPage();
  await page.goto(`${origin}/dashboard`);
  await page.getByRole('button', { name: /Connected device/ }).click();
  await page.getByRole('option', { name: /bench/ }).click();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  return probe(page, pointer);
}

async function throughBareSocket(context: BrowserContext, desktop: TestDesktop, pointer: Watched) {
  await using relay = await runServer({ args: ['testing/bench/peers/relay.ts'], ready: '/' });
  await using mover = startProgram([join(import.meta.dirname, 'peers/mover.ts'), relay.origin], {
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
      for (const context of contexts) await writeTurns(context);
      const theirs = await throughBareSocket(contexts[1], desktop, pointer);
      await contexts[1].close();
      const ours = await throughPegboard(contexts[0], server.origin, owner, pointer);
      const [p50, p99] = [percentile(ours, 0.5), percentile(ours, 0.99)];
      return [
        {
          what: `tilt event in the page to the cursor's first movement on X, 33 events/s, ${PAIRS} other pairs active`,
          target: 'p50 under 6 ms, p99 under 20 ms',
          ours: formatP50P99(ours),
          peer: `${formatP50P99(theirs)} (bare ws relay and the same X call)`,
          isReached: p50 < 6 && p99 < 20,
        },
      ];
    } finally {
      await browser.close();
    }
  },
};
