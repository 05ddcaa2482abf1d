import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { LAWS } from '../sync/laws.ts';
import type { Done, Task } from './engineWorker.ts';
import type { Suite } from './suite.ts';

const HISTORIES = 1_000_000;
/** Histories of one seed. */
const AT_ONCE = 2500;
/** Lines that say how far it is. */
const LINES = 20;
/** More of one law would say no more. */
const MOST_FAILURES = 3;

const tasksOf = (histories: number, seed: number): readonly Task[] => {
  const each = Math.ceil(histories / LAWS.length);
  const rounds = Math.ceil(each / AT_ONCE);
  return Array.from({ length: rounds }, (_, round) => Math.min(AT_ONCE, each - round * AT_ONCE)).flatMap(
    (numRuns, round) => LAWS.map((_, law) => ({ law, seed: seed + round * LAWS.length + law, numRuns })),
  );
};

/** Works tasks off, one after the other, until there are none. */
const work = async (tasks: Task[], hear: (done: Done) => void): Promise<void> => {
  const worker = new Worker(new URL('./engineWorker.ts', import.meta.url));
  try {
    for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) {
      const answer = once(worker, 'message');
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      worker.postMessage(task);
      const [done] = (await answer) as [Done];
      hear(done);
    }
  } finally {
    await worker.terminate();
  }
};

const minutes = (ms: number): string => `${Math.ceil(ms / 60_000)} min`;

/** Random histories of the pure engine, replicas and a plain client; the seed of each part is told where it fails. */
export const engineSuite: Suite = {
  name: 'engine',
  run: async (say) => {
    const tasks = [...tasksOf(Number(process.env['HISTORIES'] ?? HISTORIES), randomInt(2 ** 30))];
    const all = tasks.reduce((sum, { numRuns }) => sum + numRuns, 0);
    const tried = LAWS.map(() => 0);
    const failures = LAWS.map((): string[] => []);
    const began = performance.now();
    let sum = 0;
    const hear = ({ law, seed, numRuns, failure }: Done): void => {
      tried[law] = (tried[law] ?? 0) + numRuns;
      const told = failures[law];
      if (failure !== undefined && told && told.length < MOST_FAILURES) told.push(`seed ${seed}: ${failure}`);
      const line = Math.floor((sum / all) * LINES);
      sum += numRuns;
      if (Math.floor((sum / all) * LINES) === line) return;
      const left = minutes(((performance.now() - began) / sum) * (all - sum));
      const failed = failures.filter((some) => some.length > 0).length;
      say(`${sum.toLocaleString('en')} of ${all.toLocaleString('en')} histories, ${failed} laws broken, ${left} left`);
    };
    await Promise.all(Array.from({ length: availableParallelism() }, () => work(tasks, hear)));
    return LAWS.map(({ name }, law) => ({ what: name, tried: tried[law] ?? 0, failures: failures[law] ?? [] }));
  },
};
