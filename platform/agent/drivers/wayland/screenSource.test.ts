import { expect, test } from 'vitest';
import { cutRegion } from './screenSource.ts';

const [WIDTH, HEIGHT] = [3, 3];
const WHOLE = { x: 0, y: 0, width: WIDTH, height: HEIGHT };
const MIDDLE = { x: 1, y: 1, width: 2, height: 1 };

/** A picture whose pixels have the numbers of their column and row, such as 12 for column 1 and row 2. */
function createPicture({ isFlipped = false, stride = 4 * WIDTH + 8 }) {
  const data = Buffer.alloc(stride * HEIGHT, 0xff);
  for (let y = 0; y < HEIGHT; y++)
    for (let x = 0; x < WIDTH; x++) data.writeUInt32LE(10 * x + y, (isFlipped ? HEIGHT - 1 - y : y) * stride + 4 * x);
  return { data, stride, height: HEIGHT, isFlipped };
}
const readPixels = (rows: Buffer): readonly number[] =>
  Array.from({ length: rows.length / 4 }, (_, index) => rows.readUInt32LE(4 * index));

test('a part of a picture is cut out in pixels', () => {
  expect(readPixels(cutRegion(createPicture({}), MIDDLE))).toEqual([11, 21]);
  expect(readPixels(cutRegion(createPicture({ isFlipped: true }), MIDDLE))).toEqual([11, 21]);
  expect(readPixels(cutRegion(createPicture({ isFlipped: true }), { ...MIDDLE, height: 2 }))).toEqual([12, 22, 11, 21]);
});

test('a whole picture loses only what fills up its rows', () => {
  const pixels = [0, 10, 20, 1, 11, 21, 2, 12, 22];
  expect(readPixels(cutRegion(createPicture({}), WHOLE))).toEqual(pixels);
  expect(readPixels(cutRegion(createPicture({ stride: 4 * WIDTH }), WHOLE))).toEqual(pixels);
});
