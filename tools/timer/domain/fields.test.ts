import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { changeLeft, changeLoop, LONGEST, newCountdown, SHORTEST } from './countdown.ts';
import { readSeconds } from './fields.ts';

test.each([
  ['600', 600],
  [' 90 ', 90],
  ['+5', 5],
  ['007', 7],
  ['1', 1],
  ['360000', 360_000],
])('%j is %i seconds', (text, seconds) => expect(readSeconds(text)).toEqual({ length: seconds * 1000 }));

test.each([
  ['', 'Write how many seconds.'],
  ['   ', 'Write how many seconds.'],
  ['ten', 'Write a number of seconds in digits, such as 600.'],
  ['12abc', 'Write a number of seconds in digits, such as 600.'],
  ['1e3', 'Write a number of seconds in digits, such as 600.'],
  ['0x10', 'Write a number of seconds in digits, such as 600.'],
  ['NaN', 'Write a number of seconds in digits, such as 600.'],
  ['Infinity', 'Write a number of seconds in digits, such as 600.'],
  ['1 000', 'Write a number of seconds in digits, such as 600.'],
  ['-', 'Write a number of seconds in digits, such as 600.'],
  ['-5', 'Time cannot be negative: write 1 second or more.'],
  ['−5', 'Time cannot be negative: write 1 second or more.'],
  ['-1.5', 'Time cannot be negative: write 1 second or more.'],
  ['1.5', 'Write whole seconds, without a fraction.'],
  ['1,5', 'Write whole seconds, without a fraction.'],
  ['10:00', 'Write the time in seconds alone: 10:00 is 600.'],
  ['0', 'Write 1 second or more.'],
  ['360001', 'Write at most 360000 seconds: that is 100 hours.'],
  ['9'.repeat(400), 'Write at most 360000 seconds: that is 100 hours.'],
])('%j is answered with a sentence: %s', (text, problem) => expect(readSeconds(text)).toEqual({ problem }));

test('every whole number of seconds that a timer takes is read as itself, and changes it by exactly that', () => {
  fc.assert(
    fc.property(fc.integer({ min: SHORTEST / 1000, max: LONGEST / 1000 }), (seconds) => {
      const length = seconds * 1000;
      expect(readSeconds(String(seconds))).toEqual({ length });
      expect(changeLoop(newCountdown(), length, 0)).toMatchObject({ loop: length, left: length });
      expect(changeLeft(newCountdown(), length, 0)).toMatchObject({ left: length });
    }),
  );
});

test('any text at all is a length the timer takes, or a sentence', () => {
  const number = fc.oneof(fc.double().map(String), fc.bigInt().map(String), fc.integer().map(String));
  fc.assert(
    fc.property(fc.oneof(fc.string(), number), (text) => {
      const read = readSeconds(text);
      if ('problem' in read) expect(read.problem).toMatch(/^[A-Z].+\.$/);
      else expect(read.length >= SHORTEST && read.length <= LONGEST && read.length % 1000 === 0).toBe(true);
    }),
  );
});
