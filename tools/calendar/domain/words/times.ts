import { minutesOf } from '../time.ts';
import { dated, MONTH } from './dates.ts';
import { COUNT, countOf, matchAt, type Part, type Reader, type TimeRange, wrong } from './scan.ts';

const two = (value: number): string => String(value).padStart(2, '0');
const clock = (hour: number, minute: number): string => `${two(hour)}:${two(minute)}`;

/** 'in the morning' and the like, behind a time. */
const DAYPART = '(?: (?:(?:in the )?(morning|afternoon|evening)|(?:at )?(night)|(?:this )(evening)|(tonight)))?';
const SAID = `(?:(\\d{1,2})(?:[:h.](\\d{2}))?\\s?(a\\.?m\\.?|p\\.?m\\.?|o'?clock|h|uhr)?|(noon|midday|midnight))`;

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
  const isOf24 = /^(?:h|uhr)$/i.test(suffix) || (hour?.startsWith('0') === true && minute !== undefined);
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

const COUNTED_BEFORE =
  /(?:chapters?|pages?|pp?\.|ages?|aged|units?|rooms?|nos?\.?|numbers?|lessons?|levels?|grades?|parts?|steps?|score|tasks?|questions?|exercises?|items?|episodes?|weeks?|verses?|gates?|lines?|tracks?|sections?|version|v|tables?|[#$€£/.,:-])\s*$/iu;
const COUNTED_BEHIND =
  /^(?:\s?[%€$£/.,:-]\d|\s?(?:[%€$£]|(?:euros?|eur|dollars?|usd|pounds?|gbp|chf|km|k?m|miles?|cm|mm|k?g|lbs?|l|litres?|liters?|people|persons?|players|pax|minutes?|mins?|hours?|days?|weeks?|months?|years?|times|pages|eggs|win|defeat|draw)(?![\p{L}\p{N}])))/iu;
/** Whether figures count or number something rather than tell a time. */
const isCounted = (line: string, at: number, end: number): boolean =>
  COUNTED_BEFORE.test(line.slice(0, at)) || COUNTED_BEHIND.test(line.slice(end));

/** '3-1': nothing that begins so early goes on past noon. */
const isScore = (from: Said, until: Said): boolean => from.hour < 7 && until.hour <= from.hour;

/** '9.40': a time, or a price or version of the name, or the 9th of a month. */
const dotted = (line: string, at: number, today: number, { end, part }: { end: number; part: Part }) => {
  const [, date, month] = /^(\d{1,2})\.(\d{2})$/.exec(line.slice(at, end)) ?? [];
  if (month === undefined) return { end, part };
  if (part.kind === 'wrong' || isCounted(line, at, end)) return undefined;
  const day =
    Number(month) >= 1 && Number(month) <= 12 ? dated(today, Number(month), Number(date), undefined) : undefined;
  const dates = day?.kind === 'date' ? [day] : [];
  const options = Number(month) % 5 === 0 ? [part, ...dates] : [...dates, part];
  return { end, part: { kind: 'either', options: [...options, undefined] } } as const;
};

const rangePart = (said: Said, until: Said): Part => {
  const from = meant(said);
  const to = meant(until);
  if (from.length === 0) return wrongTime(said);
  if (to.length === 0) return wrongTime(until);
  const times = rangeOf(from, to);
  return times.length > 0 ? { kind: 'time', times } : wrong('It ends before it begins');
};

/** '9:40-10:15', 'from 9 to 11', '2-3pm'. */
const readRange: Reader = (line, at) => {
  const found = matchAt(
    new RegExp(`(from |at |between )?${SAID}\\s*(?:-|–|to|until|till|and)\\s*${SAID}(?! (?:of )?${MONTH})${DAYPART}`),
    line,
    at,
  );
  if (!found) return undefined;
  const dayPart = found.slice(10).find((word) => word !== undefined);
  const until = saidOf(found.slice(6, 10), dayPart);
  const said = saidOf(found.slice(2, 6), undefined);
  const end = at + found[0].length;
  const isBare = found[1] === undefined && !until.isPlain && !said.isPlain;
  if (!isBare) return { end, part: rangePart(said, until) };
  if (!/[-–]/.test(found[0]) || isScore(said, until) || isCounted(line, at, end)) return undefined;
  const part = rangePart(said, until);
  return part.kind === 'time' ? { end, part: { kind: 'either', options: [part, undefined] } } : undefined;
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

const readSingle: Reader = (line, at, today) => {
  const found = matchAt(new RegExp(`(at |@ ?|by )?${SAID}${DAYPART}`), line, at);
  if (!found) return undefined;
  const part = found.slice(6).find((word) => word !== undefined);
  const said = saidOf(found.slice(2, 6), part);
  if (found[1] === undefined && !said.isPlain) return undefined;
  const times = meant(said).map((time) => ({ time }));
  const read: Part = times.length > 0 ? { kind: 'time', times } : wrongTime(said);
  return dotted(line, at, today, { end: at + found[0].length, part: read });
};

const WAIT_UNITS = '(?<unit>hours?|hrs?|h|minutes?|mins?)';
/** 'in an hour', 'in 20 min', 'half an hour from now', 'in an hour and a half', 'in 1.5 hours', 'in 1h30'. */
const WAITS = [
  '(?<half>half an hour)',
  '(?<quarters>a quarter|three quarters) of an hour',
  '(?<hours>\\d{1,3}) ?h(?:ours?)?(?: and)? ?(?<minutes>\\d{1,2}) ?(?:m|mins?|minutes?)?',
  `(?<count>\\d{1,4}[.,]\\d{1,2}|a couple of|a few|${COUNT}) ?${WAIT_UNITS}(?<more> and a half)?`,
].map((pattern) => [new RegExp(`in ${pattern}(?:'?s? time)?`), new RegExp(`${pattern} from now`)] as const);

const minutesIn = (said: Readonly<Record<string, string | undefined>>): number => {
  if (said['half'] !== undefined) return 30;
  if (said['quarters'] !== undefined) return /^a/i.test(said['quarters']) ? 15 : 45;
  if (said['hours'] !== undefined) return Number(said['hours']) * 60 + Number(said['minutes']);
  const count = said['count'] ?? '';
  const amount = /couple/i.test(count)
    ? 2
    : /few/i.test(count)
      ? 3
      : /[.,]/.test(count)
        ? Number(count.replace(',', '.'))
        : countOf(count);
  return Math.round((amount + (said['more'] === undefined ? 0 : 0.5)) * (/^h/i.test(said['unit'] ?? '') ? 60 : 1));
};

/** So long from now. */
export const readWait: Reader = (line, at) => {
  for (const pattern of WAITS.flat()) {
    const found = matchAt(pattern, line, at);
    if (found) return { end: at + found[0].length, part: { kind: 'wait', minutes: minutesIn(found.groups ?? {}) } };
  }
  return undefined;
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
