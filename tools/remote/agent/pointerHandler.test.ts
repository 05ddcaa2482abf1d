import { array, assert, boolean, integer, nat, property, record } from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createFakeDrivers } from '#platform/agent/drivers/fakeDrivers.ts';
import type { AgentContext } from '#platform/agent/tool.ts';
import { isDown, NO_SUMS, stepBetween, listButtonChanges, type PointerSums } from '../domain/pointerSums.ts';
import { CONTROLLER_TIMEOUT_MS, createGrip } from './controllers.ts';
import { motionHandler } from './motionHandler.ts';
import { pointerHandler } from './pointerHandler.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const createPad = (
  allowed: { readonly mouse: boolean; readonly keyboard: boolean } = { mouse: true, keyboard: true },
) => {
  const drivers = createFakeDrivers();
  const losing: (() => void)[] = [];
  const context = {
    drivers,
    allowed,
    print: () => undefined,
    onDisconnect: (listener: () => void) => void losing.push(listener),
  } as unknown as AgentContext;
  const grip = createGrip(drivers.mouse);
  const pad = pointerHandler(context, grip);
  const phone = motionHandler(context, grip);
  const take = pad.run as (data: object) => void;
  const tilt = phone.run as (data: object) => void;
  return {
    acts: drivers.actions,
    say: (sums: Partial<PointerSums>, more: object = {}) =>
      take({ stream: 1, controller: 1, ...NO_SUMS, ...sums, ...more }),
    tilt: (lmb: boolean) =>
      tilt({
        orientation: { alpha: 1, beta: 1, gamma: 0 },
        reset: { lmb, lift: false, scroll: false },
        controller: 2,
      }),
    lose: () => losing.forEach((listener) => listener()),
    release: pad.release,
    buttons: () => drivers.actions.filter(({ kind }) => kind === 'button'),
  };
};
const left = (turns: number) => ({ turns: { ...NO_SUMS.turns, left: turns } });
const press = { kind: 'button', which: 'left', down: true };
const release = { kind: 'button', which: 'left', down: false };

test('growing sums move the pointer by the difference, and fractions of a pixel are saved for later', () => {
  const { say, acts } = createPad();
  say({});
  say({ x: 10.6, y: -3 });
  say({ x: 11.2, y: -3 });
  expect(acts).toEqual([
    { kind: 'move', dx: 10, dy: -3 },
    { kind: 'move', dx: 1, dy: 0 },
  ]);
});

test('the wheel turns by whole steps', () => {
  const { say, acts } = createPad();
  say({});
  for (let step = 1; step <= 5; step++) say({ wheelY: step * 0.4 });
  expect(acts).toEqual([
    { kind: 'wheel', dx: 0, dy: 1 },
    { kind: 'wheel', dx: 0, dy: 1 },
  ]);
});

test('a lost event loses neither movement nor clicks', () => {
  const { say, acts } = createPad();
  say({});
  say({ x: 50, ...left(4) });
  expect(acts).toEqual([{ kind: 'move', dx: 50, dy: 0 }, press, release, press, release]);
});

test('another touchpad starts over: its sums move nothing, and only a button that is down is pressed', () => {
  const { say, acts } = createPad();
  say({});
  say({ x: 900, ...left(5) }, { stream: 2 });
  expect(acts).toEqual([press]);
});

test('input from before a silence is too old to be repeated', () => {
  const { say, acts } = createPad();
  say({});
  vi.advanceTimersByTime(CONTROLLER_TIMEOUT_MS);
  say({ x: 300, ...left(6) });
  expect(acts).toEqual([]);
});

test('a silent finger, a lost connection and a controller that is gone release everything', () => {
  for (const end of ['silence', 'line', 'controller'] as const) {
    const { say, buttons, lose, release } = createPad();
    say({});
    say(left(1));
    if (end === 'silence') vi.advanceTimersByTime(CONTROLLER_TIMEOUT_MS);
    if (end === 'line') lose();
    if (end === 'controller') release(1);
    expect(buttons(), end).toEqual([press, release]);
    release(7);
    expect(buttons().length).toBe(2);
  }
});

test('a button that two controllers hold is released by the last of them', () => {
  const { say, tilt, buttons } = createPad();
  tilt(true);
  say(left(1));
  tilt(false);
  expect(buttons()).toEqual([press]);
  say(left(2));
  expect(buttons()).toEqual([press, release]);
});

test('modifiers are held before the click, and released with the finger', async () => {
  const { say, acts } = createPad();
  say({}, { modifiers: ['Ctrl'] });
  say(left(2), { modifiers: ['Ctrl'] });
  say(left(2));
  await vi.advanceTimersByTimeAsync(1);
  expect(acts).toEqual([{ kind: 'hold', modifiers: ['Ctrl'] }, press, release, { kind: 'hold', modifiers: [] }]);
});

test('a silent finger releases the modifiers too', async () => {
  const { say, acts } = createPad();
  say(left(1), { modifiers: ['Alt', 'Shift'] });
  await vi.advanceTimersByTimeAsync(CONTROLLER_TIMEOUT_MS + 1);
  expect(acts).toContainEqual(release);
  expect(acts.at(-1)).toEqual({ kind: 'hold', modifiers: [] });
});

test('a computer whose owner switched mouse or keyboard off is not touched', () => {
  const off = createPad({ mouse: false, keyboard: true });
  off.say({});
  off.say({ x: 5, ...left(1) });
  expect(off.acts).toEqual([]);
  const silent = createPad({ mouse: true, keyboard: false });
  silent.say(left(1), { modifiers: ['Ctrl'] });
  expect(silent.acts).toEqual([press]);
});

test('a button ends as the last count says whatever was lost, and is never pressed or released twice in a row', () => {
  assert(
    property(array(record({ more: nat(12), isLost: boolean() })), (steps) => {
      let sent = 0;
      let known = 0;
      let down = false;
      for (const { more, isLost } of steps) {
        sent += more;
        if (isLost) continue;
        for (const next of listButtonChanges(known, sent)) {
          expect(next).not.toBe(down);
          down = next;
        }
        known = sent;
      }
      expect(down).toBe(isDown(known));
    }),
  );
});

test('no step is larger than a finger moves, and each is a number', () => {
  const sum = integer({ min: -1e9, max: 1e9 });
  const sums = record({ x: sum, y: sum, wheelX: sum, wheelY: sum }).map((some) => ({ ...NO_SUMS, ...some }));
  assert(
    property(sums, sums, (from, to) => {
      const { dx, dy, wheelX, wheelY } = stepBetween(from, to);
      return (
        [dx, dy].every((each) => Math.abs(each) <= 4000) && [wheelX, wheelY].every((each) => Math.abs(each) <= 100)
      );
    }),
  );
});
