/** Gridlines above 0, and the hours that the highest is a multiple of (docs/specification/screentime.md section 6). */
const GRIDLINES = 5;
const MULTIPLE = 5;

/** Returns the hours of the gridlines, from the top down to 0. */
export function gridHours(hours: readonly number[]): readonly number[] {
  const most = hours.reduce((one, other) => Math.max(one, other), 0);
  const top = Math.max(1, Math.ceil(most / MULTIPLE)) * MULTIPLE;
  return Array.from({ length: GRIDLINES + 1 }, (_, index) => (top * (GRIDLINES - index)) / GRIDLINES);
}
