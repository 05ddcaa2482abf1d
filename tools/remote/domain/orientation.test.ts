import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { toAcceleration, applyMouseAction, toAngles, NO_BUTTONS_DOWN, type MouseAction } from './tilt.ts';

test('angles have one decimal, and are never negative zero', () => {
  expect(toAngles({ alpha: 359.96, beta: -12.34, gamma: -0.04 })).toEqual({ alpha: 360, beta: -12.3, gamma: 0 });
  fc.assert(
    fc.property(fc.double({ noNaN: true }), fc.double({ noNaN: true }), (alpha, beta) => {
      const angles = toAngles({ alpha, beta, gamma: 0 });
      for (const angle of angles ? Object.values(angles) : []) {
        expect(Math.abs(angle)).toBeLessThanOrEqual(360);
        expect(Math.round(angle * 10) / 10).toBe(angle);
      }
    }),
  );
});

test('a device that lacks one of the three angles has none', () => {
  expect(toAngles({ alpha: null, beta: 1, gamma: 1 })).toBeUndefined();
  expect(toAngles({ alpha: 1, beta: Number.NaN, gamma: 1 })).toBeUndefined();
});

test('acceleration is ten times m/s² in whole numbers, or missing', () => {
  expect(toAcceleration({ x: 0.04, y: -9.81, z: 1.25 })).toEqual({ x: 0, y: -98, z: 13 });
  expect(toAcceleration({ x: null, y: 0, z: 0 })).toBeUndefined();
});

test('LMB is held while it is touched', () => {
  const down = applyMouseAction(NO_BUTTONS_DOWN, 'lmb pressed');
  expect(down.lmb).toBe(true);
  expect(applyMouseAction(down, 'lmb released').lmb).toBe(false);
});

test('Lift toggles', () => {
  const lifted = applyMouseAction(NO_BUTTONS_DOWN, 'lift toggled');
  expect(lifted.lift).toBe(true);
  expect(applyMouseAction(lifted, 'lift toggled').lift).toBe(false);
});

test('Scroll clears Lift while it is held, and restores it', () => {
  const scrolling = applyMouseAction(applyMouseAction(NO_BUTTONS_DOWN, 'lift toggled'), 'scroll pressed');
  expect(scrolling).toMatchObject({ scroll: true, lift: false });
  expect(applyMouseAction(scrolling, 'scroll released')).toMatchObject({ scroll: false, lift: true });
  expect(applyMouseAction(applyMouseAction(NO_BUTTONS_DOWN, 'scroll pressed'), 'scroll released')).toEqual(
    NO_BUTTONS_DOWN,
  );
});

test('Lift and Scroll are never on together, and releasing everything leaves only the setting of Lift', () => {
  const action = fc.constantFrom<MouseAction>(
    'lmb pressed',
    'lmb released',
    'lift toggled',
    'scroll pressed',
    'scroll released',
    'all released',
  );
  fc.assert(
    fc.property(fc.array(action), (actions) => {
      const buttons = actions.reduce(applyMouseAction, NO_BUTTONS_DOWN);
      expect(buttons.lift && buttons.scroll).toBe(false);
      expect(applyMouseAction(buttons, 'all released')).toMatchObject({
        lmb: false,
        scroll: false,
        liftAfterScroll: false,
      });
    }),
  );
});
