// Checks one law of the sync on batches of histories, as requested, and reports the result.
import { parentPort } from 'node:worker_threads';
import { HISTORY_LAWS } from '../sync/laws.ts';

/** A number of histories of one law. */
export interface LawTask {
  /** Index in the list of laws. */
  readonly law: number;
  readonly seed: number;
  readonly numRuns: number;
}
export interface LawResult extends LawTask {
  /** Undefined if the law was true. */
  readonly failure: string | undefined;
}

function findFailure({ law, seed, numRuns }: LawTask): string | undefined {
  try {
    HISTORY_LAWS[law]?.check({ seed, numRuns });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

parentPort?.on('message', (task: LawTask) => {
  const done: LawResult = { ...task, failure: findFailure(task) };
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(done);
});
