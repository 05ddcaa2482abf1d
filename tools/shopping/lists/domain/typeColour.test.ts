import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { toHex, getNextPair, PALETTE, toColourPair } from './typeColour.ts';

const channel = fc.nat({ max: 255 });
const hex = fc
  .tuple(channel, channel, channel)
  .map((channels) => `#${channels.map((value) => value.toString(16).padStart(2, '0')).join('')}`);

test('a picked colour gets a shade: each channel divided by 1.75, minus 20, at least 0', () => {
  expect(toColourPair('#ff8c00')).toEqual(['rgba(255,140,0,1)', 'rgba(126,60,0,1)']);
  expect(toColourPair('#232323')).toEqual(['rgba(35,35,35,1)', 'rgba(0,0,0,1)']);
});

test('new types use the colours of the palette in turn, then those that are used least', () => {
  const used: (readonly [string, string])[] = [];
  for (let count = 0; count < 2 * PALETTE.length; count += 1) used.push(getNextPair(used));
  const first = used.slice(0, PALETTE.length);
  expect(first.map(([colour]) => toHex(colour))).toEqual(PALETTE.map(([each]) => each));
  expect(used.slice(PALETTE.length)).toEqual(first);
  expect(getNextPair(first.slice(1))).toEqual(first[0]);
});

test('black and invalid colours are ignored', () => {
  for (const text of ['#000000', '', 'red', '#12345', '#12345g', 'rgba(1,2,3,1)'])
    expect(toColourPair(text)).toBeUndefined();
});

test('every other colour is returned to the picker as it was picked', () => {
  fc.assert(
    fc.property(hex, (picked) => {
      fc.pre(picked !== '#000000');
      const [first = '', second = ''] = toColourPair(picked) ?? [];
      expect(toHex(first)).toBe(picked);
      expect(first).toMatch(/^rgba\(\d+,\d+,\d+,1\)$/);
      expect(second).toMatch(/^rgba\(\d+,\d+,\d+,1\)$/);
    }),
  );
});

test('colours of other clients are parsed too', () => {
  expect(toHex('rgba(125.71428571428572, 60, 0, 1)')).toBe('#7e3c00');
  expect(toHex('rgb(1,2,3)')).toBe('#010203');
  expect(toHex('#ABCDEF')).toBe('#abcdef');
  expect(toHex('rgba(999,0,0,1)')).toBe('#ff0000');
  for (const text of ['tomato', 'rgba(1,2)', 'rgba(1..2,0,0,1)', 'hsl(1 2% 3%)']) expect(toHex(text)).toBeUndefined();
});
