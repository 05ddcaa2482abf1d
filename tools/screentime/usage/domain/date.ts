import type { Day } from './days.ts';

export interface Civil {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  /** 1 to 31. */
  readonly date: number;
}

// Howard Hinnant's civil_from_days and its inverse, for the years that usage can be of.
const ERA_DAYS = 146_097;
const SHIFT = 719_468;

export const civilOf = (day: Day): Civil => {
  const era = Math.floor((day + SHIFT) / ERA_DAYS);
  const dayOfEra = day + SHIFT - era * ERA_DAYS;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shifted = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shifted < 10 ? shifted + 3 : shifted - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    date: dayOfYear - Math.floor((153 * shifted + 2) / 5) + 1,
  };
};

export const dayOf = ({ year, month, date }: Civil): Day => {
  const shiftedYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(shiftedYear / 400);
  const yearOfEra = shiftedYear - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + date - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * ERA_DAYS + dayOfEra - SHIFT;
};

const padded = (value: number, length: number): string => String(value).padStart(length, '0');

const known = new Map<Day, string>();
const MAX_CACHED_DATES = 50_000;

/** `2026-11-23`. Remembered: every answer has the same thousands of days. */
export const toIso = (day: Day): string => {
  const already = known.get(day);
  if (already !== undefined) return already;
  const { year, month, date } = civilOf(day);
  const iso = `${padded(year, 4)}-${padded(month, 2)}-${padded(date, 2)}`;
  if (known.size >= MAX_CACHED_DATES) known.clear();
  known.set(day, iso);
  return iso;
};

/** Undefined where it is no ISO date of a day between 1970 and 9999. */
export const parseIso = (text: string): Day | undefined => {
  const found = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!found) return undefined;
  const day = dayOf({ year: Number(found[1]), month: Number(found[2]), date: Number(found[3]) });
  // What no month has comes back as another date.
  return day >= 0 && toIso(day) === text ? day : undefined;
};
