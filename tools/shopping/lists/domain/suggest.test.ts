import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { CATALOGUE, findExact, prepareNames, suggest, findAccepted, type KnownName } from './itemNames.ts';

const known = (...all: string[]): readonly KnownName[] => all.map((name) => ({ name, emoji: '🛒' }));
const offered = (all: readonly KnownName[], typed: string, others: readonly string[] = []): readonly string[] =>
  suggest(prepareNames(all), typed, others).map(({ name }) => name);

test('at most five names are offered, most recent first', () => {
  const all = known('Milk 1', 'Milk 2', 'Milk 3', 'Milk 4', 'Milk 5', 'Milk 6');
  expect(offered(all, 'milk')).toEqual(['Milk 1', 'Milk 2', 'Milk 3', 'Milk 4', 'Milk 5']);
});

test('any part of a name finds it, and starts of words come first', () => {
  const all = known('Buttermilk', 'Oat milk', 'Milk');
  expect(offered(all, 'MIL')).toEqual(['Oat milk', 'Milk', 'Buttermilk']);
  expect(offered(all, 'ttermi')).toEqual(['Buttermilk']);
  expect(offered(known('Limilk milk'), 'mil')).toEqual(['Limilk milk']);
});

test('the whole name comes before names that start with it, and Enter accepts it', () => {
  const all = known('Milk chocolate', 'Milk');
  expect(offered(all, 'milk')).toEqual(['Milk', 'Milk chocolate']);
  expect(findAccepted(prepareNames(all), 'milk ', [])?.name).toBe('Milk');
});

test('accents are optional', () => {
  const all = known('Crème fraîche', 'Jalapeños', 'Weißbier');
  expect(offered(all, 'creme f')).toEqual(['Crème fraîche']);
  expect(offered(all, 'crème')).toEqual(['Crème fraîche']);
  expect(offered(all, 'jalapen')).toEqual(['Jalapeños']);
  expect(offered(all, 'weiss')).toEqual(['Weißbier']);
});

test('names in the list are not offered, in whatever case', () => {
  expect(offered(known('Milk', 'Oat milk'), 'milk', ['MILK '])).toEqual(['Oat milk']);
});

test('Enter and Tab accept the first suggestion, and nothing in an empty field', () => {
  const names = prepareNames(known('Oat milk', 'Milk chocolate'));
  expect(findAccepted(names, 'mil', [])?.name).toBe('Oat milk');
  expect(findAccepted(names, '  ', [])).toBeUndefined();
  expect(findAccepted(names, 'zebra', [])).toBeUndefined();
});

test('a complete known name is not extended to a longer one because the list already has it', () => {
  const names = prepareNames(known('Milk', 'Milk chocolate'));
  expect(findAccepted(names, 'milk', ['Milk'])).toBeUndefined();
  expect(findAccepted(names, 'mil', ['Milk'])?.name).toBe('Milk chocolate');
  expect(findAccepted(prepareNames(known('Butter', 'Butternut squash')), 'bütter', ['Butter'])).toBeUndefined();
  expect(findAccepted(prepareNames(known('Butternut squash')), 'BUTTER', ['Bütter'])).toBeUndefined();
});

test('an exact known name brings its emoji, and the most recent one if two are alike', () => {
  const names = prepareNames([
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
  expect(offered(known('Eggs', 'Milk'), '')).toEqual(['Eggs', 'Milk']);
});

test('any part of any name finds it in any case, unless the list has it', () => {
  const name = fc.oneof(
    fc.constantFrom(...CATALOGUE.map((each) => each.name)),
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
      expect(offered(known(whole), typed)).toEqual([whole]);
      expect(offered(known(whole), typed, [whole])).toEqual([]);
    }),
  );
});

test('suggestions are known, not in the list, distinct, and at most five', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'A', ' ', 'á'), maxLength: 4 });
  fc.assert(
    fc.property(fc.array(word), word, fc.array(word), (all, typed, others) => {
      const shown = offered(known(...all), typed, others);
      expect(shown.length).toBeLessThanOrEqual(5);
      expect(new Set(shown.map((name) => name.toLowerCase().trim())).size).toBe(shown.length);
      for (const name of shown) {
        expect(all).toContain(name);
        expect(others).not.toContain(name);
      }
    }),
  );
});
