import { p50p99, percentile, runServer, type Bench } from './measure.ts';

const MIB = 1024 * 1024;
const ROUNDS = 60;
const WARM_UP = 10;
const TARGET_MS = 60;

/** A text of exactly 1 MiB as UTF-8, with quotes and line ends as a program has them; another one each time. */
const textOf = (round: number): string => {
  const line = `${round} const greeting = "hello";\n`;
  return line.repeat(Math.ceil(MIB / line.length)).slice(0, MIB);
};

const ask = async (origin: string, body: object): Promise<Readonly<Record<string, unknown>>> => {
  const answer = await fetch(`${origin}/api/paste`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await answer.json()) as Readonly<Record<string, unknown>>;
};

/** How long storing and retrieving take together, in milliseconds. */
const roundsOn = async (origin: string): Promise<readonly number[]> => {
  const took: number[] = [];
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    const text = textOf(round);
    const began = performance.now();
    const { code } = await ask(origin, { inputValue: text });
    const { clipmessage } = await ask(origin, { style: 'retreive', inputValue: code });
    if (round >= WARM_UP) took.push(performance.now() - began);
    if (clipmessage !== text) throw new Error('the text did not come back as it was');
  }
  return took;
};

export const pasteBench: Bench = {
  name: 'paste',
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
        ours: p50p99(ours),
        peer: `${p50p99(inMemory)} (node:http and a Map); ${p50p99(inFiles)} (a synced file for each)`,
        reached: percentile(ours, 0.99) < TARGET_MS,
      },
    ];
  },
};
