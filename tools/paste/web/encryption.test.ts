import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { PASTE_LIMIT_BYTES } from '../contract.ts';
import { checkSealed } from '../domain/paste.ts';
import { isKey, seal, unseal } from './encryption.ts';

test('a sealed text opens with its key alone, and nothing of it can be read before', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (text) => {
      const { sealed, key } = await seal(text);
      expect(isKey(key)).toBe(true);
      expect(() => checkSealed(sealed)).not.toThrow();
      expect(await unseal(sealed, key)).toBe(text);
    }),
  );
});

test('the largest text is sealed within the limit', async () => {
  const text = 'é'.repeat(PASTE_LIMIT_BYTES / 2);
  const { sealed, key } = await seal(text);
  expect(() => checkSealed(sealed)).not.toThrow();
  expect(await unseal(sealed, key)).toBe(text);
});

test('another key, a cut key and a changed text are told', async () => {
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
    await expect(unseal(text, opener)).rejects.toThrow('does not open the text');
});

test('the same text is sealed otherwise each time', async () => {
  const [one, two] = [await seal('same'), await seal('same')];
  expect(one.sealed).not.toBe(two.sealed);
  expect(one.key).not.toBe(two.key);
});
