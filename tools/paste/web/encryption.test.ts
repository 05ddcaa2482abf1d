import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_TEXT_BYTES } from '../contract.ts';
import { validateCiphertext } from '../domain/paste.ts';
import { isEncryptionKey, encryptText, decryptText } from './encryption.ts';

test('any text can be encrypted and decrypted, and the server accepts the ciphertext', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (text) => {
      const { ciphertext, key } = await encryptText(text);
      expect(isEncryptionKey(key)).toBe(true);
      expect(() => validateCiphertext(ciphertext)).not.toThrow();
      expect(await decryptText(ciphertext, key)).toBe(text);
    }),
  );
});

test('the ciphertext of the longest text is within the limit', async () => {
  const text = 'é'.repeat(MAX_TEXT_BYTES / 2);
  const { ciphertext, key } = await encryptText(text);
  expect(() => validateCiphertext(ciphertext)).not.toThrow();
  expect(await decryptText(ciphertext, key)).toBe(text);
});

test('a wrong key, a truncated key and a changed ciphertext are rejected', async () => {
  const { ciphertext, key } = await encryptText('secret');
  const other = await encryptText('other');
  const changed = ciphertext.startsWith('A') ? `B${ciphertext.slice(1)}` : `A${ciphertext.slice(1)}`;
  for (const [text, wrongKey] of [
    [ciphertext, other.key],
    [ciphertext, key.slice(1)],
    [ciphertext, '#'],
    [changed, key],
    ['', key],
    ['no?', key],
  ] as const)
    await expect(decryptText(text, wrongKey)).rejects.toThrow('does not match the paste');
});

test('each encryption of the same text has its own key and ciphertext', async () => {
  const [first, second] = [await encryptText('same'), await encryptText('same')];
  expect(first.ciphertext).not.toBe(second.ciphertext);
  expect(first.key).not.toBe(second.key);
});
