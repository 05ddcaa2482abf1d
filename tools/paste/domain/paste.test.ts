import { expect, test } from 'vitest';
import { MAX_TEXT_BYTES, MAX_CIPHERTEXT_LENGTH } from '../contract.ts';
import { validateCiphertext, validateText } from './paste.ts';

test('a text can have up to 1 MiB in UTF-8', () => {
  for (const text of ['x'.repeat(MAX_TEXT_BYTES), 'é'.repeat(MAX_TEXT_BYTES / 2), '👋', '\0', '\ud800', ' '])
    expect(() => validateText(text)).not.toThrow();
  expect(() => validateText(`x${'é'.repeat(MAX_TEXT_BYTES / 2)}`)).toThrow(
    'The text is too long: 1,048,577 bytes, and the limit is 1,048,576 (1 MiB). Split it into several pastes',
  );
  expect(() => validateText('')).toThrow('There is no text to store. Enter some text first');
});

test('an encrypted text must be base64url and within the limit', () => {
  expect(() => validateCiphertext('aB-_09')).not.toThrow();
  for (const text of ['', 'hello world', 'a\0', 'é', 'a='])
    expect(() => validateCiphertext(text)).toThrow(
      'The text is not valid ciphertext. Send it as base64url, or omit `encrypted`',
    );
  expect(() => validateCiphertext('a'.repeat(MAX_CIPHERTEXT_LENGTH + 1))).toThrow('too long');
});
