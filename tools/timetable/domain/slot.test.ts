import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NEW_SLOT, isStatus, nextStatus, STATUSES } from './slot.ts';

const anyOrder = fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 8 });

describe('the status button', () => {
  test('goes through all of them from a new slot on, and round again', () => {
    const seen = STATUSES.slice(1).reduce(
      (done) => [...done, nextStatus(done.at(-1) ?? '', STATUSES)],
      [NEW_SLOT.status as string],
    );
    expect(seen).toEqual(['Not Started', 'In Progress', 'Done', 'Skipped']);
    expect(nextStatus('Skipped', STATUSES)).toBe('Not Started');
  });

  test('as many clicks as there are statuses come back, whatever the order', () => {
    fc.assert(
      fc.property(anyOrder, fc.nat(), (order, index) => {
        const status = order[index % order.length] ?? '';
        expect(order.reduce((now) => nextStatus(now, order), status)).toBe(status);
      }),
    );
  });

  test('an unknown status goes on with the first; with none to choose from it stays', () => {
    expect(nextStatus('Later', STATUSES)).toBe('Not Started');
    expect(nextStatus('Later', [])).toBe('Later');
  });

  test('only those that there are, written as they are, are statuses', () => {
    expect(STATUSES.every(isStatus)).toBe(true);
    for (const text of ['done', 'Done ', '', 'constructor', 'byebyeSLOT']) expect(isStatus(text)).toBe(false);
  });
});
