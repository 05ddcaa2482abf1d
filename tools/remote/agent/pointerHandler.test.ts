import { array, assert, boolean, integer, nat, property, record } from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createFakeDrivers } from '#platform/agent/drivers/fakeDrivers.ts';
import type { AgentContext } from '#platform/agent/tool.ts';
import { isButtonDown, NO_SUMS, getMovement, listButtonChanges, type PointerSums } from '../domain/pointerSums.ts';
import { CONTROLLER_TIMEOUT_MS, createButtonHolds } from './controllers.ts';
import { createMotionHandler } from './motionHandler.ts';
import { createPointerHandler } from './pointerHandler.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function createPad(allowed: { readonly mouse: boolean; readonly keyboard: boolean } = { mouse: true, keyboard: true }) {
  const drivers = createFakeDrivers();
  const disconnectListeners: (() => void)[] = [];
  const context = {
    drivers,
    allowed,
    print: () => undefined,
    onDisconnect: (listener: () => void) => void disconnectListeners.push(listener),
  } as unknown as AgentContext;
  const buttonHolds = createButtonHolds(drivers.mouse);
  const pad = createPointerHandler(context, buttonHolds);
  const phone = createMotionHandler(context, buttonHolds);
  const sendPointer = pad.run as (data: object) => void;
  const sendMotion = phone.run as (data: object) => void;
  return {
    actions: drivers.actions,
    send: (sums: Partial<PointerSums>, extra: object = {}) =>
      sendPointer({ stream: 1, controller: 1, ...NO_SUMS, ...sums, ...extra }),
    sendMotion: (lmb: boolean) =>
      sendMotion({
        orientation: { alpha: 1, beta: 1, gamma: 0 },
        reset: { lmb, lift: false, scroll: false },
        controller: 2,
      }),
    disconnect: () => disconnectListeners.forEach((listener) => listener()),
    releaseController: pad.release,
    buttons: () => drivers.actions.filter(({ kind }) => kind === 'button'),
  };
}
const createLeftTurns = (turns: number) => ({ turns: { ...NO_SUMS.turns, left: turns } });
const press = { kind: 'button', which: 'left', down: true };
const release = { kind: 'button', which: 'left', down: false };

test('growing sums move the pointer by the difference, and fractions of a pixel are saved for later', () => {
  const { send, actions } = createPad();
  send({});
  send({ x: 10.6, y: -3 });
  send({ x: 11.2, y: -3 });
  expect(actions).toEqual([
    { kind: 'move', dx: 10, dy: -3 },
    { kind: 'move', dx: 1, dy: 0 },
  ]);
});

test('the wheel turns by whole steps', () => {
  const { send, actions } = createPad();
  send({});
  for (let step = 1; step <= 5; step++) send({ wheelY: step * 0.4 });
  expect(actions).toEqual([
    { kind: 'wheel', dx: 0, dy: 1 },
    { kind: 'wheel', dx: 0, dy: 1 },
  ]);
});

test('a lost event loses neither movement nor clicks', () => {
  const { send, actions } = createPad();
  send({});
  send({ x: 50, ...createLeftTurns(4) });
  expect(actions).toEqual([{ kind: 'move', dx: 50, dy: 0 }, press, release, press, release]);
});

test('another touchpad starts over: its sums move nothing, and only a button that is down is pressed', () => {
  const { send, actions } = createPad();
  send({});
  send({ x: 900, ...createLeftTurns(5) }, { stream: 2 });
  expect(actions).toEqual([press]);
});

test('input from before a silence is too old to be repeated', () => {
  const { send, actions } = createPad();
  send({});
  vi.advanceTimersByTime(CONTROLLER_TIMEOUT_MS);
  send({ x: 300, ...createLeftTurns(6) });
  expect(actions).toEqual([]);
});

