import { array, assert, constantFrom, integer, property, string, tuple } from 'fast-check';
import { expect, test } from 'vitest';
import { withWrites } from './orderedWrites.ts';

const readAll = <Key, Value>(map: ReadonlyMap<Key, Value>) => {
  const each: [Key, Value][] = [];
  map.forEach((value, key) => void each.push([key, value]));
  return { size: map.size, all: [...map], keys: [...map.keys()], values: [...map.values()], each };
};

/** Large enough not to be copied with every write. */
const large = new Map(Array.from({ length: 300 }, (_, at) => [at, `first ${at}`]));
const writes = array(array(tuple(integer({ min: 290, max: 330 }), string()), { maxLength: 9 }), {
  maxLength: 30,
});

test('a written map equals a copy with the writes, and earlier maps are unchanged', () => {
  assert(
    property(constantFrom(large, new Map([[295, 'alone']])), writes, (first, batches) => {
      let map: ReadonlyMap<number, string> = first;
      let copy: ReadonlyMap<number, string> = new Map(first);
      const before: (readonly [ReadonlyMap<number, string>, ReadonlyMap<number, string>])[] = [];
      for (const batch of batches) {
        before.push([map, copy]);
        map = withWrites(map, new Map(batch));
        copy = new Map([...copy, ...batch]);
      }
      for (const [one, other] of [...before, [map, copy] as const]) {
        expect(readAll(one)).toEqual(readAll(other));
        for (let key = 285; key < 335; key += 1) {
          expect(one.get(key)).toBe(other.get(key));
          expect(one.has(key)).toBe(other.has(key));
        }
      }
    }),
  );
});

test('a map without writes is the same object', () => {
  expect(withWrites(large, new Map())).toBe(large);
});
