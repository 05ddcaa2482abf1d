import { expect, test } from 'vitest';
import { MAX_SEGMENTS_PER_DAY } from '../../contract/limits.ts';
import { createDeviceRecord } from './deviceRecord.ts';

const DAY = 20_779;
const MIDNIGHT = DAY * 86_400;
const createInterval = (from: number, until: number, application = 1) =>
  ({ application, status: 'on', from: MIDNIGHT + from, until: MIDNIGHT + until }) as const;

test('a day has a maximum number of segments', () => {
  const ranges = Array.from({ length: MAX_SEGMENTS_PER_DAY }, (_, index) => ({
    from: MIDNIGHT + 4 * index,
    until: MIDNIGHT + 4 * index + 1,
  }));
  const record = createDeviceRecord(new Map([[DAY, [{ application: 1, status: 'on', ranges }]]]));
  expect(record.add(createInterval(86_000, 86_010))).toBeUndefined();
  expect(record.getChangedDays().size).toBe(0);
  expect(record.remove(createInterval(0, 1))).toBe(1);
  expect(record.add(createInterval(86_000, 86_010))).toBe(10);
});

test('a computer has one focused application, and another one is added only where there is none', () => {
  const record = createDeviceRecord(new Map());
  expect(record.add(createInterval(100, 200))).toBe(100);
  expect(record.add(createInterval(50, 250, 2))).toBe(100);
  expect(record.add({ ...createInterval(50, 250, 2), status: 'off' })).toBe(200);
  expect(record.getTracks(DAY)).toEqual([
    { application: 1, status: 'on', ranges: [{ from: MIDNIGHT + 100, until: MIDNIGHT + 200 }] },
    {
      application: 2,
      status: 'on',
      ranges: [
        { from: MIDNIGHT + 50, until: MIDNIGHT + 100 },
        { from: MIDNIGHT + 200, until: MIDNIGHT + 250 },
      ],
    },
    { application: 2, status: 'off', ranges: [{ from: MIDNIGHT + 50, until: MIDNIGHT + 250 }] },
  ]);
  // Across midnight it is on two days, and removing it removes only its own part.
  expect(record.add(createInterval(86_390, 86_410))).toBe(20);
  expect([...record.getChangedDays().keys()]).toEqual([DAY, DAY + 1]);
  expect(record.remove(createInterval(0, 200_000, 2))).toBe(100);
  expect(record.has(createInterval(100, 200))).toBe(true);
  expect(record.isFree(createInterval(200, 300))).toBe(true);
  expect(record.isFree(createInterval(199, 300, 2))).toBe(false);
});
