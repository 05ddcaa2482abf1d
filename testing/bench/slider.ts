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
import { formatP50P99, percentile, runPegboard, runServer, type Bench, type BenchFigure } from './measure.ts';
import { watchVolume } from './watchVolume.ts';

const MOVES = 300;
/** Delay between two moves, so that each is measured separately. */
const MOVE_INTERVAL_MS = 20;

/** Moves a slider; returns milliseconds until the computer and the other page show each level. */
async function move(
  send: (level: number) => void,
  watch: (computer: (level: number) => void, page: (level: number) => void) => Promise<unknown>,
) {
  const took = { computer: new Array<number>(), page: new Array<number>() };
  let level = 0;
  let startedAt = 0;
  let seen = Promise.withResolvers<void>();
  const isSeen = { computer: false, page: false };
  const see = (where: keyof typeof took) => (there: number) => {
    if (there !== level || isSeen[where]) return;
    isSeen[where] = true;
    took[where].push(performance.now() - startedAt);
    if (isSeen.computer && isSeen.page) seen.resolve();
  };
  await watch(see('computer'), see('page'));
  for (let at = 0; at < MOVES; at += 1) {
    seen = Promise.withResolvers<void>();
    Object.assign(isSeen, { computer: false, page: false });
    level = 10 + ((at * 7) % 80);
    startedAt = performance.now();
    send(level);
    await seen.promise;
    await new Promise((resolve) => setTimeout(resolve, MOVE_INTERVAL_MS));
  }
  return took;
}

/** This clock has the same origin in every process and page of this machine. */
const wallClock = (): number => performance.timeOrigin + performance.now();
/** Frames are 16.7 ms apart: a page sends a slider's value with the next one. */
const PAGE_MOVES = 150;

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
async function betweenPages(origin: string, owner: BenchOwner, sound: TestSoundServer, film: TestStream) {
  const browser = await startChromium();
  try {
    const [mine, other] = [await openMixer(browser, origin, owner), await openMixer(browser, origin, owner)];
    const took = { computer: new Array<number>(), page: new Array<number>() };
    const seenAt = new Map<number, number>();
    let look: (() => void) | undefined;
    const client = await watchVolume(sound, film, (level) => {
      if (!seenAt.has(level)) seenAt.set(level, wallClock());
      look?.();
    });
    for (let at = 0; at < PAGE_MOVES; at += 1) {
      const level = 10 + ((at * 7) % 80);
      seenAt.clear();
      const onOther = other.evaluate(
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
      const startedAt = await mine.evaluate((next) => {
        const fader = document.querySelector<HTMLInputElement>('input[aria-label="Film volume"]');
        // React stores its known value on the element itself; user input bypasses that.
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(fader, next);
        const now = performance.timeOrigin + performance.now();
        fader?.dispatchEvent(new Event('input', { bubbles: true }));
        return now;
      }, String(level));
      await new Promise<void>((resolve) => {
        look = () => seenAt.has(level) && resolve();
        look();
      });
      took.computer.push((seenAt.get(level) ?? Number.NaN) - startedAt);
      took.page.push((await onOther) - startedAt);
      // Not a multiple of a frame, so that the moves are distributed over it.
      await new Promise((resolve) => setTimeout(resolve, MOVE_INTERVAL_MS + (at % 17)));
    }
    client.close();
    return took;
  } finally {
    await browser.close();
  }
}

async function untilKnown({ call }: BenchOwner): Promise<void> {
  for (;;) {
    const found = await call(mixerargs, { type: 'client' }).catch(() => undefined); // Not connected yet.
    if (found && 'Film' in found.data) return;
    await new Promise((resolve) => setTimeout(resolve, MOVE_INTERVAL_MS));
  }
}

async function throughPegboard(sound: TestSoundServer, film: TestStream) {
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
  await untilKnown(owner);
  const [mine, other] = await Promise.all(
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
  if (!mine || !other) throw new Error('no sockets');
  const took = await move(
    (level) => mine.emit(audioset.name, { audio: { Film: { level, muted: false } } }),
    async (computer, page) => {
      other.on(setvolumefront.name, (data: Record<string, { readonly level: number }>, _about, taken: () => void) => {
        taken();
        page(data['Film']?.level ?? -1);
      });
      await watchVolume(sound, film, computer);
    },
  );
  mine.disconnect();
  other.disconnect();
  return { sockets: took, pages: await betweenPages(server.origin, owner, sound, film) };
}

async function throughSimplest(sound: TestSoundServer, film: TestStream) {
  await using peer = await runServer({
    args: ['testing/bench/peers/volume.ts'],
    env: { PULSE_SERVER: sound.env['PULSE_SERVER'] ?? '' },
    ready: '/',
  });
  const [mine, other] = await Promise.all(
    ['mine', 'other'].map(async () => {
      const socket = new WebSocket(peer.origin.replace('http', 'ws'), { perMessageDeflate: false });
      await once(socket, 'open');
      return socket;
    }),
  );
  if (!mine || !other) throw new Error('no sockets');
  const took = await move(
    (level) => mine.send(JSON.stringify({ index: film.index, level })),
    async (computer, page) => {
      other.on('message', (data) =>
        page((JSON.parse((data as Buffer).toString()) as { readonly level: number }).level),
      );
      await watchVolume(sound, film, computer);
    },
  );
  mine.close();
  other.close();
  return took;
}

/** Measures on a separate sound server, with a stream of silence. */
export const sliderBench: Bench = {
  name: 'slider',
  run: async () => {
    await using sound = await startSoundServer('pulseaudio');
    await using film = await sound.playSilence('Film');
    const theirs = await throughSimplest(sound, film);
    const ours = await throughPegboard(sound, film);
    function row(from: keyof typeof ours, to: 'computer' | 'page', what: string): BenchFigure {
      const limit = to === 'computer' ? 15 : 50;
      return {
        what,
        target: `p50 under ${limit} ms`,
        ours: formatP50P99(ours[from][to]),
        peer: `${formatP50P99(theirs[to])} (ws server beside the sound server, no page)`,
        isReached: percentile(ours[from][to], 0.5) < limit,
      };
    }
    return [
      row('sockets', 'computer', '`/api/audioset` to the volume as another program of the computer sees it'),
      row('sockets', 'page', '`/api/audioset` to `setvolumefront` at another socket'),
      row('pages', 'computer', 'slider in browser A to the volume as another program of the computer sees it'),
      row('pages', 'page', 'slider in browser A to the slider in browser B'),
    ];
  },
};
