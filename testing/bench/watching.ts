import { setTimeout as sleep } from 'node:timers/promises';
import { startProgram } from '../journeys/program.ts';
import { startDesktop } from '../kits/desktop/desktop.ts';
import { startDesktopUser } from '../kits/desktop/desktopUser.ts';
import { startSoundServer } from '../kits/desktop/sound.ts';
import { signUpOwner } from './account.ts';
import { startAgent } from './agent.ts';
import { MAX_CORE_SHARE, MAX_MEMORY_MB } from './desktops.ts';
import { getCoreSeconds, getResidentMb, formatPercent, runPegboard, type Bench } from './measure.ts';

const USE_DURATION_MS = 60_000;
/** Interval at which a user switches windows. */
const WINDOW_SWITCH_INTERVAL_MS = 3000;
/** Excludes the cost of starting. */
const SETTLE_MS = 8000;

export interface WatchingFigures {
  /** Share of a core. */
  readonly core: number;
  readonly baselineCore: number;
  readonly memoryMb: number;
  readonly baselineMemoryMb: number;
}

const PROGRAMS = ['Editor', 'Mail', 'Browser', 'Terminal'] as const;

/** Uses a desktop for this time while the built agent and the simplest program measure; returns what both need. */
export async function measureWatching(durationMs: number): Promise<WatchingFigures> {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await runPegboard());
  const desktop = stack.use(await startDesktop());
  const sound = stack.use(await startSoundServer('pulseaudio'));
  const env: NodeJS.ProcessEnv = { ...desktop.env, ...sound.env };
  const user = stack.use(await startDesktopUser(desktop));
  for (const name of PROGRAMS) await user.open(name, 'xterm', ['-class', name]);
  stack.use(await sound.playSilence('Music'));
  const agent = stack.use(await startAgent(server, await signUpOwner(server.origin), env));
  const baseline = stack.use(startProgram(['testing/bench/baselines/watcher.ts'], env));
  await baseline.waitForOutput(/watches/);
  await sleep(SETTLE_MS);
  const pids = [agent.pid, baseline.child.pid ?? 0] as const;
  const [before, baselineBefore] = [getCoreSeconds(pids[0]), getCoreSeconds(pids[1])];
  const startedAt = performance.now();
  user.startMoving();
  for (let count = 0; performance.now() - startedAt < durationMs; count += 1) {
    await user.focus(PROGRAMS[count % PROGRAMS.length] ?? PROGRAMS[0]);
    await sleep(WINDOW_SWITCH_INTERVAL_MS);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  return {
    core: (getCoreSeconds(pids[0]) - before) / seconds,
    baselineCore: (getCoreSeconds(pids[1]) - baselineBefore) / seconds,
    memoryMb: getResidentMb(pids[0]),
    baselineMemoryMb: getResidentMb(pids[1]),
  };
}

export const watchingBench: Bench = {
  name: 'watching',
  run: async () => {
    const { core, baselineCore, memoryMb, baselineMemoryMb } = await measureWatching(USE_DURATION_MS);
    const baselineProgram = '(asks each second, keeps sums in memory)';
    return [
      {
        name: 'agent: share of a core while a computer is used for 60 s, another window every 3 s',
        target: 'under 0.5 %',
        measured: formatPercent(core),
        baseline: `${formatPercent(baselineCore)} ${baselineProgram}`,
        isTargetMet: core < MAX_CORE_SHARE,
      },
      {
        name: 'agent: resident memory after that',
        target: `under ${MAX_MEMORY_MB} MB`,
        measured: `${Math.round(memoryMb)} MB`,
        baseline: `${Math.round(baselineMemoryMb)} MB ${baselineProgram}`,
        isTargetMet: memoryMb < MAX_MEMORY_MB,
      },
    ];
  },
};
