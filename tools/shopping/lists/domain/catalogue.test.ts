import { expect, test } from 'vitest';
import { foldName } from '#platform/contract/fold.ts';
import { CATALOGUE, createNameIndex, suggestNames } from './itemNames.ts';
import { LIMITS } from './list.ts';

/** Emoji that were added after Unicode 14: the ranges of emoji 15, 16 and 17. */
const LATER_EMOJI =
  /[\u{1FA75}-\u{1FA77}\u{1FA87}-\u{1FA8F}\u{1FAAD}-\u{1FAAF}\u{1FABB}-\u{1FABF}\u{1FAC6}-\u{1FACF}\u{1FADA}-\u{1FADF}\u{1FAE8}-\u{1FAEF}\u{1FAF7}-\u{1FAFF}\u{1F6D8}\u{1F6DC}]/u;

test('the catalogue has about 300 common things', () => {
  expect(CATALOGUE.length).toBeGreaterThanOrEqual(300);
  expect(CATALOGUE.length).toBeLessThanOrEqual(400);
});

test('no name is in the catalogue twice, or both in singular and plural', () => {
  const names = CATALOGUE.map(({ name }) => foldName(name));
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  expect(names.filter((name) => names.includes(`${name}s`) || names.includes(`${name}es`))).toEqual([]);
});

test('every name is plain and starts with a capital letter', () => {
  expect(CATALOGUE.map(({ name }) => name).filter((name) => !/^\p{Lu}[\p{Ll} -]+$/u.test(name))).toEqual([]);
  expect(CATALOGUE.filter(({ name }) => name.length > 24)).toEqual([]);
});

test('every emoji is a single one that fonts of 2022 contain', () => {
  const strange = CATALOGUE.filter(
    ({ emoji }) =>
      !/^\p{RGI_Emoji}$/v.test(emoji) ||
      LATER_EMOJI.test(emoji) ||
      emoji.includes('\u200D') ||
      emoji.length > LIMITS.emoji,
  );
  expect(strange).toEqual([]);
});

test('a few letters find common things', () => {
  const names = createNameIndex(CATALOGUE);
  const first = (typed: string) => suggestNames(names, typed, [])[0]?.name;
  expect(['mil', 'egg', 'toilet p', 'creme', 'app'].map(first)).toEqual([
    'Milk',
    'Eggs',
    'Toilet paper',
    'Crème fraîche',
    'Apples',
  ]);
});
