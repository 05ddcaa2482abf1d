// Tries one law of the sync on some histories at a time, as it is told, and says what came of it.
import { parentPort } from 'node:worker_threads';
import { LAWS } from '../sync/laws.ts';

/** So many histories of one law. */
export interface Task {
  /** Place in the list of laws. */
  readonly law: number;
  readonly seed: number;
  readonly numRuns: number;
}
export interface Done extends Task {
  /** Undefined where it held. */
  readonly failure: string | undefined;
}

const failureOf = ({ law, seed, numRuns }: Task): string | undefined => {
  try {
    LAWS[law]?.check({ seed, numRuns });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

parentPort?.on('message', (task: Task) => {
  const done: Done = { ...task, failure: failureOf(task) };
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(done);
});
