import { setTimeout as sleep } from 'node:timers/promises';
import { startDesktop } from '../kits/desktop/desktop.ts';
import { startSoundServer } from '../kits/desktop/sound.ts';
import { signUpOwner, type BenchOwner } from './account.ts';
import { startAgent } from './agent.ts';
import { getCoreSeconds, formatPercent, runPegboard, runBaseline, type Bench, type RunningServer } from './measure.ts';

/** Time until memory of the start is collected, which V8 does over 1.5 minutes. */
const SETTLE_MS = 120_000;
const MEASURED_MS = 120_000;
const MAX_CORE_SHARE_ALONE = 0.002;
const MAX_CORE_SHARE_WITH_AGENTS = 0.004;

/** Returns the share of a core that an unused server takes. */
async function measureIdle({ child }: RunningServer, settleMs: number, measuredMs: number): Promise<number> {
  await sleep(settleMs);
  const before = getCoreSeconds(child.pid ?? 0);
  await sleep(measuredMs);
  return (getCoreSeconds(child.pid ?? 0) - before) / (measuredMs / 1000);
}

async function addComputer(server: RunningServer, owner: BenchOwner, name: string): Promise<AsyncDisposable> {
  const stack = new AsyncDisposableStack();
  const desktop = stack.use(await startDesktop());
  const sound = stack.use(await startSoundServer('pulseaudio'));
  stack.use(await startAgent(server, owner, { ...desktop.env, ...sound.env }, { name }));
  return stack;
}

export const idleBench: Bench = {
  name: 'idle',
  run: async () => {
    await using baselineServer = await runBaseline('page');
    await using server = await runPegboard();
    const [alone, baselineAlone] = await Promise.all([
      measureIdle(server, SETTLE_MS, MEASURED_MS),
      measureIdle(baselineServer, SETTLE_MS, MEASURED_MS),
    ]);
    const owner = await signUpOwner(server.origin);
    await using computers = new AsyncDisposableStack();
    for (const name of ['first', 'second']) computers.use(await addComputer(server, owner, name));
    const withAgents = await measureIdle(server, SETTLE_MS, MEASURED_MS);
    return [
      {
        name: 'server at rest, no agent: share of a core over 120 s, 120 s after its start',
        target: 'under 0.2 %',
        measured: formatPercent(alone),
        baseline: `${formatPercent(baselineAlone)} (node:http and one string)`,
        isTargetMet: alone < MAX_CORE_SHARE_ALONE,
      },
      {
        name: 'the same with two agents connected, at desktops that nobody uses',
        target: 'under 0.4 %',
        measured: formatPercent(withAgents),
        baseline: `${formatPercent(baselineAlone)} (node:http and one string, no agent)`,
        isTargetMet: withAgents < MAX_CORE_SHARE_WITH_AGENTS,
      },
    ];
  },
};
