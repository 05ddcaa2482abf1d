import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyChanges } from '../../sync/domain/listReducer.ts';
import { createUndoChanges, describeEffects } from '../../sync/domain/undoChanges.ts';
import { mergeItems, findDuplicates, getMergedItem, createMergeChanges, getNameKey } from './duplicates.ts';
import { LIMITS, NEW_ITEM, STATES, type Item, type List, type State, isCheckbox, isDone } from './list.ts';

const createList = (...items: readonly Partial<Item>[]): List => ({
  name: 'Weekly shop',
  items: new Map(items.map((item, index) => [String(index + 1), { ...NEW_ITEM, ...item }])),
  types: new Map([
    ['1', { name: 'Unsorted', colour: ['', ''], isVisible: true, isOwn: false, order: 0 }],
    ['2', { name: 'Dairy', colour: ['', ''], isVisible: true, isOwn: true, order: 1 }],
  ]),
  links: new Map(),
});
const listDuplicateIds = (list: List): readonly (readonly string[])[] => findDuplicates(list).map(({ ids }) => ids);

describe('the same name', () => {
  test.each([
    ['Butter', 'butter '],
    ['Crème fraîche', 'creme  fraiche'],
    ['Milk', 'Ｍｉｌｋ'],
    ['Straße', 'STRASSE'],
    ['7 Up', '７ up'],
    ['Café', 'Cafe\u0301'],
    ['🍎', '🍎'],
    ['Butter', 'Butter (250 g)'],
    ['Butter', '250 g Butter'],
    ['butter 250g', 'Butter (250 g)'],
    ['Tomatoes (tins)', 'tomatoes'],
    ['Flour', '500 g flour'],
    ['Flour', 'a pound of flour'],
    ['Cucumber', 'half a cucumber'],
    ['Cucumber', 'half cucumber'],
    ['Parsley', 'a bunch of parsley'],
    ['Bread', '1 loaf bread'],
    ['Milch', 'ein Liter Milch'],
    ['Butter', 'zwei Pfund Butter'],
    ['Butter', '🧈 Butter'],
    ['Butter', 'butter 🧈'],
    ['Butter', 'butter.'],
    ['Butter', '- Butter,'],
    ['Butter', '"Butter"'],
    ['Milk', 'milk?'],
    ['👩🏽‍🍳 Salt', 'salt'],
    ['🇬🇧 Tea', 'Tea!'],
  ])('%s equals %s', (first, second) =>
    expect(listDuplicateIds(createList({ name: first }, { name: second }))).toEqual([['1', '2']]),
  );

  test.each([
    ['Egg', 'Eggs'],
    ['Milk', 'Oat milk'],
    ['flour (500 g)', 'flour (200 g)'],
    ['\u0301', '\u0302'],
    ['🍎', '🍏'],
    ['Omega 3', 'Omega 6'],
    ['7 Up', 'Up'],
    ['Cream 30 %', 'Cream 30'],
    ['C', 'C#'],
    ['2 Butter', 'Butter'],
    ['Milk', 'Milk (organic)'],
  ])('%s differs from %s', (first, second) =>
    expect(listDuplicateIds(createList({ name: first }, { name: second }))).toEqual([]),
  );

  test('several items with the same name are reported once, in the order of the list', () => {
    const list = createList({ name: 'Tea' }, { name: 'Milk' }, { name: 'tea' }, { name: 'MILK' }, { name: 'Téa' });
    expect(findDuplicates(list)).toEqual([
      { name: 'Tea', ids: ['1', '3', '5'] },
      { name: 'Milk', ids: ['2', '4'] },
    ]);
  });
});

test('different measures of the same thing are not duplicates', () => {
  const names = ['Flour', 'flour (500 g)', 'flour (200 g)', '500g flour', 'FLOUR'];
  expect(listDuplicateIds(createList(...names.map((name) => ({ name }))))).toEqual([
    ['1', '5'],
    ['2', '4'],
  ]);
});

test('the merged name keeps the measure if only one of the names has it', () => {
  const butter = { ...NEW_ITEM, desired: 1 };
  const sum = { name: 'Butter (250 g)', desired: 2 };
  expect(mergeItems({ ...butter, name: 'Butter' }, { ...butter, name: '250 g butter' })).toMatchObject(sum);
  expect(mergeItems({ ...butter, name: 'Butter (250 g)' }, { ...butter, name: 'butter.' })).toMatchObject(sum);
});

