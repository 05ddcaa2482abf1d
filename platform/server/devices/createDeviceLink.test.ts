import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isSameName, MAX_DEVICE_NAME_LENGTH, findUnusedName } from './createDeviceLink.ts';

test('a name that is taken gets the first free number', () => {
  expect(findUnusedName('media box', [])).toBe('media box');
  expect(findUnusedName('media box', ['media box'])).toBe('media box 2');
  expect(findUnusedName('Media Box', ['media box', 'media box 2', 'MEDIA BOX 4'])).toBe('Media Box 3');
});

test('for any taken names, the result is free and not too long', () => {
  const name = fc.string({ minLength: 1, maxLength: 45, unit: 'grapheme' });
  fc.assert(
    fc.property(name, fc.nat({ max: 30 }), (requestedName, count) => {
      const takenNames: string[] = [];
      for (let index = 0; index <= count; index += 1) {
        const result = findUnusedName(requestedName, takenNames);
        expect(takenNames.some((takenName) => isSameName(takenName, result))).toBe(false);
        expect(Array.from(result).length).toBeLessThanOrEqual(MAX_DEVICE_NAME_LENGTH);
        takenNames.push(result);
      }
    }),
  );
});
