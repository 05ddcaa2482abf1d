import { type Day, LAST_DAY } from '../day.ts';
import type { Duration, Pattern, RepeatUntil } from '../event.ts';
import { unitOfRule, ruleIn } from '../icsRule.ts';
import { icsDay } from '../icsText.ts';
import { patternOfRule } from '../rulePattern.ts';
import { minutesOf, timeOf } from '../time.ts';
import { readDate } from './dates.ts';
import { readRepeat, readTimes } from './repeats.ts';
import { type DayHalf, type Found, matchAt, type Part, type Reader, type TimeRange, wrong } from './scan.ts';
import { readSpan } from './spans.ts';
import { readLength, readTime, readWait } from './times.ts';

/** An event as a line of plain words may mean it. */
export interface Reading {
  readonly name: string;
  readonly day: Day;
  readonly time: string | undefined;
  readonly endTime: string | undefined;
  readonly pattern: Pattern;
  readonly tags: readonly string[];
}

/**
 * What a line means. `readings`: at least one, the likeliest first; several where the words are ambiguous. `wrong`: something in it cannot
 * be, said in a sentence. `empty`: there is nothing yet.
 */
export type Understanding =
  | { readonly kind: 'empty' }
  | { readonly kind: 'wrong'; readonly why: string }
  | {
      readonly kind: 'readings';
      readonly readings: readonly Reading[];
      /** False where no day was named. */ readonly isDated: boolean;
    };

const MOST_READINGS = 3;
const DAY_MINUTES = 24 * 60;

const readTag: Reader = (line, at) => {
  const tag = /#([\p{L}\p{N}][\p{L}\p{N}_-]{0,59})/uy;
  tag.lastIndex = at;
  const found = tag.exec(line);
  return found?.[1] === undefined ? undefined : { end: tag.lastIndex, part: { kind: 'tag', name: found[1] } };
};

const readQuoted: Reader = (line, at) => {
  const quoted = /"([^"]+)"|“([^”]+)”/uy;
  quoted.lastIndex = at;
  const found = quoted.exec(line);
  return found ? { end: quoted.lastIndex, part: { kind: 'name', text: found[1] ?? found[2] ?? '' } } : undefined;
};

const readers = [
  readQuoted,
  readTag,
  readWait,
  readRepeat,
  readTimes,
  readSpan,
  readDate,
  readLength,
  readTime,
] as const;

const HALVES: readonly (readonly [RegExp, DayHalf])[] = [
  [/ (?:in the )?mornings?/, 'am'],
  [/ (?:in the |at )?(?:afternoon|evening|night)s?/, 'pm'],
];

/** 'tonight', 'this morning', and what stands behind a day: 'tomorrow evening', 'every Friday night'. */
const halfBehind = (line: string, { start, end, part }: Found): Pick<Found, 'end' | 'half'> => {
  const said = line.slice(start, end);
  if (/^nightly$|tonight|afternoon|evening/i.test(said)) return { end, half: 'pm' };
  if (/this morning/i.test(said)) return { end, half: 'am' };
  if (part.kind !== 'date' && part.kind !== 'repeat') return { end };
  for (const [pattern, half] of HALVES) {
    const found = matchAt(pattern, line, end);
    if (found) return { end: end + found[0].length, half };
  }
  return { end };
};