const createCountedItem = (desired: number, actual: number): Item => ({ ...NEW_ITEM, name: 'Butter', desired, actual });
const createCheckbox = (state: State): Item => ({ ...NEW_ITEM, name: 'Butter', state });

describe('one of two', () => {
  test.each<readonly [string, Item, Item, Partial<Item>]>([
    ['amounts are added up', createCountedItem(10, 2), createCountedItem(5, 1), { desired: 15, actual: 3, state: 0 }],
    [
      'a done one and an open one are open',
      createCountedItem(3, 3),
      createCountedItem(10, 0),
      { desired: 13, actual: 3 },
    ],
    [
      'more than was wanted of one leaves the other open',
      createCountedItem(2, 9),
      createCountedItem(3, 1),
      { desired: 12, actual: 10 },
    ],
    [
      'a ticked box is one piece that is there',
      createCheckbox(STATES.tick),
      createCountedItem(4, 0),
      { desired: 5, actual: 1, state: 0 },
    ],
    [
      'an open box is one piece that is missing',
      createCountedItem(2, 2),
      createCheckbox(STATES.question),
      { desired: 3, actual: 2, state: 0 },
    ],
    ['two ticks are a tick', createCheckbox(STATES.tick), createCheckbox(STATES.tick), { state: STATES.tick }],
    [
      'a tick and a cross are a cross',
      createCheckbox(STATES.tick),
      createCheckbox(STATES.cross),
      { state: STATES.cross },
    ],
    ['a question stays one', createCheckbox(STATES.cross), createCheckbox(STATES.question), { state: STATES.question }],
    [
      'amounts end at the limit',
      createCountedItem(LIMITS.quantity, 0),
      createCountedItem(5, 0),
      { desired: LIMITS.quantity },
    ],
    [
      'the emoji of the other fills a missing one',
      createCountedItem(1, 0),
      { ...createCountedItem(1, 0), emoji: '🧈' },
      { emoji: '🧈' },
    ],
  ])('%s', (_, one, other, sum) => expect(mergeItems(one, other)).toMatchObject(sum));

  const item = fc.record({
    name: fc.constant('Butter'),
    emoji: fc.constantFrom('❓', '🧈'),
    desired: fc.nat(500),
    actual: fc.nat(500),
    state: fc.constantFrom<State>(0, 1, 2, 3),
  });
  test('the merged item is done only if both were done', () => {
    fc.assert(
      fc.property(item, item, (first, second) => {
        expect(isDone(mergeItems(first, second))).toBe(isDone(first) && isDone(second));
      }),
    );
  });
  test('merged counted items have what both have and want at least what both want', () => {
    fc.assert(
      fc.property(item, item, (first, second) => {
        fc.pre(!isCheckbox(first.state) && !isCheckbox(second.state));
        const sum = mergeItems(first, second);
        expect(sum.actual).toBe(first.actual + second.actual);
        expect(sum.desired).toBeGreaterThanOrEqual(first.desired + second.desired);
      }),
    );
  });
  test('merging adds amounts and types, keeps one name, and can be undone', () => {
    fc.assert(
      fc.property(fc.array(item, { minLength: 2, maxLength: 4 }), (items) => {
        const list: List = { ...createList({ name: 'Milk' }, ...items), links: new Map([['3', new Set(['1', '2'])]]) };
        const [duplicate] = findDuplicates(list);
        if (!duplicate) throw new Error('the names are not the same');
        const changes = createMergeChanges(list, duplicate);
        const merged = applyChanges(list, changes);
        expect(merged.items.get('2')).toEqual(getMergedItem(list, duplicate));
        expect([...merged.items.keys()]).toEqual(['1', '2']);
        expect(merged.links.get('2')).toEqual(new Set(['1', '2']));
        expect(findDuplicates(merged)).toEqual([]);
        let next = 0;
        const ids = { getCurrentId: (id: string) => id, createId: () => `new${(next += 1)}` };
        const undone = applyChanges(merged, createUndoChanges(describeEffects(list, changes), merged, ids).changes);
        expect([...undone.items.values()]).toEqual([...list.items.values()]);
      }),
    );
  });
});

test('items that were removed in the meantime are not merged', () => {
  const list = createList({ name: 'Tea' }, { name: 'tea' });
  expect(createMergeChanges(list, { name: 'Tea', ids: ['1', '9'] })).toEqual([]);
  expect(getNameKey(' Tea ')).toBe('tea');
});
