import { parentPort, Worker, workerData } from 'node:worker_threads';

interface TimedRequests {
  readonly token: string;
  /** Requested one after another; each response is read completely. */
  readonly addresses: readonly string[];
}

async function requestAll({ token, addresses }: TimedRequests): Promise<readonly number[]> {
  const times: number[] = [];
  for (const address of addresses) {
    const startedAt = performance.now();
    const response = await fetch(address, { headers: { authorization: `Bearer ${token}` } });
    const body = new Uint8Array(await response.arrayBuffer());
    times.push(performance.now() - startedAt);
    const start = new TextDecoder().decode(body.subarray(0, 200));
    if (!start.startsWith('{"message":"ok"')) throw new Error(start);
  }
  return times;
}

/**
 * Measures milliseconds per response in a separate thread: after filling a database, the main thread collects garbage
 * for seconds, which would be measured too.
 */
export async function measureResponses(requests: TimedRequests): Promise<readonly number[]> {
  const times = Promise.withResolvers<readonly number[]>();
  const worker = new Worker(new URL(import.meta.url), { workerData: requests });
  worker.once('message', times.resolve);
  worker.once('error', times.reject);
  return times.promise;
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
if (parentPort) parentPort.postMessage(await requestAll(workerData as TimedRequests));
