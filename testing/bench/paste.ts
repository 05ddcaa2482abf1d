import { formatP50P99, percentile, runServer, type Bench } from './measure.ts';
import { measurePasteRounds } from './pasting.ts';

const ROUNDS = 60;
const WARM_UP = 10;
const TARGET_MS = 60;

const roundsOn = (origin: string): Promise<readonly number[]> =>
  measurePasteRounds({ origin, warmUp: WARM_UP, rounds: ROUNDS });

export const pasteBench: Bench = {
  name: 'paste',
  note:
    'By profiles of 2026-11-27, the disk has the smaller part in it. A text of 1 MiB is one commit: 526 ' +
    "writes of 263 pages into the log and one sync, 2.0 to 2.9 ms of the writing thread's processor time. " +
    'Every fourth one is followed by a checkpoint of 1,033 pages and one sync (6.3 to 8.2 ms of processor ' +
    'time), which only the next text may wait for. In runs without any checkpoint, or with one after every text, the ' +
    "outliers could not be told from these at load 12 to 17. Most of the rest is collecting memory: the server's main thread leaves 4.5 MB of " +
    'texts for each round (the body, what is read from it, the row, the answer), hence a full collection of ' +
    'its 40 MB every eighth round. The program that asks had one every ninth round, of 56 MB, in all three ' +
    'columns; since 2026-11-27 it asks from a thread of its own with a small heap. An answer still waits for ' +
    'the sync, as what was answered has to last.',
  run: async () => {
    await using server = await runServer({
      args: ['apps/server/start.ts'],
      env: { RATE_LIMITS: 'off' },
      ready: '/readyz',
    });
    const ours = await roundsOn(server.origin);
    await using map = await runServer({ args: ['testing/bench/peers/paste.ts'], ready: '/' });
    const inMemory = await roundsOn(map.origin);
    await using files = await runServer({
      args: ['testing/bench/peers/paste.ts'],
      env: { KEEPS: 'files' },
      ready: '/',
    });
    const inFiles = await roundsOn(files.origin);
    return [
      {
        what: 'paste: store and retrieve 1 MiB',
        target: 'under 60 ms',
        ours: formatP50P99(ours),
        peer: `${formatP50P99(inMemory)} (node:http and a Map); ${formatP50P99(inFiles)} (a synced file for each)`,
        isReached: percentile(ours, 0.99) < TARGET_MS,
      },
    ];
  },
};
