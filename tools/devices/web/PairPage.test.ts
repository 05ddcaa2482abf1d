import { expect, test } from 'vitest';
import { loadWithWindow } from '#testing/kits/browser/loadWithWindow.ts';

const { findNewComputer } = await loadWithWindow(() => import('./PairPage.tsx'));

const laptop = { id: 1, kind: 'computer' } as const;
const phone = { id: 2, kind: 'browser' } as const;
const desktop = { id: 3, kind: 'computer' } as const;

test('an initial computer is not new', () => expect(findNewComputer([laptop], [laptop])).toBeUndefined());
test('a browser is not a computer', () => expect(findNewComputer([], [phone])).toBeUndefined());
test('the last of several newly paired computers is returned', () => {
  expect(findNewComputer([laptop], [laptop, phone, desktop])).toBe(desktop);
  expect(findNewComputer([], [desktop, laptop])).toBe(desktop);
});
test('a removed computer is not new', () => expect(findNewComputer([laptop], [])).toBeUndefined());
