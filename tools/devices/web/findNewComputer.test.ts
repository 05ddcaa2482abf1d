import { expect, test } from 'vitest';
import { findNewComputer } from './findNewComputer.ts';

const laptop = { id: 1, kind: 'computer' } as const;
const phone = { id: 2, kind: 'browser' } as const;
const desktop = { id: 3, kind: 'computer' } as const;

test('what was there from the start is not new', () => expect(findNewComputer([laptop], [laptop])).toBeUndefined());
test('a browser is no computer', () => expect(findNewComputer([], [phone])).toBeUndefined());
test('a computer that was paired since is new, the last of several', () => {
  expect(findNewComputer([laptop], [laptop, phone, desktop])).toBe(desktop);
  expect(findNewComputer([], [desktop, laptop])).toBe(desktop);
});
test('one that was removed again is not', () => expect(findNewComputer([laptop], [])).toBeUndefined());
