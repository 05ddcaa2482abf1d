import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { playHistories } from './play.ts';

/** `npm run test:faults` plays more of them, also on PostgreSQL. */
const HISTORIES = 40;

test(
  'three browsers and a plain client share a list over broken connections and a repeatedly killed server, and nothing is lost',
  { timeout: 900_000 },
  async () => {
    const seed = randomInt(2 ** 30);
    const { histories, kills, hit, failures } = await playHistories({ histories: HISTORIES, seed });
    expect(failures, `seed ${seed}`).toEqual([]);
    expect(histories).toBe(HISTORIES);
    expect(kills).toBeGreaterThan(0);
    expect(hit).toBeGreaterThan(0);
  },
);
