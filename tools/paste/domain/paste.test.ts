import { expect, test } from 'vitest';
import { PASTE_LIMIT_BYTES, SEALED_LIMIT } from '../contract.ts';
import { checkSealed, checkText } from './paste.ts';

test('a text can have up to 1 MiB in UTF-8', () => {
  for (const text of ['x'.repeat(PASTE_LIMIT_BYTES), 'é'.repeat(PASTE_LIMIT_BYTES / 2), '👋', '\0', '\ud800', ' '])
    expect(() => checkText(text)).not.toThrow();
  expect(() => checkText(`x${'é'.repeat(PASTE_LIMIT_BYTES / 2)}`)).toThrow(
    'The text is too long: 1,048,577 bytes, and the limit is 1,048,576 (1 MiB). Split it into several pastes',
  );
  expect(() => checkText('')).toThrow('There is no text to store. Enter some text first');
});

test('an encrypted text must be base64url and within the limit', () => {
  expect(() => checkSealed('aB-_09')).not.toThrow();
  for (const text of ['', 'hello world', 'a\0', 'é', 'a='])
    expect(() => checkSealed(text)).toThrow(
      'The text is not valid ciphertext. Send it as base64url, or omit `encrypted`',
    );
  expect(() => checkSealed('a'.repeat(SEALED_LIMIT + 1))).toThrow('too long');
});
