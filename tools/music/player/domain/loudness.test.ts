import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { getElementVolume } from './loudness.ts';

const volumes = fc.double({ min: 0, max: 100, noNaN: true });
const loudnesses = fc.record({
  gain: fc.double({ min: -60, max: 60, noNaN: true }),
  peak: fc.double({ min: 0, max: 4, noNaN: true }),
});

test('no volume exceeds 1, and normalization never raises a peak above it', () => {
  fc.assert(
    fc.property(volumes, loudnesses, (volume, loudness) => {
      const level = getElementVolume(volume, loudness, true);
      expect(level).toBeGreaterThanOrEqual(0);
      expect(level).toBeLessThanOrEqual(1);
      expect(level * Math.min(1, loudness.peak)).toBeLessThanOrEqual(1 + 1e-9);
      if (loudness.peak > 1) expect(level * loudness.peak).toBeLessThanOrEqual(1 + 1e-9);
    }),
  );
});

test('a higher slider position is never quieter', () => {
  fc.assert(
    fc.property(volumes, volumes, loudnesses, fc.boolean(), (one, other, loudness, isEven) => {
      const [low, high] = one < other ? [one, other] : [other, one];
      expect(getElementVolume(low, loudness, isEven)).toBeLessThanOrEqual(getElementVolume(high, loudness, isEven));
    }),
  );
});

test('loud and quiet songs are equally loud as far as their peaks allow', () => {
  // The second song is 6 dB quieter.
  const loud = getElementVolume(50, { gain: -9, peak: 1 }, true);
  const quiet = getElementVolume(50, { gain: -3, peak: 0.5 }, true);
  expect(20 * Math.log10(quiet / loud)).toBeCloseTo(6);
});

test('without normalization only the slider counts', () => {
  expect(getElementVolume(50, { gain: -9, peak: 1 }, false)).toBe(0.25);
  expect(getElementVolume(100, { gain: 12, peak: 0.2 }, false)).toBe(1);
});
