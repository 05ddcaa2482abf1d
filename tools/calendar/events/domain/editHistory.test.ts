import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { DAY_MS } from '#platform/contract/duration.ts';
import { groupIntoBins, countBins, type HistoryEntry } from './editHistory.ts';

test('each edit is in one bin, in order, and the last bin always exists', () => {
  const edits = fc.array(
    fc.record({
      type: fc.constantFrom('created', 'edited', 'accessed'),
      // Some before the creation and some in the future, because clocks can be set.
      at: fc.integer({ min: -DAY_MS, max: 400 * DAY_MS }),
      address: fc.constant('192.0.2.1'),
    }),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(
      edits,
      fc.integer({ min: 0, max: 365 * DAY_MS }),
      fc.integer({ min: 2, max: 200 }),
      (history: readonly HistoryEntry[], now, binCount) => {
        const bins = groupIntoBins(history, { created: 0, now, bins: binCount });
        const numbers = bins.map(({ binnumber }) => binnumber);
        expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
        expect(new Set(numbers).size).toBe(numbers.length);
        expect(numbers.at(-1)).toBe(binCount - 1);
        expect(numbers.every((number) => number >= 0)).toBe(true);
        const binEdits = bins.flatMap(({ edits: own }) => own);
        expect(binEdits).toEqual(history.toSorted((one, other) => one.at - other.at));
      },
    ),
  );
});

test('the first edit is at the left, the newest at the right, and half-way in the middle', () => {
  const edits = [0, 500, 1000].map((at) => ({ type: 'edited', at, address: '' }));
  const bins = groupIntoBins(edits, { created: 0, now: 1000, bins: 11 });
  expect(bins.map(({ binnumber }) => binnumber)).toEqual([0, 5, 10]);
});

test.each([
  [undefined, 30],
  ['', 30],
  ['wide', 30],
  ['480', 20],
  ['0', 5],
  ['-3', 5],
  ['1e9', 166],
])('a width of %j has %i bins', (width, bins) => {
  expect(countBins(width)).toBe(bins);
});
