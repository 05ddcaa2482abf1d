// What `typing` and `tilt` measure on each desktop.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DesktopSession } from '#platform/agent/drivers/desktopSession.ts';
import { openDesktopSession } from '#platform/agent/drivers/openDesktopSession.ts';
import { getGnomeSkipReason, GNOME_SYSTEMS, startGnome } from '../kits/desktop/gnome.ts';
import { getKwinSkipReason, KWIN_SYSTEMS, startKwin } from '../kits/desktop/kwin.ts';
import { PROSE, SIX_HUNDRED_CHARACTERS } from '../kits/desktop/sampleTexts.ts';
import { getLabwcSkipReason, startLabwc, startSway } from '../kits/desktop/sway.ts';
import type { TextProgram, TextWindow } from '../kits/desktop/textWindow.ts';
import type { VirtualDesktop } from '../kits/desktop/virtualDesktop.ts';
import { startXDesktop } from '../kits/desktop/xDesktop.ts';
import { getSkipReason } from '../machine.ts';
import { signUpOwner, type BenchOwner } from './account.ts';
import { startAgent } from './agent.ts';
import {
  createScratchFolder,
  formatMs,
  formatPercent,
  getCoreSeconds,
  getResidentMb,
  percentile,
  runPegboard,
  type BenchFigure,
  type RunningServer,
} from './measure.ts';

export const RUNS = 15;
const TIMEOUT_MS = 5000;
export const MAX_FOCUS_MS = 100;
export const MAX_MEMORY_MB = 90;
export const MAX_CORE_SHARE = 0.005;
export const USE_DURATION_MS = 60_000;
/** How often somebody opens or closes a window. */
const WINDOW_INTERVAL_MS = 3000;
/** Excludes the cost of starting. */
export const SETTLE_MS = 10_000;

/** A program that types a text into the focused window. */
interface TypingProgram {
  readonly name: string;
  readonly args: readonly string[];
}

export interface BenchDesktop {
  readonly name: string;
  /** What is missing here, and how to install it; undefined if nothing is. */
  readonly missing: string | undefined;
  readonly start: () => Promise<VirtualDesktop>;
  /** A program that takes text. */
  readonly program: TextProgram;
  /** Time until 200 characters have arrived. */
  readonly maxTypingMs: number;
  /** The simplest other program that types there. */
  readonly simplest?: TypingProgram;
  /** Whether it types characters that no layout has. */
  readonly canTypeAll: boolean;
}

/** All desktops that run on this kind of machine. */
const BENCH_DESKTOPS: readonly BenchDesktop[] = [
  {
    name: 'X11',
    missing: getSkipReason('Xvfb', 'openbox', 'xterm', 'xdotool'),
    start: startXDesktop,
    program: 'xterm',
    maxTypingMs: 50,
    simplest: { name: 'xdotool', args: ['type', '--clearmodifiers', '--delay', '0'] },
    canTypeAll: true,
  },
  {
    name: 'sway',
    missing: getSkipReason('sway', 'foot', 'xkbcli', 'wtype'),
    start: startSway,
    program: 'foot',
    maxTypingMs: 100,
    simplest: { name: 'wtype', args: [] },
    canTypeAll: true,
  },
  {
    name: 'labwc',
    missing: getLabwcSkipReason() ?? getSkipReason('wtype'),
    start: startLabwc,
    program: 'foot',
    maxTypingMs: 100,
    simplest: { name: 'wtype', args: [] },
    canTypeAll: true,
  },
  ...GNOME_SYSTEMS.map((system) => ({
    name: `GNOME ${system.version}`,
    missing: getGnomeSkipReason(system),
    start: () => startGnome({ system }),
    program: 'foot' as const,
    maxTypingMs: 300,
    canTypeAll: true,
  })),
  ...KWIN_SYSTEMS.map((system) => ({
    name: `KWin ${system.version}`,
    missing: getKwinSkipReason(system),
    start: () => startKwin(system),
    program: 'gtk' as const,
    maxTypingMs: 300,
    canTypeAll: system.version >= 6.7,
  })),
];

/** Whether to measure this desktop. `DESKTOPS='sway,KWin 6.3'` selects some: each takes a minute or two. */
export const isSelected = (name: string): boolean => process.env['DESKTOPS']?.split(',').includes(name) ?? true;

/** Returns the desktops to measure, and prints which ones are missing. */
export function selectDesktops(): readonly BenchDesktop[] {
  return BENCH_DESKTOPS.filter(({ name, missing }) => {
    if (!isSelected(name)) return false;
    if (missing !== undefined) process.stdout.write(`${name} is not measured: it ${missing}\n`);
    return missing === undefined;
  });
}

/** Prints figures of a desktop as soon as they are known: the next desktop takes a while. */
export function printFigures(figures: readonly BenchFigure[]): void {
  for (const { name, measured } of figures) process.stdout.write(`  ${name}: ${measured}\n`);
}

async function waitUntil(check: () => boolean): Promise<boolean> {
  const startedAt = performance.now();
  while (!check()) {
    if (performance.now() - startedAt > TIMEOUT_MS) return false;
    await sleep(1);
  }
  return true;
}

/** Opens a window, and waits until the drivers report it in front. Adds the id that they give it. */
async function openInFront(desktop: VirtualDesktop, session: DesktopSession, program: TextProgram) {
  const getActiveId = (): number | undefined => session.windows.getActive()?.id;
  const before = getActiveId();
  const window = await desktop.openTextWindow(program);
  await waitUntil(() => getActiveId() !== undefined && getActiveId() !== before);
  return { ...window, id: getActiveId() };
}

