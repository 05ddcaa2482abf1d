import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_COUNTDOWN_MS, MIN_COUNTDOWN_MS } from './countdown.ts';
import { toPresets, parseRecentLengths, addRecentLength } from './savedTimers.ts';

const listMinutes = (text: string | undefined): readonly number[] =>
  toPresets(parseRecentLengths(text)).map((preset) => preset / 60_000);

test('a new visitor is offered a few lengths', () => {
  expect(listMinutes(undefined)).toEqual([1, 5, 10, 25, 60]);
});

test('the three lengths used last are among them, each once', () => {
  let text: string | undefined;
  for (const length of [90, 120, 1500, 180, 240, 180]) text = addRecentLength(text, length * 1000);
  expect(text).toBe('180 240 120');
  expect(listMinutes(text)).toEqual([1, 2, 3, 4, 5, 10, 25, 60]);
});

test('any stored text gives presets that are valid and sorted', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(fc.nat({ max: 2_000_000 })).map((lengths) => lengths.join(' ')),
      ),
      (text) => {
        const presets = toPresets(parseRecentLengths(text));
        expect(presets).toEqual([...new Set(presets)].toSorted((a, b) => a - b));
        expect(presets.every((length) => length >= MIN_COUNTDOWN_MS && length <= MAX_COUNTDOWN_MS)).toBe(true);
        expect(parseRecentLengths(addRecentLength(text, 77_000))[0]).toBe(77_000);
      },
    ),
  );
});
