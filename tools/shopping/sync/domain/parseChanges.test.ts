import { describe, expect, test } from 'vitest';
import { NEW_ITEM, NEW_TYPE, type Change, type List } from '../../lists/domain/list.ts';
import { toTree, parseTree } from './listWire.ts';
import { parseChanges } from './parseChanges.ts';
import { getPath, writeChanges } from './writeBatch.ts';

const parseJson = (text: string): readonly Change[] =>
  parseChanges(JSON.parse(text) as Record<string, unknown>).map(({ change }) => change);

describe('a batch on the wire', () => {
  test.each([
    ['an unknown key', '{"price":3}', "A list has no field 'price'"],
    ['a prototype', '{"__proto__":{"name":"x"}}', "A list has no field '__proto__'"],
    ['a constructor', '{"constructor":{"prototype":{"x":1}}}', "A list has no field 'constructor'"],
    ['a prototype among the items', '{"items":{"__proto__":{"name":"x"}}}', "'__proto__' is not the id of a list item"],
    ['a prototype in an item', '{"items":{"2":{"__proto__":{"name":"x"}}}}', "An item has no field '__proto__'"],
    ['a prototype in a type', '{"types":{"2":{"hasOwnProperty":true}}}', "A type has no field 'hasOwnProperty'"],
    ['an unknown field', '{"items":{"2":{"price":3}}}', "An item has no field 'price'"],
    ['a field of the engine', '{"items":{"2":{"actual":3}}}', "An item has no field 'actual'"],
    ['a value where a thing should be', '{"items":{"2":7}}', 'An item change must be an object of fields'],
    ['null where a thing should be', '{"types":{"2":null}}', 'A type change must be an object of fields'],
    ['a list where things should be', '{"items":[{"name":"x"}]}', 'The items of a list must be an object of ids'],
    ['something too deep', '{"items":{"2":{"name":{"name":"x"}}}}', 'The item name must be text'],
    ['an id with a path in it', '{"items":{"2/name":{"name":"x"}}}', "'2/name' is not the id of a list item"],
    ['an id that begins with 0', '{"items":{"02":{"name":"x"}}}', "'02' is not the id of a list item"],
    ['an id that is too long', `{"items":{"new${'x'.repeat(61)}":{"name":"x"}}}`, 'is not the id of a list item'],
    ['a name that is too long', `{"items":{"2":{"name":"${'é'.repeat(201)}"}}}`, 'at most 200 characters'],
    ['a name with a null in it', '{"name":"a\\u0000b"}', 'The list name must be text'],
    ['a negative quantity', '{"items":{"2":{"actualquantity":-1}}}', 'a whole number from 0 to 1,000,000'],
    ['a negative quantity as text', '{"items":{"2":{"actualquantity":"-1"}}}', 'a whole number'],
    ['half a thing', '{"items":{"2":{"defaultquantity":0.5}}}', 'a whole number'],
    ['more than can be', '{"items":{"2":{"defaultquantity":1e308}}}', 'a whole number'],
    ['infinitely many', '{"items":{"2":{"defaultquantity":1e999}}}', 'a whole number'],
    ['one too many', '{"items":{"2":{"defaultquantity":1000001}}}', 'a whole number'],
    ['a quantity in words', '{"items":{"2":{"defaultquantity":"3 l"}}}', 'a whole number'],
    ['an empty quantity', '{"items":{"2":{"defaultquantity":""}}}', 'a whole number'],
    ['a fifth state', '{"items":{"2":{"state":4}}}', 'a whole number from 0 to 3'],
    ['one colour', '{"types":{"2":{"colour":["red"]}}}', 'a pair of colours'],
    ['a colour that is none', '{"types":{"2":{"colour":["red","url(\\"x\\");"]}}}', 'a pair of colours'],
    ['a switch in words', '{"types":{"2":{"visualised":"yes"}}}', 'true or false'],
    ['a place beyond all places', '{"types":{"2":{"order":1e308}}}', 'must be a number'],
    ['links that are no list', '{"links":{"2":{"3":true}}}', 'a list of type ids'],
    ['links to fractions', '{"links":{"2":[1.5]}}', 'a list of type ids'],
    ['links to a prototype', '{"links":{"2":["__proto__"]}}', 'a list of type ids'],
    ['the built-in type removed', '{"types":{"1":"_REMOVE"}}', "A built-in type can't be deleted"],
    ['all items removed at once', '{"items":"_REMOVE"}', 'The items of a list must be an object of ids'],
  ])('with %s is refused', (_, text, sentence) => {
    expect(() => parseJson(text)).toThrow(sentence);
    expect(() => parseJson(text.replace(/^\{/, '{"name":"Sound",'))).toThrow(sentence);
  });

  test('accepts quantities as texts of digits, and names of digits as numbers', () => {
    expect(parseJson('{"items":{"2":{"actualquantity":"007","name":7}}}')).toEqual([
      { kind: 'item', id: '2', field: 'actual', value: 7 },
      { kind: 'item', id: '2', field: 'name', value: '7' },
    ]);
    expect(parseJson('{"items":{"2":{"actualquantity":-0}}}')).toEqual([
      { kind: 'item', id: '2', field: 'actual', value: 0 },
    ]);
  });

  test('ignores page state and `userset`', () => {
    expect(parseJson('{"id":3,"editmode":true,"types":{"2":{"userset":false}}}')).toEqual([]);
  });

  test('creates things first, then links them, and removes last', () => {
    const kinds = parseJson(
      '{"links":{"new1":["new2"]},"items":{"3":"_REMOVE","new1":{"name":"x"}},"types":{"new2":{"order":1}}}',
    );
    expect(kinds.map(({ kind }) => kind)).toEqual(['item', 'type', 'links', 'remove']);
  });

  test('is refused with too many changes', () => {
    const items = Object.fromEntries(
      Array.from({ length: 2001 }, (_, index) => [`new${index}`, { name: 'x', state: 0 }]),
    );
    expect(() => parseChanges({ items })).toThrow('at most 4,000 changes');
  });

  test('is refused with invalid differences', () => {
    const items = { 2: { actualquantity: 3 } };
    for (const difference of [0.5, 1e308, Number.NaN])
      expect(() => parseChanges({ items }, { inc: { 'items/2/actualquantity': difference } })).toThrow(
        'a whole number',
      );
    expect(() => parseChanges({ links: { 2: [] } }, { linked: { '2/3/4': true } })).toThrow(
      'is not the id of a list type',
    );
  });
});

test('written changes are read back in the same order and at the same paths', () => {
  const seen: List = {
    name: 'Home',
    items: new Map([['2', { ...NEW_ITEM, actual: 5 }]]),
    types: new Map([['3', NEW_TYPE]]),
    links: new Map([['2', new Set(['3'])]]),
  };
  const done: readonly Change[] = [
    { kind: 'rename', name: 'Camping' },
    { kind: 'item', id: '2', field: 'name', value: 'Milk' },
    { kind: 'type', id: '3', field: 'colour', value: ['red', 'rgb(90, 0, 0)'] },
    { kind: 'count', id: '2', by: 2 },
    { kind: 'count', id: '2', by: -1 },
    { kind: 'link', item: '2', type: '3', isLinked: true },
    { kind: 'remove', thing: 'type', id: '4' },
  ];
  const { changes, ...differences } = writeChanges(done, seen);
  const parsedChanges = parseChanges(changes, differences);
  const counted = { kind: 'count', id: '2', by: 1 };
  expect(new Set(parsedChanges.map(({ change }) => change))).toEqual(
    new Set([...done.filter(({ kind }) => kind !== 'count'), counted]),
  );
  expect(parsedChanges.map(({ path }) => path)).toEqual(parsedChanges.map(({ change }) => getPath(change)));
});

test('a list is read back from its tree', () => {
  const list: List = {
    name: 'Saturday',
    items: new Map([['2', { ...NEW_ITEM, name: 'Milk', desired: 2 }]]),
    types: new Map([
      ['1', { ...NEW_TYPE, name: 'Unsorted', isOwn: false }],
      ['3', { ...NEW_TYPE, name: 'Dairy', order: 1.5 }],
    ]),
    links: new Map([['2', new Set(['3'])]]),
  };
  expect(parseTree(toTree(list))).toEqual(list);
});

test('links accept type ids as numbers, as plain clients may send them', () => {
  expect(parseChanges({ links: { 57: [1, '12', 'new9'] } }).map(({ change }) => change)).toEqual([
    { kind: 'links', item: '57', types: ['1', '12', 'new9'] },
  ]);
  for (const wrong of [0, -1, 1.5, 1e21, null, true, [1]])
    expect(() => parseChanges({ links: { 57: [wrong] } })).toThrow('The links of an item must be a list of type ids');
});

test('_REMOVE in place of links removes all of them, as plain clients may send it with a removed item', () => {
  const changes = parseChanges({ items: { 57: '_REMOVE' }, links: { 57: '_REMOVE' } });
  expect(changes.map(({ change }) => change)).toEqual([
    { kind: 'links', item: '57', types: [] },
    { kind: 'remove', thing: 'item', id: '57' },
  ]);
});
