import { STATUSES } from './status.ts';
import type { StatusInterval } from './stretch.ts';

/** '7 h 20 min', '45 min', '8 h'; to the minute. */
export const spanText = (seconds: number): string => {
  const minutes = Math.round(seconds / 60);
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (hours === 0) return `${rest} min`;
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`;
};

/** A day in a sentence: 'online 5 h 10 min, offline 18 h 50 min'. */
export const summary = (stretches: readonly StatusInterval[]): string =>
  STATUSES.map((status) => {
    const seconds = stretches
      .filter((stretch) => stretch.status === status)
      .reduce((sum, { from, until }) => sum + until - from, 0);
    return seconds < 60 ? '' : `${status} ${spanText(seconds)}`;
  })
    .filter(Boolean)
    .join(', ');
