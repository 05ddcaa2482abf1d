import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { pickFairestJob, MAX_ATTEMPTS, getRetryDelaySeconds } from './jobQueue.ts';

const candidates = fc.uniqueArray(fc.record({ id: fc.nat({ max: 1000 }), account: fc.nat({ max: 20 }) }), {
  selector: ({ account }) => account,
});

test('the account with the fewest running jobs is chosen, and then the oldest job', () => {
  fc.assert(
    fc.property(candidates, fc.array(fc.nat({ max: 3 }), { minLength: 21, maxLength: 21 }), (all, running) => {
      const countRunning = (account: number): number => running[account] ?? 0;
      const chosen = pickFairestJob(all, countRunning);
      if (chosen === undefined) {
        expect(all).toEqual([]);
        return;
      }
      for (const candidate of all) {
        const difference = countRunning(candidate.account) - countRunning(chosen.account);
        expect(difference > 0 || (difference === 0 && candidate.id >= chosen.id)).toBe(true);
      }
    }),
  );
});

test('retries come after 4 and 16 seconds, three attempts in total', () => {
  expect([1, 2, MAX_ATTEMPTS, 9].map(getRetryDelaySeconds)).toEqual([4, 16, undefined, undefined]);
});
