import { parseIso } from '../../usage/domain/date.ts';

/** Days that may be asked for at once. */
const MAX_DAYS_PER_REQUEST = 62;

/** Both within; ISO. */
export interface DayRequestRange {
  readonly from: string;
  readonly until: string;
}

/** As few stretches as hold all these days (ISO, newest first), none longer than may be asked for. */
export const stretchesOf = (dates: readonly string[]): readonly DayRequestRange[] => {
  const stretches: DayRequestRange[] = [];
  for (const date of dates) {
    const last = stretches.at(-1);
    const span = last && (parseIso(last.until) ?? 0) - (parseIso(date) ?? 0) + 1;
    if (last && span !== undefined && span <= MAX_DAYS_PER_REQUEST)
      stretches[stretches.length - 1] = { ...last, from: date };
    else stretches.push({ from: date, until: date });
  }
  return stretches;
};
