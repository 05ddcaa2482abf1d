import {
  candidatesOf,
  type ClockTime,
  DAYPART,
  halfOf,
  isOnlyTime,
  partIn,
  rangePart,
  wrongTime,
} from './clockTimes.ts';
import { countOf, createReader, firstMatch, firstOf, maybe, type LinePart, type Reader } from './lineScanner.ts';

const MINUTE_WORDS: Readonly<Record<string, number>> = { half: 30, quarter: 15, five: 5, ten: 10, twenty: 20 };
const parseMinutes = (text: string): number =>
  MINUTE_WORDS[text] ?? (/^twenty.five$/.test(text) ? 25 : Number.parseInt(text, 10));

const HALF_DAY = 'a\\.?m\\.?|p\\.?m\\.?';
const HOUR_WORD = 'one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve';
const MINUTES_OF_HOUR = `(?<lead>(?:at |by )?)(?:a )?(?<minutes>half|quarter|twenty(?:[- ]five)?|five|ten|\\d{1,2} min(?:ute)?s?|\\d{1,2}(?= past)|2[05](?= to)|(?:[5-9]|1\\d|2\\d)(?= to \\d{1,2} ?[ap]\\.?m)) (?<side>past|to|after|before|till?|(?<=quarter )of) (?<hour>0?[1-9]|1[0-2]|${HOUR_WORD})(?![:.]\\d)(?: ?(?<suffix>${HALF_DAY}))?${DAYPART}`;

/** 'quarter to 12 pm' is in the morning. */
const beforeTwelve = (half: ClockTime['half'], text: string): ClockTime['half'] =>
  half === 'am' && !/morning$/iu.test(text) ? 'pm' : half === 'pm' && !/evening$/iu.test(text) ? 'am' : half;

/** 'half past 4', 'quarter to nine', 'at ten to five'. 'ten to five' alone is a range. */
export const readMinutesOfHour = createReader(MINUTES_OF_HOUR, ({ end, text, word }) => {
  const isPast = /past|after/i.test(word('side'));
  if (word('lead') === '' && !/^(?:past|to)$/i.test(word('side')) && !/^quarter$/i.test(word('minutes')))
    return undefined;
  if (word('lead') === '' && !isPast && /^(?:five|ten)$/i.test(word('minutes'))) return undefined;
  const minute = parseMinutes(word('minutes').toLowerCase());
  const named = countOf(word('hour'));
  const half = halfOf(word('suffix'), partIn(text));
  const clockTime: ClockTime = isPast
    ? { hour: named, minute, half, isPlain: true }
    : {
        hour: (named + 11) % 12 || 12,
        minute: 60 - minute,
        half: named === 12 ? beforeTwelve(half, text) : half,
        isPlain: true,
      };
  const times = candidatesOf(clockTime).map((time) => ({ time }));
  return { end, part: times.length > 0 ? { kind: 'time', times } : wrongTime(clockTime) };
});

const parseHour = (hour: string, suffix: string, part?: string): ClockTime => ({
  hour: countOf(hour),
  minute: 0,
  half: halfOf(suffix, part),
  isPlain: true,
});
const NOON = 'noon|midday|midnight';
const WORD_RANGES = [
  `(?:from|between) (?<from>${HOUR_WORD}|${NOON})(?: ?(?<first>${HALF_DAY}))? (?:to|till?|until|and) (?<until>${HOUR_WORD}|${NOON})(?: ?(?<last>${HALF_DAY}))?${DAYPART}`,
  `(?<from>${NOON}) ?(?:to|till?|until|-|–) ?(?<until>${HOUR_WORD})(?: ?(?<last>${HALF_DAY}))?${DAYPART}`,
  `(?<from>${HOUR_WORD}) ?(?:to|till?|until|-|–) ?(?<until>${NOON})`,
  `(?<from>${HOUR_WORD}) ?(?<first>${HALF_DAY})? ?(?:to|till?|until|-|–) ?(?<until>${HOUR_WORD}) ?(?<last>${HALF_DAY})`,
];

const IS_NOON = new RegExp(`^(?:${NOON})$`, 'i');

const parseSpokenTime = (hour: string, suffix: string, part?: string): ClockTime =>
  IS_NOON.test(hour)
    ? { hour: /^midn/i.test(hour) ? 0 : 12, minute: 0, half: 'clock', isPlain: true }
    : parseHour(hour, suffix, part);

/** 'from ten to five', 'noon to one'. */
const readWordRange: Reader = (line, at) => {
  const match = firstMatch(WORD_RANGES, line, at);
  if (!match) return undefined;
  const { end, text, word } = match;
  return {
    end,
    part: rangePart(
      parseSpokenTime(word('from'), word('first')),
      parseSpokenTime(word('until'), word('last'), partIn(text)),
    ),
  };
};

const PAST_HOUR: Readonly<Record<string, number>> = { fifteen: 15, thirty: 30, 'forty-five': 45, 'forty five': 45 };
const HOUR_IN_WORDS = `(?<lead>(?:at |by |around |about )?)(?<hour>${HOUR_WORD})(?: (?<minute>fifteen|thirty|forty[- ]five))? ?(?<suffix>${HALF_DAY}|o['’]?clock)?${DAYPART}`;

/** 'nine am', 'nine in the evening'; 'at nine', 'at seven thirty' if no noun follows. */
const readHourWord = createReader(HOUR_IN_WORDS, ({ end, text, word }) => {
  const part = partIn(text);
  const isPlain = word('suffix') !== '' || part !== undefined;
  if (!isPlain && word('lead') === '' && word('minute') === '') return undefined;
  const minute = PAST_HOUR[word('minute').toLowerCase()] ?? 0;
  const times = candidatesOf({ ...parseHour(word('hour'), word('suffix'), part), minute }).map((time) => ({ time }));
  const read: LinePart = { kind: 'time', times };
  return isPlain ? { end, part: read } : maybe({ end, part: read, fits: isOnlyTime });
});

/** 'half 8' is half past eight. */
const readHalf = createReader(
  `(?:at |by )?half (?<hour>0?[1-9]|1[0-2]|${HOUR_WORD})(?: ?(?<suffix>${HALF_DAY}))?${DAYPART}`,
  ({ end, text, word }) => {
    const times = candidatesOf({ ...parseHour(word('hour'), word('suffix'), partIn(text)), minute: 30 }).map(
      (time) => ({ time }),
    );
    return maybe({ end, part: { kind: 'time', times }, fits: isOnlyTime });
  },
);

const wordReaders = [readWordRange, readHourWord, readHalf] as const;

/** 'noon to one', 'nine in the evening', 'half 8'. */
export const readTimeInWords: Reader = (line, at, today) => firstOf(wordReaders, line, at, today);
