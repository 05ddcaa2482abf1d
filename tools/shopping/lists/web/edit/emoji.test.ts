import { expect, test } from 'vitest';
import { emojiIn } from './emoji.ts';

test('an emoji is taken whole, with skin, joiners and flags', () => {
  expect(emojiIn('👩🏽‍🚀')).toBe('👩🏽‍🚀');
  expect(emojiIn('my 🇳🇱 flag')).toBe('🇳🇱');
  expect(emojiIn('1️⃣')).toBe('1️⃣');
  expect(emojiIn('❤️')).toBe('❤️');
});

test('letters, digits and what is longer than an emoji may be are none', () => {
  expect(emojiIn('milk 2')).toBeUndefined();
  expect(emojiIn('')).toBeUndefined();
  expect(emojiIn(`👩${'‍👩'.repeat(20)}`)).toBeUndefined();
});
