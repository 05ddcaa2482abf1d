import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { listGridlines, createScale, getLabelStride, createHues } from './plot.ts';

test('an axis starts at 0 and ends just above the maximum', () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-6, max: 1e9, noNaN: true }), (max) => {
      const scale = createScale(max);
      const lines = listGridlines(scale);
      expect(lines[0]).toBe(0);
      expect(scale.top).toBeGreaterThanOrEqual(max * (1 - 1e-6));
      expect(scale.top - scale.step).toBeLessThanOrEqual(max);
      expect(lines.length).toBeGreaterThanOrEqual(3);
      expect(lines.length).toBeLessThanOrEqual(7);
    }),
  );
});

test('ten hours have steps of two (docs/specification/screentime.md section 6)', () => {
  expect(createScale(10)).toEqual({ top: 10, step: 2 });
  expect(listGridlines(createScale(10))).toEqual([0, 2, 4, 6, 8, 10]);
  expect(listGridlines(createScale(0.5))).toEqual([0, 0.1, 0.2, 0.3, 0.4, 0.5]);
});

test('only labels that fit are shown', () => {
  expect(getLabelStride(30, 11)).toBe(3);
  expect(getLabelStride(5, 11)).toBe(1);
  expect(getLabelStride(0, 0)).toBe(1);
});

test('hues are evenly spread around the wheel, and neighbours in the list are far apart', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 400 }), (count) => {
      const hues = createHues(count);
      const sorted = hues.toSorted((a, b) => a - b);
      for (const [index, hue] of sorted.slice(1).entries())
        expect(hue - (sorted[index] ?? 0)).toBeCloseTo(360 / count, 6);
      if (count < 8) return;
      for (const [index, hue] of hues.slice(1).entries()) {
        const distance = Math.abs(hue - (hues[index] ?? 0));
        expect(Math.min(distance, 360 - distance)).toBeGreaterThan(80);
      }
    }),
  );
});

type Light = readonly [red: number, green: number, blue: number];

const clamp = (value: number): number => Math.min(1, Math.max(0, value));
/** Linear light of an `oklch()` colour, clipped to the gamut of the screen. */
function toLinearLight(lightness: number, chroma: number, hue: number): Light {
  const [a, b] = [chroma * Math.cos((hue * Math.PI) / 180), chroma * Math.sin((hue * Math.PI) / 180)];
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    clamp(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    clamp(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    clamp(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}
const toLinear = (channel: number): number =>
  channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
function hexToLinearLight(hex: string): Light {
  const readChannel = (from: number): number => toLinear(Number.parseInt(hex.slice(from, from + 2), 16) / 255);
  return [readChannel(1), readChannel(3), readChannel(5)];
}
const getLuminance = ([red, green, blue]: Light): number => 0.2126 * red + 0.7152 * green + 0.0722 * blue;
function getContrast(first: Light, second: Light): number {
  const [dark = 0, light = 0] = [getLuminance(first), getLuminance(second)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

const tokens = readFileSync(new URL('../theme/tokens.css', import.meta.url), 'utf8');
const [light = '', dark = ''] = tokens.split(':root[data-mantine-color-scheme');
const readToken = (scheme: string, name: string): string => new RegExp(`--${name}: ([^;]+);`).exec(scheme)?.[1] ?? '';

test.for([
  { name: 'light', scheme: light },
  { name: 'dark', scheme: dark },
])('every hue has enough contrast on every background: $name', ({ scheme }) => {
  for (const background of ['bg', 'surface'])
    for (let hue = 0; hue < 360; hue += 1) {
      const line = toLinearLight(Number(readToken(scheme, 'line-light')), 0.14, hue);
      const ratio = getContrast(line, hexToLinearLight(readToken(scheme, background)));
      expect(ratio, `${background} at ${hue}`).toBeGreaterThanOrEqual(3);
    }
});
