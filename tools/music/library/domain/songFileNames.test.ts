import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatFileName, formatNumberedNames } from './songFileNames.ts';

test.each([
  ['../../etc/passwd', '__.._etc_passwd'],
  ['a\r\nset-cookie: b', 'a__set-cookie_ b'],
  ['say "hi"', 'say _hi_'],
  ['\u{202e}3pm.exe', '_3pm.exe'],
  ['con', '_con'],
  ['COM1.txt', '_COM1.txt'],
  ['a . . ', 'a'],
  ['', '_'],
  ['...', '_'],
  ['e\u0301', 'é'],
  ['L’été “live”', 'L’été “live”'],
])('the title %j gives the file name %j', (title, name) => {
  expect(formatFileName(title)).toBe(name);
});

const anySign = fc.integer({ min: 0, max: 0x1ffff }).map((code) => String.fromCodePoint(code));

test('no title leaves its folder, is too long, or collides with another name', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: anySign, maxLength: 400 })), (titles) => {
      const names = formatNumberedNames(titles.map((title) => ({ title, type: 'mp3' })));
      for (const name of names) {
        expect(name).not.toMatch(/[\p{Cc}\p{Cf}<>:"/\\|?*]|^\.|[. ]$/u);
        expect(new TextEncoder().encode(name).length).toBeLessThan(255);
      }
      expect(new Set(names.map((name) => name.toUpperCase())).size).toBe(titles.length);
      expect(names.toSorted()).toEqual(names);
    }),
  );
});
