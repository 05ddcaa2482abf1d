import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { validateRule, createSorter } from './sortingRule.ts';

const fits = (pattern: string, name: string): boolean => createSorter([{ pattern, category: 'x' }])(name) === 'x';

test('a pattern is part of a name in any case, and * matches any text', () => {
  expect(fits('fire', 'Firefox')).toBe(true);
  expect(fits('FOX', 'Firefox')).toBe(true);
  expect(fits('straße', 'STRASSE 7')).toBe(true);
  expect(fits('σ', 'ΟΔΟΣ')).toBe(true);
  expect(fits('libre*calc', 'libreoffice-calc')).toBe(true);
  expect(fits('calc*libre', 'libreoffice-calc')).toBe(false);
  expect(fits('aba*ba', 'ababa')).toBe(true);
  expect(fits('aba*aba', 'ababa')).toBe(false);
  expect(fits('*', '👋')).toBe(true);
  expect(fits('a.c', 'abc')).toBe(false);
});

test('the first matching rule counts', () => {
  const sorter = createSorter([
    { pattern: 'chrom', category: 'web' },
    { pattern: 'chromium', category: 'other' },
    { pattern: '*', category: 'rest' },
  ]);
  expect(['Chromium', 'xterm'].map(sorter)).toEqual(['web', 'rest']);
  expect(createSorter([])('x')).toBeUndefined();
});

const text = (maxLength: number) => fc.string({ unit: fc.constantFrom('a', 'b', 'A', '.', '(', '👋'), maxLength });
const escaped = (piece: string): string => piece.replaceAll(/[.(]/g, String.raw`\$&`);

test('it matches the same names as a backtracking regular expression', () => {
  fc.assert(
    fc.property(fc.array(text(4), { minLength: 1, maxLength: 4 }), text(12), (pieces, name) => {
      const oracle = new RegExp(pieces.map(escaped).join('.*'), 'is');
      expect(fits(pieces.join('*'), name)).toBe(oracle.test(name));
    }),
    { numRuns: 500 },
  );
});

test('no pattern is slow: the worst ones of every rule on long names take moments', () => {
  const worst = `${'a*'.repeat(60)}${'a'.repeat(79)}b`;
  const sorter = createSorter(Array.from({ length: 500 }, () => ({ pattern: worst, category: 'x' })));
  const start = performance.now();
  expect(sorter('a'.repeat(500))).toBeUndefined();
  // Trying every combination would not end in a lifetime.
  expect(performance.now() - start).toBeLessThan(5000);
});

test.each([
  [' ', 'web', 'Enter part of a name for the rule'],
  ['a', '', 'Enter a name for the category'],
  ['\0a', 'web', "can't be stored"],
])('a rule with %j for %j is refused', (pattern, category, sentence) => {
  expect(() => validateRule({ pattern, category })).toThrow(sentence);
});

test('a rule can leave its matches unassigned', () => {
  expect(validateRule({ pattern: ' x ', category: 'unassigned' })).toEqual({ pattern: 'x', category: 'unassigned' });
});