/** Everything in the line that is more than a word of the name, from left to right. */
const scan = (line: string, today: Day): readonly Found[] => {
  const found: Found[] = [];
  const starts = /(?<![\p{L}\p{N}])[\p{L}\p{N}#"“@]/gu;
  for (let at = starts.exec(line)?.index; at !== undefined; at = starts.exec(line)?.index) {
    const start = at;
    const read = readers.map((reader) => reader(line, start, today)).find((each) => each !== undefined);
    if (!read) continue;
    const each = { start, ...read };
    const behind = halfBehind(line, each);
    // Without a time 'Saturday night' is said of the event, and stays.
    found.push({ ...each, ...behind });
    starts.lastIndex = behind.end;
  }
  const isTimed = found.some(({ part }) => part.kind === 'time' || part.kind === 'either');
  return isTimed ? found : found.map((each) => ({ ...each, end: endWithoutHalf(line, each) }));
};

const endWithoutHalf = (line: string, { start, end, part }: Found): number =>
  part.kind === 'date' || part.kind === 'repeat'
    ? start +
      line.slice(start, end).replace(/(?<! this) (?:(?:in the|at) )?(?:morning|afternoon|evening|night)s?$/i, '').length
    : end;

/** The rest of the line: what was understood is cut out, and the little words that led to it. */
const nameOf = (line: string, taken: readonly Found[]): string => {
  let rest = '';
  let at = 0;
  for (const { start, end, part } of taken) {
    rest += `${line.slice(at, start)} ${part.kind === 'name' ? part.text : ''} `;
    at = end;
  }
  rest += line.slice(at);
  return rest
    .replaceAll(/\(\s*\)/gu, ' ')
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/\s+([,.;])/gu, '$1')
    .replace(/^[\s,;:–-]+/u, '')
    .replace(/(?:[\s,;:–-]|(?<=^|\s)(?:on|at|by|from|starting|beginning|for|and|of))+$/iu, '')
    .trim();
};

type Of<Kind extends Part['kind']> = Extract<Part, { readonly kind: Kind }>;
const partsOf = <Kind extends Part['kind']>(found: readonly Found[], kind: Kind): readonly Of<Kind>[] =>
  found.flatMap(({ part }) => (part.kind === kind ? [part as Of<Kind>] : []));

const daysLong = (days: number): Duration =>
  days > 15 && days % 7 === 0 ? { amount: days / 7, unit: 'weeks' } : { amount: days, unit: 'days' };

interface Meaning {
  readonly today: Day;
  readonly start: Day;
  readonly span: Of<'span'> | undefined;
  readonly until: Of<'until'> | undefined;
  readonly repeat: Of<'repeat'> | undefined;
  readonly times: Of<'times'> | undefined;
  readonly length: Of<'length'> | undefined;
  readonly time: TimeRange | undefined;
}

const repeatUntil = ({ until, times }: Meaning): RepeatUntil => {
  if (until) return { type: 'date', day: until.day };
  // '5 times' are four further ones.
  return times ? { type: 'times', times: times.times - 1 } : { type: 'forever' };
};

const TOO_LONG: Of<'wrong'> = { kind: 'wrong', why: 'That is longer than a calendar can show' };

const lasting = (duration: Duration): Reading['pattern'] | Of<'wrong'> =>
  duration.amount > 1000 ? TOO_LONG : { kind: 'duration', duration };

const boundText = ({ until, times }: Meaning, { times: own }: Of<'repeat'>): string => {
  if (until) return `;UNTIL=${icsDay(until.day)}`;
  const count = times?.times ?? own;
  return count === undefined ? '' : `;COUNT=${count}`;
};

const repeating = (repeat: Of<'repeat'>, meaning: Meaning): Reading['pattern'] | Of<'wrong'> => {
  const { start, span, today } = meaning;
  if (span) return wrong('What repeats lasts a day: leave the repeat or the last day out') as Of<'wrong'>;
  const { every, rule: value } = repeat;
  const rule = value === undefined ? undefined : ruleIn(value);
  // What our own repeats can say is one of them: it can be changed by their controls.
  const unit = rule === undefined || typeof rule === 'string' ? repeat.unit : unitOfRule(rule, start);
  if (value !== undefined && unit === undefined) return patternOfRule(value + boundText(meaning, repeat), start, today);
  return {
    kind: 'repeat',
    repeat: { every, unit: unit ?? repeat.unit, from: { type: 'date', day: start }, until: repeatUntil(meaning) },
  };
};

const patternOf = (meaning: Meaning): Reading['pattern'] | Of<'wrong'> => {
  const { start, repeat, length } = meaning;
  const last = meaning.span?.until ?? meaning.until?.day;
  if (last !== undefined && last < start) return { kind: 'wrong', why: 'It ends before it begins' };
  if (repeat) return repeating(repeat, meaning);
  if (last !== undefined) return lasting(daysLong(last - start + 1));
  // Hours with a time, and minutes, say when it ends.
  if (!length || length.unit === 'minutes' || (length.unit === 'hours' && meaning.time)) return { kind: 'single' };
  return lasting({ amount: length.amount, unit: length.unit });
};

