import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { DAY_SECONDS } from '#platform/contract/duration.ts';
import { STATUSES } from '#tools/screentime/contract/limits.ts';
import { mergeRanges, type Track } from '../../domain/track.ts';
import { packEntries, packTracks, readEntries, unpackTracks, type Entry } from './packing.ts';

const DAY = 20_779;
const second = fc.integer({ min: DAY * DAY_SECONDS, max: (DAY + 1) * DAY_SECONDS });
const track = fc.record({
  application: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
  status: fc.constantFrom(...STATUSES),
  ranges: fc
    .array(
      fc.tuple(second, second).map(([one, other]) => ({ from: Math.min(one, other), until: Math.max(one, other) })),
      { minLength: 1, maxLength: 30 },
    )
    .map(mergeRanges)
    .filter((ranges) => ranges.length > 0),
});

test('unpacking returns what was packed', () => {
  fc.assert(
    fc.property(fc.array(track, { maxLength: 20 }), (tracks: readonly Track[]) => {
      expect(unpackTracks(DAY, packTracks(DAY, tracks))).toEqual(tracks);
    }),
  );
  const places = fc.uniqueArray(fc.integer({ min: 100, max: 2 ** 40 }), { maxLength: 50 });
  fc.assert(
    fc.property(places, fc.infiniteStream(fc.nat(2 ** 45)), (found, values) => {
      const entries = found
        .toSorted((one, other) => one - other)
        .map((position): Entry => [position, values.next().value ?? 0, values.next().value ?? 0]);
      const readBack: Entry[] = [];
      readEntries(
        packEntries(100, entries),
        100,
        2,
        (position, entryValues) => void readBack.push([position, ...entryValues]),
      );
      expect(readBack).toEqual(entries);
    }),
  );
});

test('an interval of a few minutes takes few bytes, and truncated data is detected', () => {
  const ranges = Array.from({ length: 100 }, (_, index) => {
    const from = DAY * DAY_SECONDS + index * 500;
    return { from, until: from + 200 };
  });
  const packed = packTracks(DAY, [{ application: 5, status: 'on', ranges }]);
  expect(packed.length).toBeLessThan(5 * ranges.length);
  expect(() => unpackTracks(DAY, packed.subarray(0, packed.length - 1))).toThrow('end too early');
  expect(() => packEntries(10, [[3, 1]])).toThrow('cannot be packed');
});
