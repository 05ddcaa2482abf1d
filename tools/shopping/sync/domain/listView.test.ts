import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Change, List } from '../../lists/domain/list.ts';
import { apply, emptyList, type TimedChange } from './engine.ts';
import { listAfter, listOf } from './listView.ts';

const item = fc.constantFrom('2', '3', '4', 'newa', 'newb', '99');
const type = fc.constantFrom('1', '2', '3', '4', '5', 'newc', 'newd', '99');
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constant('rename' as const), name: fc.string() }),
  fc.record({ kind: fc.constant('item' as const), id: item, field: fc.constant('name' as const), value: fc.string() }),
  fc.record({ kind: fc.constant('count' as const), id: item, by: fc.integer({ min: -3, max: 3 }) }),
  fc.record({ kind: fc.constant('type' as const), id: type, field: fc.constant('order' as const), value: fc.nat(9) }),
  fc.record({ kind: fc.constant('link' as const), item, type, isLinked: fc.boolean() }),
  fc.record({ kind: fc.constant('links' as const), item, types: fc.array(type, { maxLength: 3 }) }),
  fc.record({ kind: fc.constant('remove' as const), thing: fc.constant('item' as const), id: item }),
  fc.record({
    kind: fc.constant('remove' as const),
    thing: fc.constant('type' as const),
    id: type.filter((id) => id !== '1'),
  }),
);
const batch = fc.record({
  client: fc.constantFrom('one', 'other'),
  base: fc.option(fc.nat(20), { nil: undefined }),
  changes: fc.array(fc.record({ change, time: fc.nat(30) }), { maxLength: 6 }),
});

/** Sorts a list, so that the order of changes does not matter. */
const sorted = ({ name, items, types, links }: List) => ({
  name,
  items: Object.fromEntries(items),
  types: Object.fromEntries(types),
  links: Object.fromEntries([...links].map(([id, its]) => [id, [...its].toSorted()])),
});

test('the list after a batch follows from the changes alone', () => {
  fc.assert(
    fc.property(fc.array(batch, { maxLength: 12 }), (batches) => {
      let state = emptyList('List');
      let list = listOf(state);
      for (const each of batches) {
        const changes: readonly TimedChange[] = each.changes;
        const outcome = apply(state, { ...each, changes });
        list = listAfter(list, outcome.changes);
        state = outcome.state;
        expect(sorted(list)).toEqual(sorted(listOf(state)));
      }
    }),
    { numRuns: 500 },
  );
});
