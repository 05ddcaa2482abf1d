import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NEW_SLOT, isStatus, getNextStatus, STATUSES } from './slot.ts';

const anyOrder = fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 8 });

describe('the status button', () => {
  test('cycles through all statuses from a new slot on', () => {
    const seen = STATUSES.slice(1).reduce(
      (done) => [...done, getNextStatus(done.at(-1) ?? '', STATUSES)],
      [NEW_SLOT.status as string],
    );
    expect(seen).toEqual(['Not Started', 'In Progress', 'Done', 'Skipped']);
    expect(getNextStatus('Skipped', STATUSES)).toBe('Not Started');
  });

  test('returns to the same status after as many clicks as there are statuses, in any order', () => {
    fc.assert(
      fc.property(anyOrder, fc.nat(), (order, index) => {
        const status = order[index % order.length] ?? '';
        expect(order.reduce((now) => getNextStatus(now, order), status)).toBe(status);
      }),
    );
  });

  test('continues an unknown status with the first; without any statuses it stays', () => {
    expect(getNextStatus('Later', STATUSES)).toBe('Not Started');
    expect(getNextStatus('Later', [])).toBe('Later');
  });

  test('only exact names are statuses', () => {
    expect(STATUSES.every(isStatus)).toBe(true);
    for (const text of ['done', 'Done ', '', 'constructor', 'byebyeSLOT']) expect(isStatus(text)).toBe(false);
  });
});
