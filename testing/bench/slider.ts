import { once } from 'node:events';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { io } from 'socket.io-client';
import { WebSocket } from 'ws';
import { SOCKET_PATH } from '#platform/contract/realtime.ts';
import { audioset, mixerargs, setvolumefront } from '#tools/mixer/contract.ts';
import { startProgram } from '../journeys/program.ts';
import { startChromium } from '../kits/browser/chromium.ts';
import { startSoundServer, type TestStream, type TestSoundServer } from '../kits/desktop/sound.ts';
import { pairWith, signUpOwner, type BenchOwner } from './account.ts';
import { formatP50P99, percentile, runPegboard, runBaseline, type Bench, type BenchFigure } from './measure.ts';
import { watchVolume } from './watchVolume.ts';

const MOVE_COUNT = 300;
/** Delay between two moves, so that each is measured separately. */
const MOVE_INTERVAL_MS = 20;

/** Moves a slider; returns milliseconds until the computer and the other page show each level. */
async function measureMoves(
  send: (level: number) => void,
  watch: (computer: (level: number) => void, page: (level: number) => void) => Promise<unknown>,
) {
  const times = { computer: new Array<number>(), page: new Array<number>() };
  let level = 0;
  let startedAt = 0;
  let arrival = Promise.withResolvers<void>();
  const hasArrived = { computer: false, page: false };
  const createListener = (receiver: keyof typeof times) => (receivedLevel: number) => {
    if (receivedLevel !== level || hasArrived[receiver]) return;
    hasArrived[receiver] = true;
    times[receiver].push(performance.now() - startedAt);
    if (hasArrived.computer && hasArrived.page) arrival.resolve();
  };
  await watch(createListener('computer'), createListener('page'));
  for (let index = 0; index < MOVE_COUNT; index += 1) {
    arrival = Promise.withResolvers<void>();
    Object.assign(hasArrived, { computer: false, page: false });
    level = 10 + ((index * 7) % 80);
    startedAt = performance.now();
    send(level);
    await arrival.promise;
    await new Promise((resolve) => setTimeout(resolve, MOVE_INTERVAL_MS));
  }
  return times;
}

/** This clock has the same origin in every process and page of this machine. */
const wallClock = (): number => performance.timeOrigin + performance.now();
/** Frames are 16.7 ms apart: a page sends a slider's value with the next one. */
const PAGE_MOVE_COUNT = 150;

async function openMixer(browser: Browser, origin: string, { token }: BenchOwner): Promise<Page> {
  const context = await browser.newContext({ baseURL: origin });
  await context.addCookies([{ name: 'usertoken', value: token, url: origin }]);
  const page = await context.newPage();
  await page.goto('/mixer');
  await page.getByLabel('Film volume').waitFor();
  return page;
}

/**
 * The same with two pages of a real browser: from the slider's event to the computer, and to the other page's slider.
 */
async function measureBetweenPages(origin: string, owner: BenchOwner, sound: TestSoundServer, stream: TestStream) {
  await using browser = await startChromium();
  const [sender, other] = [await openMixer(browser, origin, owner), await openMixer(browser, origin, owner)];
  const times = { computer: new Array<number>(), page: new Array<number>() };
  const arrivedAt = new Map<number, number>();
  let onLevel: (() => void) | undefined;
  const client = await watchVolume(sound, stream, (level) => {
    if (!arrivedAt.has(level)) arrivedAt.set(level, wallClock());
    onLevel?.();
  });
  for (let index = 0; index < PAGE_MOVE_COUNT; index += 1) {
    const level = 10 + ((index * 7) % 80);
    arrivedAt.clear();
    const shownOnOther = other.evaluate(
      (expected) =>
        new Promise<number>((resolve) => {
          const fader = document.querySelector<HTMLInputElement>('input[aria-label="Film volume"]');
          const watcher = new MutationObserver(() => {
            if (fader?.value !== expected) return;
            watcher.disconnect();
            resolve(performance.timeOrigin + performance.now());
          });
          if (fader) watcher.observe(fader, { attributes: true });
        }),
      String(level),
    );
    const startedAt = await sender.evaluate((next) => {
      const fader = document.querySelector<HTMLInputElement>('input[aria-label="Film volume"]');
      // React stores its known value on the element itself; user input bypasses that.
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(fader, next);
      const now = performance.timeOrigin + performance.now();
      fader?.dispatchEvent(new Event('input', { bubbles: true }));
      return now;
    }, String(level));
    await new Promise<void>((resolve) => {
      onLevel = () => arrivedAt.has(level) && resolve();
      onLevel();
    });
    times.computer.push((arrivedAt.get(level) ?? Number.NaN) - startedAt);
    times.page.push((await shownOnOther) - startedAt);
    // Not a multiple of a frame, so that the moves are distributed over it.
    await new Promise((resolve) => setTimeout(resolve, MOVE_INTERVAL_MS + (index % 17)));
  }
  client.close();
  return times;
}

