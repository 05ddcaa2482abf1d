import { expect, test } from 'vitest';
import type { Timers } from '../schedule/timers.ts';
import { createOverloadMonitor } from './httpServer.ts';

/** A clock that advances without its timers, as with a blocked event loop. */
const lateClock = () => {
  let now = 0;
  let due: (() => void) | undefined;
  const timers: Timers = {
    now: () => now,
    schedule: (_ms, then) => {
      due = then;
      return () => {
        due = undefined;
      };
    },
  };
  return {
    timers,
    pass: (ms: number) => {
      now += ms;
    },
    fire: () => due?.(),
    isWaiting: () => due !== undefined,
  };
};

test('a server with a delayed event loop is overloaded until timers run on time again', () => {
  const clock = lateClock();
  using monitor = createOverloadMonitor({ maxDelayMs: 1000, timers: clock.timers });
  clock.pass(1900);
  expect(monitor.isOverloaded()).toBe(false);
  clock.pass(200);
  expect(monitor.isOverloaded()).toBe(true);
  clock.fire();
  expect(monitor.isOverloaded()).toBe(true);
  clock.pass(1050);
  clock.fire();
  expect(monitor.isOverloaded()).toBe(false);
});

test('a limit of 0 allows any delay, and a disposed monitor has no timer', () => {
  const clock = lateClock();
  {
    using monitor = createOverloadMonitor({ maxDelayMs: 0, timers: clock.timers });
    clock.pass(60_000);
    expect(monitor.isOverloaded()).toBe(false);
  }
  expect(clock.isWaiting()).toBe(false);
});
