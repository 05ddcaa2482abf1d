import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { groupBy } from './groupBy.ts';

const getKey = (value: number): number | undefined => (value === 0 ? undefined : value % 3);

test('the groups equal those of Map.groupBy, in the same order', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -9, max: 9 })), (numbers) => {
      expect([...groupBy(numbers, getKey)]).toEqual([...Map.groupBy(numbers, getKey)]);
    }),
  );
});
