import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  getCountdownView,
  changeRemaining,
  changeLoop,
  changeStopsAtEnd,
  changeRound,
  getLastEnd,
  MAX_COUNTDOWN_MS,
  updateCountdown,
  shiftCountdown,
  createCountdown,
  getNextEnd,
  pause,
  reset,
  MIN_COUNTDOWN_MS,
  start,
  type Countdown,
} from './countdown.ts';

/** 2026-11-21T12:00:00Z. */
const NOON = 1_795_262_400_000;
const HOUR = 3_600_000;
const YEAR = 365 * 24 * HOUR;

type Change = (countdown: Countdown, now: number) => Countdown;
const length = fc.integer({ min: MIN_COUNTDOWN_MS, max: 2000 * MIN_COUNTDOWN_MS });
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.constant<Change>(start),
  fc.constant<Change>(pause),
  fc.constant<Change>(reset),
  length.map(
    (to): Change =>
      (countdown, now) =>
        changeLoop(countdown, to, now),
  ),
  length.map(
    (to): Change =>
      (countdown, now) =>
        changeRemaining(countdown, to, now),
  ),
);
/** Changes of timers that can also stop at the end. */
const anyChange: fc.Arbitrary<Change> = fc.oneof(
  change,
  fc.boolean().map(
    (once): Change =>
      (countdown, now) =>
        changeStopsAtEnd(countdown, once, now),
  ),
  length.map(
    (to): Change =>
      (countdown, now) =>
        changeRound(countdown, to, now),
  ),
);
const wait = fc.oneof(fc.nat({ max: 500 }), fc.nat({ max: 20 * HOUR }));
const history = fc.array(fc.tuple(wait, change), { maxLength: 20 });
const anyHistory = fc.array(fc.tuple(wait, anyChange), { maxLength: 20 });

/** Applies a history of changes. Returns the countdown and the time after it. */
function applyHistory(loop: number, changes: readonly (readonly [number, Change])[]): [Countdown, number] {
  let [countdown, now] = [createCountdown(loop), NOON];
  for (const [waited, apply] of changes) {
    now += waited;
    countdown = apply(countdown, now);
  }
  return [countdown, now];
}

test('a new countdown has a full round of ten minutes and is paused', () => {
  expect(getCountdownView(createCountdown(), NOON)).toEqual({
    isRunning: false,
    remaining: 600_000,
    remainingShare: 1,
    rounds: 0,
  });
  expect(getNextEnd(createCountdown(), NOON)).toBeUndefined();
});

test('a round ends to the millisecond, and the next one continues from there', () => {
  const running = start(createCountdown(60_000), NOON);
  expect(getCountdownView(running, NOON + 15_000)).toEqual({
    isRunning: true,
    remaining: 45_000,
    remainingShare: 0.75,
    rounds: 0,
  });
  expect(getCountdownView(running, NOON + 59_999)).toMatchObject({ remaining: 1, rounds: 0 });
  expect(getCountdownView(running, NOON + 60_000)).toMatchObject({ remaining: 60_000, remainingShare: 1, rounds: 1 });
  expect(getLastEnd(running, NOON + 59_999)).toBeUndefined();
  expect(getLastEnd(running, NOON + 61_000)).toBe(NOON + 60_000);
  expect(getNextEnd(running, NOON + 61_000)).toBe(NOON + 120_000);
});

test('after a night of sleep every end is counted, and reported once', () => {
  const running = start(createCountdown(), NOON);
  const updated = updateCountdown(running, NOON + 8 * HOUR + 1000);
  expect(updated).toMatchObject({ endCount: 48, view: { remaining: 599_000, rounds: 48 } });
  expect(updateCountdown(updated.countdown, NOON + 8 * HOUR + 2000).endCount).toBe(0);
});

test('an end just before a pause is still reported', () => {
  const paused = pause(start(createCountdown(60_000), NOON), NOON + 60_001);
  expect(updateCountdown(paused, NOON + 90_000)).toMatchObject({
    endCount: 1,
    view: { remaining: 59_999, isRunning: false },
  });
});

test('reset returns to a full first round, running or paused as before', () => {
  const running = start(createCountdown(60_000), NOON);
  expect(updateCountdown(reset(running, NOON + 90_000), NOON + 90_001)).toMatchObject({
    endCount: 0,
    view: { isRunning: true, remaining: 59_999, rounds: 0 },
  });
  expect(reset(pause(running, NOON + 90_000), NOON + 95_000)).toEqual(createCountdown(60_000));
});

test('a new loop time keeps the time that has passed, or starts again if that exceeds it', () => {
  const running = start(createCountdown(600_000), NOON);
  expect(getCountdownView(changeLoop(running, 300_000, NOON + 100_000), NOON + 100_000).remaining).toBe(200_000);
  const restarted = changeLoop(running, 60_000, NOON + 100_000);
  expect(updateCountdown(restarted, NOON + 100_000)).toMatchObject({
    endCount: 0,
    view: { remaining: 60_000, remainingShare: 1, rounds: 0 },
  });
  expect(changeLoop(createCountdown(), 90_000, NOON)).toEqual(createCountdown(90_000));
});

