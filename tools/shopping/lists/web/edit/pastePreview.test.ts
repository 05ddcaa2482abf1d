import { describe, expect, test } from 'vitest';
import { applyChanges } from '#tools/shopping/sync/domain/listReducer.ts';
import { createNameIndex } from '../../domain/itemNames.ts';
import { NEW_TYPE, type Change, type List } from '../../domain/list.ts';
import { restoreItem, createNameChanges, restoreType, findTypes, findNameProblem } from './itemChanges.ts';
import { createPasteChanges, previewPaste } from './pastePreview.ts';

const EMPTY: List = { name: 'Weekly shop', items: new Map(), types: new Map(), links: new Map() };
const NAMES = createNameIndex([
  { name: 'Milk', emoji: '🥛' },
  { name: 'Eggs', emoji: '🥚' },
]);
const applyTo = (changes: readonly Change[], list = EMPTY): List => applyChanges(list, changes);
function createIdSource() {
  let count = 0;
  return () => `new${(count += 1)}x`;
}
const preview = (text: string, list: List, targetItemId?: string) =>
  previewPaste(text, { list, names: NAMES, findLastTypes: (name) => (name === 'eggs' ? ['newt'] : []), targetItemId });

const shop = applyTo([
  { kind: 'type', id: 'newt', field: 'name', value: 'Dairy' },
  { kind: 'type', id: 'newt', field: 'order', value: 1024 },
  { kind: 'item', id: 'newa', field: 'name', value: 'Milk' },
  { kind: 'item', id: 'newa', field: 'desired', value: 3 },
  { kind: 'item', id: 'newa', field: 'state', value: 2 },
  { kind: 'link', item: 'newa', type: 'newt', isLinked: true },
]);

const listDuplicateMarks = (text: string) => preview(text, shop).lines.map(({ duplicateIn }) => duplicateIn);

describe('pasted lines', () => {
  test('names of the list and repeated names in the text are marked', () => {
    expect(preview('milk\nBread\nbread 2', shop).lines.map(({ duplicateIn }) => duplicateIn)).toEqual([
      'list',
      undefined,
      'text',
    ]);
  });

  test('a thing with and without a measure is a duplicate, with two different measures it is not', () => {
    expect(listDuplicateMarks('Flour\n500 g flour')).toEqual([undefined, 'text']);
    expect(listDuplicateMarks('half a cucumber\ncucumber')).toEqual([undefined, 'text']);
    expect(listDuplicateMarks('500 g flour\n200 g flour')).toEqual([undefined, undefined]);
  });

  test('become items with amounts, emoji and the types that their names had', () => {
    const { lines } = preview('2 x eggs\n- [ ] soap', shop);
    const list = applyTo(
      createPasteChanges(lines, { list: shop, createId: createIdSource(), targetItemId: undefined }).changes,
      shop,
    );
    expect([...list.items.values()].slice(1)).toEqual([
      { name: 'eggs', emoji: '🥚', desired: 2, actual: 0, state: 0 },
      { name: 'soap', emoji: '❓', desired: 1, actual: 0, state: 3 },
    ]);
    expect(list.links.get('new1x')).toEqual(new Set(['newt']));
  });

  test('the first one goes into the new item that they were pasted into, and no other does', () => {
    const fresh = applyTo([{ kind: 'item', id: 'newf', field: 'name', value: 'New item' }], shop);
    const { lines } = preview('tea\ncoffee', fresh, 'newf');
    const result = createPasteChanges(lines, { list: fresh, createId: createIdSource(), targetItemId: 'newf' });
    expect(result.ids).toEqual(['newf', 'new1x']);
    expect([...applyTo(result.changes, fresh).items.values()].map(({ name }) => name)).toEqual([
      'Milk',
      'tea',
      'coffee',
    ]);
    expect(createPasteChanges(lines, { list: shop, createId: createIdSource(), targetItemId: 'newa' }).ids).toEqual([
      'new1x',
      'new2x',
    ]);
  });

  test('a duplicate adds its amount, in the list and in the text, and undo subtracts it', () => {
    const list = applyTo([{ kind: 'item', id: 'newb', field: 'name', value: 'Crème fraîche' }], shop);
    const { lines } = preview('2 creme fraiche\n3 tea\n4 TEA', list);
    const result = createPasteChanges(lines, { list, createId: createIdSource(), targetItemId: undefined });
    const after = applyTo(result.changes, list);
    expect([...after.items.values()].map(({ name, desired }) => `${name} ${desired}`)).toEqual([
      'Milk 3',
      'Crème fraîche 12',
      'tea 7',
    ]);
    expect([...applyTo(result.createUndoChanges(after), after).items.values()]).toEqual([...list.items.values()]);
  });

  test('an item with the default quantity is created with its name only', () => {
    const { lines } = preview('nails (10)', shop);
    expect(
      createPasteChanges(lines, { list: shop, createId: createIdSource(), targetItemId: undefined }).changes,
    ).toEqual([{ kind: 'item', id: 'new1x', field: 'name', value: 'nails' }]);
  });
});

describe('undo', () => {
  test('a removed item is restored with its fields and types', () => {
    const without = applyTo([{ kind: 'remove', thing: 'item', id: 'newa' }], shop);
    const restored = applyTo(restoreItem(shop, 'newa', createIdSource()), without);
    expect(restored.items.get('new1x')).toEqual(shop.items.get('newa'));
    expect(restored.links.get('new1x')).toEqual(new Set(['newt']));
  });

  test('a removed type is restored in its place, with those of its items that still exist', () => {
    const more = applyTo(
      [
        { kind: 'item', id: 'newb', field: 'name', value: 'Cheese' },
        { kind: 'link', item: 'newb', type: 'newt', isLinked: true },
      ],
      shop,
    );
    const without = applyTo(
      [
        { kind: 'remove', thing: 'type', id: 'newt' },
        { kind: 'remove', thing: 'item', id: 'newb' },
      ],
      more,
    );
    const restored = applyTo(
      restoreType(more, 'newt', { createId: createIdSource(), hasItem: (id) => without.items.has(id) }),
      without,
    );
    expect(restored.types.get('new1x')).toEqual({ ...NEW_TYPE, name: 'Dairy', order: 1024 });
    expect([...restored.links]).toEqual([['newa', new Set(['new1x'])]]);
  });
});

describe('a name', () => {
  test('if known, brings its emoji, and its types to an item without any', () => {
    const bare = applyTo([{ kind: 'item', id: 'newb', field: 'name', value: 'x' }], shop);
    const named = applyTo(
      createNameChanges(bare, 'newb', 'eggs', { name: 'Eggs', emoji: '🥚', types: ['newt'] }),
      bare,
    );
    expect(named.items.get('newb')).toMatchObject({ name: 'eggs', emoji: '🥚' });
    expect(named.links.get('newb')).toEqual(new Set(['newt']));
    expect(createNameChanges(shop, 'newa', 'Milk')).toEqual([]);
    expect(createNameChanges(shop, 'newa', 'Butter', { name: 'Butter', emoji: '🧈', types: ['1'] })).toHaveLength(2);
  });

  test('if too long shows a message, and if empty shows none', () => {
    expect(findNameProblem('x'.repeat(200), 'type')).toBeUndefined();
    expect(findNameProblem('🧀'.repeat(201), 'type')).toBe('The type name is too long. Enter at most 200 characters');
    expect(findNameProblem('  ', 'type')).toBe('');
  });

  test('of a type finds it in another list, ignoring case', () => {
    expect(findTypes(shop, ['dairy', 'Household'])).toEqual(['newt']);
  });
});
