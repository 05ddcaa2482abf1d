import type { RepeatUnit } from '../event.ts';
import { weekdayNamed } from './dates.ts';
import { countOf, matchAt, type Part, type Reader, wrong } from './scan.ts';

const WORDS: Readonly<Record<string, { readonly every: number; readonly unit: RepeatUnit }>> = {
  daily: { every: 1, unit: 'day' },
  weekly: { every: 1, unit: 'week' },
  fortnightly: { every: 2, unit: 'week' },
  biweekly: { every: 2, unit: 'week' },
  monthly: { every: 1, unit: 'month' },
  quarterly: { every: 3, unit: 'month' },
  yearly: { every: 1, unit: 'year' },
  annually: { every: 1, unit: 'year' },
};
const ORDINALS = ['other', 'third', 'fourth', 'fifth', 'sixth'];
const WEEKDAY = '(mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)(?:days?|nesdays?|urdays?)?';
const SEVERAL = 'Only one weekday can repeat in one event: make one for each';
const LAST = 'The last one of a month cannot repeat: give a day, such as every month on the 25th';

const everyOf = (text: string | undefined): number => {
  if (text === undefined) return 1;
  const ordinal = ORDINALS.indexOf(text.toLowerCase());
  if (ordinal >= 0) return ordinal + 2;
  return text.toLowerCase() === 'second' ? 2 : countOf(text);
};

const repeatOf = (every: number, unit: RepeatUnit, weekday?: number): Part => {
  if (every < 1) return wrong('It has to repeat at least every 1');
  if (every > 1000) return wrong('It can repeat every 1000 at most');
  return { kind: 'repeat', every, unit, ...(weekday === undefined ? {} : { weekday }) };
};

const readEvery: Reader = (line, at) => {
  const workdays = matchAt(/every (?:week|work|working )\s?days?|weekdays/, line, at);
  if (workdays) return { end: at + workdays[0].length, part: wrong(SEVERAL) };
  const last = matchAt(
    new RegExp(
      `(?:every|each) last (?:day|${WEEKDAY})|(?:on )?(?:the )?last (?:day|${WEEKDAY}) (?:of|in) (?:every|each) month`,
    ),
    line,
    at,
  );
  if (last) return { end: at + last[0].length, part: wrong(LAST) };
  const found = matchAt(
    new RegExp(
      `(?:every|each) (?:(other|second|third|fourth|fifth|sixth|\\d{1,6}|two|three|four|five|six)(?:st|nd|rd|th)? )?(?:(day|week|fortnight|month|year)s?|${WEEKDAY})`,
    ),
    line,
    at,
  );
  if (!found) return undefined;
  const [all, count, unit, weekday] = found;
  const end = at + all.length;
  const every = everyOf(count);
  if (weekday === undefined) {
    const plain = (unit ?? 'day').toLowerCase();
    return {
      end,
      part: plain === 'fortnight' ? repeatOf(every * 2, 'week') : repeatOf(every, plain as RepeatUnit),
    };
  }
  const another = matchAt(new RegExp(`,? ?(?:and|&|,) ?${WEEKDAY}`), line, end);
  if (another) return { end: end + another[0].length, part: wrong(SEVERAL) };
  return { end, part: repeatOf(every, 'week', weekdayNamed(weekday)) };
};

const readPlural: Reader = (line, at) => {
  const found = matchAt(/(?:on )?(mon|tues|wednes|thurs|fri|satur|sun)days/, line, at);
  if (!found?.[1]) return undefined;
  const end = at + found[0].length;
  const another = matchAt(/,? ?(?:and|&) ?(?:mon|tues|wednes|thurs|fri|satur|sun)days?/, line, end);
  return another
    ? { end: end + another[0].length, part: wrong(SEVERAL) }
    : { end, part: repeatOf(1, 'week', weekdayNamed(found[1])) };
};

/** 'every 2 weeks', 'every Monday', 'monthly', 'Mondays'. */
export const readRepeat: Reader = (line, at, today) => {
  const word = matchAt(new RegExp(Object.keys(WORDS).join('|')), line, at);
  const known = word && WORDS[word[0].toLowerCase()];
  // 'Weekly review Friday': an adjective of the name is no rule of its own; behind the name it is one.
  if (word && known && at > 0) return { end: at + word[0].length, part: { kind: 'repeat', ...known } };
  return readEvery(line, at, today) ?? readPlural(line, at, today);
};

/** How often in all: '5 times', 'for 5 times'. */
export const readTimes: Reader = (line, at) => {
  const found = matchAt(/(?:for )?(\d{1,6}|two|three|four|five|six|seven|eight|nine|ten|twelve) times/, line, at);
  if (!found?.[1]) return undefined;
  const times = countOf(found[1]);
  return {
    end: at + found[0].length,
    part: times < 1 || times > 1000 ? wrong('It can repeat from 1 to 1000 times') : { kind: 'times', times },
  };
};
