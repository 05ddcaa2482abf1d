import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createFakeDrivers, type FakeDrivers } from '#platform/agent/drivers/fakeDrivers.ts';
import type { AgentContext } from '#platform/agent/tool.ts';
import { CONTROLLER_TIMEOUT_MS, createButtonHolds } from './controllers.ts';
import { createMotionHandler } from './motionHandler.ts';

interface Reset {
  readonly lmb?: boolean;
  readonly lift?: boolean;
  readonly scroll?: boolean;
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function createMotion(mouse = true) {
  const drivers = createFakeDrivers();
  let disconnect: (() => void) | undefined;
  const context = {
    drivers,
    allowed: { mouse },
    onDisconnect: (listener: () => void) => {
      disconnect = listener;
    },
  } as unknown as AgentContext;
  const handler = createMotionHandler(context, createButtonHolds(drivers.mouse));
  const run = handler.run as (data: object) => void;
  const controller = 1;
  function sendEvent(alpha: number, beta: number, reset: Reset = {}): void {
    run({
      orientation: { alpha, beta, gamma: 0 },
      reset: { lmb: false, lift: false, scroll: false, ...reset },
      controller,
    });
  }
  function sweepTo(degrees: number, reset: Reset = {}): void {
    for (let step = 0; step <= 100; step++) {
      sendEvent(Math.min(1, step / 40) * degrees, 0, reset);
      vi.advanceTimersByTime(30);
    }
  }
  return { drivers, sendEvent, sweepTo, disconnect: () => disconnect?.() };
}
const sumMovement = (drivers: FakeDrivers): number =>
  drivers.actions.reduce((sum, action) => (action.kind === 'move' ? sum + action.dx : sum), 0);

test('the movement of an event is spread until the next one', () => {
  const { drivers, sweepTo } = createMotion();
  sweepTo(-20);
  const moves = drivers.actions.filter(({ kind }) => kind === 'move');
  expect(sumMovement(drivers)).toBeGreaterThan(530);
  expect(moves.length).toBeGreaterThan(100);
});

test('the left button follows LMB', () => {
  const { drivers, sendEvent } = createMotion();
  sendEvent(0, 0, { lmb: true });
  sendEvent(0, 0, { lmb: true });
  sendEvent(0, 0);
  expect(drivers.actions).toEqual([
    { kind: 'button', which: 'left', down: true },
    { kind: 'button', which: 'left', down: false },
  ]);
});

test('after half a second of silence the button is released, and the next event sets a new zero', () => {
  const { drivers, sendEvent } = createMotion();
  sendEvent(0, 0, { lmb: true });
  vi.advanceTimersByTime(CONTROLLER_TIMEOUT_MS);
  expect(drivers.actions.at(-1)).toEqual({ kind: 'button', which: 'left', down: false });
  sendEvent(30, 0);
  vi.advanceTimersByTime(100);
  expect(sumMovement(drivers)).toBe(0);
});

test('a lost connection releases immediately', () => {
  const { drivers, sendEvent, disconnect } = createMotion();
  sendEvent(0, 0, { lmb: true });
  disconnect();
  expect(drivers.actions.at(-1)).toEqual({ kind: 'button', which: 'left', down: false });
});

test('Lift moves nothing', () => {
  const { drivers, sweepTo } = createMotion();
  sweepTo(20, { lift: true });
  expect(drivers.actions).toEqual([]);
});

test('Scroll turns the wheel', () => {
  const { drivers, sendEvent } = createMotion();
  for (let step = 0; step <= 60; step++) {
    sendEvent(0, -step, { scroll: true });
    vi.advanceTimersByTime(30);
  }
  const steps = drivers.actions.reduce((sum, action) => (action.kind === 'wheel' ? sum + action.dy : sum), 0);
  expect(steps).toBeGreaterThan(10);
  expect(sumMovement(drivers)).toBe(0);
});

test('a computer whose owner switched the mouse off is not touched', () => {
  const { drivers, sweepTo } = createMotion(false);
  sweepTo(20, { lmb: true });
  expect(drivers.actions).toEqual([]);
});
