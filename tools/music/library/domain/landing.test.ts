import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { getDropIndex } from './pageLayout.ts';
import { moveMember } from './playlist.ts';

test('a dragged item is inserted directly before or after its target', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(), { minLength: 2 }), fc.nat(), fc.nat(), (list, one, other) => {
      const [from, over] = [one % list.length, other % list.length];
      fc.pre(from !== over);
      const dragged = list[from] ?? -1;
      for (const side of ['before', 'after'] as const) {
        const after = moveMember(list, dragged, getDropIndex(from, over, side));
        expect(after.indexOf(dragged) - after.indexOf(list[over] ?? -1)).toBe(side === 'before' ? -1 : 1);
      }
    }),
  );
});

test.for([
  ['before', 2],
  ['after', 2],
] as const)('an item that is dropped %s itself stays where it is', ([side, at]) => {
  expect(getDropIndex(at, at, side)).toBe(at);
});
