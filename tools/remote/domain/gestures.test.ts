import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  getGain,
  HOLD_DELAY_MS,
  NO_GESTURE,
  readTouch,
  SLOP_PX,
  MAX_TAP_MS,
  type PadAction,
  type Touch,
} from './gestures.ts';

/** Returns the actions of a series of touches. */
function listActions(touches: readonly Touch[], isScrollHeld = false): readonly PadAction[] {
  let gesture = NO_GESTURE;
  return touches.flatMap((touch) => {
    const result = readTouch(gesture, touch, isScrollHeld);
    gesture = result.gesture;
    return result.actions;
  });
}
const createTouch = (
  kind: 'down' | 'move' | 'up' | 'cancel',
  at: number,
  { id = 1, x = 100, y = 100 } = {},
): Touch => ({
  kind,
  id,
  x,
  y,
  at,
});
const tick = (at: number): Touch => ({ kind: 'tick', at });
const addUp = (actions: readonly PadAction[], kind: 'move' | 'scroll') =>
  actions.reduce((all, action) => (action.kind === kind ? { dx: all.dx + action.dx, dy: all.dy + action.dy } : all), {
    dx: 0,
    dy: 0,
  });

test('a tap clicks the button for its number of fingers', () => {
  expect(listActions([createTouch('down', 0), createTouch('up', 80)])).toEqual([{ kind: 'click', button: 'left' }]);
  for (const [fingers, button] of [
    [2, 'right'],
    [3, 'middle'],
  ] as const) {
    const ids = Array.from({ length: fingers }, (_, at) => at + 1);
    const touches = [
      ...ids.map((id) => createTouch('down', id * 10, { id })),
      ...ids.map((id) => createTouch('up', 100, { id })),
    ];
    expect(listActions(touches)).toEqual([{ kind: 'click', button }]);
  }
});

test('four fingers, a slow finger, one that moved and one that the system cancelled are no taps', () => {
  const four = [1, 2, 3, 4];
  expect(
    listActions([
      ...four.map((id) => createTouch('down', 0, { id })),
      ...four.map((id) => createTouch('up', 50, { id })),
    ]),
  ).toEqual([]);
  expect(listActions([createTouch('down', 0), createTouch('up', MAX_TAP_MS + 1)])).toEqual([]);
  const moved = listActions([
    createTouch('down', 0),
    createTouch('move', 20, { x: 130 }),
    createTouch('up', 40, { x: 130 }),
  ]);
  expect(moved.some(({ kind }) => kind === 'click')).toBe(false);
  expect(listActions([createTouch('down', 0), createTouch('cancel', 40)])).toEqual([]);
});

test('a finger that trembles within the slop moves nothing, and still taps', () => {
  const tremble = [
    createTouch('move', 20, { x: 100 + SLOP_PX / 2 }),
    createTouch('move', 40, { y: 100 - SLOP_PX / 2 }),
  ];
  expect(listActions([createTouch('down', 0), ...tremble, createTouch('up', 90)])).toEqual([
    { kind: 'click', button: 'left' },
  ]);
});

test('a finger that rests drags until it is lifted or cancelled', () => {
  for (const end of ['up', 'cancel'] as const)
    expect(
      listActions([
        createTouch('down', 0),
        tick(HOLD_DELAY_MS - 1),
        tick(HOLD_DELAY_MS),
        createTouch('move', 700, { x: 120 }),
        createTouch(end, 900),
      ]),
    ).toMatchObject([{ kind: 'drag', down: true }, { kind: 'move' }, { kind: 'drag', down: false }]);
});

test('a second finger during a drag neither scrolls nor ends it', () => {
  const actions = listActions([
    createTouch('down', 0),
    tick(HOLD_DELAY_MS),
    createTouch('down', 600, { id: 2, x: 200 }),
    createTouch('up', 620, { id: 2 }),
    createTouch('move', 700, { x: 120 }),
    createTouch('up', 900),
  ]);
  expect(actions.map(({ kind }) => kind)).toEqual(['drag', 'move', 'drag']);
});

test('two fingers scroll by the movement of both, and a remaining finger moves nothing', () => {
  const actions = listActions([
    createTouch('down', 0),
    createTouch('down', 5, { id: 2, x: 200 }),
    createTouch('move', 20, { y: 80 }),
    createTouch('move', 21, { id: 2, x: 200, y: 80 }),
    createTouch('move', 40, { y: 60 }),
    createTouch('move', 41, { id: 2, x: 200, y: 60 }),
    createTouch('up', 60, { id: 2 }),
    createTouch('move', 80, { y: 200 }),
    createTouch('up', 90),
  ]);
  expect(addUp(actions, 'scroll')).toEqual({ dx: 0, dy: -40 });
  expect(actions.every(({ kind }) => kind === 'scroll')).toBe(true);
});

test('one finger scrolls while Scroll is held', () => {
  const actions = listActions(
    [createTouch('down', 0), createTouch('move', 20, { y: 130 }), createTouch('up', 40)],
    true,
  );
  expect(actions).toEqual([{ kind: 'scroll', dx: 0, dy: 30 }]);
});

test('three fingers swiped sideways go back or forward, once', () => {
  for (const [direction, to] of [
    [1, 'back'],
    [-1, 'forward'],
  ] as const) {
    const ids = [1, 2, 3];
    const steps = [30, 60, 90, 120].flatMap((way) =>
      ids.map((id) => createTouch('move', way, { id, x: 100 + id * 50 + direction * way })),
    );
    const actions = listActions([...ids.map((id) => createTouch('down', 0, { id, x: 100 + id * 50 })), ...steps]);
    expect(actions).toEqual([{ kind: 'swipe', to }]);
  }
});

test('a faster finger moves the pointer further, never backwards, and never without a limit', () => {
  const speed = fc.double({ min: 0, max: 100, noNaN: true });
  fc.assert(
    fc.property(speed, speed, (one, other) => {
      const [slow, fast] = [Math.min(one, other), Math.max(one, other)];
      expect(getGain(slow)).toBeLessThanOrEqual(getGain(fast));
      expect(getGain(slow)).toBeGreaterThan(0);
      expect(getGain(fast)).toBeLessThan(6);
    }),
  );
});

test('after any touches, each drag has ended once all fingers are lifted', () => {
  const id = fc.integer({ min: 1, max: 4 });
  const position = fc.integer({ min: 0, max: 400 });
  const touch = fc.record({
    kind: fc.constantFrom('down', 'move', 'up', 'cancel', 'tick'),
    id,
    x: position,
    y: position,
    wait: fc.integer({ min: 0, max: 600 }),
  });
  fc.assert(
    fc.property(fc.array(touch), (touches) => {
      let at = 0;
      const all = touches.map(({ wait, ...rest }): Touch => ({ ...rest, at: (at += wait) }));
      const ends = [1, 2, 3, 4].map((each) => createTouch('up', at, { id: each }));
      const drags = listActions([...all, ...ends]).filter((action) => action.kind === 'drag');
      expect(drags.map(({ down }) => down)).toEqual(drags.map((_, index) => index % 2 === 0));
      expect(drags.length % 2).toBe(0);
    }),
  );
});
