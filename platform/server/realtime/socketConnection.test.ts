import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTokenBucket } from './socketConnection.ts';

test('a burst of 200 events is accepted, and then 100 per second', () => {
  const take = createTokenBucket(0);
  const verdicts = Array.from({ length: 250 }, () => take(0));
  expect(verdicts.filter((verdict) => verdict === 'accepted')).toHaveLength(200);
  const later = Array.from({ length: 250 }, () => take(1000));
  expect(later.filter((verdict) => verdict === 'accepted')).toHaveLength(100);
});

test('a stream of 333 per second is closed after 5 s, not before', () => {
  const take = createTokenBucket(0);
  const times = Array.from({ length: 3000 }, (_, index) => index * 3);
  const end = times.find((time) => take(time) === 'excessive');
  expect(end).toBeGreaterThanOrEqual(5000);
  expect(end).toBeLessThan(6500);
});

test('occasional bursts never close the socket', () => {
  const take = createTokenBucket(0);
  for (let second = 0; second < 60; second += 3)
    for (let event = 0; event < 400; event += 1) expect(take(second * 1000)).not.toBe('excessive');
});

test('in any history, no more than 200 and 100 per second are accepted', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 600 }), (pauses) => {
      const take = createTokenBucket(0);
      let now = 0;
      let acceptedCount = 0;
      for (const pause of pauses) {
        now += pause;
        if (take(now) === 'accepted') acceptedCount += 1;
      }
      expect(acceptedCount).toBeLessThanOrEqual(200 + now / 10 + 1e-6);
    }),
  );
});
