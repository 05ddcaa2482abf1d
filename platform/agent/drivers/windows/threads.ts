// Threads for calls of Windows that return only when another program or a person answers.
import { Worker } from 'node:worker_threads';

const openThreads = new Set<Worker>();

/** Starts a thread that runs a text, because the agent is a single file. */
export function startThread(source: string, workerData?: unknown): Worker {
  const worker = new Worker(source, { eval: true, workerData });
  openThreads.add(worker);
  worker.once('exit', () => openThreads.delete(worker));
  return worker;
}

/** Ends this process immediately if a thread still waits for its answer: Node would wait for it, too. */
export function killIfThreadHangs(): void {
  if (openThreads.size > 0) process.kill(process.pid, 'SIGKILL');
}
