import { expect, test } from 'vitest';
import type { Timers } from '../schedule/timers.ts';
import { createOverloadMonitor } from './httpServer.ts';

/** Creates a clock that advances without its timers, as with a blocked event loop. */
function createLateClock() {
  let now = 0;
  let due: (() => void) | undefined;
  const timers: Timers = {
    now: () => now,
    schedule: (_ms, callback) => {
      due = callback;
      return () => {
        due = undefined;
      };
    },
  };
  return {
    timers,
    advance: (ms: number) => {
      now += ms;
    },
    fire: () => due?.(),
    hasTimer: () => due !== undefined,
  };
}

test('a server with a delayed event loop is overloaded until timers run on time again', () => {
  const clock = createLateClock();
  using monitor = createOverloadMonitor({ maxDelayMs: 1000, timers: clock.timers });
  clock.advance(1900);
  expect(monitor.isOverloaded()).toBe(false);
  clock.advance(200);
  expect(monitor.isOverloaded()).toBe(true);
  clock.fire();
  expect(monitor.isOverloaded()).toBe(true);
  clock.advance(1050);
  clock.fire();
  expect(monitor.isOverloaded()).toBe(false);
});

test('a limit of 0 allows any delay, and a disposed monitor has no timer', () => {
  const clock = createLateClock();
  {
    using monitor = createOverloadMonitor({ maxDelayMs: 0, timers: clock.timers });
    clock.advance(60_000);
    expect(monitor.isOverloaded()).toBe(false);
  }
  expect(clock.hasTimer()).toBe(false);
});
