import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  CATALOGUE,
  findExact,
  createNameIndex,
  suggestNames,
  findAcceptedSuggestion,
  type KnownName,
} from './itemNames.ts';

const createNames = (...names: string[]): readonly KnownName[] => names.map((name) => ({ name, emoji: '🛒' }));
const listSuggestions = (
  names: readonly KnownName[],
  typed: string,
  others: readonly string[] = [],
): readonly string[] => suggestNames(createNameIndex(names), typed, others).map(({ name }) => name);

test('at most five names are offered, most recent first', () => {
  const names = createNames('Milk 1', 'Milk 2', 'Milk 3', 'Milk 4', 'Milk 5', 'Milk 6');
  expect(listSuggestions(names, 'milk')).toEqual(['Milk 1', 'Milk 2', 'Milk 3', 'Milk 4', 'Milk 5']);
});

test('any part of a name finds it, and starts of words come first', () => {
  const names = createNames('Buttermilk', 'Oat milk', 'Milk');
  expect(listSuggestions(names, 'MIL')).toEqual(['Oat milk', 'Milk', 'Buttermilk']);
  expect(listSuggestions(names, 'ttermi')).toEqual(['Buttermilk']);
  expect(listSuggestions(createNames('Limilk milk'), 'mil')).toEqual(['Limilk milk']);
});

test('the whole name comes before names that start with it, and Enter accepts it', () => {
  const names = createNames('Milk chocolate', 'Milk');
  expect(listSuggestions(names, 'milk')).toEqual(['Milk', 'Milk chocolate']);
  expect(findAcceptedSuggestion(createNameIndex(names), 'milk ', [])?.name).toBe('Milk');
});

test('accents are optional', () => {
  const names = createNames('Crème fraîche', 'Jalapeños', 'Weißbier');
  expect(listSuggestions(names, 'creme f')).toEqual(['Crème fraîche']);
  expect(listSuggestions(names, 'crème')).toEqual(['Crème fraîche']);
  expect(listSuggestions(names, 'jalapen')).toEqual(['Jalapeños']);
  expect(listSuggestions(names, 'weiss')).toEqual(['Weißbier']);
});

test('names in the list are not offered, in whatever case', () => {
  expect(listSuggestions(createNames('Milk', 'Oat milk'), 'milk', ['MILK '])).toEqual(['Oat milk']);
});

test('Enter and Tab accept the first suggestion, and nothing in an empty field', () => {
  const names = createNameIndex(createNames('Oat milk', 'Milk chocolate'));
  expect(findAcceptedSuggestion(names, 'mil', [])?.name).toBe('Oat milk');
  expect(findAcceptedSuggestion(names, '  ', [])).toBeUndefined();
  expect(findAcceptedSuggestion(names, 'zebra', [])).toBeUndefined();
});

test('a complete known name is not extended to a longer one because the list already has it', () => {
  const names = createNameIndex(createNames('Milk', 'Milk chocolate'));
  expect(findAcceptedSuggestion(names, 'milk', ['Milk'])).toBeUndefined();
  expect(findAcceptedSuggestion(names, 'mil', ['Milk'])?.name).toBe('Milk chocolate');
  expect(
    findAcceptedSuggestion(createNameIndex(createNames('Butter', 'Butternut squash')), 'bütter', ['Butter']),
  ).toBeUndefined();
  expect(
    findAcceptedSuggestion(createNameIndex(createNames('Butternut squash')), 'BUTTER', ['Bütter']),
  ).toBeUndefined();
});

test('an exact known name brings its emoji, and the most recent one if two are alike', () => {
  const names = createNameIndex([
    { name: 'pâté', emoji: '🥫' },
    { name: 'Pate', emoji: '🍞' },
    { name: 'Pâté', emoji: '🌭' },
    { name: 'Crème', emoji: '🥛' },
  ]);
  expect(findExact(names, ' PÂTÉ')?.emoji).toBe('🥫');
  expect(findExact(names, 'pate')?.emoji).toBe('🍞');
  expect(findExact(names, 'creme')?.emoji).toBe('🥛');
  expect(findExact(names, 'crem')).toBeUndefined();
  expect(findExact(names, '')).toBeUndefined();
});

test('an empty field offers the most recently used names', () => {
  expect(listSuggestions(createNames('Eggs', 'Milk'), '')).toEqual(['Eggs', 'Milk']);
});

test('any part of any name finds it in any case, unless the list has it', () => {
  const name = fc.oneof(
    fc.constantFrom(...CATALOGUE.map((entry) => entry.name)),
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.string({ unit: fc.constantFrom('a', 'B', ' ', 'é', 'ß', 'İ', 'Σ', '-', 'ø'), maxLength: 8 }),
  );
  fc.assert(
    fc.property(name, fc.nat(), fc.nat(), fc.boolean(), (whole, from, length, isUpper) => {
      fc.pre(whole.trim() !== '');
      const letters = Array.from(whole);
      const start = from % letters.length;
      const part = letters.slice(start, start + 1 + (length % letters.length)).join('');
      const typed = isUpper ? part.toUpperCase() : part;
      expect(listSuggestions(createNames(whole), typed)).toEqual([whole]);
      expect(listSuggestions(createNames(whole), typed, [whole])).toEqual([]);
    }),
  );
});

test('suggestions are known, not in the list, distinct, and at most five', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'A', ' ', 'á'), maxLength: 4 });
  fc.assert(
    fc.property(fc.array(word), word, fc.array(word), (names, typed, others) => {
      const shown = listSuggestions(createNames(...names), typed, others);
      expect(shown.length).toBeLessThanOrEqual(5);
      expect(new Set(shown.map((name) => name.toLowerCase().trim())).size).toBe(shown.length);
      for (const name of shown) {
        expect(names).toContain(name);
        expect(others).not.toContain(name);
      }
    }),
  );
});