test('a new time left applies to the current round only, and may exceed the loop', () => {
  const longer = changeRemaining(start(createCountdown(60_000), NOON), 90_000, NOON + 1000);
  expect(getCountdownView(longer, NOON + 1000)).toMatchObject({ remaining: 90_000, remainingShare: 1 });
  expect(getCountdownView(longer, NOON + 91_000)).toMatchObject({ remaining: 60_000, rounds: 1 });
  expect(getCountdownView(changeLoop(longer, 120_000, NOON + 2000), NOON + 2000)).toMatchObject({
    remaining: 120_000,
    remainingShare: 1,
  });
});

test('lengths are clamped to one second and a hundred hours', () => {
  expect(createCountdown(0).loop).toBe(MIN_COUNTDOWN_MS);
  expect(changeLoop(createCountdown(), -5, NOON).loop).toBe(MIN_COUNTDOWN_MS);
  expect(changeRemaining(createCountdown(), Infinity, NOON).left).toBe(MAX_COUNTDOWN_MS);
});

test('a countdown that stops has a full round ready at its end, and reports the end once', () => {
  const once = start(changeStopsAtEnd(createCountdown(60_000), true, NOON), NOON);
  expect(getCountdownView(once, NOON + 59_999)).toMatchObject({ isRunning: true, remaining: 1 });
  expect(getNextEnd(once, NOON + 1000)).toBe(NOON + 60_000);
  const ended = updateCountdown(once, NOON + 8 * HOUR);
  expect(ended).toMatchObject({
    endCount: 1,
    view: { isRunning: false, remaining: 60_000, remainingShare: 1, rounds: 1 },
  });
  expect(ended.countdown.since).toBeUndefined();
  expect(getNextEnd(once, NOON + 8 * HOUR)).toBeUndefined();
  expect(getLastEnd(once, NOON + 8 * HOUR)).toBe(NOON + 60_000);
  expect(updateCountdown(ended.countdown, NOON + 9 * HOUR).endCount).toBe(0);
  const again = start(ended.countdown, NOON + 9 * HOUR);
  expect(getCountdownView(again, NOON + 9 * HOUR + 1000)).toMatchObject({
    isRunning: true,
    remaining: 59_000,
    rounds: 1,
  });
  expect(getCountdownView(start(once, NOON + 9 * HOUR), NOON + 9 * HOUR + 1000)).toEqual(
    getCountdownView(again, NOON + 9 * HOUR + 1000),
  );
  expect(getCountdownView(reset(once, NOON + 1000), NOON + HOUR)).toMatchObject({ isRunning: false, rounds: 1 });
});

test('stopping or continuing applies from the current round on, without undoing an end', () => {
  const running = start(createCountdown(60_000), NOON);
  const stopping = changeStopsAtEnd(running, true, NOON + 90_000);
  expect(getCountdownView(stopping, NOON + 90_000)).toEqual(getCountdownView(running, NOON + 90_000));
  expect(getCountdownView(stopping, NOON + 120_000)).toMatchObject({ isRunning: false, remaining: 60_000, rounds: 2 });
  expect(getCountdownView(changeStopsAtEnd(stopping, false, NOON + 100_000), NOON + 130_000)).toMatchObject({
    isRunning: true,
    remaining: 50_000,
  });
  expect(changeStopsAtEnd(changeStopsAtEnd(createCountdown(), true, NOON), false, NOON)).toEqual(createCountdown());
});

test('a new round length starts a full round, running or paused as before', () => {
  const running = start(createCountdown(60_000), NOON);
  expect(getCountdownView(changeRound(running, 300_000, NOON + 90_000), NOON + 91_000)).toMatchObject({
    remaining: 299_000,
    rounds: 0,
  });
  expect(changeRound(createCountdown(), 300_000, NOON)).toEqual(createCountdown(300_000));
});

test('the number and times of updates do not change the state, the view or the reported ends', () => {
  fc.assert(
    fc.property(
      length,
      anyHistory,
      fc.array(fc.nat({ max: HOUR }), { maxLength: 30 }),
      fc.array(fc.nat({ max: HOUR }), { maxLength: 30 }),
      (loop, changes, times, otherTimes) => {
        const [started, now] = applyHistory(loop, changes);
        const end = now + HOUR;
        function replay(updateTimes: readonly number[]) {
          let [countdown, endCount] = [started, 0];
          for (const after of [...updateTimes.toSorted((a, b) => a - b), HOUR]) {
            const update = updateCountdown(countdown, now + after);
            expect(update.view).toEqual(getCountdownView(started, now + after));
            endCount += update.endCount;
            countdown = update.countdown;
          }
          return { countdown, endCount, view: getCountdownView(countdown, end) };
        }
        expect(replay(times)).toEqual(replay(otherTimes));
      },
    ),
  );
});

