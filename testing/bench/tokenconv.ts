import { signUpOwner } from './account.ts';
import { formatPostRequest, measureRequestsPerSecond } from './load.ts';
import { runBaseline, runPegboard, type Bench } from './measure.ts';

const SECONDS = 5;
const WARM_UP_SECONDS = 2;
const TARGET_PER_SECOND = 5000;

async function measureRate(origin: string, token: string): Promise<number> {
  const request = formatPostRequest('/api/tokenconv', { token });
  await measureRequestsPerSecond(origin, request, WARM_UP_SECONDS);
  return measureRequestsPerSecond(origin, request, SECONDS);
}

/** Server on one core, load on another. */
export const tokenconvBench: Bench = {
  name: 'tokenconv',
  run: async () => {
    await using server = await runPegboard({ RATE_LIMITS: 'off' }, 0);
    const { token } = await signUpOwner(server.origin);
    const pegboard = await measureRate(server.origin, token);
    await using baselineServer = await runBaseline('tokens', {}, 0);
    const baseline = await measureRate(baselineServer.origin, 'one');
    return [
      {
        name: '`tokenconv` requests per second on one core',
        target: 'over 5,000',
        measured: Math.round(pegboard).toLocaleString('en'),
        baseline: `${Math.round(baseline).toLocaleString('en')} (node:http and a Map)`,
        isTargetMet: pegboard > TARGET_PER_SECOND,
      },
    ];
  },
};
