import { array, assert, double, property, record } from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  startTilt,
  DEAD_ZONE_DEGREES,
  updateTilt,
  type TiltButtons,
  MAX_STEP_DEGREES,
  type Orientation,
  PIXELS_PER_DEGREE,
  getAngleDifference,
  type TiltMotion,
} from './tilt.ts';

const NO_BUTTONS: TiltButtons = { lmb: false, lift: false, scroll: false };
const STEP_SECONDS = 0.03;

/** Applies these orientations and returns the total movement. */
function sumMotion(
  path: readonly Orientation[],
  getButtons: (index: number) => TiltButtons = () => NO_BUTTONS,
): TiltMotion {
  const [first = { alpha: 0, beta: 0 }, ...rest] = path;
  let tilt = startTilt(first, getButtons(0).scroll);
  let total: TiltMotion = { dx: 0, dy: 0, wheel: 0 };
  for (const [index, at] of rest.entries()) {
    const step = updateTilt(tilt, at, getButtons(index), STEP_SECONDS);
    tilt = step.tilt;
    const { dx, dy, wheel } = step.motion;
    total = { dx: total.dx + dx, dy: total.dy + dy, wheel: total.wheel + wheel };
  }
  return total;
}
/** Lists angles from one to another in small steps, and then the last one until the filter has settled. */
function listAngles(from: number, to: number): readonly number[] {
  const difference = getAngleDifference(from, to);
  const moving = Array.from({ length: 41 }, (_, index) => (from + (difference * index) / 40 + 720) % 360);
  return [...moving, ...Array.from({ length: 200 }, () => to)];
}

describe('the difference between two angles', () => {
  test('is the shorter one, also across north', () => {
    expect(getAngleDifference(355, 15)).toBe(20);
    expect(getAngleDifference(15, 355)).toBe(-20);
    expect(getAngleDifference(-170, 170)).toBe(-20);
  });
  test('leads to the second angle, and is at most half a turn', () => {
    const angle = double({ min: -360, max: 360, noNaN: true });
    assert(
      property(angle, angle, (from, to) => {
        const difference = getAngleDifference(from, to);
        const remainder = (from + difference - to) / 360;
        return difference >= -180 && difference < 180 && Math.abs(remainder - Math.round(remainder)) < 1e-9;
      }),
    );
  });
});

test('a turn to the left moves left by a fixed number of pixels per degree, also across north', () => {
  const { dx, dy } = sumMotion(listAngles(355, 15).map((alpha) => ({ alpha, beta: 0 })));
  expect(dx).toBeLessThan(0);
  expect(Math.abs(dx + 20 * PIXELS_PER_DEGREE)).toBeLessThanOrEqual(DEAD_ZONE_DEGREES * PIXELS_PER_DEGREE + 1);
  expect(Math.abs(dy)).toBe(0);
});

test('raising the far edge moves up', () => {
  const { dx, dy } = sumMotion(listAngles(0, 10).map((beta) => ({ alpha: 0, beta })));
  expect(dy).toBeLessThan(-9 * PIXELS_PER_DEGREE);
  expect(Math.abs(dx)).toBe(0);
});

test('a hand that returns to its position returns the pointer, apart from the dead zone', () => {
  assert(
    property(double({ min: -35, max: 35, noNaN: true }), (angle) => {
      const outward = listAngles(0, angle);
      const inward = listAngles(angle, 0);
      const { dx } = sumMotion([...outward, ...inward].map((alpha) => ({ alpha, beta: 0 })));
      return Math.abs(dx) <= 2 * DEAD_ZONE_DEGREES * PIXELS_PER_DEGREE + 1;
    }),
    { numRuns: 30 },
  );
});

test('a resting hand that trembles within the dead zone moves nothing', () => {
  const tremble = array(double({ min: -0.07, max: 0.07, noNaN: true }), { minLength: 10, maxLength: 300 });
  assert(
    property(tremble, (noise) => {
      const { dx, dy } = sumMotion([0, ...noise].map((alpha) => ({ alpha, beta: alpha })));
      return dx === 0 && dy === 0;
    }),
  );
});

test('a jump of the sensor moves nothing, and movement continues from there', () => {
  const jump = MAX_STEP_DEGREES + 1;
  expect(sumMotion([0, jump, jump, jump].map((alpha) => ({ alpha, beta: 0 })))).toEqual({ dx: 0, dy: 0, wheel: 0 });
  const { dx } = sumMotion([0, ...listAngles(jump, jump + 5)].map((alpha) => ({ alpha, beta: 0 })));
  expect(Math.abs(dx + 5 * PIXELS_PER_DEGREE)).toBeLessThan(DEAD_ZONE_DEGREES * PIXELS_PER_DEGREE + 1);
});

test('a lifted phone moves nothing, and discards pending movement', () => {
  const path = listAngles(0, 20).map((alpha) => ({ alpha, beta: alpha }));
  const lifted = { ...NO_BUTTONS, lift: true };
  expect(sumMotion(path, () => lifted)).toEqual({ dx: 0, dy: 0, wheel: 0 });
  const halfWay = sumMotion(path.slice(0, 20));
  expect(sumMotion(path, (index) => (index < 19 ? NO_BUTTONS : lifted))).toEqual(halfWay);
});

test('with Scroll held, tilting turns the wheel and does not move the pointer', () => {
  const path = listAngles(0, -20).map((beta) => ({ alpha: 0, beta }));
  const { dx, dy, wheel } = sumMotion(path, () => ({ ...NO_BUTTONS, scroll: true }));
  expect([dx, dy]).toEqual([0, 0]);
  expect(wheel).toBeGreaterThan(4);
});

test('movement that is pending when Scroll is released moves nothing', () => {
  const path = listAngles(0, -20).map((beta) => ({ alpha: 0, beta }));
  const { dx, dy } = sumMotion(path, (index) => ({ ...NO_BUTTONS, scroll: index < 40 }));
  expect([dx, dy]).toEqual([0, 0]);
});

test('every movement is a number', () => {
  const angle = double({ min: -360, max: 360, noNaN: true });
  assert(
    property(array(record({ alpha: angle, beta: angle }), { minLength: 2 }), (path) => {
      const { dx, dy, wheel } = sumMotion(path);
      return [dx, dy, wheel].every(Number.isFinite);
    }),
  );
});
