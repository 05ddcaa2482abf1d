import { expect, test } from 'vitest';
import { fold } from '#platform/contract/fold.ts';
import { splitWords } from './searchTerms.ts';

test('words are separated by everything that is no letter or digit', () => {
  expect(splitWords(fold('Ring Dr. O’Brien: 030/12-34, 👋 naïve_test\nहिन्दी'))).toEqual([
    'ring',
    'dr',
    'o',
    'brien',
    '030',
    '12',
    '34',
    'naive',
    'test',
    'हिनदी',
  ]);
  expect(splitWords('— … !')).toEqual([]);
});
