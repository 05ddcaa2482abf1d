import { assert, constantFrom, dictionary, property, uniqueArray } from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  NEW_ITEM,
  NEW_TYPE,
  STATES,
  UNSORTED,
  UNSORTED_ID,
  type Item,
  type List,
  type Type,
} from '../../domain/list.ts';
import { toBlocks } from './viewBlocks.ts';

const unsorted: Type = { ...NEW_TYPE, name: UNSORTED, isOwn: false };
const item = (name: string, more: Partial<Item> = {}): Item => ({ ...NEW_ITEM, name, ...more });
const type = (name: string, more: Partial<Type> = {}): Type => ({ ...NEW_TYPE, name, ...more });
const createList = (
  items: Readonly<Record<string, Item>>,
  types: Readonly<Record<string, Type>>,
  links: Readonly<Record<string, readonly string[]>> = {},
): List => ({
  name: 'Shop',
  items: new Map(Object.entries(items)),
  types: new Map(Object.entries({ [UNSORTED_ID]: unsorted, ...types })),
  links: new Map(Object.entries(links).map(([id, its]) => [id, new Set(its)])),
});
const describeBlocks = (list: List) =>
  toBlocks(list).blocks.map(({ type: { name }, items }) => `${name}: ${items.map(([, its]) => its.name).join(' ')}`);

describe('what view mode shows', () => {
  test('is a block for each visible type, in the order of the types', () => {
    const list = createList(
      { 10: item('apples'), 11: item('milk') },
      { 2: type('Dairy', { order: 5 }), 3: type('Fruit', { order: 1 }), 4: type('Hidden', { isVisible: false }) },
      { 10: ['3', '4'], 11: ['2'] },
    );
    expect(describeBlocks(list)).toEqual(['Fruit: apples', 'Dairy: milk']);
  });

  test('an item of two types is in both', () => {
    const list = createList({ 10: item('cheese') }, { 2: type('Dairy'), 3: type('Snacks') }, { 10: ['2', '3'] });
    expect(describeBlocks(list)).toEqual(['Dairy: cheese', 'Snacks: cheese']);
  });

  test('items without a type are in Unsorted, which is hidden if empty', () => {
    expect(describeBlocks(createList({ 10: item('rope') }, {}))).toEqual(['Unsorted: rope']);
    expect(describeBlocks(createList({ 10: item('rope') }, { 2: type('Tools') }, { 10: ['2', UNSORTED_ID] }))).toEqual([
      'Tools: rope',
    ]);
    expect(describeBlocks(createList({}, {}))).toEqual([]);
  });

  test("a user's type is shown even if it is empty", () => {
    expect(describeBlocks(createList({}, { 2: type('Dairy') }))).toEqual(['Dairy: ']);
  });

  test('counts the items that are only in hidden types', () => {
    const list = createList(
      { 10: item('a'), 11: item('b') },
      { 2: type('Hidden', { isVisible: false }), 3: type('Seen') },
      { 10: ['2'], 11: ['2', '3'] },
    );
    expect(toBlocks(list).hiddenCount).toBe(1);
  });

  test('counts done items: enough bought, or ticked', () => {
    const list = createList(
      {
        10: item('enough', { desired: 2, actual: 3 }),
        11: item('ticked', { state: STATES.tick }),
        12: item('crossed', { state: STATES.cross }),
        13: item('open'),
      },
      { 2: type('All') },
      { 10: ['2'], 11: ['2'], 12: ['2'], 13: ['2'] },
    );
    const { blocks } = toBlocks(list);
    expect(blocks[0]?.doneCount).toBe(2);
  });

  test('contains every item of a list whose types are all visible', () => {
    const links = dictionary(constantFrom('10', '11', '12', '13'), uniqueArray(constantFrom('1', '2', '3')));
    assert(
      property(links, (made) => {
        const names = { 10: item('a'), 11: item('b'), 12: item('c'), 13: item('d') };
        const { blocks, hiddenCount } = toBlocks(createList(names, { 2: type('Two'), 3: type('Three') }, made));
        const seen = new Set(blocks.flatMap(({ items }) => items.map(([id]) => id)));
        expect([seen.size, hiddenCount]).toEqual([4, 0]);
      }),
    );
  });
});
