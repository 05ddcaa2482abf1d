const FIRST_HUE = 25;
const GOLDEN = (3 - Math.sqrt(5)) / 2;

const sharesFactor = (a: number, b: number): boolean => (b === 0 ? a > 1 : sharesFactor(b, a % b));

/** How many places on the wheel one goes on from line to line, so that neighbours stand far apart and every place is taken once. */
const strideOf = (count: number): number => {
  let stride = Math.max(1, Math.round(count * GOLDEN));
  while (sharesFactor(count, stride)) stride += 1;
  return stride;
};

/** The hue of each of so many lines, in degrees: spread evenly round the wheel. */
export function createHues(count: number): readonly number[] {
  const stride = strideOf(count);
  return Array.from({ length: count }, (_, index) => (FIRST_HUE + (((index * stride) % count) * 360) / count) % 360);
}

/** The colour of a line with this hue, as light as the scheme needs it: 3:1 on every ground (`lineColour.test.ts`). */
export function getLineColour(hue: number): string {
  return `oklch(var(--line-light) 0.14 ${Number(hue.toFixed(2))})`;
}