/** Measures milliseconds until the window has the text; undefined if another text arrives. */
async function timeToArrive(window: TextWindow, text: string, type: () => unknown): Promise<number | undefined> {
  window.clear();
  const startedAt = performance.now();
  await type();
  return (await waitUntil(() => window.getText() === text)) ? performance.now() - startedAt : undefined;
}

/** Formats the median of the times, and how often another text arrived (undefined). */
export function describeTimes(times: readonly (number | undefined)[]): string {
  const arrived = times.filter((time) => time !== undefined);
  const failures = times.length - arrived.length;
  const median = arrived.length === 0 ? 'never the text that was sent' : `p50 ${formatMs(percentile(arrived, 0.5))}`;
  return failures === 0 || arrived.length === 0 ? median : `${median}, another text in ${failures} of ${times.length}`;
}

export function getMedian(times: readonly (number | undefined)[]): number {
  return percentile(
    times.map((time) => time ?? Infinity),
    0.5,
  );
}

async function measureTyping(
  { name, program, maxTypingMs, simplest, canTypeAll }: BenchDesktop,
  desktop: VirtualDesktop,
  session: DesktopSession,
): Promise<readonly BenchFigure[]> {
  await using window = await openInFront(desktop, session, program);
  const times: (number | undefined)[] = [];
  const simplestTimes: (number | undefined)[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    times.push(await timeToArrive(window, PROSE, () => session.keyboard.type(PROSE)));
    if (simplest)
      simplestTimes.push(
        await timeToArrive(window, PROSE, () =>
          spawnSync(simplest.name, [...simplest.args, PROSE], { env: desktop.env }),
        ),
      );
  }
  const typing = {
    name: `${name}: 200 layout characters typed, until the receiver has them`,
    target: `under ${maxTypingMs} ms`,
    measured: describeTimes(times),
    baseline: simplest ? `${describeTimes(simplestTimes)} (${simplest.name})` : 'none: no other program types there',
    isTargetMet: getMedian(times) < maxTypingMs,
  };
  if (!canTypeAll) return [typing];
  const allMs = await timeToArrive(window, SIX_HUNDRED_CHARACTERS, () => session.keyboard.type(SIX_HUNDRED_CHARACTERS));
  return [
    typing,
    {
      name: `${name}: 600 different characters that the layout lacks`,
      target: 'exact',
      measured: allMs === undefined ? 'another text' : `exact, ${formatMs(allMs)}`,
      isTargetMet: allMs !== undefined,
    },
  ];
}

/** Measures milliseconds from the end of a window until the drivers report the next one in front. */
async function measureFocusChange(
  { name, program }: BenchDesktop,
  desktop: VirtualDesktop,
  session: DesktopSession,
): Promise<BenchFigure> {
  await using first = await openInFront(desktop, session, program);
  const times: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    await using second = await openInFront(desktop, session, program);
    const startedAt = performance.now();
    second.child.kill('SIGKILL');
    await waitUntil(() => session.windows.getActive()?.id === first.id);
    times.push(performance.now() - startedAt);
  }
  return {
    name: `${name}: a window ends, until the agent knows the next one in front`,
    target: `under ${MAX_FOCUS_MS} ms`,
    measured: `p50 ${formatMs(percentile(times, 0.5))}, worst ${formatMs(Math.max(...times))}`,
    isTargetMet: Math.max(...times) < MAX_FOCUS_MS,
  };
}

/** Starts the built agent on a desktop, in its home if it has one. */
export function startDesktopAgent(server: RunningServer, owner: BenchOwner, { env }: VirtualDesktop, name = 'agent') {
  const { HOME: home } = env;
  return startAgent(server, owner, env, { name, home: home === process.env['HOME'] ? undefined : home });
}

/** Measures the built agent in its own process, while somebody opens and closes windows. */
async function measureAgent({ name, program }: BenchDesktop, desktop: VirtualDesktop): Promise<readonly BenchFigure[]> {
  await using server = await runPegboard();
  const owner = await signUpOwner(server.origin);
  await using agent = await startDesktopAgent(server, owner, desktop);
  await sleep(SETTLE_MS);
  const before = getCoreSeconds(agent.pid);
  const startedAt = performance.now();
  while (performance.now() - startedAt < USE_DURATION_MS) {
    await using _window = await desktop.openTextWindow(program);
    await sleep(WINDOW_INTERVAL_MS);
  }
  const core = (getCoreSeconds(agent.pid) - before) / ((performance.now() - startedAt) / 1000);
  const memoryMb = getResidentMb(agent.pid);
  return [
    {
      name: `${name}: the agent's share of a core for 60 s, a new window every 3 s`,
      target: 'under 0.5 %',
      measured: formatPercent(core),
      isTargetMet: core < MAX_CORE_SHARE,
    },
    {
      name: `${name}: the agent's resident memory after that`,
      target: `under ${MAX_MEMORY_MB} MB`,
      measured: `${memoryMb.toFixed(1)} MB`,
      isTargetMet: memoryMb < MAX_MEMORY_MB,
    },
  ];
}

/** Measures typing, changes of the focus, and the agent's use of the machine. */
export async function measureDesktop(bench: BenchDesktop): Promise<readonly BenchFigure[]> {
  await using folder = await createScratchFolder();
  await using desktop = await bench.start();
  const figures: BenchFigure[] = [];
  {
    await using session = await openDesktopSession({ env: desktop.env, heldPath: join(folder.path, 'held.json') });
    figures.push(...(await measureTyping(bench, desktop, session)));
    figures.push(await measureFocusChange(bench, desktop, session));
  }
  figures.push(...(await measureAgent(bench, desktop)));
  return figures;
}
