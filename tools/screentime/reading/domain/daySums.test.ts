import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { daysOf } from '../../usage/domain/days.ts';
import { lengthOf, united, within } from '../../usage/domain/track.ts';
import {
  addDays,
  addMoments,
  addSpans,
  blocksOf,
  boundsOf,
  copyInto,
  noSums,
  numbersOf,
  partsOf,
  type DayRange,
} from './daySums.ts';

const FIRST = 20_700;
const range: fc.Arbitrary<DayRange> = fc
  .tuple(fc.nat(300), fc.integer({ min: -1, max: 300 }))
  .map(([from, length]) => ({ from: FIRST + from, until: FIRST + from + length }));
const size = fc.constantFrom(1, 7, 64, 256);

test('the parts of a range contain each day once, in order', () => {
  fc.assert(
    fc.property(range, size, (all, days) => {
      expect(partsOf(all, days).flatMap(numbersOf)).toEqual(numbersOf(all));
    }),
  );
});

test('complete blocks and open days contain each day of the range once', () => {
  fc.assert(
    fc.property(range, size, fc.nat(600), (all, days, over) => {
      const { blocks, open } = blocksOf(all, FIRST + over, days);
      const sums = noSums(all);
      for (const block of [...blocks, open]) {
        const own = noSums(block);
        addDays(own, block, { days: numbersOf(block), seconds: numbersOf(block) });
        copyInto({ sums, range: all }, block, own);
      }
      expect([...sums]).toEqual(numbersOf(all));
      for (const { from, until } of blocks)
        expect([from % days, until === FIRST + over || (until + 1) % days === 0]).toEqual([0, true]);
    }),
  );
});

test('ranges are split at day boundaries, on days of 23 and 25 hours too', () => {
  const zone = fc.constantFrom('Europe/Berlin', 'America/St_Johns', '+05:45');
  // Around the end of summer time.
  const all = { from: 20_748, until: 20_760 };
  const spans = fc
    .array(fc.tuple(fc.integer({ min: -100_000, max: 1_300_000 }), fc.integer({ min: 1, max: 200_000 })), {
      maxLength: 20,
    })
    .map((some) =>
      united(
        some.map(([from, length]) => ({ from: all.from * 86_400 + from, until: all.from * 86_400 + from + length })),
      ),
    );
  fc.assert(
    fc.property(zone, spans, (name, some) => {
      const days = daysOf(name);
      const sums = noSums(all);
      addSpans(sums, days, all, some);
      const expected = numbersOf(all).map((day) => lengthOf(within(some, boundsOf(days, { from: day, until: day }))));
      expect([...sums]).toEqual(expected);
      const moments = noSums(all);
      addMoments(
        moments,
        days,
        all,
        some.map(({ from }) => [from, 1]),
      );
      expect([...moments]).toEqual(
        numbersOf(all).map((day) => some.filter(({ from }) => days.dayOf(from) === day).length),
      );
    }),
  );
});
