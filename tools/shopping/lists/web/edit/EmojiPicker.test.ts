import { expect, test } from 'vitest';
import { emojiIn } from './EmojiPicker.tsx';

test('an emoji is found complete, with skin tone, joiners and flags', () => {
  expect(emojiIn('👩🏽‍🚀')).toBe('👩🏽‍🚀');
  expect(emojiIn('my 🇳🇱 flag')).toBe('🇳🇱');
  expect(emojiIn('1️⃣')).toBe('1️⃣');
  expect(emojiIn('❤️')).toBe('❤️');
});

test('letters, digits and texts over the length of an emoji are not emoji', () => {
  expect(emojiIn('milk 2')).toBeUndefined();
  expect(emojiIn('')).toBeUndefined();
  expect(emojiIn(`👩${'‍👩'.repeat(20)}`)).toBeUndefined();
});
