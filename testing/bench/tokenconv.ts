import { createClient } from '#platform/contract/client.ts';
import { signup } from '#platform/contract/session.ts';
import { formatPostRequest, measureRequestsPerSecond } from './load.ts';
import { runServer, type Bench } from './measure.ts';

const SECONDS = 5;
const WARM_UP_SECONDS = 2;
const TARGET = 5000;

async function rate(origin: string, token: string): Promise<number> {
  const request = formatPostRequest('/api/tokenconv', { token });
  await measureRequestsPerSecond(origin, request, WARM_UP_SECONDS);
  return measureRequestsPerSecond(origin, request, SECONDS);
}

/** Server on one core, load on another. */
export const tokenconvBench: Bench = {
  name: 'tokenconv',
  run: async () => {
    await using server = await runServer({
      args: ['apps/server/start.ts'],
      env: { RATE_LIMITS: 'off', PASSWORD_HASH: 'light' },
      ready: '/readyz',
      core: 0,
    });
    const { token } = await createClient({ origin: server.origin })(signup, {
      username: 'owner',
      password: 'correct horse staple',
    });
    const ours = await rate(server.origin, token);
    await using peer = await runServer({ args: ['testing/bench/peers/tokens.ts'], ready: '/', core: 0 });
    const theirs = await rate(peer.origin, 'one');
    return [
      {
        what: '`tokenconv` requests per second on one core',
        target: 'over 5,000',
        ours: Math.round(ours).toLocaleString('en'),
        peer: `${Math.round(theirs).toLocaleString('en')} (node:http and a Map)`,
        isReached: ours > TARGET,
      },
    ];
  },
};
