import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { openXDesktop } from '#platform/agent/drivers/x11/desktop.ts';
import { keyboardinput } from '#tools/remote/contract.ts';
import { openTerminalSink, startDesktop, type TestDesktop, type TerminalSink } from '../kits/desktop/desktop.ts';
import { signUpOwner } from './account.ts';
import { startAgent } from './agent.ts';
import {
  formatMs,
  formatP50P99,
  percentile,
  runPegboard,
  runServer,
  createScratchFolder,
  type Bench,
  type BenchFigure,
} from './measure.ts';

const LAYOUT_TEXT = 'The quick brown fox jumps over the lazy dog 0123456789. '.repeat(4).slice(0, 200);
/** Characters that a US layout lacks; each run takes others, so that none is mapped already. */
const foreignText = (run: number): string =>
  Array.from({ length: 18 }, (_, at) => String.fromCodePoint(0x4e00 + run * 18 + at)).join('');
const TYPING_RUNS = 15;
const CALLS = 300;
const PEER_CALLS = 100;

/** Measures milliseconds from the command to type until the receiver has the whole text. */
async function timeToArrive(sink: TerminalSink, text: string, type: (text: string) => unknown): Promise<number> {
  sink.clear();
  const startedAt = performance.now();
  const typed = type(text);
  await sink.waitForText(text);
  const took = performance.now() - startedAt;
  await typed;
  return took;
}

const half = (list: readonly number[]): number => percentile(list, 0.5);

async function typings(desktop: TestDesktop): Promise<readonly BenchFigure[]> {
  await using folder = await createScratchFolder();
  await using sink = await openTerminalSink(desktop);
  await using ours = await openXDesktop({ display: desktop.name, heldPath: join(folder.path, 'held.json') });
  const withXdotool = (text: string): void =>
    void spawnSync('xdotool', ['type', '--clearmodifiers', '--delay', '0', text], { env: desktop.env });
  const times = { layout: [0], foreign: [0], xdotoolLayout: [0], xdotoolForeign: [0] };
  for (const list of Object.values(times)) list.length = 0;
  let failures = 0;
  for (let run = 0; run < TYPING_RUNS; run += 1) {
    times.layout.push(await timeToArrive(sink, LAYOUT_TEXT, ours.keyboard.type));
    times.xdotoolLayout.push(await timeToArrive(sink, LAYOUT_TEXT, withXdotool));
    times.foreign.push(await timeToArrive(sink, foreignText(2 * run), ours.keyboard.type));
    // xdotool can confuse characters that it maps too fast: failures are counted, not measured.
    const took = await timeToArrive(sink, foreignText(2 * run + 1), withXdotool).catch(() => undefined);
    if (took === undefined) failures += 1;
    else times.xdotoolForeign.push(took);
  }
  const theirs =
    failures === TYPING_RUNS
      ? 'never the text that was sent'
      : `p50 ${formatMs(half(times.xdotoolForeign))}, another text in ${failures} of ${TYPING_RUNS}`;
  return [
    {
      what: '200 layout characters typed, until the receiver has them',
      target: 'under 50 ms, faster than xdotool',
      ours: `p50 ${formatMs(half(times.layout))}`,
      peer: `p50 ${formatMs(half(times.xdotoolLayout))} (xdotool type)`,
      isReached: half(times.layout) < 50 && half(times.layout) < half(times.xdotoolLayout),
    },
    {
      what: '18 characters foreign to the layout (20 ms settling included)',
      target: 'under 60 ms, faster than xdotool',
      ours: `p50 ${formatMs(half(times.foreign))}`,
      peer: `${theirs} (xdotool type)`,
      isReached: half(times.foreign) < 60 && !(half(times.foreign) >= half(times.xdotoolForeign)),
    },
  ];
}

async function oneCall(desktop: TestDesktop): Promise<number[]> {
  await using server = await runPegboard({ RATE_LIMITS: 'off' });
  const owner = await signUpOwner(server.origin);
  await using agent = await startAgent(server, owner, desktop.env);
  const { target } = agent;
  const times: number[] = [];
  for (let at = 0; at < CALLS; at += 1) {
    const content = { inputtype: 1 as const, inputValue: 'a', target, timesent: Date.now() / 1000 };
    const startedAt = performance.now();
    await owner.call(keyboardinput, { content });
    times.push(performance.now() - startedAt);
  }
  return times;
}

async function throughShell(desktop: TestDesktop): Promise<number[]> {
  await using peer = await runServer({
    args: ['testing/bench/peers/typist.ts'],
    env: { DISPLAY: desktop.name },
    ready: '/ready',
  });
  const times: number[] = [];
  for (let at = 0; at < PEER_CALLS; at += 1) {
    const startedAt = performance.now();
    const answer = await fetch(`${peer.origin}/type`, { method: 'POST', body: 'a' });
    await answer.text();
    times.push(performance.now() - startedAt);
  }
  return times;
}

/** Measures on a separate X server, with a terminal that passes on its input. */
export const typingBench: Bench = {
  name: 'typing',
  run: async () => {
    await using desktop = await startDesktop();
    desktop.setLayout('us');
    const figures = await typings(desktop);
    await using _sink = await openTerminalSink(desktop);
    const ours = await oneCall(desktop);
    const theirs = await throughShell(desktop);
    return [
      {
        what: '`keyboardinput` call to `ok`, one character, agent on X',
        target: 'p50 under 10 ms, p99 under 30 ms',
        ours: formatP50P99(ours),
        peer: `${formatP50P99(theirs)} (node:http that runs xdotool)`,
        isReached: percentile(ours, 0.5) < 10 && percentile(ours, 0.99) < 30,
      },
      ...figures,
    ];
  },
};
