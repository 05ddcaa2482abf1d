import { array, assert, constantFrom, integer, property, string, tuple } from 'fast-check';
import { expect, test } from 'vitest';
import { applyWrites } from './layeredMap.ts';

function readAll<Key, Value>(map: ReadonlyMap<Key, Value>) {
  const visitedEntries: [Key, Value][] = [];
  map.forEach((value, key) => void visitedEntries.push([key, value]));
  return { size: map.size, entries: [...map], keys: [...map.keys()], values: [...map.values()], visitedEntries };
}

/** A map that is large enough not to be copied with every write. */
const large = new Map(Array.from({ length: 300 }, (_, index) => [index, `first ${index}`]));
const writes = array(array(tuple(integer({ min: 290, max: 330 }), string()), { maxLength: 9 }), {
  maxLength: 30,
});

test('a layered map equals a copy with the writes, and earlier maps are unchanged', () => {
  assert(
    property(constantFrom(large, new Map([[295, 'alone']])), writes, (first, batches) => {
      let map: ReadonlyMap<number, string> = first;
      let copy: ReadonlyMap<number, string> = new Map(first);
      const earlierMaps: (readonly [ReadonlyMap<number, string>, ReadonlyMap<number, string>])[] = [];
      for (const batch of batches) {
        earlierMaps.push([map, copy]);
        map = applyWrites(map, new Map(batch));
        copy = new Map([...copy, ...batch]);
      }
      for (const [layeredMap, expectedMap] of [...earlierMaps, [map, copy] as const]) {
        expect(readAll(layeredMap)).toEqual(readAll(expectedMap));
        for (let key = 285; key < 335; key += 1) {
          expect(layeredMap.get(key)).toBe(expectedMap.get(key));
          expect(layeredMap.has(key)).toBe(expectedMap.has(key));
        }
      }
    }),
  );
});

test('a map without writes is the same object', () => {
  expect(applyWrites(large, new Map())).toBe(large);
});
