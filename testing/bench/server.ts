import { setTimeout as sleep } from 'node:timers/promises';
import { percentile, getResidentMib, runServer, type Bench } from './measure.ts';

const RUNS = 7;
/** The server gives memory back that its start needed, when it has been at rest for a while. */
const IDLE_MS = 120_000;
const MAX_START_MS = 1500;
const MAX_MEMORY_MIB = 160;

interface ServerFigures {
  /** Median from the start of the process to its first answer. */
  readonly startMs: number;
  readonly memoryMib: number;
}

async function measure(args: readonly string[], ready: string): Promise<ServerFigures> {
  const startTimes: number[] = [];
  let memoryMib = 0;
  for (let run = 0; run < RUNS; run += 1) {
    await using server = await runServer({ args, ready });
    startTimes.push(server.firstAnswerMs);
    if (run < RUNS - 1) continue;
    await sleep(IDLE_MS);
    memoryMib = getResidentMib(server.child.pid ?? 0);
  }
  return { startMs: percentile(startTimes, 0.5), memoryMib };
}

export const serverBench: Bench = {
  name: 'server',
  run: async () => {
    const pegboard = await measure(['apps/server/start.ts'], '/readyz');
    const baseline = await measure(['testing/bench/baselines/page.ts'], '/');
    return [
      {
        name: 'server: start to first answer (web built)',
        target: `under ${MAX_START_MS / 1000} s`,
        measured: `${Math.round(pegboard.startMs)} ms`,
        baseline: `${Math.round(baseline.startMs)} ms (node:http and one string)`,
        isTargetMet: pegboard.startMs < MAX_START_MS,
      },
      {
        name: 'server: resident memory idle',
        target: `under ${MAX_MEMORY_MIB} MiB`,
        measured: `${Math.round(pegboard.memoryMib)} MiB`,
        baseline: `${Math.round(baseline.memoryMib)} MiB (the same)`,
        isTargetMet: pegboard.memoryMib < MAX_MEMORY_MIB,
      },
    ];
  },
};
