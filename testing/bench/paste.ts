import { formatP50P99, percentile, runServer, type Bench } from './measure.ts';
import { measurePasteRounds } from './measurePasteRounds.ts';

const ROUNDS = 60;
const WARM_UP = 10;
const TARGET_MS = 60;

const measureRounds = (origin: string): Promise<readonly number[]> =>
  measurePasteRounds({ origin, warmUp: WARM_UP, rounds: ROUNDS });

export const pasteBench: Bench = {
  name: 'paste',
  note:
    'Profiles of 2026-11-27 show that the disk takes the smaller part of the time. A text of 1 MiB is one ' +
    'commit: 526 writes (263 pages) into the log and one sync, which need 2.0 to 2.9 ms of processor time in ' +
    'the writer thread. After every fourth text there is a checkpoint of 1,033 pages with one sync (6.3 to 8.2 ' +
    'ms of processor time). Only the next text can have to wait for it. At load 12 to 17, runs without ' +
    'checkpoints and runs with one after each text had the same outliers. Most of the rest is garbage ' +
    "collection. Each round leaves 4.5 MB of text on the server's main thread (the body, its parsed form, the " +
    'row and the answer), so there is a full collection of its 40 MB heap every eighth round. The measuring ' +
    'program had a full collection of 56 MB every ninth round, in all three columns. Since 2026-11-27 it sends ' +
    'its requests from a separate thread with a small heap. An answer still waits for the sync, because a ' +
    'confirmed write must be durable.',
  run: async () => {
    await using server = await runServer({
      args: ['apps/server/start.ts'],
      env: { RATE_LIMITS: 'off' },
      ready: '/readyz',
    });
    const pegboard = await measureRounds(server.origin);
    await using map = await runServer({ args: ['testing/bench/baselines/paste.ts'], ready: '/' });
    const inMemory = await measureRounds(map.origin);
    await using files = await runServer({
      args: ['testing/bench/baselines/paste.ts'],
      env: { STORE: 'files' },
      ready: '/',
    });
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
