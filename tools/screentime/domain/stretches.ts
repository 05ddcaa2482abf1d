import { parseIso } from './date.ts';

/** Days that may be asked for at once. */
const MOST_DAYS = 62;

/** Both within; ISO. */
export interface DayStretch {
  readonly from: string;
  readonly until: string;
}

/** As few stretches as hold all these days (ISO, newest first), none longer than may be asked for. */
export const stretchesOf = (dates: readonly string[]): readonly DayStretch[] => {
  const stretches: DayStretch[] = [];
  for (const date of dates) {
    const last = stretches.at(-1);
    const span = last && (parseIso(last.until) ?? 0) - (parseIso(date) ?? 0) + 1;
    if (last && span !== undefined && span <= MOST_DAYS) stretches[stretches.length - 1] = { ...last, from: date };
    else stretches.push({ from: date, until: date });
  }
  return stretches;
};
