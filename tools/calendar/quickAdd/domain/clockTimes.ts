import { DAY_MINUTES } from '#platform/contract/duration.ts';
import { padTwo } from '#platform/contract/text.ts';
import { toMinutes } from '../../events/domain/day.ts';
import { isClosing, type Neighbours, type LinePart, type TimeRange, createWrongPart } from './lineScanner.ts';

const formatClock = (hour: number, minute: number): string => `${padTwo(hour)}:${padTwo(minute)}`;

/** Returns the part of the day at the end of a time: 'morning' for '7 in the morning'. */
export function findDayPart(text: string): string | undefined {
  return /(?<= )(?:morning|afternoon|evening|tonight|night)$/i.exec(text)?.[0]?.toLowerCase();
}

/** A part of the day after a time, such as 'in the morning'. */
export const DAY_PART =
  '(?: (?:(?:in the )?(morning|afternoon|evening)|(?:at )?(night)|(?:this )(evening)|(tonight)))?';
/** A time in digits, or a word for twelve. Has five groups. */
export const CLOCK_TIME = `(?:(?!12 ?(?:noon|mid))(\\d{1,2})(?:([:h.])(\\d{2}))?\\s?(a\\.?m\\.?|p\\.?m\\.?|o['’]?clock|h|uhr|(?<=\\d)[ap])?|(?:12 ?)?(noon|midday|midnight))`;

/** A time as written. It may be ambiguous. */
export interface ClockTime {
  readonly hour: number;
  readonly minute: number;
  /** The half of the day. `clock` is the 24-hour clock. */
  readonly half: 'am' | 'pm' | 'night' | 'either' | 'clock';
  /** Whether it can only be a time: it has a colon, am or o'clock. */
  readonly isPlain: boolean;
}

/** Returns the half of the day that 'pm' or a part of the day after a time states. */
export function getHalf(suffix: string, part: string | undefined): ClockTime['half'] {
  if (/^a/i.test(suffix) || part === 'morning') return 'am';
  if (/^p/i.test(suffix)) return 'pm';
  if (part === 'night' || part === 'tonight') return 'night';
  if (part !== undefined) return 'pm';
  return 'either';
}

/** Parses the five groups of `CLOCK_TIME`. */
export function toClockTime(groups: readonly (string | undefined)[], part: string | undefined): ClockTime {
  const [hour, separator, minute, suffix = '', word] = groups;
  if (word !== undefined)
    return { hour: word.toLowerCase() === 'midnight' ? 0 : 12, minute: 0, half: 'clock', isPlain: true };
  const is24Hour =
    /^(?:h|uhr)$/i.test(suffix) || /^(?:\d+h|0\d.)\d\d/i.test(`${hour}${separator ?? ''}${minute ?? ''}`);
  return {
    hour: Number(hour),
    minute: Number(minute ?? 0),
    half: is24Hour ? 'clock' : getHalf(suffix, part?.toLowerCase()),
    isPlain: minute !== undefined || suffix !== '',
  };
}

/** Returns the possible times, the most likely first. Empty if there is no such time. */
export function listCandidates({ hour, minute, half }: ClockTime): readonly string[] {
  if (minute > 59 || hour * 60 + minute > DAY_MINUTES) return [];
  // 24:00 is the start of the next day.
  if (half === 'clock' || hour > 12 || hour === 0) return [formatClock(hour % 24, minute)];
  const halves = { am: formatClock(hour % 12, minute), pm: formatClock((hour % 12) + 12, minute) };
  const isLate = hour < 5 || hour === 12;
  if (half === 'night') return [isLate ? halves.am : halves.pm];
  if (half !== 'either') return [halves[half]];
  // 'at 3' rarely means the night, and 'at 9' rarely the evening.
  return hour < 7 || hour === 12 ? [halves.pm, halves.am] : [halves.am, halves.pm];
}

export const ONE_TIME_MESSAGE = 'Give one time, or a start and an end: 14:00-15:30';
export function createWrongTimePart({ hour, minute }: ClockTime) {
  return createWrongPart(`${hour}:${padTwo(minute)} is not a time`);
}

export function getDuration({ time, endTime = time, endDays = 0 }: TimeRange): number {
  return endDays * DAY_MINUTES + toMinutes(endTime) - toMinutes(time);
}

/** Longest range over midnight. A longer one counts as a typing mistake. */
const MAX_NIGHT_MINUTES = 16 * 60;

function selectShortest(ranges: readonly TimeRange[]): readonly TimeRange[] {
  const min = Math.min(...ranges.map(getDuration));
  return ranges.filter((range) => getDuration(range) === min);
}

/** Returns the possible ranges: within a day, and over midnight. */
export function listRanges(from: readonly string[], until: readonly string[]) {
  const all = from.flatMap((time) =>
    until
      .filter((endTime) => endTime !== time)
      .map((endTime): TimeRange => (endTime > time ? { time, endTime } : { time, endTime, endDays: 1 })),
  );
  const days = selectShortest(all.filter(({ endDays }) => endDays === undefined));
  const nights = selectShortest(all.filter((range) => range.endDays === 1 && getDuration(range) <= MAX_NIGHT_MINUTES));
  return days.length === 0 ? { times: nights } : { times: days, nights };
}

/** Returns the range between two times, or why it isn't possible. */
export function createRangePart(start: ClockTime, until: ClockTime): LinePart {
  const from = listCandidates(start);
  const to = listCandidates(until);
  if (from.length === 0) return createWrongTimePart(start);
  if (to.length === 0) return createWrongTimePart(until);
  const ranges = listRanges(from, to);
  return ranges.times.length > 0 ? { kind: 'time', ...ranges } : createWrongPart('The end must be after the start');
}

/** Whether the line has no other time and no noun follows. */
export function isOnlyTime(neighbours: Neighbours): boolean {
  return !neighbours.has('time', 'ends') && isClosing(neighbours);
}
