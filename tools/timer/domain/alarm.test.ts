import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ALARM, ALARM_LENGTH_MS, planAlarm } from './alarm.ts';

const END = ALARM_LENGTH_MS / 1000;
const contextNow = fc.double({ min: 0, max: 1_000_000, noNaN: true });
/** Times closer than this are equal: an AudioContext counts in samples of 20 microseconds. */
const TOLERANCE_SECONDS = 1e-6;

test('the alarm lasts 3,850 ms: it starts immediately, and its last note ends with it', () => {
  expect(ALARM_LENGTH_MS).toBe(3850);
  expect(Math.min(...ALARM.map(({ from }) => from))).toBe(0);
  expect(Math.max(...ALARM.map(({ to }) => to))).toBe(3.85);
});

test('every tone is audible, on small speakers too', () => {
  for (const { from, to, frequency, gain } of ALARM) {
    expect(to - from).toBeGreaterThan(0.1);
    expect(frequency).toBeGreaterThan(500);
    expect(frequency).toBeLessThan(4000);
    expect(gain).toBeGreaterThan(0);
  }
});

test('tones that overlap are never louder than full scale', () => {
  for (const { from } of ALARM) {
    const overlapping = ALARM.filter((tone) => tone.from <= from && from < tone.to);
    expect(overlapping.reduce((sum, { gain }) => sum + gain, 0)).toBeLessThanOrEqual(1);
  }
});

test('there are no gaps of a quarter of a second before the end', () => {
  const ends = [0, ...ALARM.map(({ to }) => to)].toSorted((a, b) => a - b);
  for (const end of ends.filter((time) => time < END)) {
    const next = ALARM.filter(({ to }) => to > end).map(({ from }) => from);
    expect(Math.min(...next) - end).toBeLessThan(0.25);
  }
});

test('an audio test plays the whole alarm from now', () => {
  const plan = planAlarm(12);
  expect(plan.silentAt).toBe(15.85);
  expect(plan.tones).toHaveLength(ALARM.length);
  expect(plan.tones[0]).toMatchObject({ start: 12, frequency: 880 });
});

test('an alarm that is scheduled ahead starts when the round ends', () => {
  const plan = planAlarm(12, 5000);
  expect(Math.min(...plan.tones.map(({ start }) => start))).toBe(17);
  expect(plan.silentAt).toBeCloseTo(20.85, 9);
});

test('an alarm that starts late plays its rest, and nothing if it is too late', () => {
  const late = planAlarm(100, -2000);
  expect(late.silentAt).toBeCloseTo(101.85, 9);
  expect(late.tones.length).toBeGreaterThan(0);
  expect(late.tones.length).toBeLessThan(ALARM.length);
  expect(planAlarm(100, -ALARM_LENGTH_MS)).toEqual({ tones: [], silentAt: 100 });
  expect(planAlarm(100, -3_600_000)).toEqual({ tones: [], silentAt: 100 });
});

test('nothing is ever scheduled in the past, after the end, or out of order', () => {
  fc.assert(
    fc.property(contextNow, fc.integer({ min: -2 * ALARM_LENGTH_MS, max: 600_000 }), (now, wait) => {
      const plan = planAlarm(now, wait);
      expect(plan.silentAt).toBeGreaterThanOrEqual(now);
      for (const { start, stop, envelope } of plan.tones) {
        expect(start).toBeGreaterThanOrEqual(now);
        expect(stop).toBeLessThanOrEqual(plan.silentAt + TOLERANCE_SECONDS);
        const times = envelope.map(({ at }) => at);
        expect(times).toEqual(times.toSorted((a, b) => a - b));
        expect([times[0], times.at(-1)]).toEqual([start, stop]);
        expect([envelope[0]?.gain, envelope.at(-1)?.gain]).toEqual([0, 0]);
      }
    }),
  );
});
