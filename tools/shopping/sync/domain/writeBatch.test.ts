import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isNewId } from '../../lists/domain/list.ts';
import { createIdGenerator } from './writeBatch.ts';

const NOW = 1_795_000_000_000;

test('an id consists of the word new, the time and a count', () => {
  expect(createIdGenerator()(NOW, new Set(['1', '2', '3']))).toBe('new17950000000003');
});

test('several ids within one millisecond are different', () => {
  const next = createIdGenerator();
  const ids = Array.from({ length: 2000 }, () => next(NOW, new Set(['1'])));
  expect(new Set(ids).size).toBe(2000);
  expect(ids.every(isNewId)).toBe(true);
});

test('ids of other tabs are skipped', () => {
  expect(createIdGenerator()(NOW, new Set([`new${NOW}1`]))).toBe(`new${NOW}2`);
});

test('no id repeats, whatever the clock does and whatever is removed', () => {
  const request = fc.record({ now: fc.nat({ max: 5 }), size: fc.nat({ max: 12 }) });
  fc.assert(
    fc.property(fc.array(request, { maxLength: 80 }), (asks) => {
      const next = createIdGenerator();
      const ids = asks.map(({ now, size }) => next(NOW + now, { size, has: () => false }));
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.every(isNewId)).toBe(true);
    }),
  );
});
