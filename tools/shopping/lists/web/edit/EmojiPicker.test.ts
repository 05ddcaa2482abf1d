import { expect, test } from 'vitest';
import { findEmoji } from './EmojiPicker.tsx';

test('an emoji is found complete, with skin tone, joiners and flags', () => {
  expect(findEmoji('👩🏽‍🚀')).toBe('👩🏽‍🚀');
  expect(findEmoji('my 🇳🇱 flag')).toBe('🇳🇱');
  expect(findEmoji('1️⃣')).toBe('1️⃣');
  expect(findEmoji('❤️')).toBe('❤️');
});

test('letters, digits and texts over the length of an emoji are not emoji', () => {
  expect(findEmoji('milk 2')).toBeUndefined();
  expect(findEmoji('')).toBeUndefined();
  expect(findEmoji(`👩${'‍👩'.repeat(20)}`)).toBeUndefined();
});
