import { describe, expect, test } from 'vitest';
import { TICK, atTick, nextForcedSend, pauseAfter, type SendState } from './syncEngine.ts';

const idle: SendState = {
  isInFlight: false,
  hasFrozen: false,
  hasPending: false,
  forcedAt: 9000,
  failures: 0,
  failedAt: 0,
};

describe('the sync loop', () => {
  test('sends pending changes, one batch at a time', () => {
    expect(atTick(TICK, idle)).toBe('wait');
    expect(atTick(500, { ...idle, hasPending: true })).toBe('send');
    expect(atTick(500, { ...idle, hasPending: true, isInFlight: true })).toBe('wait');
    expect(atTick(500, { ...idle, hasPending: true, hasFrozen: true })).toBe('wait');
  });

  test('resends a batch after a failure and a backoff, or when its forced time has come', () => {
    const failed = { ...idle, hasFrozen: true, failures: 2, failedAt: 1000 };
    expect(atTick(2999, failed)).toBe('wait');
    expect(atTick(3000, failed)).toBe('resend');
    expect(atTick(9000, { ...idle, hasFrozen: true })).toBe('resend');
    expect(atTick(9000, { ...idle, hasFrozen: true, isInFlight: true })).toBe('wait');
  });

  test('backs off 1, 2, 4 and then 8 seconds', () => {
    expect([1, 2, 3, 4, 5, 99].map(pauseAfter)).toEqual([1000, 2000, 4000, 8000, 8000, 8000]);
  });

  test('forces a new name soon, a known one later, and everything else rarely', () => {
    const known = new Set(['Milk']);
    expect(nextForcedSend(0, { kind: 'item', id: '2', field: 'name', value: 'Oat milk' }, known)).toBe(8000);
    expect(nextForcedSend(0, { kind: 'item', id: '2', field: 'name', value: 'Milk' }, known)).toBe(1_000_000);
    expect(nextForcedSend(0, { kind: 'count', id: '2', by: 1 }, known)).toBe(10_000_000);
  });
});
