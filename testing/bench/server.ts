import { percentile, getResidentMib, runServer, type Bench } from './measure.ts';

const RUNS = 7;
const IDLE_MS = 5000;

async function measure(
  args: readonly string[],
  ready: string,
): Promise<{ readonly start: number; readonly memory: number }> {
  const starts: number[] = [];
  let memory = 0;
  for (let run = 0; run < RUNS; run += 1) {
    await using server = await runServer({ args, ready });
    starts.push(server.firstAnswerMs);
    if (run < RUNS - 1) continue;
    await new Promise((resolve) => setTimeout(resolve, IDLE_MS)); // Measures the server at rest.
    memory = getResidentMib(server);
  }
  return { start: percentile(starts, 0.5), memory };
}

export const serverBench: Bench = {
  name: 'server',
  run: async () => {
    const ours = await measure(['apps/server/start.ts'], '/readyz');
    const peer = await measure(['testing/bench/peers/page.ts'], '/');
    return [
      {
        what: 'server: start to first answer (web built)',
        target: 'under 1.5 s',
        ours: `${Math.round(ours.start)} ms`,
        peer: `${Math.round(peer.start)} ms (node:http and one string)`,
        isReached: ours.start < 1500,
      },
      {
        what: 'server: resident memory idle',
        target: 'under 160 MB',
        ours: `${Math.round(ours.memory)} MB`,
        peer: `${Math.round(peer.memory)} MB (the same)`,
        isReached: ours.memory < 160,
      },
    ];
  },
};
