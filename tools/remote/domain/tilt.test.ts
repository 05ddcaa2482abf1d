import { array, assert, double, property, record } from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  beginTilt,
  DEAD_ZONE_DEGREES,
  followTilt,
  type Grip,
  JUMP_DEGREES,
  type Orientation,
  PIXELS_PER_DEGREE,
  turnBetween,
  type Travel,
} from './tilt.ts';

const FREE: Grip = { lmb: false, lift: false, scroll: false };
const SECONDS = 0.03;

/** Follows the phone through these orientations and gives the whole travel. */
const travelOf = (path: readonly Orientation[], gripAt: (index: number) => Grip = () => FREE): Travel => {
  const [first = { alpha: 0, beta: 0 }, ...rest] = path;
  let tilt = beginTilt(first, gripAt(0).scroll);
  let whole: Travel = { dx: 0, dy: 0, wheel: 0 };
  for (const [index, at] of rest.entries()) {
    const step = followTilt(tilt, at, gripAt(index), SECONDS);
    tilt = step.tilt;
    const { dx, dy, wheel } = step.travel;
    whole = { dx: whole.dx + dx, dy: whole.dy + dy, wheel: whole.wheel + wheel };
  }
  return whole;
};
/** From one angle to another in small steps, and then held until the filter has come to rest. */
const sweep = (from: number, to: number): readonly number[] => {
  const turn = turnBetween(from, to);
  const moving = Array.from({ length: 41 }, (_, index) => (from + (turn * index) / 40 + 720) % 360);
  return [...moving, ...Array.from({ length: 200 }, () => to)];
};

describe('the way between two angles', () => {
  test('is the shorter one, also over the north', () => {
    expect(turnBetween(355, 15)).toBe(20);
    expect(turnBetween(15, 355)).toBe(-20);
    expect(turnBetween(-170, 170)).toBe(-20);
  });
  test('leads there, and is never more than half a turn', () => {
    const angle = double({ min: -360, max: 360, noNaN: true });
    assert(
      property(angle, angle, (from, to) => {
        const turn = turnBetween(from, to);
        const left = (from + turn - to) / 360;
        return turn >= -180 && turn < 180 && Math.abs(left - Math.round(left)) < 1e-9;
      }),
    );
  });
});

test('a turn to the left moves left, by so many pixels a degree, over the north too', () => {
  const { dx, dy } = travelOf(sweep(355, 15).map((alpha) => ({ alpha, beta: 0 })));
  expect(dx).toBeLessThan(0);
  expect(Math.abs(dx + 20 * PIXELS_PER_DEGREE)).toBeLessThanOrEqual(DEAD_ZONE_DEGREES * PIXELS_PER_DEGREE + 1);
  expect(Math.abs(dy)).toBe(0);
});

test('raising the far edge moves up', () => {
  const { dx, dy } = travelOf(sweep(0, 10).map((beta) => ({ alpha: 0, beta })));
  expect(dy).toBeLessThan(-9 * PIXELS_PER_DEGREE);
  expect(Math.abs(dx)).toBe(0);
});

test('a hand that comes back to where it was leaves the pointer where it was, but for the dead zone', () => {
  assert(
    property(double({ min: -35, max: 35, noNaN: true }), (angle) => {
      const there = sweep(0, angle);
      const back = sweep(angle, 0);
      const { dx } = travelOf([...there, ...back].map((alpha) => ({ alpha, beta: 0 })));
      return Math.abs(dx) <= 2 * DEAD_ZONE_DEGREES * PIXELS_PER_DEGREE + 1;
    }),
    { numRuns: 30 },
  );
});

test('a resting hand that trembles within the dead zone moves nothing', () => {
  const tremble = array(double({ min: -0.07, max: 0.07, noNaN: true }), { minLength: 10, maxLength: 300 });
  assert(
    property(tremble, (noise) => {
      const { dx, dy } = travelOf([0, ...noise].map((alpha) => ({ alpha, beta: alpha })));
      return dx === 0 && dy === 0;
    }),
  );
});

test('a jump of the sensor moves nothing, and the way goes on from there', () => {
  const jump = JUMP_DEGREES + 1;
  expect(travelOf([0, jump, jump, jump].map((alpha) => ({ alpha, beta: 0 })))).toEqual({ dx: 0, dy: 0, wheel: 0 });
  const { dx } = travelOf([0, ...sweep(jump, jump + 5)].map((alpha) => ({ alpha, beta: 0 })));
  expect(Math.abs(dx + 5 * PIXELS_PER_DEGREE)).toBeLessThan(DEAD_ZONE_DEGREES * PIXELS_PER_DEGREE + 1);
});

test('a lifted phone moves nothing, and neither does what was on its way', () => {
  const path = sweep(0, 20).map((alpha) => ({ alpha, beta: alpha }));
  const lifted = { ...FREE, lift: true };
  expect(travelOf(path, () => lifted)).toEqual({ dx: 0, dy: 0, wheel: 0 });
  const halfWay = travelOf(path.slice(0, 20));
  expect(travelOf(path, (index) => (index < 19 ? FREE : lifted))).toEqual(halfWay);
});

test('with Scroll held the tilt turns the wheel and leaves the pointer alone', () => {
  const path = sweep(0, -20).map((beta) => ({ alpha: 0, beta }));
  const { dx, dy, wheel } = travelOf(path, () => ({ ...FREE, scroll: true }));
  expect([dx, dy]).toEqual([0, 0]);
  expect(wheel).toBeGreaterThan(4);
});

test('what was on its way when Scroll is let go moves nothing', () => {
  const path = sweep(0, -20).map((beta) => ({ alpha: 0, beta }));
  const { dx, dy } = travelOf(path, (index) => ({ ...FREE, scroll: index < 40 }));
  expect([dx, dy]).toEqual([0, 0]);
});

test('no event ever gives a travel that is no number', () => {
  const angle = double({ min: -360, max: 360, noNaN: true });
  assert(
    property(array(record({ alpha: angle, beta: angle }), { minLength: 2 }), (path) => {
      const { dx, dy, wheel } = travelOf(path);
      return [dx, dy, wheel].every(Number.isFinite);
    }),
  );
});
