import { expect, test } from 'vitest';
import { loadWithWindow } from '#testing/kits/browser/loadWithWindow.ts';

const { formatNames } = await loadWithWindow(() => import('./SoundPanel.tsx'));

test('the sentence contains every name', () => {
  expect(formatNames([])).toBe('');
  expect(formatNames(['Firefox'])).toBe('Firefox');
  expect(formatNames(['Firefox', 'mpv'])).toBe('Firefox and mpv');
  expect(formatNames(['Firefox', 'mpv', 'VLC', 'Music'])).toBe('Firefox, mpv, VLC and Music');
});
