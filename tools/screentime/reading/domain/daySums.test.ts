import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { getZoneDays } from '../../usage/domain/days.ts';
import { sumLengths, mergeRanges, clipRanges } from '../../usage/domain/track.ts';
import {
  addDays,
  addMoments,
  addRanges,
  splitIntoBlocks,
  getBounds,
  copySums,
  createDaySums,
  listDays,
  splitRange,
  type DayRange,
  toDaySeries,
  computeRunningTotals,
} from './daySums.ts';

const FIRST = 20_700;
const range: fc.Arbitrary<DayRange> = fc
  .tuple(fc.nat(300), fc.integer({ min: -1, max: 300 }))
  .map(([from, length]) => ({ from: FIRST + from, until: FIRST + from + length }));
const size = fc.constantFrom(1, 7, 64, 256);

test('the parts of a range contain each day once, in order', () => {
  fc.assert(
    fc.property(range, size, (all, days) => {
      expect(splitRange(all, days).flatMap(listDays)).toEqual(listDays(all));
    }),
  );
});

test('complete blocks and open days contain each day of the range once', () => {
  fc.assert(
    fc.property(range, size, fc.nat(600), (all, days, over) => {
      const { blocks, open } = splitIntoBlocks(all, FIRST + over, days);
      const sums = createDaySums(all);
      for (const block of [...blocks, open]) {
        const blockSums = createDaySums(block);
        addDays(blockSums, block, { days: listDays(block), seconds: listDays(block) });
        copySums({ sums, range: all }, block, blockSums);
      }
      expect([...sums]).toEqual(listDays(all));
      for (const { from, until } of blocks)
        expect([from % days, until === FIRST + over || (until + 1) % days === 0]).toEqual([0, true]);
    }),
  );
});

test('ranges are split at day boundaries, on days of 23 and 25 hours too', () => {
  const zone = fc.constantFrom('Europe/Berlin', 'America/St_Johns', '+05:45');
  // Around the end of summer time.
  const all = { from: 20_748, until: 20_760 };
  const someRanges = fc
    .array(fc.tuple(fc.integer({ min: -100_000, max: 1_300_000 }), fc.integer({ min: 1, max: 200_000 })), {
      maxLength: 20,
    })
    .map((pairs) =>
      mergeRanges(
        pairs.map(([from, length]) => ({ from: all.from * 86_400 + from, until: all.from * 86_400 + from + length })),
      ),
    );
  fc.assert(
    fc.property(zone, someRanges, (name, ranges) => {
      const days = getZoneDays(name);
      const sums = createDaySums(all);
      addRanges(sums, days, all, ranges);
      const expected = listDays(all).map((day) =>
        sumLengths(clipRanges(ranges, getBounds(days, { from: day, until: day }))),
      );
      expect([...sums]).toEqual(expected);
      const moments = createDaySums(all);
      addMoments(
        moments,
        days,
        all,
        ranges.map(({ from }) => [from, 1]),
      );
      expect([...moments]).toEqual(
        listDays(all).map((day) => ranges.filter(({ from }) => days.getDay(from) === day).length),
      );
    }),
  );
});

test('seconds become hours by day, and days without use in between are 0', () => {
  expect(toDaySeries({ '2026-03-01': { mail: 1800, code: 7200 }, '2026-02-27': { code: 3600 } })).toEqual({
    days: ['2026-02-27', '2026-02-28', '2026-03-01'],
    applications: [
      { name: 'code', hours: [1, 0, 2] },
      { name: 'mail', hours: [0, 0, 0.5] },
    ],
  });
  expect(toDaySeries({})).toEqual({ days: [], applications: [] });
});

test('a wrong date of long ago adds no decades: long gaps have only their ends', () => {
  const { days, applications } = toDaySeries({
    '2000-01-01': { code: 3600 },
    '2026-02-27': { code: 3600 },
    '2026-03-01': { code: 7200 },
  });
  expect(days).toEqual(['2000-01-01', '2000-01-02', '2026-02-26', '2026-02-27', '2026-02-28', '2026-03-01']);
  expect(applications).toEqual([{ name: 'code', hours: [1, 0, 0, 1, 0, 2] }]);
  // A year without use is drawn.
  expect(toDaySeries({ '2025-01-01': { code: 1 }, '2026-01-03': { code: 1 } }).days).toHaveLength(368);
});

test('a program with a name that is special in JavaScript is like any other', () => {
  const seconds = { '2026-01-01': JSON.parse('{"__proto__": 3600, "constructor": 3600}') as Record<string, number> };
  expect(
    toDaySeries(seconds)
      .applications.map(({ name }) => name)
      .toSorted(),
  ).toEqual(['__proto__', 'constructor']);
});

test('a running total never falls, ends at the sum, and its steps are the values', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 86_400 })), (values) => {
      const totals = computeRunningTotals(values);
      expect(totals.at(-1) ?? 0).toBe(values.reduce((sum, value) => sum + value, 0));
      expect(totals.map((total, index) => total - (totals[index - 1] ?? 0))).toEqual(values);
    }),
  );
});