/** The end that is said, or that follows from the length; none behind midnight. */
const endOf = ({ time, length }: Meaning): string | undefined => {
  if (!time || time.endTime !== undefined || !length) return time?.endTime;
  if (length.unit !== 'hours' && length.unit !== 'minutes') return undefined;
  const end = minutesOf(time.time) + length.amount * (length.unit === 'hours' ? 60 : 1);
  return end < 24 * 60 ? timeOf(end) : undefined;
};

/** Days that the words name as the first one. A repeat on a weekday begins on it. */
const startsOf = (found: readonly Found[], today: Day): readonly Day[] => {
  const [span] = partsOf(found, 'span');
  if (span) return [span.from];
  const first = partsOf(found, 'repeat')[0]?.first;
  const dates = partsOf(found, 'date').at(-1)?.days ?? [today];
  return first === undefined ? dates : [first(dates[0] ?? today)];
};

const isOfHalf = (time: string, half: DayHalf): boolean => time >= '12:00' === (half === 'pm');

/** The times that may be meant; beside 'tonight' or 'this morning' those of that half of the day come first. */
const timesOf = (found: readonly Found[]): readonly (TimeRange | undefined)[] => {
  const times = partsOf(found, 'time')[0]?.times;
  const half = found.find((each) => each.half !== undefined)?.half;
  if (times === undefined) return [undefined];
  return half === undefined
    ? times
    : times.toSorted((one, other) => Number(isOfHalf(other.time, half)) - Number(isOfHalf(one.time, half)));
};

const yearly = (reading: Reading): Reading => ({
  ...reading,
  pattern: {
    kind: 'repeat',
    repeat: { every: 1, unit: 'year', from: { type: 'date', day: reading.day }, until: { type: 'forever' } },
  },
});

/** Each way to take what may mean one or the other, the likeliest first. */
const taken = (found: readonly Found[]): readonly (readonly Found[])[] => {
  const at = found.findIndex(({ part }) => part.kind === 'either');
  const either = found[at];
  if (either?.part.kind !== 'either') return [found];
  const isDated = found.some(({ part }) => part.kind === 'date');
  return either.part.options
    .filter((option) => option?.kind !== 'date' || !isDated)
    .flatMap((option) => taken(found.toSpliced(at, 1, ...(option === undefined ? [] : [{ ...either, part: option }]))));
};

const isAdjective = ({ part }: Found): boolean => part.kind === 'repeat' && part.isAdjective === true;

/** An adjective is part of the name where another rule is said: 'weekly review every Friday'. */
const withoutAdjectives = (found: readonly Found[]): readonly Found[] =>
  found.some((each) => each.part.kind === 'repeat' && !isAdjective(each))
    ? found.filter((each) => !isAdjective(each))
    : found;

/** A time so far from now as a day and a time. */
const fromNow = (found: readonly Found[], today: Day, now: string): readonly Found[] =>
  found.flatMap((each) => {
    if (each.part.kind !== 'wait') return [each];
    const minutes = minutesOf(now) + each.part.minutes;
    const day = today + Math.floor(minutes / DAY_MINUTES);
    const times = [{ time: timeOf(minutes % DAY_MINUTES) }];
    return [
      { ...each, part: { kind: 'date', days: [day] } },
      { start: each.end, end: each.end, part: { kind: 'time', times } },
    ] as const;
  });

/** What looks like a part of a rule, and was not understood. */
const RULE_LEFT =
  /(?<![\p{L}\p{N}])(?:(?:every|each) (?:other|few|couple|single|\d|first|second|third|last|mon|tue|wed|thu|fri|sat|sun|day|week|month|year|morning|evening|night|hour|minute|weekday|weekend)\p{L}*|(?:of|in) (?:every|each) \p{L}+|every$|each$)/iu;

/** Why a line that was read in part is not understood. */
const faultIn = (found: readonly Found[], rest: string): string | undefined => {
  const fault = partsOf(found, 'wrong')[0];
  if (fault) return fault.why;
  if (partsOf(found, 'repeat').length > 1) return 'Say one repeat only: make one event for each';
  const times = new Set(partsOf(found, 'time').map((part) => JSON.stringify(part.times)));
  if (times.size > 1) return 'Say one time only, or from one to another: 14:00-15:30';
  const left = RULE_LEFT.exec(rest)?.[0];
  return left && `'${left}' is not understood as a repeat. Quotes make it a part of the name`;
};

