import { parseIso } from './date.ts';
import { DAY_SECONDS } from './days.ts';

const INSTANT =
  /^(\d{4}-\d\d-\d\d)[Tt ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d|60)(?:[.,](\d{1,9}))?)?(?:[Zz]|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?)$/;

/** ISO 8601 with `Z` or an offset, in milliseconds since the epoch. Undefined for what is none, and for times before 1970. */
export const parseInstant = (text: string): number | undefined => {
  const found = INSTANT.exec(text);
  if (!found) return undefined;
  const [, date = '', hour, minute, second = '0', fraction = '', sign, zoneHour = '0', zoneMinute = '0'] = found;
  const day = parseIso(date);
  if (day === undefined) return undefined;
  const offset = (sign === '-' ? -1 : 1) * (Number(zoneHour) * 3600 + Number(zoneMinute) * 60);
  // A leap second is the one before it.
  const seconds = Number(hour) * 3600 + Number(minute) * 60 + Math.min(59, Number(second));
  return (day * DAY_SECONDS + seconds - offset) * 1000 + Number(fraction.slice(0, 3).padEnd(3, '0'));
};
