import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  NEW_TYPE,
  UNSORTED,
  UNSORTED_ID,
  type Change,
  type Item,
  type List,
  type State,
  type Type,
} from '../../lists/domain/list.ts';
import { applyChanges } from './listReducer.ts';
import { describeEffects, createUndoChanges } from './undoChanges.ts';

const ITEMS = ['11', '12', '13'];
const TYPES = ['21', '22'];

const states = fc.constantFrom<State>(0, 1, 2, 3);
const anyItem: fc.Arbitrary<Item> = fc.record({
  name: fc.constantFrom('Milk', 'Bread', 'Tea'),
  emoji: fc.constantFrom('🥛', '🍞'),
  desired: fc.nat(20),
  actual: fc.nat(20),
  state: states,
});
const anyType: fc.Arbitrary<Type> = fc.record({
  name: fc.constantFrom('Shelf', 'Fridge'),
  colour: fc.constantFrom<readonly [string, string]>(['#111111', '#000001'], ['#222222', '#000002']),
  isVisible: fc.boolean(),
  isOwn: fc.constant(true),
  order: fc.nat(5),
});
const anyList: fc.Arbitrary<List> = fc
  .record({
    name: fc.constantFrom('Home', 'Party'),
    items: fc.tuple(...ITEMS.map(() => fc.option(anyItem, { nil: undefined }))),
    types: fc.tuple(...TYPES.map(() => fc.option(anyType, { nil: undefined }))),
    links: fc.array(fc.tuple(fc.constantFrom(...ITEMS), fc.constantFrom(...TYPES, UNSORTED_ID))),
  })
  .map(({ name, items, types, links }) => {
    const list: List = {
      name,
      items: new Map(items.flatMap((item, index) => (item ? [[ITEMS[index] ?? '', item] as const] : []))),
      types: new Map([
        [UNSORTED_ID, { ...NEW_TYPE, name: UNSORTED, isOwn: false }],
        ...types.flatMap((type, index) => (type ? [[TYPES[index] ?? '', type] as const] : [])),
      ]),
      links: new Map(),
    };
    return applyChanges(
      list,
      links.map(([item, type]) => ({ kind: 'link', item, type, isLinked: true })),
    );
  });

const itemId = fc.constantFrom(...ITEMS, 'newA', 'newB');
const typeId = fc.constantFrom(...TYPES, UNSORTED_ID, 'newC');
const anyChange: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constant('rename' as const), name: fc.constantFrom('Home', 'Other') }),
  fc.record({
    kind: fc.constant('item' as const),
    id: itemId,
    field: fc.constant('name' as const),
    value: fc.constantFrom('Milk', 'Rye'),
  }),
  fc.record({
    kind: fc.constant('item' as const),
    id: itemId,
    field: fc.constant('actual' as const),
    value: fc.nat(20),
  }),
  fc.record({ kind: fc.constant('item' as const), id: itemId, field: fc.constant('state' as const), value: states }),
  fc.record({
    kind: fc.constant('type' as const),
    id: typeId,
    field: fc.constant('isVisible' as const),
    value: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('type' as const), id: typeId, field: fc.constant('order' as const), value: fc.nat(9) }),
  fc.record({ kind: fc.constant('count' as const), id: itemId, by: fc.integer({ min: -5, max: 5 }) }),
  fc.record({ kind: fc.constant('link' as const), item: itemId, type: typeId, isLinked: fc.boolean() }),
  fc.record({ kind: fc.constant('remove' as const), thing: fc.constant('item' as const), id: itemId }),
  fc.record({ kind: fc.constant('remove' as const), thing: fc.constant('type' as const), id: typeId }),
);
const anyChanges = fc.array(anyChange, { minLength: 1, maxLength: 6 });

function undo(effects: ReturnType<typeof describeEffects>, now: List) {
  let next = 0;
  return createUndoChanges(effects, now, { getCurrentId: (id) => id, createId: () => `newBack${(next += 1)}` });
}

/** Content of a list, with restored things under their old ids. */
function toComparable(list: List, newIdByOldId: ReadonlyMap<string, string> = new Map()) {
  const oldIdByNewId = new Map([...newIdByOldId].map(([oldId, newId]) => [newId, oldId]));
  const findId = (id: string): string => oldIdByNewId.get(id) ?? id;
  const toObject = (things: ReadonlyMap<string, Item | Type>) =>
    Object.fromEntries([...things].map(([id, thing]) => [findId(id), thing]));
  return {
    name: list.name,
    items: toObject(list.items),
    types: toObject(list.types),
    links: Object.fromEntries(
      [...list.links].map(([item, types]) => [findId(item), [...types].map(findId).toSorted()] as const),
    ),
  };
}

describe('undo', () => {
  test('of any step restores the previous list', () => {
    fc.assert(
      fc.property(anyList, anyChanges, (before, changes) => {
        const after = applyChanges(before, changes);
        const { changes: undoChanges, newIdByOldId } = undo(describeEffects(before, changes), after);
        expect(toComparable(applyChanges(after, undoChanges), newIdByOldId)).toEqual(toComparable(before));
      }),
      { numRuns: 2000 },
    );
  });

  test('keeps what others have changed since', () => {
    fc.assert(
      fc.property(anyList, anyChanges, anyChanges, (before, changes, others) => {
        const effects = describeEffects(before, changes);
        const after = applyChanges(before, changes);
        const now = applyChanges(after, others);
        const end = applyChanges(now, undo(effects, now).changes);
        if (now.name !== after.name) expect(end.name).toBe(now.name);
        for (const [id, item] of now.items) {
          const earlierItem = after.items.get(id);
          // Things that others created or changed stay as they left them.
          if (earlierItem && earlierItem.name === item.name) continue;
          expect(end.items.get(id)?.name).toBe(item.name);
        }
        for (const id of after.items.keys()) if (!now.items.has(id)) expect(end.items.has(id)).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });

  test('reverts own counts and keeps those of others', () => {
    const list: List = {
      name: 'Home',
      items: new Map([['11', { name: 'Milk', emoji: '', desired: 5, actual: 1, state: 0 }]]),
      types: new Map(),
      links: new Map(),
    };
    const effects = describeEffects(list, [{ kind: 'count', id: '11', by: 2 }]);
    const now = applyChanges(list, [{ kind: 'count', id: '11', by: 6 }]);
    expect(applyChanges(now, undo(effects, now).changes).items.get('11')?.actual).toBe(5);
  });
});
