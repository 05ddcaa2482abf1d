import { randomInt } from 'node:crypto';
import { expect } from 'vitest';
import { testOnBothDatabases } from '../kits/server/database.ts';
import { playKilledWrites } from './killedWrites.ts';

/** The long form is `npm run test:faults writes`. */
const ACKNOWLEDGED = 300;

testOnBothDatabases(
  'what each tool acknowledges is stored once and completely, whenever the server is killed',
  async ({ databaseUrl }) => {
    const seed = randomInt(2 ** 30);
    process.stdout.write(`seed ${seed}\n`);
    const { acknowledged, kills, ...faults } = await playKilledWrites({
      acknowledged: ACKNOWLEDGED,
      seed,
      databaseUrl,
    });
    expect(acknowledged).toBeGreaterThanOrEqual(ACKNOWLEDGED);
    expect(kills).toBeGreaterThan(1);
    expect(faults).toEqual({ lost: 0, duplicated: 0, torn: 0 });
  },
  // A server program is started several times.
  { timeout: 180_000 },
);
