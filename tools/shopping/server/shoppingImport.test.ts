import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { toList } from '../sync/domain/listState.ts';
import { toTree } from '../sync/domain/listWire.ts';
import { toImportedState } from './shoppingImport.ts';

const name = fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => text.replaceAll('\0', ''));
const order = fc.integer({ min: -1000, max: 1000 });
const amount = fc.integer({ min: 0, max: 1_000_000 });
const id = fc.integer({ min: 2, max: 1_000_000 }).map(String);
const item = fc.record({
  name,
  emoji: fc.constantFrom('🍎', ''),
  defaultquantity: amount,
  actualquantity: amount,
  state: fc.integer({ min: 0, max: 3 }),
});
const colour = fc.tuple(fc.constantFrom('#aabbcc', 'rgba(1,2,3,0.5)'), fc.constant('red'));
const type = fc.record({ name, colour, visualised: fc.boolean(), order });

const tree = fc
  .record({ name, items: fc.dictionary(id, item), types: fc.dictionary(id, type), unsorted: type, seed: fc.nat() })
  .map(({ name: listName, items, types: ownTypes, unsorted, seed }) => {
    const ids = Object.keys(ownTypes).filter((typeId) => !(typeId in items));
    const types = Object.fromEntries([
      ['1', { ...unsorted, userset: false }],
      ...ids.map((typeId) => [typeId, { ...ownTypes[typeId], userset: true }] as const),
    ]);
    const linked = Object.keys(items).filter((_, index) => (seed >> (index % 30)) % 2 === 1 && ids.length > 0);
    const links = Object.fromEntries(linked.map((itemId) => [itemId, ids.slice(0, 2)]));
    return { name: listName, items, types, links };
  });

test('a list is the same after export and import, with the same ids', () => {
  fc.assert(
    fc.property(tree, (exported) => {
      const imported = toTree(toList(toImportedState({ isOwn: true, ...exported }, 1)));
      expect(JSON.parse(JSON.stringify(imported))).toEqual(JSON.parse(JSON.stringify(exported)));
    }),
  );
});

test('damaged lists are refused', () => {
  const empty = { isOwn: true, name: 'List', items: {}, types: {}, links: {} };
  for (const damage of [
    { items: { new1: { name: 'x' } } },
    { items: { 7: 'text' } },
    { items: { 7: { name: 'x'.repeat(300) } } },
    { types: { 7: { colour: ['url(http://evil.example)'] } } },
    { links: { 7: 'all' } },
    { links: { 'a/b': ['1'] } },
  ])
    expect(() => toImportedState({ ...empty, ...damage }, 1)).toThrow();
});
