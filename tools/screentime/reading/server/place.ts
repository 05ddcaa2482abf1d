const QUARTER = 15;
/** In hours. The furthest zones are at -12 and +14. */
const FURTHEST = 18;

/**
 * Hours east of UTC, with fractions, as minutes; undefined where it is no such number. Every zone of our days stands at a quarter of an
 * hour, so what was rounded on its way (5.8 for Nepal) is put right.
 */
export const offsetMinutes = (hours: string): number | undefined => {
  const value = Number(hours);
  if (hours.trim() === '' || !Number.isFinite(value) || Math.abs(value) > FURTHEST) return undefined;
  return Math.round((value * 60) / QUARTER) * QUARTER;
};

const two = (value: number): string => String(value).padStart(2, '0');

/** A zone that never changes its clock: `+05:45`. */
export const offsetZone = (minutes: number): string => {
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
};
