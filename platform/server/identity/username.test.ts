import { assert, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Refusal } from '#platform/contract/refusal.ts';
import { foldAccountName, isAccountName, parseAccountName } from './username.ts';

function getRefusal(typed: string): string {
  try {
    parseAccountName(typed);
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
  return 'taken as it is';
}

describe('a username', () => {
  test('is stored as typed, without surrounding blanks', () => {
    expect(parseAccountName(' Ada  Lovelace ')).toBe('Ada  Lovelace');
    expect(parseAccountName('Zoë 👩‍🚀')).toBe('Zoë 👩‍🚀');
  });

  test.each(['', '   ', '\u{2060}', '\u{200b}\u{200d}', '\t'])('without visible characters is refused: %j', (typed) => {
    expect(getRefusal(typed)).toBe('Enter a username');
  });

  test('has at most 32 characters, counted as users see them', () => {
    expect(parseAccountName('👋'.repeat(32))).toBe('👋'.repeat(32));
    expect(getRefusal('👋'.repeat(33))).toBe('This username is too long. Enter at most 32 characters');
  });

  test.each(['a\u{0}b', 'a\nb', 'a\u{2028}b', 'a\u{202e}b', 'a\u{d800}b'])(
    'with invisible characters is refused: %j',
    (typed) => {
      expect(getRefusal(typed)).toBe('This username has invisible characters. Remove them');
    },
  );

  test.each([
    ['Ada', 'aDA'],
    ['straße', 'STRASSE'],
    ['STRAẞE', 'straße'],
    ['ΣΊΣΥΦΟΣ', 'σίσυφος'],
    ['ada', 'ａｄａ'],
    ['ada', 'a\u{200b}da'],
    ['ada l', ' ada   l '],
    ['é', 'e\u{301}'],
  ])('%j is the same name as %j', (one, other) => {
    expect(foldAccountName(one)).toBe(foldAccountName(other));
  });
});

test('that only differs in case is the same', () => {
  assert(
    property(string({ unit: 'grapheme', maxLength: 40 }), (typed) => {
      const name = typed.normalize('NFC'); // converting decomposed Greek to upper case moves its accents
      expect(foldAccountName(name.toUpperCase())).toBe(foldAccountName(name));
      expect(foldAccountName(name.toLowerCase())).toBe(foldAccountName(name));
    }),
    { numRuns: 2000 },
  );
});

test('does not change when folded twice, and a valid one can be looked up', () => {
  assert(
    property(string({ unit: 'binary', maxLength: 40 }), (typed) => {
      expect(foldAccountName(foldAccountName(typed))).toBe(foldAccountName(typed));
      expect(isAccountName(typed)).toBe(getRefusal(typed) === 'taken as it is');
    }),
    { numRuns: 2000 },
  );
});
