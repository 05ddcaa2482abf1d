import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProgram } from '../journeys/program.ts';
import { startDesktop } from '../kits/desktop/desktop.ts';
import { startDesktopUser } from '../kits/desktop/desktopUser.ts';
import { startSoundServer } from '../kits/desktop/sound.ts';
import { signUpOwner } from './account.ts';
import { startAgent } from './agent.ts';
import { getCoreSeconds, formatPercent, runPegboard, type Bench } from './measure.ts';

const USED_MS = 60_000;
/** Interval at which a user switches windows. */
const EACH_MS = 3000;
/** Excludes the cost of starting. */
const SETTLE_MS = 8000;
const CORE_SHARE = 0.005;
const MEMORY_MB = 90;

const measureResidentMb = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

export interface WatchingFigures {
  /** Share of a core. */
  readonly core: number;
  readonly peerCore: number;
  readonly memoryMb: number;
  readonly peerMemoryMb: number;
}

const PROGRAMS = ['Editor', 'Mail', 'Browser', 'Terminal'] as const;

/** Uses a desktop for this long with the built agent, and with the simplest program that measures beside it. */
export async function measureWatching(usedMs: number): Promise<WatchingFigures> {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await runPegboard());
  const desk = stack.use(await startDesktop());
  const sound = stack.use(await startSoundServer('pulseaudio'));
  const env: NodeJS.ProcessEnv = { ...desk.env, ...sound.env };
  const person = stack.use(await startDesktopUser(desk));
  for (const name of PROGRAMS) await person.open(name, 'xterm', ['-class', name]);
  stack.use(await sound.playSilence('Music'));
  const agent = stack.use(await startAgent(server, await signUpOwner(server.origin), env));
  const peer = stack.use(startProgram(['testing/bench/peers/watcher.ts'], env));
  await peer.waitForOutput(/watches/);
  await sleep(SETTLE_MS);
  const pids = [agent.pid, peer.child.pid ?? 0] as const;
  const [before, peerBefore] = [getCoreSeconds(pids[0]), getCoreSeconds(pids[1])];
  const startedAt = performance.now();
  person.startMoving();
  for (let turn = 0; performance.now() - startedAt < usedMs; turn += 1) {
    await person.focus(PROGRAMS[turn % PROGRAMS.length] ?? PROGRAMS[0]);
    await sleep(EACH_MS);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  return {
    core: (getCoreSeconds(pids[0]) - before) / seconds,
    peerCore: (getCoreSeconds(pids[1]) - peerBefore) / seconds,
    memoryMb: measureResidentMb(pids[0]),
    peerMemoryMb: measureResidentMb(pids[1]),
  };
}

export const watchingBench: Bench = {
  name: 'watching',
  run: async () => {
    const { core, peerCore, memoryMb, peerMemoryMb } = await measureWatching(USED_MS);
    const peer = '(asks each second, keeps sums in memory)';
    return [
      {
        what: 'agent: share of a core while a computer is used for 60 s, another window every 3 s',
        target: 'under 0.5 %',
        ours: formatPercent(core),
        peer: `${formatPercent(peerCore)} ${peer}`,
        isReached: core < CORE_SHARE,
      },
      {
        what: 'agent: resident memory after that',
        target: 'under 90 MB',
        ours: `${Math.round(memoryMb)} MB`,
        peer: `${Math.round(peerMemoryMb)} MB ${peer}`,
        isReached: memoryMb < MEMORY_MB,
      },
    ];
  },
};
