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
