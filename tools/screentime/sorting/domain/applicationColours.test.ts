import { expect, test } from 'vitest';
import { getColours, TOTAL_COLOURS, type Rgb } from './applicationColours.ts';

const linear = (value: number): number => (value <= 10 ? value / 3294 : ((value / 255 + 0.055) / 1.055) ** 2.4);
const luminance = ([red, green, blue]: Rgb): number =>
  0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
function contrast(one: Rgb, other: Rgb): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}
const LIGHT: Rgb = [255, 255, 255];
const DARK: Rgb = [24, 26, 32];

test('every colour is valid, and visible in light and dark mode', () => {
  for (const { on, off } of [TOTAL_COLOURS, ...Array.from({ length: 400 }, (_, index) => getColours(index))]) {
    for (const value of [...on, ...off]) expect(Number.isInteger(value) && value >= 0 && value <= 255).toBe(true);
    for (const background of [LIGHT, DARK]) {
      expect(contrast(on, background)).toBeGreaterThan(3);
      expect(contrast(off, background)).toBeGreaterThan(1.8);
    }
  }
});

const apart = (one: Rgb, other: Rgb): number => Math.hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2]);

test('consecutive applications look different', () => {
  const colours = Array.from({ length: 12 }, (_, index) => getColours(index).on);
  for (const [index, one] of colours.entries())
    for (const other of colours.slice(index + 1)) expect(apart(one, other)).toBeGreaterThan(15);
});
