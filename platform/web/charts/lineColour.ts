const FIRST_HUE = 25;
const GOLDEN = (3 - Math.sqrt(5)) / 2;

const sharesFactor = (a: number, b: number): boolean => (b === 0 ? a > 1 : sharesFactor(b, a % b));

/** Returns a stride around the colour wheel that separates neighbours and visits every place once. */
const getStride = (count: number): number => {
  let stride = Math.max(1, Math.round(count * GOLDEN));
  while (sharesFactor(count, stride)) stride += 1;
  return stride;
};

/** Returns evenly spread hues in degrees, one for each line. */
export function createHues(count: number): readonly number[] {
  const stride = getStride(count);
  return Array.from({ length: count }, (_, index) => (FIRST_HUE + (((index * stride) % count) * 360) / count) % 360);
}

/**
 * Returns the colour of a line. Its lightness depends on the scheme and gives a contrast of 3:1 (`lineColour.test.ts`).
 */
export function getLineColour(hue: number): string {
  return `oklch(var(--line-light) 0.14 ${Number(hue.toFixed(2))})`;
}
