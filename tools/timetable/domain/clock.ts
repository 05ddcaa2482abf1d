import { END_OF_DAY, type Minute } from './slot.ts';

const two = (value: number): string => String(value).padStart(2, '0');

/** `09:05`; the day's end is `24:00`. For whole minutes of the day. */
export const toClock = (minute: Minute): string => `${two(Math.floor(minute / 60))}:${two(minute % 60)}`;

const SEPARATED = /^(\d{1,2})\s?[:.,h]\s?(\d{1,2})$/i;
const RUN_TOGETHER = /^(\d{1,2})(\d{2})$/;
const HOURS = /^(\d{1,2})\s?h?$/i;
const HALF_OF_DAY = /\s*([ap])\.?m\.?$/i;

/** An hour of the twelve as one of the day. */
const hourOfDay = (hour: number, half: string): number | undefined => {
  if (hour < 1 || hour > 12) return undefined;
  return (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
};

/**
 * Reads a time as people write it: `09:05`, `9:5`, `9.30`, `0930`, `930`, `9`, `9h30`, `9 pm`. `24:00`, the day's end, is 1440.
 * Undefined for what is no time of a day.
 */
export const parseClock = (text: string): Minute | undefined => {
  if (text.length > 20) return undefined;
  const half = HALF_OF_DAY.exec(text.trim());
  const digits = half ? text.trim().slice(0, half.index) : text.trim();
  const found = SEPARATED.exec(digits) ?? RUN_TOGETHER.exec(digits) ?? HOURS.exec(digits);
  if (!found) return undefined;
  const written = Number(found[1]);
  const minutes = Number(found[2] ?? 0);
  const hour = half ? hourOfDay(written, half[1] ?? '') : written;
  if (hour === undefined || minutes > 59) return undefined;
  const minute = hour * 60 + minutes;
  return minute <= END_OF_DAY ? minute : undefined;
};

/** Reads the time that something ends at: midnight is the day's end, 24:00. */
export function parseEndClock(text: string): Minute | undefined {
  const minute = parseClock(text);
  return minute === 0 ? END_OF_DAY : minute;
}