test('a silent finger, a lost connection and a controller that is gone release everything', () => {
  for (const end of ['silence', 'line', 'controller'] as const) {
    const { send, buttons, disconnect, releaseController } = createPad();
    send({});
    send(createLeftTurns(1));
    if (end === 'silence') vi.advanceTimersByTime(CONTROLLER_TIMEOUT_MS);
    if (end === 'line') disconnect();
    if (end === 'controller') releaseController(1);
    expect(buttons(), end).toEqual([press, release]);
    releaseController(7);
    expect(buttons().length).toBe(2);
  }
});

test('a button that two controllers hold is released by the last of them', () => {
  const { send, sendMotion, buttons } = createPad();
  sendMotion(true);
  send(createLeftTurns(1));
  sendMotion(false);
  expect(buttons()).toEqual([press]);
  send(createLeftTurns(2));
  expect(buttons()).toEqual([press, release]);
});

test('modifiers are held before the click, and released with the finger', async () => {
  const { send, actions } = createPad();
  send({}, { modifiers: ['Ctrl'] });
  send(createLeftTurns(2), { modifiers: ['Ctrl'] });
  send(createLeftTurns(2));
  await vi.advanceTimersByTimeAsync(1);
  expect(actions).toEqual([{ kind: 'hold', modifiers: ['Ctrl'] }, press, release, { kind: 'hold', modifiers: [] }]);
});

test('of two phones, each holds its modifiers until it releases them', async () => {
  const { send, actions, releaseController } = createPad();
  send({}, { controller: 1, modifiers: ['Ctrl'] });
  send({}, { controller: 2, modifiers: ['Ctrl', 'Shift'] });
  await vi.advanceTimersByTimeAsync(0);
  releaseController(2);
  await vi.advanceTimersByTimeAsync(0);
  releaseController(1);
  await vi.advanceTimersByTimeAsync(0);
  expect(actions).toEqual(
    [['Ctrl'], ['Ctrl', 'Shift'], ['Ctrl'], []].map((modifiers) => ({ kind: 'hold', modifiers })),
  );
});

test('a silent finger releases the modifiers too', async () => {
  const { send, actions } = createPad();
  send(createLeftTurns(1), { modifiers: ['Alt', 'Shift'] });
  await vi.advanceTimersByTimeAsync(CONTROLLER_TIMEOUT_MS + 1);
  expect(actions).toContainEqual(release);
  expect(actions.at(-1)).toEqual({ kind: 'hold', modifiers: [] });
});

test('a computer whose owner switched mouse or keyboard off is not touched', () => {
  const off = createPad({ mouse: false, keyboard: true });
  off.send({});
  off.send({ x: 5, ...createLeftTurns(1) });
  expect(off.actions).toEqual([]);
  const silent = createPad({ mouse: true, keyboard: false });
  silent.send(createLeftTurns(1), { modifiers: ['Ctrl'] });
  expect(silent.actions).toEqual([press]);
});

test('a button ends as the last count says whatever was lost, and is never pressed or released twice in a row', () => {
  assert(
    property(array(record({ more: nat(12), isLost: boolean() })), (steps) => {
      let sent = 0;
      let known = 0;
      let isDown = false;
      for (const { more, isLost } of steps) {
        sent += more;
        if (isLost) continue;
        for (const next of listButtonChanges(known, sent)) {
          expect(next).not.toBe(isDown);
          isDown = next;
        }
        known = sent;
      }
      expect(isDown).toBe(isButtonDown(known));
    }),
  );
});

test('no step is larger than a finger moves, and each is a number', () => {
  const sum = integer({ min: -1e9, max: 1e9 });
  const sums = record({ x: sum, y: sum, wheelX: sum, wheelY: sum }).map((fields) => ({ ...NO_SUMS, ...fields }));
  assert(
    property(sums, sums, (from, to) => {
      const { dx, dy, wheelX, wheelY } = getMovement(from, to);
      return (
        [dx, dy].every((each) => Math.abs(each) <= 4000) && [wheelX, wheelY].every((each) => Math.abs(each) <= 100)
      );
    }),
  );
});
