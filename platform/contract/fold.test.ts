import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { fold, foldName } from './fold.ts';

const ALIKE = [
  ['Zahnärztin', 'ZAHNARZTIN'],
  ['Straße', 'STRASSE'],
  ['STRAẞE', 'strasse'],
  ['Łódź', 'lodz'],
  ['İstanbul', 'istanbul'],
  ['ılık', 'ILIK'],
  ['ΟΔΌΣ', 'οδος'],
  ['ﬁlm ２', 'film 2'],
  ['e\u0301te\u0301', 'été'],
] as const;
test.each(ALIKE)('%s is found by %s', (one, other) => {
  expect(fold(one)).toBe(fold(other));
  expect(foldName(one)).toBe(foldName(other));
});

const letter = fc.constantFrom(
  ...Array.from('aZ ß2-’éÅİıΣςŁøÞæŒﬁ２ǅḍ̇Ω한日हि👋🏽ẞᾳ\t'),
  '\u0301',
  '\u0323',
  '\u0345',
  '\u2800',
  '\ud800',
);
const text = fc.string({ unit: letter });
test('folding twice changes nothing', () => {
  fc.assert(
    fc.property(text, (one) => {
      expect(fold(fold(one))).toBe(fold(one));
      expect(foldName(foldName(one))).toBe(foldName(one));
    }),
  );
});

const typed = (name: string): readonly string[] => [name.toUpperCase(), name.toUpperCase().toLowerCase(), ` ${name}\t`];

test('a name is found in capitals and in small letters, whatever its alphabet', () => {
  for (const name of ['ᾳδης', 'ŉ', 'և', 'ᏣᎳᎩ', 'ვეფხი', 'Weißbier', 'Crème fraîche'])
    for (const each of typed(name)) expect([name, foldName(each)]).toEqual([name, foldName(name)]);
});

test('spaces of any kind are one, and none at the ends', () => {
  expect(foldName('  Oat\u00a0 \n milk ')).toBe('oat milk');
  expect(fold(' Oat  milk')).toBe(' oat  milk');
});

test('what the calendar has kept stays as it is: results do not change', () => {
  expect(fold('ᾳ ῼ ᲀ ẞ ŉ ﬃ Ǆ ½ ㎏ İI')).toBe('α ω ᲀ ss ʼn ffi dz 1⁄2 kg ii');
});
