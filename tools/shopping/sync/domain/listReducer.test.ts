import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UNSORTED_ID, type Change, type List } from '../../lists/domain/list.ts';
import { applyChanges, applyPatches } from './listReducer.ts';
import { createEmptyState, toList, type ListState } from './listState.ts';
import { applyWireChanges, toWireChanges } from './listWire.ts';
import { mergeBatch, type MergeResult } from './mergeBatch.ts';

const item = fc.constantFrom('2', '3', '4', 'newa', 'newb', '99');
const type = fc.constantFrom('1', '2', '3', '4', '5', 'newc', 'newd', '99');
const rename = fc.record({ kind: fc.constant('rename' as const), name: fc.string() });
const setName = fc.record({
  kind: fc.constant('item' as const),
  id: item,
  field: fc.constant('name' as const),
  value: fc.string(),
});
const setOrder = fc.record({
  kind: fc.constant('type' as const),
  id: type,
  field: fc.constant('order' as const),
  value: fc.nat(9),
});
const count = fc.record({ kind: fc.constant('count' as const), id: item, by: fc.integer({ min: -3, max: 3 }) });
const link = fc.record({ kind: fc.constant('link' as const), item, type, isLinked: fc.boolean() });
const change: fc.Arbitrary<Change> = fc.oneof(
  rename,
  setName,
  count,
  setOrder,
  link,
  fc.record({ kind: fc.constant('links' as const), item, types: fc.array(type, { maxLength: 3 }) }),
  fc.record({ kind: fc.constant('remove' as const), thing: fc.constant('item' as const), id: item }),
  fc.record({
    kind: fc.constant('remove' as const),
    thing: fc.constant('type' as const),
    id: type.filter((id) => id !== UNSORTED_ID),
  }),
);
const batch = fc.record({
  client: fc.constantFrom('one', 'other'),
  base: fc.option(fc.nat(20), { nil: undefined }),
  changes: fc.array(fc.record({ change, time: fc.nat(30) }), { maxLength: 6 }),
});
const history = fc.array(batch, { maxLength: 12 });

/** Sorts a list, so that the order of changes does not matter. */
const sortList = ({ name, items, types, links }: List) => ({
  name,
  items: Object.fromEntries(items),
  types: Object.fromEntries(types),
  links: Object.fromEntries([...links].map(([id, its]) => [id, [...its].toSorted()])),
});

/** Merges a history, and calls back with each step. */
function playHistory(
  batches: readonly (typeof batch extends fc.Arbitrary<infer T> ? T : never)[],
  onStep: (before: ListState, outcome: MergeResult) => void = () => undefined,
): ListState {
  let state = createEmptyState('List');
  for (const each of batches) {
    const outcome = mergeBatch(state, each);
    onStep(state, outcome);
    state = outcome.state;
  }
  return state;
}
const check = <T>(arbitrary: fc.Arbitrary<T>, holds: (value: T) => void): void =>
  fc.assert(fc.property(arbitrary, holds), { numRuns: 500 });

describe('after any history', () => {
  test('the list after a batch follows from its changes alone', () => {
    check(history, (batches) => {
      playHistory(batches, (before, { state, changes }) =>
        expect(sortList(applyPatches(toList(before), changes))).toEqual(sortList(toList(state))),
      );
    });
  });

  test('a page that applies the events has the list of the server', () => {
    check(history, (batches) => {
      let page = toList(createEmptyState('List'));
      const state = playHistory(batches, (_, outcome) => {
        page = applyWireChanges(page, toWireChanges(outcome.changes, toList(outcome.state)));
      });
      expect(sortList(page)).toEqual(sortList(toList(state)));
    });
  });

  test('the changes of a batch can be applied again without effect', () => {
    check(history, (batches) => {
      playHistory(batches, (before, { changes }) => {
        const once = applyPatches(toList(before), changes);
        expect(sortList(applyPatches(once, changes))).toEqual(sortList(once));
      });
    });
  });

  test('an own change immediately looks as the server will apply it, if no other change arrives', () => {
    check(fc.tuple(history, change), ([batches, own]) => {
      const state = playHistory(batches);
      const before = toList(state);
      const page = applyChanges(before, [own]);
      // New things get another id from the server.
      fc.pre(page !== before && [...page.items.keys(), ...page.types.keys()].every((id) => !id.startsWith('new')));
      const merged = mergeBatch(state, { client: 'page', base: state.revision, changes: [{ change: own, time: 99 }] });
      expect(sortList(page)).toEqual(sortList(toList(merged.state)));
    });
  });

  test('of two changes that had not seen each other, the later one wins, whichever arrives first', () => {
    // Both touch things of the list, so that they can conflict.
    const pair = fc.tuple(fc.oneof(rename, setName, setOrder, link), fc.nat(9), fc.nat(9));
    check(fc.tuple(history, pair, pair), ([batches, [first, firstTime], [second, secondTime]]) => {
      fc.pre(firstTime !== secondTime);
      const state = playHistory(batches);
      const base = state.revision;
      const one = { client: 'phone', base, changes: [{ change: first, time: 100 + firstTime }] };
      const other = { client: 'laptop', base, changes: [{ change: second, time: 100 + secondTime }] };
      const inOrder = mergeBatch(mergeBatch(state, one).state, other).state;
      const reversed = mergeBatch(mergeBatch(state, other).state, one).state;
      fc.pre([...inOrder.ids.keys()].every((id) => !/^(phone|laptop)/.test(id)));
      expect(sortList(toList(inOrder))).toEqual(sortList(toList(reversed)));
    });
  });
});
