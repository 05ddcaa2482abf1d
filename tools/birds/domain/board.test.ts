import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Refusal } from '#platform/contract/refusal.ts';
import {
  getColumns,
  EMPTY,
  MAX_ID,
  MAX_NAME_LENGTH,
  newBird,
  newFeeder,
  randomColour,
  formatDate,
  type Board,
  type Feeder,
} from './board.ts';

const feeder = (id: number): Feeder => ({ id, name: `feeder ${id}`, colour: '#112233' });
const createBoard = (feeders: readonly Feeder[]): Board => ({ ...EMPTY, feeders });
const takeAllExcept = (free: number) =>
  createBoard(Array.from({ length: MAX_ID }, (_, at) => feeder(at + 1)).filter(({ id }) => id !== free));
const naming = (name: string) => () => newFeeder(EMPTY, { name, colour: '' }, () => 0);
const bird = (name: string, under: number | undefined) =>
  newBird(EMPTY, { name, colour: '', feeder: under, date: '' }, () => 0);

test('a feeder and a bird have a name, a colour and a random id up to 15000', () => {
  expect(newFeeder(EMPTY, { name: ' window ', colour: '#3b82c4' }, () => 0)).toEqual({
    id: 1,
    name: 'window',
    colour: '#3b82c4',
  });
  expect(
    newBird(EMPTY, { name: 'robin', colour: '#c2413b', feeder: 1, date: '2026-11-21' }, (below) => below - 1),
  ).toEqual({ id: MAX_ID, name: 'robin', colour: '#c2413b', feeder: 1, date: '2026-11-21' });
});

test('ids are unique and lie between 1 and 15000, whatever the random numbers are', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { maxLength: 40 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (taken, dice) => {
        const { id } = newFeeder(createBoard(taken.map(feeder)), { name: 'x', colour: '' }, (below) =>
          Math.floor(dice * below),
        );
        expect(taken).not.toContain(id);
        expect(id).toBeGreaterThanOrEqual(1);
        expect(id).toBeLessThanOrEqual(MAX_ID);
      },
    ),
  );
});

test('the last unused id is found, and the next bird is refused', () => {
  const named = { name: 'x', colour: '' };
  expect(newFeeder(takeAllExcept(777), named, () => 0).id).toBe(777);
  expect(newFeeder(takeAllExcept(MAX_ID), named, () => 0).id).toBe(MAX_ID);
  expect(() => newFeeder(takeAllExcept(0), named, () => 0)).toThrow(Refusal);
});

test('a name is required and has a maximum length', () => {
  expect(naming('')).toThrow('Enter a name');
  expect(naming(' \t ')).toThrow('Enter a name');
  expect(naming('👋'.repeat(MAX_NAME_LENGTH))).not.toThrow();
  expect(naming('x'.repeat(MAX_NAME_LENGTH + 1))).toThrow('This name is too long. Enter at most 60 characters');
  expect(() => newBird(EMPTY, { name: '', colour: '', feeder: undefined, date: '' }, () => 0)).toThrow('Enter a name');
});

test('a random colour is valid and can have any hue', () => {
  expect([0, 120, 240].map((hue) => randomColour(() => hue))).toEqual(['#cc3333', '#33cc33', '#3333cc']);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 359 }), (number) => {
      expect(randomColour(() => number)).toMatch(/^#[0-9a-f]{6}$/);
    }),
  );
});

test('columns group birds by feeder, put birds without a feeder first, and lose none', () => {
  const board: Board = {
    feeders: [feeder(7), feeder(3)],
    birds: [bird('robin', 3), bird('wren', undefined), bird('blue tit', 3)],
  };
  expect(getColumns(board).map(({ feeder: at, birds }) => [at?.id, birds.map(({ name }) => name)])).toEqual([
    [undefined, ['wren']],
    [7, []],
    [3, ['robin', 'blue tit']],
  ]);
  expect(getColumns(EMPTY)).toEqual([]);
});

test('dates show the day first', () => {
  expect([formatDate('2026-11-21'), formatDate('')]).toEqual(['21-11-2026', '']);
});
