import { minutesOf } from '../time.ts';
import { MONTH } from './dates.ts';
import { COUNT, countOf, matchAt, type Reader, type TimeRange, wrong } from './scan.ts';

const two = (value: number): string => String(value).padStart(2, '0');
const clock = (hour: number, minute: number): string => `${two(hour)}:${two(minute)}`;

/** 'in the morning' and the like, behind a time. */
const DAYPART = '(?: (?:(?:in the )?(morning|afternoon|evening)|(?:at )?(night)|(?:this )(evening)|(tonight)))?';
const SAID = `(?:(\\d{1,2})(?:[:h](\\d{2}))?\\s?(a\\.?m\\.?|p\\.?m\\.?|o'?clock|h)?|(noon|midday|midnight))`;

interface Said {
  readonly hour: number;
  readonly minute: number;
  /** Which half of the day is meant; `clock` is that of 24 hours. */
  readonly half: 'am' | 'pm' | 'either' | 'clock';
  /** A colon, am, o'clock: it can be nothing but a time. */
  readonly isPlain: boolean;
}

const halfOf = (suffix: string, part: string | undefined): Said['half'] => {
  if (/^a/i.test(suffix) || part === 'morning') return 'am';
  if (/^p/i.test(suffix) || part !== undefined) return 'pm';
  return 'either';
};

const saidOf = (groups: readonly (string | undefined)[], part: string | undefined): Said => {
  const [hour, minute, suffix = '', word] = groups;
  if (word !== undefined)
    return { hour: word.toLowerCase() === 'midnight' ? 0 : 12, minute: 0, half: 'clock', isPlain: true };
  const isOf24 = suffix.toLowerCase() === 'h' || (hour?.startsWith('0') === true && minute !== undefined);
  return {
    hour: Number(hour),
    minute: Number(minute ?? 0),
    half: isOf24 ? 'clock' : halfOf(suffix, part?.toLowerCase()),
    isPlain: minute !== undefined || suffix !== '',
  };
};

/** The times that it may mean, likeliest first; none where there is no such time. */
const meant = ({ hour, minute, half }: Said): readonly string[] => {
  if (minute > 59 || hour > 23) return [];
  if (half === 'clock' || hour > 12 || hour === 0) return [clock(hour, minute)];
  const halves = { am: clock(hour % 12, minute), pm: clock((hour % 12) + 12, minute) };
  if (half !== 'either') return [halves[half]];
  // 'at 3' is rarely at night, 'at 9' rarely in the evening.
  return hour < 7 || hour === 12 ? [halves.pm, halves.am] : [halves.am, halves.pm];
};

const wrongTime = ({ hour, minute }: Said) => wrong(`There is no ${hour}:${two(minute)}`);

const rangeOf = (from: readonly string[], until: readonly string[]): readonly TimeRange[] => {
  const ranges = from.flatMap((time) =>
    until.filter((endTime) => endTime > time).map((endTime) => ({ time, endTime })),
  );
  const shortest = Math.min(...ranges.map(spread));
  return ranges.filter((range) => spread(range) === shortest);
};
const spread = ({ time, endTime = time }: TimeRange): number => minutesOf(endTime) - minutesOf(time);

/** '9:40-10:15', 'from 9 to 11', '2-3pm'. */
const readRange: Reader = (line, at) => {
  const found = matchAt(
    new RegExp(`(from |at |between )?${SAID}\\s*(?:-|–|to|until|till|and)\\s*${SAID}(?! (?:of )?${MONTH})${DAYPART}`),
    line,
    at,
  );
  if (!found) return undefined;
  const part = found.slice(10).find((word) => word !== undefined);
  const until = saidOf(found.slice(6, 10), part);
  const said = saidOf(found.slice(2, 6), undefined);
  if (found[1] === undefined && !until.isPlain && !said.isPlain) return undefined;
  const end = at + found[0].length;
  const from = meant(said);
  const to = meant(until);
  if (from.length === 0) return { end, part: wrongTime(said) };
  if (to.length === 0) return { end, part: wrongTime(until) };
  const times = rangeOf(from, to);
  return { end, part: times.length > 0 ? { kind: 'time', times } : wrong('It ends before it begins') };
};

const readSpoken: Reader = (line, at) => {
  const found = matchAt(new RegExp(`(?:at )?(half|quarter) (past|to) (${COUNT})${DAYPART}`), line, at);
  if (!found) return undefined;
  const [all, fraction = '', side = '', hour = ''] = found;
  const part = found.slice(4).find((word) => word !== undefined);
  const minute = fraction.toLowerCase() === 'half' ? 30 : side.toLowerCase() === 'past' ? 15 : 45;
  const named = countOf(hour);
  const said = {
    hour: side.toLowerCase() === 'past' ? named : (named + 11) % 12 || 12,
    minute,
    half: halfOf('', part?.toLowerCase()),
    isPlain: true,
  };
  const times = meant(said).map((time) => ({ time }));
  return { end: at + all.length, part: times.length > 0 ? { kind: 'time', times } : wrongTime(said) };
};

const readSingle: Reader = (line, at) => {
  const found = matchAt(new RegExp(`(at |@ ?|by )?${SAID}${DAYPART}`), line, at);
  if (!found) return undefined;
  const part = found.slice(6).find((word) => word !== undefined);
  const said = saidOf(found.slice(2, 6), part);
  if (found[1] === undefined && !said.isPlain) return undefined;
  const times = meant(said).map((time) => ({ time }));
  return { end: at + found[0].length, part: times.length > 0 ? { kind: 'time', times } : wrongTime(said) };
};

/** A time of the day, or from one to another. */
export const readTime: Reader = (line, at, today) =>
  readRange(line, at, today) ?? readSpoken(line, at, today) ?? readSingle(line, at, today);

const UNITS = { minute: 'minutes', hour: 'hours', day: 'days', week: 'weeks', month: 'months', year: 'years' } as const;
const isUnit = (word: string): word is keyof typeof UNITS => Object.hasOwn(UNITS, word);

/** 'for 3 days', 'for half an hour'. */
export const readLength: Reader = (line, at) => {
  const half = matchAt(/for half an hour/, line, at);
  if (half) return { end: at + half[0].length, part: { kind: 'length', amount: 30, unit: 'minutes' } };
  const found = matchAt(new RegExp(`for (${COUNT}) (min(?:ute)?|hour|day|week|fortnight|month|year)s?`), line, at);
  if (!found) return undefined;
  const [all, amount = '', named = ''] = found;
  const word = named.toLowerCase();
  const end = at + all.length;
  const count = countOf(amount);
  if (count < 1) return { end, part: wrong('It has to last at least for one') };
  if (word === 'fortnight') return { end, part: { kind: 'length', amount: count * 2, unit: 'weeks' } };
  const unit = word === 'min' ? 'minute' : word;
  return isUnit(unit) ? { end, part: { kind: 'length', amount: count, unit: UNITS[unit] } } : undefined;
};
