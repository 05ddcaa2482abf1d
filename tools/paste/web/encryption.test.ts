import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { PASTE_LIMIT_BYTES } from '../contract.ts';
import { checkSealed } from '../domain/paste.ts';
import { isKey, seal, unseal } from './encryption.ts';

test('any text can be encrypted and decrypted, and the server accepts the ciphertext', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (text) => {
      const { sealed, key } = await seal(text);
      expect(isKey(key)).toBe(true);
      expect(() => checkSealed(sealed)).not.toThrow();
      expect(await unseal(sealed, key)).toBe(text);
    }),
  );
});

test('the ciphertext of the longest text is within the limit', async () => {
  const text = 'é'.repeat(PASTE_LIMIT_BYTES / 2);
  const { sealed, key } = await seal(text);
  expect(() => checkSealed(sealed)).not.toThrow();
  expect(await unseal(sealed, key)).toBe(text);
});

test('a wrong key, a truncated key and a changed ciphertext are rejected', async () => {
  const { sealed, key } = await seal('secret');
  const other = await seal('other');
  const changed = sealed.startsWith('A') ? `B${sealed.slice(1)}` : `A${sealed.slice(1)}`;
  for (const [text, opener] of [
    [sealed, other.key],
    [sealed, key.slice(1)],
    [sealed, '#'],
    [changed, key],
    ['', key],
    ['no?', key],
  ] as const)
    await expect(unseal(text, opener)).rejects.toThrow('does not match the paste');
});

test('each encryption of the same text has its own key and ciphertext', async () => {
  const [one, two] = [await seal('same'), await seal('same')];
  expect(one.sealed).not.toBe(two.sealed);
  expect(one.key).not.toBe(two.key);
});
