import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { resolveRange, parseRange } from './fileResponse.ts';

test.each([
  ['bytes=0-', { from: 0, to: 99 }],
  ['bytes=0-0', { from: 0, to: 0 }],
  ['bytes=10-19', { from: 10, to: 19 }],
  ['bytes=90-5000', { from: 90, to: 99 }],
  ['bytes=-10', { from: 90, to: 99 }],
  ['bytes=-1000', { from: 0, to: 99 }],
  ['bytes=99999999999999999999-', 'none'],
  ['bytes=100-', 'none'],
  ['bytes=-0', 'none'],
  ['bytes=20-10', undefined],
  ['bytes=0-1,5-6', undefined],
  ['bytes=-', undefined],
  ['bytes=a-b', undefined],
  ['songs=0-1', undefined],
  ['', undefined],
])('of 100 bytes, %j is %j', (header, range) => {
  expect(parseRange(header, 100)).toEqual(range);
});

test('for any header, the range is within the file', () => {
  fc.assert(
    fc.property(fc.nat(), fc.option(fc.nat()), fc.option(fc.nat()), (size, first, last) => {
      const range = parseRange(`bytes=${first ?? ''}-${last ?? ''}`, size);
      if (range === undefined || range === 'none') return;
      expect(range.from).toBeGreaterThanOrEqual(0);
      expect(range.to).toBeGreaterThanOrEqual(range.from);
      expect(range.to).toBeLessThan(size);
    }),
  );
});

test('a client with the start of another file gets the whole file', () => {
  const file = { size: 100, etag: '"now"' };
  expect(resolveRange({ range: 'bytes=50-', ifRange: '"now"' }, file)).toEqual({ from: 50, to: 99 });
  for (const ifRange of ['"before"', 'W/"now"', 'Mon, 23 Nov 2026 04:00:00 GMT'])
    expect(resolveRange({ range: 'bytes=50-', ifRange }, file)).toBeUndefined();
});
