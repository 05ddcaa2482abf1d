/** Gridlines above 0, and what the highest of them is a multiple of, in hours (specification 2, section 9). */
const GRIDLINES = 5;
const MULTIPLE = 5;

/** Hours beside the gridlines of the bars, from the top down to 0. */
export function gridHours(hours: readonly number[]): readonly number[] {
  const most = hours.reduce((one, other) => Math.max(one, other), 0);
  const top = Math.max(1, Math.ceil(most / MULTIPLE)) * MULTIPLE;
  return Array.from({ length: GRIDLINES + 1 }, (_, index) => (top * (GRIDLINES - index)) / GRIDLINES);
}
