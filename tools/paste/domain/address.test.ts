import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatPastePath, parsePasteReference } from './paste.ts';

test.each([
  ['abcdefghjk', 'abcdefghjk', ''],
  ['  ABCDE-FGHJK ', 'abcdefghjk', ''],
  ['https://pegboard.example/pastebin?code=abcdefghjk#key_-1', 'abcdefghjk', 'key_-1'],
  ['/pastebin?x=1&code=abcde%66ghjk', 'abcdefghjk', ''],
  ['https://pegboard.example/pastebin?code=%zz', '%zz', ''],
  ['/pastebin?code=%E0%A4%A#k', '%E0%A4%A', 'k'],
  ['?code=100%', '100%', ''],
])('%j opens the paste %j', (typed, code, key) => {
  expect(parsePasteReference(typed)).toEqual({ code, key });
});

test('any input makes a valid link', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.constant('\ud800')), fc.boolean(), (typed, isLink) => {
      expect(
        () => new URL(formatPastePath(parsePasteReference(isLink ? `?code=${typed}` : typed)), 'https://x'),
      ).not.toThrow();
    }),
  );
});

test.each([
  'https://site.example/pastebin?code=0123456789#KEY_-',
  'https://site.example/pastebin?code=01234+56789#KEY_-',
  // A messenger has escaped the sign of the fragment.
  'https://site.example/pastebin?code=0123456789%23KEY_-',
  // The link is at the end of a sentence.
  '(https://site.example/pastebin?code=0123456789#KEY_-).',
  '0123456789#KEY_-',
])('the code and the key are read from %s', (input) => {
  expect(parsePasteReference(input)).toEqual({ code: '0123456789', key: 'KEY_-' });
});

test('punctuation after a link does not belong to the code', () => {
  for (const end of ['.', ')', '»', '?'])
    expect(parsePasteReference(`https://site.example/pastebin?code=0123456789${end}`).code).toBe('0123456789');
});
