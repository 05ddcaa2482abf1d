import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { getGain, HOLD_MS, NO_GESTURE, readTouch, SLOP_PX, TAP_MS, type PadAct, type Touch } from './gestures.ts';

/** Returns the acts of a series of touches. */
const meant = (touches: readonly Touch[], scrolls = false): readonly PadAct[] => {
  let gesture = NO_GESTURE;
  return touches.flatMap((touch) => {
    const happened = readTouch(gesture, touch, scrolls);
    gesture = happened.gesture;
    return happened.acts;
  });
};
const finger = (kind: 'down' | 'move' | 'up' | 'cancel', at: number, { id = 1, x = 100, y = 100 } = {}): Touch => ({
  kind,
  id,
  x,
  y,
  at,
});
const tick = (at: number): Touch => ({ kind: 'tick', at });
const sum = (acts: readonly PadAct[], kind: 'move' | 'scroll') =>
  acts.reduce((all, act) => (act.kind === kind ? { dx: all.dx + act.dx, dy: all.dy + act.dy } : all), { dx: 0, dy: 0 });

test('a tap clicks the button for its number of fingers', () => {
  expect(meant([finger('down', 0), finger('up', 80)])).toEqual([{ kind: 'click', button: 'left' }]);
  for (const [fingers, button] of [
    [2, 'right'],
    [3, 'middle'],
  ] as const) {
    const ids = Array.from({ length: fingers }, (_, at) => at + 1);
    const touches = [
      ...ids.map((id) => finger('down', id * 10, { id })),
      ...ids.map((id) => finger('up', 100, { id })),
    ];
    expect(meant(touches)).toEqual([{ kind: 'click', button }]);
  }
});

test('four fingers, a slow finger, one that moved and one that the system cancelled are no taps', () => {
  const four = [1, 2, 3, 4];
  expect(
    meant([...four.map((id) => finger('down', 0, { id })), ...four.map((id) => finger('up', 50, { id }))]),
  ).toEqual([]);
  expect(meant([finger('down', 0), finger('up', TAP_MS + 1)])).toEqual([]);
  const moved = meant([finger('down', 0), finger('move', 20, { x: 130 }), finger('up', 40, { x: 130 })]);
  expect(moved.some(({ kind }) => kind === 'click')).toBe(false);
  expect(meant([finger('down', 0), finger('cancel', 40)])).toEqual([]);
});

test('a finger that trembles within the slop moves nothing, and still taps', () => {
  const tremble = [finger('move', 20, { x: 100 + SLOP_PX / 2 }), finger('move', 40, { y: 100 - SLOP_PX / 2 })];
  expect(meant([finger('down', 0), ...tremble, finger('up', 90)])).toEqual([{ kind: 'click', button: 'left' }]);
});

test('a finger that rests drags until it is lifted or cancelled', () => {
  for (const end of ['up', 'cancel'] as const)
    expect(
      meant([finger('down', 0), tick(HOLD_MS - 1), tick(HOLD_MS), finger('move', 700, { x: 120 }), finger(end, 900)]),
    ).toMatchObject([{ kind: 'drag', down: true }, { kind: 'move' }, { kind: 'drag', down: false }]);
});

test('a second finger during a drag neither scrolls nor ends it', () => {
  const acts = meant([
    finger('down', 0),
    tick(HOLD_MS),
    finger('down', 600, { id: 2, x: 200 }),
    finger('up', 620, { id: 2 }),
    finger('move', 700, { x: 120 }),
    finger('up', 900),
  ]);
  expect(acts.map(({ kind }) => kind)).toEqual(['drag', 'move', 'drag']);
});

test('two fingers scroll by the movement of both, and a remaining finger moves nothing', () => {
  const acts = meant([
    finger('down', 0),
    finger('down', 5, { id: 2, x: 200 }),
    finger('move', 20, { y: 80 }),
    finger('move', 21, { id: 2, x: 200, y: 80 }),
    finger('move', 40, { y: 60 }),
    finger('move', 41, { id: 2, x: 200, y: 60 }),
    finger('up', 60, { id: 2 }),
    finger('move', 80, { y: 200 }),
    finger('up', 90),
  ]);
  expect(sum(acts, 'scroll')).toEqual({ dx: 0, dy: -40 });
  expect(acts.every(({ kind }) => kind === 'scroll')).toBe(true);
});

test('one finger scrolls while Scroll is held', () => {
  const acts = meant([finger('down', 0), finger('move', 20, { y: 130 }), finger('up', 40)], true);
  expect(acts).toEqual([{ kind: 'scroll', dx: 0, dy: 30 }]);
});

test('three fingers swiped sideways go back or forward, once', () => {
  for (const [by, to] of [
    [1, 'back'],
    [-1, 'forward'],
  ] as const) {
    const ids = [1, 2, 3];
    const steps = [30, 60, 90, 120].flatMap((way) =>
      ids.map((id) => finger('move', way, { id, x: 100 + id * 50 + by * way })),
    );
    const acts = meant([...ids.map((id) => finger('down', 0, { id, x: 100 + id * 50 })), ...steps]);
    expect(acts).toEqual([{ kind: 'swipe', to }]);
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
  const place = fc.integer({ min: 0, max: 400 });
  const touch = fc.record({
    kind: fc.constantFrom('down', 'move', 'up', 'cancel', 'tick'),
    id,
    x: place,
    y: place,
    wait: fc.integer({ min: 0, max: 600 }),
  });
  fc.assert(
    fc.property(fc.array(touch), (touches) => {
      let at = 0;
      const all = touches.map(({ wait, ...rest }): Touch => ({ ...rest, at: (at += wait) }));
      const ends = [1, 2, 3, 4].map((each) => finger('up', at, { id: each }));
      const drags = meant([...all, ...ends]).filter((act) => act.kind === 'drag');
      expect(drags.map(({ down }) => down)).toEqual(drags.map((_, index) => index % 2 === 0));
      expect(drags.length % 2).toBe(0);
    }),
  );
});
