import { parentPort, Worker, workerData } from 'node:worker_threads';

interface PasteRounds {
  readonly origin: string;
  readonly warmUp: number;
  readonly rounds: number;
}

const MIB = 1024 * 1024;

/** Creates a text of exactly 1 MiB in UTF-8 that resembles source code; another one each time. */
function createText(round: number): string {
  const line = `${round} const greeting = "hello";\n`;
  return line.repeat(Math.ceil(MIB / line.length)).slice(0, MIB);
}

async function post(origin: string, body: object): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(`${origin}/api/paste`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await response.json()) as Readonly<Record<string, unknown>>;
}

async function runRounds({ origin, warmUp, rounds }: PasteRounds): Promise<readonly number[]> {
  const times: number[] = [];
  for (let round = 0; round < warmUp + rounds; round += 1) {
    const text = createText(round);
    const startedAt = performance.now();
    const { code } = await post(origin, { inputValue: text });
    const { clipmessage } = await post(origin, { style: 'retreive', inputValue: code });
    if (round >= warmUp) times.push(performance.now() - startedAt);
    if (clipmessage !== text) throw new Error('the text did not come back as it was');
  }
  return times;
}

/**
 * Measures how long storing and retrieving 1 MiB take together, in milliseconds.
 * Runs in a thread with a small heap: collecting the main heap of 60 MB would count as the server's time.
 */
export async function measurePasteRounds(rounds: PasteRounds): Promise<readonly number[]> {
  const result = Promise.withResolvers<readonly number[]>();
  const worker = new Worker(new URL(import.meta.url), { workerData: rounds });
  worker.once('message', result.resolve);
  worker.once('error', result.reject);
  return result.promise;
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
if (parentPort) parentPort.postMessage(await runRounds(workerData as PasteRounds));
