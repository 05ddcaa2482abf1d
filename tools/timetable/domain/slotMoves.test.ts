import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { END_OF_DAY, GRID_MINUTES, type TimeSpan } from './slot.ts';
import { createDrawnSpan, moveTo, moveToDay, applyKey, snap, moveEnd, moveStart } from './slotMoves.ts';

const anySlot = fc
  .tuple(fc.integer({ min: 0, max: END_OF_DAY - 1 }), fc.integer({ min: 1, max: END_OF_DAY }))
  .map(([start, length]) => ({ start, end: Math.min(END_OF_DAY, start + length) }));
/** Pointers can leave the day, and a layout without height produces NaN. */
const anywhere = fc.oneof(
  fc.double({ min: -3000, max: 5000, noNaN: true }),
  fc.integer({ min: -100, max: END_OF_DAY + 100 }),
  fc.constantFrom(Infinity, -Infinity, NaN, 1e9, -1e9, 0, END_OF_DAY),
);
const anyPress = fc.record({
  key: fc.constantFrom('ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'a', 'constructor', '__proto__'),
  shiftKey: fc.boolean(),
  altKey: fc.boolean(),
});
const getLength = ({ start, end }: TimeSpan) => end - start;

function expectWithinDay({ start, end }: TimeSpan) {
  expect(Number.isInteger(start) && Number.isInteger(end)).toBe(true);
  expect(start).toBeGreaterThanOrEqual(0);
  expect(end).toBeLessThanOrEqual(END_OF_DAY);
  expect(start).toBeLessThan(end);
}

const plain = { shiftKey: false, altKey: false };
const shift = { shiftKey: true, altKey: false };
const both = { shiftKey: true, altKey: true };
const walk = { start: 540, end: 600 };

describe('moving a slot', () => {
  test('keeps its length, stays within the day and never crosses midnight', () => {
    fc.assert(
      fc.property(anySlot, anywhere, (slot, to) => {
        for (const moved of [moveTo(slot, to), moveToDay(slot, 3, to)]) {
          expectWithinDay(moved);
          expect(getLength(moved)).toBe(getLength(slot));
        }
      }),
    );
  });

  test('starts on the grid, unless the end of the day limits it', () => {
    fc.assert(
      fc.property(anySlot, fc.integer({ min: -100, max: 1600 }), (slot, to) => {
        const { start, end } = moveTo(slot, to);
        expect(start % GRID_MINUTES === 0 || end === END_OF_DAY).toBe(true);
      }),
    );
  });

  test('dragging further never places it earlier, and placing is stable', () => {
    fc.assert(
      fc.property(anySlot, fc.integer({ min: -100, max: 1600 }), fc.nat(300), (slot, to, more) => {
        expect(moveTo(slot, to + more).start).toBeGreaterThanOrEqual(moveTo(slot, to).start);
        const once = moveTo(slot, to);
        if (once.start % GRID_MINUTES === 0) expect(moveTo(once, once.start)).toEqual(once);
      }),
    );
  });

  test('moves to another day with its time, or with the time of the drop', () => {
    expect(moveToDay(walk, 7)).toEqual({ day: 7, ...walk });
    expect(moveToDay(walk, 7, 1439)).toEqual({ day: 7, start: 1380, end: 1440 });
  });
});

describe('resizing a slot', () => {
  test('the other edge stays, the length is never zero, midnight is never crossed', () => {
    fc.assert(
      fc.property(anySlot, anywhere, (slot, to) => {
        const early = moveStart(slot, to);
        const late = moveEnd(slot, to);
        expectWithinDay(early);
        expectWithinDay(late);
        expect(early.end).toBe(slot.end);
        expect(late.start).toBe(slot.start);
      }),
    );
  });

  test('the dragged edge is within half a step of the pointer, if there is room', () => {
    fc.assert(
      fc.property(anySlot, fc.integer({ min: 0, max: END_OF_DAY }), (slot, to) => {
        if (snap(to) <= slot.end - GRID_MINUTES)
          expect(Math.abs(moveStart(slot, to).start - to)).toBeLessThan(GRID_MINUTES);
        if (snap(to) >= slot.start + GRID_MINUTES) expect(moveEnd(slot, to).end).toBe(snap(to));
      }),
    );
  });

  test('dragged past its other edge, it is one step long', () => {
    expect(moveStart(walk, 900)).toEqual({ start: 595, end: 600 });
    expect(moveEnd(walk, 30)).toEqual({ start: 540, end: 545 });
    expect(moveEnd({ start: 1438, end: 1439 }, 30)).toEqual({ start: 1438, end: 1440 });
  });
});

describe('drawing a new slot', () => {
  test('contains both positions within the day, on the grid, in either direction', () => {
    fc.assert(
      fc.property(anywhere, anywhere, (down, now) => {
        const slot = createDrawnSpan(down, now);
        expect(slot).toEqual(createDrawnSpan(now, down));
        expect(slot === undefined).toBe(Number.isNaN(down) || Number.isNaN(now));
        if (!slot) return;
        expectWithinDay(slot);
        expect(slot.start % GRID_MINUTES === 0 && slot.end % GRID_MINUTES === 0).toBe(true);
        for (const at of [down, now])
          if (at >= 0 && at <= END_OF_DAY) expect(slot.start <= at && at <= slot.end).toBe(true);
      }),
    );
  });

  test('a press without a drag is one step', () => {
    expect(createDrawnSpan(541, 541)).toEqual({ start: 540, end: 545 });
    expect(createDrawnSpan(540, 540)).toEqual({ start: 540, end: 545 });
    expect(createDrawnSpan(1440, 1440)).toEqual({ start: 1435, end: 1440 });
  });
});

describe('keys', () => {
  test('any keys keep the slot within one day', () => {
    fc.assert(
      fc.property(anySlot, fc.array(anyPress, { maxLength: 40 }), (slot, presses) => {
        const after = presses.reduce((placed, press) => applyKey(placed, press) ?? placed, { day: 0, ...slot });
        expectWithinDay(after);
        expect(Number.isInteger(after.day)).toBe(true);
      }),
    );
  });

  test('up and down are one step, left and right one day', () => {
    const placed = { day: 5, ...walk };
    expect(applyKey(placed, { key: 'ArrowDown', ...plain })).toEqual({ day: 5, start: 545, end: 605 });
    expect(applyKey(placed, { key: 'ArrowUp', ...plain })).toEqual({ day: 5, start: 535, end: 595 });
    expect(applyKey(placed, { key: 'ArrowRight', ...plain })).toEqual({ day: 6, ...walk });
    expect(applyKey(placed, { key: 'ArrowLeft', ...plain })).toEqual({ day: 4, ...walk });
  });

  test('Shift moves the end, Shift and Alt the start', () => {
    const placed = { day: 5, ...walk };
    expect(applyKey(placed, { key: 'ArrowDown', ...shift })).toEqual({ day: 5, start: 540, end: 605 });
    expect(applyKey(placed, { key: 'ArrowUp', ...shift })).toEqual({ day: 5, start: 540, end: 595 });
    expect(applyKey(placed, { key: 'ArrowDown', ...both })).toEqual({ day: 5, start: 545, end: 600 });
    expect(applyKey(placed, { key: 'ArrowUp', ...both })).toEqual({ day: 5, start: 535, end: 600 });
  });

  test('off the grid, a step goes to the grid in the pressed direction', () => {
    const placed = { day: 0, start: 542, end: 602 };
    expect(applyKey(placed, { key: 'ArrowUp', ...plain })).toEqual({ day: 0, start: 540, end: 600 });
    expect(applyKey(placed, { key: 'ArrowDown', ...plain })).toEqual({ day: 0, start: 545, end: 605 });
  });

  test('at the edge of the day it stays, and other keys are ignored', () => {
    const first = { day: 0, start: 0, end: 60 };
    expect(applyKey(first, { key: 'ArrowUp', ...plain })).toEqual(first);
    for (const key of ['a', 'Enter', 'constructor', '__proto__', 'toString'])
      expect(applyKey(first, { key, ...plain })).toBeUndefined();
    expect(applyKey(first, { key: 'ArrowLeft', ...shift })).toBeUndefined();
    expect(applyKey(first, { key: 'ArrowDown', shiftKey: false, altKey: true })).toBeUndefined();
  });
});
