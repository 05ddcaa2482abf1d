// Threads for calls of Windows that return only when another program or a person answers.
import { Worker } from 'node:worker_threads';
import { openUser32 } from './libraries.ts';

/** Ends the wait of a thread for its messages. */
const QUIT_MESSAGE = 0x12;

/** Open threads, with what ends those that wait for messages. */
const openThreads = new Map<Worker, (() => void) | undefined>();

/** Starts a thread that runs a text, because the agent is a single file. */
export function startThread(source: string, workerData?: unknown): Worker {
  const worker = new Worker(source, { eval: true, workerData });
  openThreads.set(worker, undefined);
  worker.once('exit', () => openThreads.delete(worker));
  return worker;
}

/** Ends a thread of this process that waits for messages. Its number is that of Windows. */
export function quitThread(threadId: number): void {
  openUser32().functions.PostThreadMessageW(threadId, QUIT_MESSAGE, 0n, 0n);
}

/** Lets this process end while a thread still waits for messages. */
export function quitAtExit(worker: Worker, threadId: number): void {
  openThreads.set(worker, () => quitThread(threadId));
}

/** Ends this process immediately if a thread still waits for an answer: Node would wait for it, too. */
export function killIfThreadHangs(): void {
  for (const quit of openThreads.values()) {
    if (quit) quit();
    else process.kill(process.pid, 'SIGKILL');
  }
}
