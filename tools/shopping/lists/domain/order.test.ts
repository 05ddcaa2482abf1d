import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { listIdsInOrder, moveInOrder, getOrderAtEnd, getOrderBetween, type OrderPosition } from './list.ts';

const createThings = (places: Readonly<Record<string, number>>) =>
  new Map(Object.entries(places).map(([id, order]) => [id, { order }]));
const applyPositions = (before: ReadonlyMap<string, { readonly order: number }>, places: readonly OrderPosition[]) =>
  new Map([...before, ...places.map(({ id, order }) => [id, { order }] as const)]);

test('things are sorted by order, then by id, with new ones last', () => {
  expect(listIdsInOrder(createThings({ new17950000000001: 0, '10': 0, '9': 0, '2': 5, '11': -1 }))).toEqual([
    '11',
    '9',
    '10',
    'new17950000000001',
    '2',
  ]);
});

test('one move changes one order value', () => {
  expect(moveInOrder(createThings({ '1': 0, '2': 1024, '3': 2048 }), '3', 1)).toEqual([{ id: '3', order: 512 }]);
  expect(moveInOrder(createThings({ '1': 0, '2': 1024, '3': 2048 }), '1', 9)).toEqual([{ id: '1', order: 3072 }]);
  expect(moveInOrder(createThings({ '1': 0, '2': 1024, '3': 2048 }), '3', 0)).toEqual([{ id: '3', order: -1024 }]);
});

test('moving to the same place, or moving something unknown, changes nothing', () => {
  expect(moveInOrder(createThings({ '1': 0, '2': 0 }), '2', 1)).toEqual([]);
  expect(moveInOrder(createThings({ '1': 0, '2': 0 }), '7', 0)).toEqual([]);
});

test('types that were never moved share an order value, and the first move between them spreads all', () => {
  const types = createThings({ '1': 0, '2': 0, '3': 0 });
  expect(listIdsInOrder(applyPositions(types, moveInOrder(types, '3', 1)))).toEqual(['1', '3', '2']);
});

test('there is no room between equal values or beyond the limit of the server', () => {
  expect(getOrderBetween(1, 1)).toBeUndefined();
  expect(getOrderBetween(1e9, undefined)).toBeUndefined();
  expect(getOrderBetween(undefined, -1e9)).toBeUndefined();
  expect(getOrderBetween(undefined, undefined)).toBe(0);
});

test('an added type is last', () => {
  for (const types of [
    createThings({}),
    createThings({ '1': 0 }),
    createThings({ '1': 3, '2': -4 }),
    createThings({ '1': 1e9 }),
  ])
    expect(listIdsInOrder(new Map([...types, ['new17950000000001', { order: getOrderAtEnd(types) }]])).at(-1)).toBe(
      'new17950000000001',
    );
});

const id = fc.oneof(
  fc.integer({ min: 1, max: 99 }).map(String),
  fc.integer({ min: 0, max: 30 }).map((count) => `new1795000000000${count}`),
);
const order = fc.oneof(
  fc.constant(0),
  fc.integer({ min: -3, max: 3 }),
  fc.double({ min: -1e9, max: 1e9, noNaN: true }),
);
const start = fc.uniqueArray(fc.tuple(id, order), { minLength: 1, maxLength: 12, selector: ([key]) => key });

test('any sequence of moves produces the requested order', () => {
  const moves = fc.array(fc.tuple(fc.nat({ max: 11 }), fc.nat({ max: 12 })), { maxLength: 60 });
  fc.assert(
    fc.property(start, moves, (places, steps) => {
      let types: ReadonlyMap<string, { readonly order: number }> = new Map(
        places.map(([key, at]) => [key, { order: at }]),
      );
      let expected = listIdsInOrder(types);
      for (const [which, to] of steps) {
        const movedId = expected[which % expected.length] ?? '';
        expected = expected.filter((otherId) => otherId !== movedId).toSpliced(to, 0, movedId);
        types = applyPositions(types, moveInOrder(types, movedId, to));
        expect(listIdsInOrder(types)).toEqual(expected);
        expect([...types.values()].every((type) => Math.abs(type.order) <= 1e9)).toBe(true);
      }
    }),
  );
});

test('moving between the same two neighbours again and again always finds room', () => {
  let types = createThings({ '1': 0, '2': 1, '3': 2 });
  for (let turn = 0; turn < 500; turn += 1) {
    const [, , last = ''] = listIdsInOrder(types);
    types = applyPositions(types, moveInOrder(types, last, 1));
    expect(listIdsInOrder(types)[1]).toBe(last);
  }
});
