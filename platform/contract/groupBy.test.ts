import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { groupBy } from './groupBy.ts';

const keyOf = (one: number): number | undefined => (one === 0 ? undefined : one % 3);

test('the groups equal those of Map.groupBy, in the same order', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -9, max: 9 })), (numbers) => {
      expect([...groupBy(numbers, keyOf)]).toEqual([...Map.groupBy(numbers, keyOf)]);
    }),
  );
});
