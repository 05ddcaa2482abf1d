import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Refusal } from '#platform/contract/refusal.ts';
import type { WorkerData } from './worker.ts';
import {
  isDiskFullError,
  deserializeError,
  type WorkerStartResult,
  type WorkerRequest,
  type Outcome,
} from './workerMessages.ts';

/** The writing thread, seen from the main one. */
export interface WriterThread {
  /** @throws when the thread has died. */
  readonly send: (order: WorkerRequest) => Promise<readonly Outcome[]>;
  /** Ends the thread once it has done what it was told before. */
  readonly close: () => Promise<void>;
}

export interface WriterThreadEvents {
  /** The thread has ended without having been asked to. */
  readonly onExit: (error: Error) => void;
  /** There was no room on the disk for a write. Told before the write's own answer. */
  readonly onDiskFull: () => void;
}

/**
 * Starts the writing thread and waits until its connection stands.
 * @throws Refusal when the database must not be used.
 */
export const startWriterThread = async (
  data: WorkerData,
  { onExit, onDiskFull }: WriterThreadEvents,
): Promise<WriterThread> => {
  // Flags of the main thread (a test runner's loaders) are not for it.
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: data, execArgv: [] });
  const [opened] = (await once(worker, 'message')) as [WorkerStartResult];
  if (!('opened' in opened)) {
    await worker.terminate();
    if ('refused' in opened) throw new Refusal(opened.refused);
    if (!isDiskFullError(opened.error)) throw deserializeError(opened.error);
    onDiskFull();
    throw new Refusal(`The disk of ${data.path} is full. Make room, and start again.`);
  }

  const waiting: PromiseWithResolvers<readonly Outcome[]>[] = [];
  let death: Error | undefined;
  let isClosing = false;
  const die = (cause: unknown): void => {
    if (death) return;
    death = new Error('the writing thread of the database has ended', { cause });
    for (const one of waiting.splice(0)) one.reject(death);
    if (!isClosing) onExit(death);
  };
  worker.on('message', (outcomes: readonly Outcome[]) => {
    if (outcomes.some((outcome) => 'error' in outcome && isDiskFullError(outcome.error))) onDiskFull();
    waiting.shift()?.resolve(outcomes);
  });
  worker.on('messageerror', die);
  worker.on('error', die);
  worker.on('exit', (code) => die(`exit code ${code}`));

  const send = async (order: WorkerRequest): Promise<readonly Outcome[]> => {
    if (death) throw death;
    const answer = Promise.withResolvers<readonly Outcome[]>();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    worker.postMessage(order);
    waiting.push(answer);
    return answer.promise;
  };
  return {
    send,
    close: async () => {
      if (death) return;
      isClosing = true;
      const exit = once(worker, 'exit');
      const [outcome] = await send({ kind: 'close' });
      await exit;
      if (outcome && 'error' in outcome) throw deserializeError(outcome.error);
    },
  };
};
