import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { fold, foldLetters, foldName, foldSearch } from './fold.ts';

const EQUAL_TEXTS = [
  ['Zahnärztin', 'ZAHNARZTIN'],
  ['Straße', 'STRASSE'],
  ['STRAẞE', 'strasse'],
  ['Łódź', 'lodz'],
  ['İstanbul', 'istanbul'],
  ['ılık', 'ILIK'],
  ['ΟΔΌΣ', 'οδος'],
  ['ﬁlm ２', 'film 2'],
  ['Don’t Let', "don't let"],
  ['Don´t ‘Let’', "don`t 'let'"],
  ['Donʼt', 'DON＇T'],
  ['“Heroes” «Heroes» „Heroes“', '"heroes" "heroes" "heroes"'],
  ['12″ 7′', `12" 7'`],
  ['Jay‐Z – A—B − ﹣', 'jay-z - a-b - -'],
  ['co\u00adoperate\u200b', 'cooperate'],
  ['Ｆｕｌｌ　ｗｉｄｔｈ', 'full width'],
  ['ｶﾀｶﾅ', 'カタカナ'],
  ['Ёлка', 'елка'],
  ['Æon œuvre', 'aeon oeuvre'],
  ['Ħal ŋ', 'hal n'],
  ['1⁄2', '½'],
  ['a\u2003b', 'a b'],
  ['كـتاب', 'کتاب'],
  ['e\u0301te\u0301', 'été'],
] as const;
test.each(EQUAL_TEXTS)('%s is found by %s', (a, b) => {
  expect(fold(a)).toBe(fold(b));
  expect(foldName(a)).toBe(foldName(b));
});

const anyLetter = fc.constantFrom(
  ...Array.from('aZ ß2-’éÅ“”´‐–—«′″\u00adŋｶﾞ×ٱİıΣςŁøÞæŒﬁ２ǅḍ̇Ω한日हि👋🏽ẞᾳ\t'),
  '\u0301',
  '\u0323',
  '\u0345',
  '\u2800',
  '\ud800',
);
const anyText = fc.string({ unit: anyLetter });
test('folding twice changes nothing', () => {
  fc.assert(
    fc.property(anyText, (value) => {
      expect(fold(fold(value))).toBe(fold(value));
      expect(foldName(foldName(value))).toBe(foldName(value));
    }),
  );
});

const listSpellings = (name: string): readonly string[] => [
  name.toUpperCase(),
  name.toUpperCase().toLowerCase(),
  ` ${name}\t`,
];

test('a name is found in upper and lower case in any alphabet', () => {
  for (const name of ['Don’t “x” – ħ', 'ᾳδης', 'ŉ', 'և', 'ᏣᎳᎩ', 'ვეფხი', 'Weißbier', 'Crème fraîche'])
    for (const spelling of listSpellings(name)) expect([name, foldName(spelling)]).toEqual([name, foldName(name)]);
});

test('any run of spaces becomes one space, and is removed at both ends', () => {
  expect(foldName('  Oat\u00a0 \n milk ')).toBe('oat milk');
  expect(fold(' Oat  milk')).toBe(' oat  milk');
});

test('a search finds a name without its apostrophes', () => {
  expect(foldSearch('Don’t Let')).toBe(foldSearch('dont let'));
  expect(foldSearch('L’été')).toContain(foldSearch('été'));
});

test('results that stored ids are made of never change', () => {
  expect(foldLetters('ᾳ ῼ ᲀ ẞ ŉ ﬃ Ǆ ½ ㎏ İI ’–ħ')).toBe('α ω ᲀ ss ʼn ffi dz 1⁄2 kg ii ’–ħ');
});

test('the ASCII fast path has the same result as full folding', () => {
  const ascii = fc.string({ unit: 'grapheme-ascii', maxLength: 40 });
  fc.assert(
    fc.property(ascii, (plain) => {
      for (const foldText of [fold, foldLetters, foldSearch])
        expect(foldText(plain)).toBe(foldText(`${plain}é`).slice(0, -1));
    }),
  );
});
