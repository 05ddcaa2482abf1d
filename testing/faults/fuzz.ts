import { spawnSync } from 'node:child_process';
import { listCalls } from '../kits/server/contracts.ts';
import type { FaultSuite } from './suite.ts';

/** Fewer take less time: 400 take nine minutes on two busy cores. */
const BODIES = Number(process.env['FUZZ_BODIES'] ?? 2000);
const TEST = 'testing/security/fuzz.test.ts';

/** Bodies that no client would send, to every call on both databases. */
export const fuzzSuite: FaultSuite = {
  name: 'fuzz',
  run: async () => {
    const { status } = spawnSync('vitest', ['run', TEST], {
      env: { ...process.env, FUZZ_BODIES: String(BODIES) },
      stdio: 'inherit',
    });
    return [
      {
        what: 'bodies to all calls, on each database',
        caseCount: BODIES * (await listCalls()).length,
        failures: status === 0 ? [] : [`${TEST} failed`],
      },
    ];
  },
};
