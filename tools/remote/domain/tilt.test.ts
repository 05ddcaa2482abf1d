import { array, assert, double, property, record } from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  beginTilt,
  DEAD_ZONE_DEGREES,
  followTilt,
  type TiltGrip,
  JUMP_DEGREES,
  type Orientation,
  PIXELS_PER_DEGREE,
  turnBetween,
  type TiltMotion,
} from './tilt.ts';

const FREE: TiltGrip = { lmb: false, lift: false, scroll: false };
const SECONDS = 0.03;

/** Applies these orientations, and returns the total movement. */
const getTravel = (path: readonly Orientation[], gripAt: (index: number) => TiltGrip = () => FREE): TiltMotion => {
  const [first = { alpha: 0, beta: 0 }, ...rest] = path;
  let tilt = beginTilt(first, gripAt(0).scroll);
  let whole: TiltMotion = { dx: 0, dy: 0, wheel: 0 };
  for (const [index, at] of rest.entries()) {
    const step = followTilt(tilt, at, gripAt(index), SECONDS);
    tilt = step.tilt;
    const { dx, dy, wheel } = step.travel;
    whole = { dx: whole.dx + dx, dy: whole.dy + dy, wheel: whole.wheel + wheel };
  }
  return whole;
};
/** Moves from one angle to another in small steps, and then holds it until the filter has settled. */
const cleanUp = (from: number, to: number): readonly number[] => {
  const turn = turnBetween(from, to);
  const moving = Array.from({ length: 41 }, (_, index) => (from + (turn * index) / 40 + 720) % 360);
  return [...moving, ...Array.from({ length: 200 }, () => to)];
};

describe('the way between two angles', () => {
  test('is the shorter one, also across north', () => {
    expect(turnBetween(355, 15)).toBe(20);
    expect(turnBetween(15, 355)).toBe(-20);
    expect(turnBetween(-170, 170)).toBe(-20);
  });
  test('leads to the second angle, and is at most half a turn', () => {
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

test('a turn to the left moves left by a fixed number of pixels per degree, also across north', () => {
  const { dx, dy } = getTravel(cleanUp(355, 15).map((alpha) => ({ alpha, beta: 0 })));
  expect(dx).toBeLessThan(0);
  expect(Math.abs(dx + 20 * PIXELS_PER_DEGREE)).toBeLessThanOrEqual(DEAD_ZONE_DEGREES * PIXELS_PER_DEGREE + 1);
  expect(Math.abs(dy)).toBe(0);
});

test('raising the far edge moves up', () => {
  const { dx, dy } = getTravel(cleanUp(0, 10).map((beta) => ({ alpha: 0, beta })));
  expect(dy).toBeLessThan(-9 * PIXELS_PER_DEGREE);
  expect(Math.abs(dx)).toBe(0);
});

test('a hand that returns to its position returns the pointer, apart from the dead zone', () => {
  assert(
    property(double({ min: -35, max: 35, noNaN: true }), (angle) => {
      const there = cleanUp(0, angle);
      const back = cleanUp(angle, 0);
      const { dx } = getTravel([...there, ...back].map((alpha) => ({ alpha, beta: 0 })));
      return Math.abs(dx) <= 2 * DEAD_ZONE_DEGREES * PIXELS_PER_DEGREE + 1;
    }),
    { numRuns: 30 },
  );
});

test('a resting hand that trembles within the dead zone moves nothing', () => {
  const tremble = array(double({ min: -0.07, max: 0.07, noNaN: true }), { minLength: 10, maxLength: 300 });
  assert(
    property(tremble, (noise) => {
      const { dx, dy } = getTravel([0, ...noise].map((alpha) => ({ alpha, beta: alpha })));
      return dx === 0 && dy === 0;
    }),
  );
});

test('a jump of the sensor moves nothing, and movement continues from there', () => {
  const jump = JUMP_DEGREES + 1;
  expect(getTravel([0, jump, jump, jump].map((alpha) => ({ alpha, beta: 0 })))).toEqual({ dx: 0, dy: 0, wheel: 0 });
  const { dx } = getTravel([0, ...cleanUp(jump, jump + 5)].map((alpha) => ({ alpha, beta: 0 })));
  expect(Math.abs(dx + 5 * PIXELS_PER_DEGREE)).toBeLessThan(DEAD_ZONE_DEGREES * PIXELS_PER_DEGREE + 1);
});

test('a lifted phone moves nothing, and discards pending movement', () => {
  const path = cleanUp(0, 20).map((alpha) => ({ alpha, beta: alpha }));
  const lifted = { ...FREE, lift: true };
  expect(getTravel(path, () => lifted)).toEqual({ dx: 0, dy: 0, wheel: 0 });
  const halfWay = getTravel(path.slice(0, 20));
  expect(getTravel(path, (index) => (index < 19 ? FREE : lifted))).toEqual(halfWay);
});

test('with Scroll held, tilting turns the wheel and does not move the pointer', () => {
  const path = cleanUp(0, -20).map((beta) => ({ alpha: 0, beta }));
  const { dx, dy, wheel } = getTravel(path, () => ({ ...FREE, scroll: true }));
  expect([dx, dy]).toEqual([0, 0]);
  expect(wheel).toBeGreaterThan(4);
});

test('movement that is pending when Scroll is released moves nothing', () => {
  const path = cleanUp(0, -20).map((beta) => ({ alpha: 0, beta }));
  const { dx, dy } = getTravel(path, (index) => ({ ...FREE, scroll: index < 40 }));
  expect([dx, dy]).toEqual([0, 0]);
});

test('every movement is a number', () => {
  const angle = double({ min: -360, max: 360, noNaN: true });
  assert(
    property(array(record({ alpha: angle, beta: angle }), { minLength: 2 }), (path) => {
      const { dx, dy, wheel } = getTravel(path);
      return [dx, dy, wheel].every(Number.isFinite);
    }),
  );
});
