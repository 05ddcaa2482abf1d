import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { openXDesktop } from '#platform/agent/drivers/x11/desktop.ts';
import { keyboardinput } from '#tools/remote/contract.ts';
import { openTerminalSink, startDesktop, type TestDesktop, type TerminalSink } from '../kits/desktop/desktop.ts';
import { signUpOwner } from './account.ts';
import { startAgent } from './agent.ts';
import {
  describeTimes,
  getMedian,
  isSelected,
  measureDesktop,
  printFigures,
  RUNS,
  selectDesktops,
} from './desktops.ts';
import {
  formatP50P99,
  measureTimes,
  percentile,
  runPegboard,
  runServer,
  createScratchFolder,
  type Bench,
  type BenchFigure,
} from './measure.ts';
import { measureWindows } from './windows.ts';

/** Characters that a US layout lacks; each run takes others, so that none is mapped already. */
const createForeignText = (run: number): string =>
  Array.from({ length: 18 }, (_, index) => String.fromCodePoint(0x4e00 + run * 18 + index)).join('');
/** Each text that xdotool doesn't type takes as long as the timeout. */
const XDOTOOL_RUNS = 3;
const CALLS = 300;
const BASELINE_CALLS = 100;

/** Measures milliseconds from the command to type until the receiver has the whole text. */
async function timeToArrive(sink: TerminalSink, text: string, type: (text: string) => unknown): Promise<number> {
  sink.clear();
  const startedAt = performance.now();
  const typing = type(text);
  await sink.waitForText(text);
  const durationMs = performance.now() - startedAt;
  await typing;
  return durationMs;
}

async function measureForeignText(desktop: TestDesktop): Promise<BenchFigure> {
  await using folder = await createScratchFolder();
  await using sink = await openTerminalSink(desktop);
  await using xDesktop = await openXDesktop({ display: desktop.name, heldPath: join(folder.path, 'held.json') });
  const withXdotool = (text: string): void =>
    void spawnSync('xdotool', ['type', '--clearmodifiers', '--delay', '0', text], { env: desktop.env });
  const times: number[] = [];
  const xdotoolTimes: (number | undefined)[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    times.push(await timeToArrive(sink, createForeignText(2 * run), xDesktop.keyboard.type));
    if (run >= XDOTOOL_RUNS) continue;
    // xdotool can confuse characters that it maps too fast.
    xdotoolTimes.push(await timeToArrive(sink, createForeignText(2 * run + 1), withXdotool).catch(() => undefined));
  }
  return {
    name: 'X11: 18 characters foreign to the layout (20 ms settling included)',
    target: 'under 60 ms, faster than xdotool',
    measured: describeTimes(times),
    baseline: `${describeTimes(xdotoolTimes)} (xdotool type)`,
    isTargetMet: getMedian(times) < 60 && getMedian(times) < getMedian(xdotoolTimes),
  };
}

async function measureCalls(desktop: TestDesktop): Promise<readonly number[]> {
  await using server = await runPegboard({ RATE_LIMITS: 'off' });
  const owner = await signUpOwner(server.origin);
  await using agent = await startAgent(server, owner, desktop.env);
  return await measureTimes({ rounds: CALLS }, () => {
    const content = { inputtype: 1 as const, inputValue: 'a', target: agent.target, timesent: Date.now() / 1000 };
    return owner.call(keyboardinput, { content });
  });
}

async function measureBaseline(desktop: TestDesktop): Promise<readonly number[]> {
  await using baselineServer = await runServer({
    args: ['testing/bench/baselines/typist.ts'],
    env: { DISPLAY: desktop.name },
    ready: '/ready',
  });
  return await measureTimes({ rounds: BASELINE_CALLS }, async () => {
    await (await fetch(`${baselineServer.origin}/type`, { method: 'POST', body: 'a' })).text();
  });
}

async function measureX(): Promise<readonly BenchFigure[]> {
  await using desktop = await startDesktop();
  desktop.setLayout('us');
  const foreignText = await measureForeignText(desktop);
  await using _sink = await openTerminalSink(desktop);
  const pegboard = await measureCalls(desktop);
  const baseline = await measureBaseline(desktop);
  return [
    {
      name: 'X11: `keyboardinput` call to `ok`, one character',
      target: 'p50 under 10 ms, p99 under 30 ms',
      measured: formatP50P99(pegboard),
      baseline: `${formatP50P99(baseline)} (node:http that runs xdotool)`,
      isTargetMet: percentile(pegboard, 0.5) < 10 && percentile(pegboard, 0.99) < 30,
    },
    foreignText,
  ];
}

/** Measures on each desktop that is installed here. */
export const typingBench: Bench = {
  name: 'typing',
  run: async () => {
    const figures = isSelected('X11') ? [...(await measureX())] : [];
    for (const desktop of selectDesktops()) {
      const desktopFigures = await measureDesktop(desktop);
      figures.push(...desktopFigures);
      printFigures(desktopFigures);
    }
    return isSelected('Wine') ? [...figures, ...(await measureWindows())] : figures;
  },
};
