import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Refusal } from '#platform/contract/refusal.ts';
import {
  getColumns,
  EMPTY_BOARD,
  MAX_ID,
  MAX_NAME_LENGTH,
  createBird,
  createFeeder,
  createRandomColour,
  type Board,
  type Feeder,
} from './board.ts';

const buildFeeder = (id: number): Feeder => ({ id, name: `feeder ${id}`, colour: '#112233' });
const createBoard = (feeders: readonly Feeder[]): Board => ({ ...EMPTY_BOARD, feeders });
const createBoardWithout = (freeId: number) =>
  createBoard(Array.from({ length: MAX_ID }, (_, index) => buildFeeder(index + 1)).filter(({ id }) => id !== freeId));
const createNamed = (name: string) => () => createFeeder(EMPTY_BOARD, { name, colour: '' }, () => 0);
const buildBird = (name: string, feeder: number | undefined) =>
  createBird(EMPTY_BOARD, { name, colour: '', feeder, date: '' }, () => 0);

test('a feeder and a bird have a name, a colour and a random id up to 15000', () => {
  expect(createFeeder(EMPTY_BOARD, { name: ' window ', colour: '#3b82c4' }, () => 0)).toEqual({
    id: 1,
    name: 'window',
    colour: '#3b82c4',
  });
  expect(
    createBird(EMPTY_BOARD, { name: 'robin', colour: '#c2413b', feeder: 1, date: '2026-11-21' }, (max) => max - 1),
  ).toEqual({ id: MAX_ID, name: 'robin', colour: '#c2413b', feeder: 1, date: '2026-11-21' });
});

test('ids are unique and lie between 1 and 15000, whatever the random numbers are', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { maxLength: 40 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (takenIds, share) => {
        const { id } = createFeeder(createBoard(takenIds.map(buildFeeder)), { name: 'x', colour: '' }, (max) =>
          Math.floor(share * max),
        );
        expect(takenIds).not.toContain(id);
        expect(id).toBeGreaterThanOrEqual(1);
        expect(id).toBeLessThanOrEqual(MAX_ID);
      },
    ),
  );
});

test('the last unused id is found, and the next bird is refused', () => {
  const named = { name: 'x', colour: '' };
  expect(createFeeder(createBoardWithout(777), named, () => 0).id).toBe(777);
  expect(createFeeder(createBoardWithout(MAX_ID), named, () => 0).id).toBe(MAX_ID);
  expect(() => createFeeder(createBoardWithout(0), named, () => 0)).toThrow(Refusal);
});

test('a name is required and has a maximum length', () => {
  expect(createNamed('')).toThrow('Enter a name');
  expect(createNamed(' \t ')).toThrow('Enter a name');
  expect(createNamed('👋'.repeat(MAX_NAME_LENGTH))).not.toThrow();
  expect(createNamed('x'.repeat(MAX_NAME_LENGTH + 1))).toThrow('This name is too long. Enter at most 60 characters');
  expect(() => createBird(EMPTY_BOARD, { name: '', colour: '', feeder: undefined, date: '' }, () => 0)).toThrow(
    'Enter a name',
  );
});

test('a random colour is valid and can have any hue', () => {
  expect([0, 120, 240].map((hue) => createRandomColour(() => hue))).toEqual(['#cc3333', '#33cc33', '#3333cc']);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 359 }), (number) => {
      expect(createRandomColour(() => number)).toMatch(/^#[0-9a-f]{6}$/);
    }),
  );
});

test('columns group birds by feeder, put birds without a feeder first, and lose none', () => {
  const board: Board = {
    feeders: [buildFeeder(7), buildFeeder(3)],
    birds: [buildBird('robin', 3), buildBird('wren', undefined), buildBird('blue tit', 3)],
  };
  expect(getColumns(board).map(({ feeder: at, birds }) => [at?.id, birds.map(({ name }) => name)])).toEqual([
    [undefined, ['wren']],
    [7, []],
    [3, ['robin', 'blue tit']],
  ]);
  expect(getColumns(EMPTY_BOARD)).toEqual([]);
});
