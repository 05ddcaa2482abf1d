import { expect, test } from 'vitest';
import { databaseDownAnswer } from '#platform/server/storage/databaseDownError.ts';
import { getSkipReason } from '#testing/machine.ts';
import { playOutages } from './outages.ts';

const skipReason = getSkipReason('initdb', 'redis-server');

test.skipIf(skipReason !== undefined)(
  `PostgreSQL and Redis are stopped, paused and cut off under load: nothing acknowledged is lost, and no restart is needed${skipReason === undefined ? '' : ` (${skipReason})`}`,
  { timeout: 240_000 },
  async () => {
    const { acknowledged, lost, torn, messages, recoveryMs, redisConnections } = await playOutages(1);
    expect(acknowledged).toBeGreaterThan(0);
    expect({ lost, torn }).toEqual({ lost: 0, torn: 0 });
    expect([...messages]).toContain(databaseDownAnswer.message);
    expect(redisConnections, 'two for each instance').toBe(4);
    expect(recoveryMs).toHaveLength(6);
  },
);
