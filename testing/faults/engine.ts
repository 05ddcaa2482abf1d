import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { HISTORY_LAWS } from '../sync/laws.ts';
import type { LawResult, LawTask } from './engineWorker.ts';
import type { FaultSuite } from './suite.ts';

const HISTORIES = 1_000_000;
/** Histories per seed. */
const HISTORIES_PER_SEED = 2500;
/** Number of progress lines. */
const PROGRESS_LINE_COUNT = 20;
/** More failures of one law would add no information. */
const MAX_FAILURES = 3;

function createTasks(histories: number, seed: number): readonly LawTask[] {
  const each = Math.ceil(histories / HISTORY_LAWS.length);
  const rounds = Math.ceil(each / HISTORIES_PER_SEED);
  return Array.from({ length: rounds }, (_, round) =>
    Math.min(HISTORIES_PER_SEED, each - round * HISTORIES_PER_SEED),
  ).flatMap((numRuns, round) =>
    HISTORY_LAWS.map((_, law) => ({ law, seed: seed + round * HISTORY_LAWS.length + law, numRuns })),
  );
}

/** Works through the tasks one by one. */
async function work(tasks: LawTask[], onResult: (done: LawResult) => void): Promise<void> {
  const worker = new Worker(new URL('./engineWorker.ts', import.meta.url));
  try {
    for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) {
      const answer = once(worker, 'message');
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      worker.postMessage(task);
      const [done] = (await answer) as [LawResult];
      onResult(done);
    }
  } finally {
    await worker.terminate();
  }
}

const minutes = (ms: number): string => `${Math.ceil(ms / 60_000)} min`;

/** Random histories of the pure engine, replicas and a plain client; a failure includes its seed. */
export const engineSuite: FaultSuite = {
  name: 'engine',
  run: async (say) => {
    const tasks = [...createTasks(Number(process.env['HISTORIES'] ?? HISTORIES), randomInt(2 ** 30))];
    const all = tasks.reduce((sum, { numRuns }) => sum + numRuns, 0);
    const tried = HISTORY_LAWS.map(() => 0);
    const failures = HISTORY_LAWS.map((): string[] => []);
    const startedAt = performance.now();
    let sum = 0;
    function handleResult({ law, seed, numRuns, failure }: LawResult): void {
      tried[law] = (tried[law] ?? 0) + numRuns;
      const lawFailures = failures[law];
      if (failure !== undefined && lawFailures && lawFailures.length < MAX_FAILURES)
        lawFailures.push(`seed ${seed}: ${failure}`);
      const line = Math.floor((sum / all) * PROGRESS_LINE_COUNT);
      sum += numRuns;
      if (Math.floor((sum / all) * PROGRESS_LINE_COUNT) === line) return;
      const left = minutes(((performance.now() - startedAt) / sum) * (all - sum));
      const failed = failures.filter((some) => some.length > 0).length;
      say(`${sum.toLocaleString('en')} of ${all.toLocaleString('en')} histories, ${failed} laws broken, ${left} left`);
    }
    await Promise.all(Array.from({ length: availableParallelism() }, () => work(tasks, handleResult)));
    return HISTORY_LAWS.map(({ name }, law) => ({
      what: name,
      caseCount: tried[law] ?? 0,
      failures: failures[law] ?? [],
    }));
  },
};
