import { formatP50P99, percentile, runBaseline, runServer, type Bench } from './measure.ts';
import { measurePasteRounds } from './measurePasteRounds.ts';

const ROUNDS = 60;
const WARM_UP = 10;
const TARGET_MS = 60;

const measureRounds = (origin: string): Promise<readonly number[]> =>
  measurePasteRounds({ origin, warmUp: WARM_UP, rounds: ROUNDS });

export const pasteBench: Bench = {
  name: 'paste',
  run: async () => {
    await using server = await runServer({
      args: ['apps/server/start.ts'],
      env: { RATE_LIMITS: 'off' },
      ready: '/readyz',
    });
    const pegboard = await measureRounds(server.origin);
    await using map = await runBaseline('paste');
    const inMemory = await measureRounds(map.origin);
    await using files = await runBaseline('paste', { STORE: 'files' });
    const inFiles = await measureRounds(files.origin);
    return [
      {
        name: 'paste: store and retrieve 1 MiB',
        target: 'under 60 ms',
        measured: formatP50P99(pegboard),
        baseline: `${formatP50P99(inMemory)} (node:http and a Map); ${formatP50P99(inFiles)} (a synced file for each)`,
        isTargetMet: percentile(pegboard, 0.99) < TARGET_MS,
      },
    ];
  },
};
