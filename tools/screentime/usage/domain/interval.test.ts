import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { STATUSES, type Status } from '../../contract/limits.ts';
import { createDeviceRecord } from './deviceRecord.ts';
import { isConflict, getRank, getStatusByRank, type UsageInterval } from './interval.ts';

const status = fc.constantFrom(...STATUSES);
const interval = fc
  .tuple(fc.integer({ min: 1, max: 3 }), status, fc.nat({ max: 200 }), fc.integer({ min: 1, max: 60 }))
  .map(([application, ofStatus, from, length]): UsageInterval => ({
    application,
    status: ofStatus,
    from,
    until: from + length,
  }));

test('every status has its own rank, and focus comes first', () => {
  expect(new Set(STATUSES.map(getRank))).toEqual(new Set([0, 1, 2, 3]));
  fc.assert(fc.property(status, (one) => getStatusByRank(getRank(one)) === one));
  const byRank = [0, 1, 2, 3].map(getStatusByRank);
  expect(byRank).toEqual<readonly Status[]>(['on', 'r', 's', 'off']);
});

test('a conflict is mutual, and an interval conflicts with itself', () => {
  fc.assert(fc.property(interval, interval, (one, other) => isConflict(one, other) === isConflict(other, one)));
  fc.assert(fc.property(interval, (one) => isConflict(one, one)));
});

test('a record is free exactly where nothing recorded conflicts', () => {
  fc.assert(
    fc.property(fc.array(interval, { maxLength: 10 }), interval, (recorded, added) => {
      const record = createDeviceRecord(new Map());
      for (const one of recorded) record.add(one);
      const all = record
        .getTracks(0)
        .flatMap(({ ranges, ...track }) => ranges.map((range) => ({ ...track, ...range })));
      expect(record.isFree(added)).toBe(!all.some((one) => isConflict(one, added)));
    }),
  );
});

test('what is recorded first stays, second by second', () => {
  fc.assert(
    fc.property(fc.array(interval, { maxLength: 10 }), (recorded) => {
      const record = createDeviceRecord(new Map());
      for (const one of recorded) record.add(one);
      for (const [index, one] of recorded.entries())
        for (let second = one.from; second < one.until; second += 7) {
          const part = { ...one, from: second, until: second + 1 };
          const isFirst = !recorded.slice(0, index).some((earlier) => isConflict(earlier, part));
          if (isFirst) expect(record.has(part)).toBe(true);
        }
    }),
  );
});
