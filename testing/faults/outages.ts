import { playOutages } from '../durability/outages.ts';
import type { FaultSuite } from './suite.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? 20);
const MAX_RECOVERY_MS = 5000;

/** PostgreSQL and Redis, each stopped, paused and cut off under load. */
export const outagesSuite: FaultSuite = {
  name: 'outages',
  run: async (say) => {
    const { acknowledged, failed, lost, torn, recoveryMs, redisConnections } = await playOutages(ROUNDS, say);
    const slow = recoveryMs.filter((ms) => ms > MAX_RECOVERY_MS);
    say(`${acknowledged} acknowledged, ${failed} failed, ${lost} lost, ${torn} torn`);
    say(`ready after ${Math.round(Math.max(...recoveryMs))} ms at most`);
    return [
      {
        what: `PostgreSQL and Redis stopped, paused and cut off ${ROUNDS} times each`,
        caseCount: acknowledged,
        failures: [
          ...(lost + torn === 0 ? [] : [`${lost} of ${acknowledged} acknowledged writes are lost, ${torn} are torn`]),
          ...(redisConnections === 4 ? [] : [`${redisConnections} instead of 4 connections to Redis are open`]),
          ...slow.map((ms) => `an instance was ready only after ${Math.round(ms)} ms`),
        ],
      },
    ];
  },
};
