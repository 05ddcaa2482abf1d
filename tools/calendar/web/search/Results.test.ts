import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitMatches } from './Results.tsx';

const formatMatches = (text: string, term: string): string =>
  splitMatches(text, term)
    .map((piece) => (piece.isMatch ? `[${piece.text}]` : piece.text))
    .join('');

test.for([
  ['Quarterly plan, first draft', 'plan', 'Quarterly [plan], first draft'],
  ['Planning day', 'PLAN', '[Plan]ning day'],
  ['Café crème', 'cafe creme', '[Café] [crème]'],
  ['Café', 'fe', 'Ca[fé]'],
  ['Straße', 'strasse', '[Straße]'],
  ['Plan of the plans', 'plan', '[Plan] of the [plan]s'],
  ['banana', 'ana', 'b[anana]'],
  ['👋 hello', 'hell', '👋 [hell]o'],
  ['Quarterly review', 'plan', 'Quarterly review'],
  ['Quarterly review', ' ', 'Quarterly review'],
  ['', 'plan', ''],
])('in %j finds %j', ([text = '', term = '', expected]) => {
  expect(formatMatches(text, term)).toBe(expected);
});

test('never changes the text, whatever the search term', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (text, term) => {
      expect(
        splitMatches(text, term)
          .map((piece) => piece.text)
          .join(''),
      ).toBe(text);
    }),
  );
});