/** Of two days in a line the last one is meant, or the first: the other one belongs to the name. */
const choices = (found: readonly Found[]): readonly (readonly Found[])[] => {
  const dates = found.filter(({ part }) => part.kind === 'date');
  if (dates.length < 2 || found.some(({ part }) => part.kind === 'span')) return [found];
  const keeping = (kept: Found | undefined): readonly Found[] =>
    found.filter((each) => each.part.kind !== 'date' || each === kept);
  return [keeping(dates.at(-1)), keeping(dates[0])];
};

const readingsOf = (line: string, found: readonly Found[], today: Day): readonly Reading[] | Of<'wrong'> => {
  const name = nameOf(line, found);
  if (name === '') return { kind: 'wrong', why: 'Say what it is' };
  const first = <Kind extends Part['kind']>(kind: Kind): Of<Kind> | undefined => partsOf(found, kind)[0];
  const rest = {
    span: first('span'),
    until: first('until'),
    repeat: first('repeat'),
    times: first('times'),
    length: first('length'),
  };
  const times = timesOf(found);
  const readings: Reading[] = [];
  for (const start of startsOf(found, today))
    for (const time of times) {
      const meaning: Meaning = { ...rest, today, start, time };
      const pattern = patternOf(meaning);
      if (pattern.kind === 'wrong') return pattern;
      if (start > LAST_DAY) return { kind: 'wrong', why: 'That is too far away for a calendar' };
      readings.push({
        name,
        day: start,
        time: time?.time,
        endTime: endOf(meaning),
        pattern,
        tags: [...new Set(partsOf(found, 'tag').map((tag) => tag.name))],
      });
    }
  return readings;
};

/** All readings, each once; where there is none, why. */
const readingsIn = (
  line: string,
  ways: readonly (readonly Found[])[],
  today: Day,
): Reading[] | { readonly kind: 'wrong'; readonly why: string } => {
  const read = ways.map((way) => readingsOf(line, way, today));
  const all = read.flatMap((each) => ('kind' in each ? [] : each));
  const readings = new Map(all.map((reading) => [JSON.stringify(reading), reading]));
  const wrongs = read.flatMap((each) => ('kind' in each ? each.why : []));
  return readings.size > 0 ? [...readings.values()] : { kind: 'wrong', why: wrongs[0] ?? 'Say what it is' };
};

/** Reads a line such as 'dentist next Tuesday 9:40' or 'bins out every 2 weeks'. `today` is the reader's day, `now` the time of their clock. */
export const understand = (text: string, today: Day, now: string): Understanding => {
  const line = text.trim().replaceAll(/\s+/gu, ' ');
  if (line === '') return { kind: 'empty' };
  const found = withoutAdjectives(fromNow(scan(line, today), today, now));
  const quoted = found.filter(({ part }) => part.kind !== 'name');
  const unquoted = nameOf(line, quoted)
    .replaceAll(/"[^"]*"|“[^”]*”/gu, ' ')
    .trim();
  const fault = faultIn(found, unquoted);
  if (fault !== undefined) return { kind: 'wrong', why: fault };
  const ways = taken(found);
  if (partsOf(found, 'times').length > 0 && !ways.some((way) => partsOf(way, 'repeat').length > 0))
    return { kind: 'wrong', why: 'Say how often it repeats: every week, every month' };
  const readings = readingsIn(line, ways.flatMap(choices), today);
  if ('kind' in readings) return readings;
  const [likeliest] = readings;
  const isDated = (ways[0] ?? found).some(({ part }) => ['date', 'span', 'repeat'].includes(part.kind));
  // A birthday comes every year; the one day alone is offered behind it.
  if (likeliest?.pattern.kind === 'single' && isDated && /birthday|anniversary/i.test(likeliest.name))
    readings.unshift(yearly(likeliest));
  return { kind: 'readings', readings: readings.slice(0, MOST_READINGS), isDated };
};