async function waitForApplication({ call }: BenchOwner): Promise<void> {
  for (;;) {
    const mixer = await call(mixerargs, { type: 'client' }).catch(() => undefined); // Not connected yet.
    if (mixer && 'Film' in mixer.data) return;
    await new Promise((resolve) => setTimeout(resolve, MOVE_INTERVAL_MS));
  }
}

async function measurePegboard(sound: TestSoundServer, stream: TestStream) {
  await using server = await runPegboard({ RATE_LIMITS: 'off' });
  const owner = await signUpOwner(server.origin);
  const folder = join(server.dataDir, 'agent');
  await using agent = startProgram(['apps/agent/dist/agent.mjs', 'pair', server.origin], {
    ...sound.env,
    XDG_CONFIG_HOME: join(folder, 'config'),
    XDG_STATE_HOME: join(folder, 'state'),
  });
  const [, code = ''] = await agent.waitForOutput(/^ {4}(\S+)$/m);
  await pairWith(owner, code);
  await waitForApplication(owner);
  const [sender, other] = await Promise.all(
    ['mine', 'other'].map(async () => {
      const socket = io(server.origin, {
        path: SOCKET_PATH,
        transports: ['websocket'],
        forceNew: true,
        auth: { token: owner.token },
      });
      await new Promise<void>((resolve) => socket.once('connect', resolve));
      return socket;
    }),
  );
  if (!sender || !other) throw new Error('no sockets');
  const times = await measureMoves(
    (level) => sender.emit(audioset.name, { audio: { Film: { level, muted: false } } }),
    async (computer, page) => {
      other.on(
        setvolumefront.name,
        (data: Record<string, { readonly level: number }>, _about, acknowledge: () => void) => {
          acknowledge();
          page(data['Film']?.level ?? -1);
        },
      );
      await watchVolume(sound, stream, computer);
    },
  );
  sender.disconnect();
  other.disconnect();
  return { sockets: times, pages: await measureBetweenPages(server.origin, owner, sound, stream) };
}

async function measureBaseline(sound: TestSoundServer, stream: TestStream) {
  await using baselineServer = await runBaseline('volume', { PULSE_SERVER: sound.env['PULSE_SERVER'] ?? '' });
  const [sender, other] = await Promise.all(
    ['mine', 'other'].map(async () => {
      const socket = new WebSocket(baselineServer.origin.replace('http', 'ws'), { perMessageDeflate: false });
      await once(socket, 'open');
      return socket;
    }),
  );
  if (!sender || !other) throw new Error('no sockets');
  const times = await measureMoves(
    (level) => sender.send(JSON.stringify({ index: stream.index, level })),
    async (computer, page) => {
      other.on('message', (data) =>
        page((JSON.parse((data as Buffer).toString()) as { readonly level: number }).level),
      );
      await watchVolume(sound, stream, computer);
    },
  );
  sender.close();
  other.close();
  return times;
}

/** Measures on a separate sound server, with a stream of silence. */
export const sliderBench: Bench = {
  name: 'slider',
  run: async () => {
    await using sound = await startSoundServer('pulseaudio');
    await using stream = await sound.playSilence('Film');
    const baseline = await measureBaseline(sound, stream);
    const pegboard = await measurePegboard(sound, stream);
    function createFigure(from: keyof typeof pegboard, to: 'computer' | 'page', name: string): BenchFigure {
      const maxMs = to === 'computer' ? 15 : 50;
      return {
        name,
        target: `p50 under ${maxMs} ms`,
        measured: formatP50P99(pegboard[from][to]),
        baseline: `${formatP50P99(baseline[to])} (ws server beside the sound server, no page)`,
        isTargetMet: percentile(pegboard[from][to], 0.5) < maxMs,
      };
    }
    return [
      createFigure('sockets', 'computer', '`/api/audioset` to the volume as another program of the computer sees it'),
      createFigure('sockets', 'page', '`/api/audioset` to `setvolumefront` at another socket'),
      createFigure('pages', 'computer', 'slider in browser A to the volume as another program of the computer sees it'),
      createFigure('pages', 'page', 'slider in browser A to the slider in browser B'),
    ];
  },
};
