import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DesktopSession } from '#platform/agent/drivers/desktopSession.ts';
import { openDesktopSession } from '#platform/agent/drivers/openDesktopSession.ts';
import { startSway, type SwayDesktop } from '../kits/desktop/sway.ts';
import type { TextWindow } from '../kits/desktop/textWindow.ts';
import { createScratchFolder, formatMs, percentile, type Bench } from './measure.ts';

const LAYOUT_TEXT = 'The quick brown fox jumps over the lazy dog 0123456789. '.repeat(4).slice(0, 200);
const ALL_DIFFERENT = Array.from({ length: 600 }, (_, index) => String.fromCodePoint(0x4e00 + index)).join('');
const RUNS = 15;
const TIMEOUT_MS = 5000;

/** Measures milliseconds until the window has the text; undefined if another text arrives. */
async function timeToArrive(window: TextWindow, text: string, type: () => unknown): Promise<number | undefined> {
  window.clear();
  const startedAt = performance.now();
  await type();
  while (window.getText() !== text) {
    if (performance.now() - startedAt > TIMEOUT_MS) return undefined;
    await sleep(1);
  }
  return performance.now() - startedAt;
}

function describeTimes(times: readonly (number | undefined)[]): string {
  const arrived = times.filter((time) => time !== undefined);
  const failures = times.length - arrived.length;
  const median = arrived.length === 0 ? 'never the text that was sent' : `p50 ${formatMs(percentile(arrived, 0.5))}`;
  return failures === 0 || arrived.length === 0 ? median : `${median}, another text in ${failures} of ${times.length}`;
}
const getMedian = (times: readonly (number | undefined)[]): number =>
  percentile(
    times.map((time) => time ?? Infinity),
    0.5,
  );

/** Measures milliseconds from a change of the focus until the driver reports it. */
async function measureFocusChange(sway: SwayDesktop, session: DesktopSession): Promise<number[]> {
  await using _first = await sway.openTextWindow('foot');
  await using _second = await sway.openTextWindow('gtk');
  const times: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const before = session.windows.getActive()?.id;
    const startedAt = performance.now();
    await sway.ipc.request('run_command', 'focus next');
    while (session.windows.getActive()?.id === before && performance.now() - startedAt < TIMEOUT_MS) await sleep(1);
    times.push(performance.now() - startedAt);
  }
  return times;
}

/** Measures typing on sway, into a terminal, beside `wtype`. */
export const typingSwayBench: Bench = {
  name: 'typingsway',
  run: async () => {
    await using folder = await createScratchFolder();
    await using sway = await startSway();
    await using session = await openDesktopSession({ env: sway.env, heldPath: join(folder.path, 'held.json') });
    const withWtype = (text: string): void => void spawnSync('wtype', [text], { env: sway.env });
    const times = { layout: [] as (number | undefined)[], wtype: [] as (number | undefined)[] };
    let all: number | undefined;
    {
      await using window = await sway.openTextWindow('foot');
      for (let run = 0; run < RUNS; run += 1) {
        times.layout.push(await timeToArrive(window, LAYOUT_TEXT, () => session.keyboard.type(LAYOUT_TEXT)));
        times.wtype.push(await timeToArrive(window, LAYOUT_TEXT, () => withWtype(LAYOUT_TEXT)));
      }
      all = await timeToArrive(window, ALL_DIFFERENT, () => session.keyboard.type(ALL_DIFFERENT));
    }
    const focusTimes = await measureFocusChange(sway, session);
    return [
      {
        name: 'sway: 200 layout characters typed, until the receiver has them',
        target: 'under 100 ms',
        measured: describeTimes(times.layout),
        baseline: `${describeTimes(times.wtype)} (wtype)`,
        isTargetMet: getMedian(times.layout) < 100,
      },
      {
        name: 'sway: 600 different characters that the layout lacks',
        target: 'exact',
        measured: all === undefined ? 'another text' : `exact, ${formatMs(all)}`,
        baseline: 'none',
        isTargetMet: all !== undefined,
      },
      {
        name: 'sway: change of the active window until the agent knows it',
        target: 'under 100 ms',
        measured: `p50 ${formatMs(percentile(focusTimes, 0.5))}, worst ${formatMs(Math.max(...focusTimes))}`,
        baseline: 'none',
        isTargetMet: Math.max(...focusTimes) < 100,
      },
    ];
  },
};
