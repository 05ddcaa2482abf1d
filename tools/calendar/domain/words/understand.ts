import { type Day, LAST_DAY } from '../day.ts';
import type { Duration, Pattern, RepeatUntil } from '../event.ts';
import { minutesOf, timeOf } from '../time.ts';
import { comingWeekday, readDate } from './dates.ts';
import { readRepeat, readTimes } from './repeats.ts';
import { type Found, type Part, type Reader, type TimeRange } from './scan.ts';
import { readSpan } from './spans.ts';
import { readLength, readTime } from './times.ts';

/** An event as a line of plain words may mean it. */
export interface Reading {
  readonly name: string;
  readonly day: Day;
  readonly time: string | undefined;
  readonly endTime: string | undefined;
  readonly pattern: Exclude<Pattern, { readonly kind: 'foreign' }>;
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

const readers = [readQuoted, readTag, readRepeat, readTimes, readSpan, readDate, readLength, readTime] as const;

/** Everything in the line that is more than a word of the name, from left to right. */
const scan = (line: string, today: Day): readonly Found[] => {
  const found: Found[] = [];
  const starts = /(?<![\p{L}\p{N}])[\p{L}\p{N}#"“@]/gu;
  for (let at = starts.exec(line)?.index; at !== undefined; at = starts.exec(line)?.index) {
    const start = at;
    const read = readers.map((reader) => reader(line, start, today)).find((each) => each !== undefined);
    if (!read) continue;
    found.push({ start, ...read });
    starts.lastIndex = read.end;
  }
  return found;
};

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
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/\s+([,.;])/gu, '$1')
    .replace(/^[\s,;:–-]+/u, '')
    .replace(/(?:[\s,;:–-]|(?<=^|\s)(?:on|at|by|from|starting|beginning|for|and))+$/iu, '')
    .trim();
};

type Of<Kind extends Part['kind']> = Extract<Part, { readonly kind: Kind }>;
const partsOf = <Kind extends Part['kind']>(found: readonly Found[], kind: Kind): readonly Of<Kind>[] =>
  found.flatMap(({ part }) => (part.kind === kind ? [part as Of<Kind>] : []));

const daysLong = (days: number): Duration =>
  days > 15 && days % 7 === 0 ? { amount: days / 7, unit: 'weeks' } : { amount: days, unit: 'days' };

interface Meaning {
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

const repeating = (repeat: Of<'repeat'>, meaning: Meaning): Reading['pattern'] | Of<'wrong'> =>
  meaning.span
    ? { kind: 'wrong', why: 'What repeats lasts a day: leave the repeat or the last day out' }
    : {
        kind: 'repeat',
        repeat: {
          every: repeat.every,
          unit: repeat.unit,
          from: { type: 'date', day: meaning.start },
          until: repeatUntil(meaning),
        },
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
  const weekday = partsOf(found, 'repeat')[0]?.weekday;
  const dates = partsOf(found, 'date').at(-1)?.days ?? [today];
  return weekday === undefined ? dates : [comingWeekday(dates[0] ?? today, weekday)];
};

const yearly = (reading: Reading): Reading => ({
  ...reading,
  pattern: {
    kind: 'repeat',
    repeat: { every: 1, unit: 'year', from: { type: 'date', day: reading.day }, until: { type: 'forever' } },
  },
});

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
  const times = first('time')?.times ?? [undefined];
  const readings: Reading[] = [];
  for (const start of startsOf(found, today))
    for (const time of times) {
      const meaning: Meaning = { ...rest, start, time };
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

/** Reads a line such as 'dentist next Tuesday 9:40' or 'bins out every 2 weeks'. `today` is the reader's day. */
export const understand = (text: string, today: Day): Understanding => {
  const line = text.trim().replaceAll(/\s+/gu, ' ');
  if (line === '') return { kind: 'empty' };
  const found = scan(line, today);
  const fault = partsOf(found, 'wrong')[0];
  if (fault) return { kind: 'wrong', why: fault.why };
  if (partsOf(found, 'times').length > 0 && partsOf(found, 'repeat').length === 0)
    return { kind: 'wrong', why: 'Say how often it repeats: every week, every month' };
  const readings: Reading[] = [];
  for (const choice of choices(found)) {
    const each = readingsOf(line, choice, today);
    if ('kind' in each) return { kind: 'wrong', why: each.why };
    readings.push(...each);
  }
  const [likeliest] = readings;
  const isDated = found.some(({ part }) => ['date', 'span', 'repeat'].includes(part.kind));
  // A birthday comes every year; the one day alone is offered behind it.
  if (likeliest?.pattern.kind === 'single' && isDated && /birthday|anniversary/i.test(likeliest.name))
    readings.unshift(yearly(likeliest));
  return { kind: 'readings', readings: readings.slice(0, MOST_READINGS), isDated };
};