test('updates between changes do not alter anything either', () => {
  fc.assert(
    fc.property(length, anyHistory, wait, (loop, changes, later) => {
      let [countdown, now] = [createCountdown(loop), NOON];
      for (const [waited, apply] of changes) {
        countdown = updateCountdown(countdown, now + Math.floor(waited / 2)).countdown;
        now += waited;
        countdown = updateCountdown(apply(updateCountdown(countdown, now).countdown, now), now).countdown;
      }
      const [expected] = applyHistory(loop, changes);
      expect(getCountdownView(countdown, now + later)).toEqual(getCountdownView(expected, now + later));
    }),
  );
});

test('the countdown agrees with a counter that receives every interval of time', () => {
  fc.assert(
    fc.property(length, history, wait, (loop, changes, later) => {
      const [countdown, now] = applyHistory(loop, changes);
      let counted = { loop, remaining: loop, rounds: 0, isRunning: false };
      function passTime(time: number): void {
        if (!counted.isRunning) return;
        const difference = counted.remaining - time;
        const rounds = difference > 0 ? 0 : Math.ceil((1 - difference) / counted.loop);
        counted = { ...counted, remaining: difference + rounds * counted.loop, rounds: counted.rounds + rounds };
      }
      let [clock, mirror] = [NOON, createCountdown(loop)];
      for (const [waited, apply] of [...changes, [later, (same: Countdown) => same] as const]) {
        passTime(waited);
        clock += waited;
        mirror = apply(mirror, clock);
        const view = getCountdownView(mirror, clock);
        if (apply === start || apply === pause) counted.isRunning = apply === start;
        else counted = { ...view, loop: mirror.loop };
        expect(view).toMatchObject({
          remaining: counted.remaining,
          rounds: counted.rounds,
          isRunning: counted.isRunning,
        });
      }
      expect(getCountdownView(countdown, now + later).remaining).toBe(counted.remaining);
    }),
  );
});

test('pauses neither add nor lose time', () => {
  fc.assert(
    fc.property(length, fc.array(fc.tuple(wait, wait), { minLength: 1, maxLength: 20 }), (loop, intervals) => {
      let [countdown, now, ran] = [createCountdown(loop), NOON, 0];
      for (const [activeTime, idleTime] of intervals) {
        countdown = pause(start(countdown, now), now + activeTime);
        now += activeTime + idleTime;
        ran += activeTime;
      }
      const unbroken = getCountdownView(start(createCountdown(loop), NOON), NOON + ran);
      expect(getCountdownView(countdown, now)).toEqual({ ...unbroken, isRunning: false });
    }),
  );
});

test('the n-th end is exactly n loops after the start', () => {
  fc.assert(
    fc.property(length, fc.integer({ min: 1, max: 1_000_000 }), (loop, n) => {
      const running = start(createCountdown(loop), NOON);
      expect(getCountdownView(running, NOON + n * loop - 1)).toMatchObject({ remaining: 1, rounds: n - 1 });
      expect(getCountdownView(running, NOON + n * loop)).toMatchObject({ remaining: loop, rounds: n });
      expect(getLastEnd(running, NOON + n * loop)).toBe(NOON + n * loop);
    }),
  );
});

test('the view is valid for any clock', () => {
  const clock = fc.oneof(
    fc.constantFrom(-YEAR, YEAR, 0, -1, 1),
    fc.integer({ min: -50 * YEAR, max: 50 * YEAR }),
    fc.double({ min: -YEAR, max: YEAR, noNaN: true }),
  );
  fc.assert(
    fc.property(length, anyHistory, fc.array(clock, { minLength: 1 }), (loop, changes, leaps) => {
      let [countdown, now] = applyHistory(loop, changes);
      let endCount = countdown.heard;
      for (const leap of leaps) {
        const max = Math.max(countdown.left, countdown.loop);
        const { view, endCount: newEndCount, countdown: next } = updateCountdown(countdown, now + leap);
        expect(view.remaining).toBeGreaterThan(0);
        expect(view.remaining).toBeLessThanOrEqual(max);
        expect(Number.isSafeInteger(view.remaining) && Number.isSafeInteger(view.rounds)).toBe(true);
        expect(view.remainingShare).toBeGreaterThan(0);
        expect(view.remainingShare).toBeLessThanOrEqual(1);
        endCount += newEndCount;
        expect(endCount).toBe(next.heard);
        countdown = pause(start(next, now), now + leap);
        now += leap;
      }
    }),
  );
});

test('a clock set back a year shows the time left at the start; after a shift the countdown continues', () => {
  const running = start(createCountdown(), NOON);
  expect(getCountdownView(running, NOON - YEAR).remaining).toBe(600_000);
  expect(getNextEnd(running, NOON - YEAR)).toBe(NOON + 600_000);
  fc.assert(
    fc.property(length, anyHistory, fc.integer({ min: -YEAR, max: YEAR }), wait, (loop, changes, by, later) => {
      const [countdown, now] = applyHistory(loop, changes);
      expect(getCountdownView(shiftCountdown(countdown, by), now + later + by)).toEqual(
        getCountdownView(countdown, now + later),
      );
    }),
  );
});
