import { civilOf, type Day, dayInMonth, monthIndexOf } from '../day.ts';
import type { RepeatUnit } from '../event.ts';
import { daysOfRule, ruleIn } from '../icsRule.ts';
import { comingWeekday, MONTH, monthNamed, readMonth, weekdayNamed } from './dates.ts';
import { countOf, matchAt, type Part, type Reader, type RepeatPart, wrong } from './scan.ts';

const WORDS: Readonly<Record<string, { readonly every: number; readonly unit: RepeatUnit }>> = {
  daily: { every: 1, unit: 'day' },
  nightly: { every: 1, unit: 'day' },
  weekly: { every: 1, unit: 'week' },
  fortnightly: { every: 2, unit: 'week' },
  biweekly: { every: 2, unit: 'week' },
  'bi-weekly': { every: 2, unit: 'week' },
  monthly: { every: 1, unit: 'month' },
  quarterly: { every: 3, unit: 'month' },
  yearly: { every: 1, unit: 'year' },
  annually: { every: 1, unit: 'year' },
};
const WORD = Object.keys(WORDS).join('|');

const COUNTS = 'other|second|third|fourth|fifth|sixth|\\d{1,6}|two|three|four|five|six';
const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth'];
const ORDINAL = '(?:first|second|third|fourth|fifth|last|[1-5](?:st|nd|rd|th))';
const DAY = '(?:mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)(?:days?|nesdays?|urdays?)?';
const JOIN = '(?:\\s*[,/+&]\\s*(?:(?:and|or) |& ?)?(?:on )?|\\s+(?:and|&)\\s+(?:on )?|\\s+)';
const TO = '\\s*(?:-|–|to|through|thru|until|till)\\s*';
/** 'mon', 'mon, wed & fri', 'mon-fri', 'mon to wed and sat'. */
const DAYS = `${DAY}(?:${TO}${DAY})?(?:${JOIN}${DAY}(?:${TO}${DAY})?)*`;
const WORKDAYS = '(?:week|work|working |business )\\s?days?';
const OF_MONTH = '(?:of|in) (?:every|each|the|a) month';

const BYDAY = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
const WEEKEND = [6, 7];
const ALL = [1, 2, 3, 4, 5, 6, 7];
const MOST_EVERY = 1000;
const TOO_OFTEN = 'It can repeat once a day at most: make one event for each time';

const everyOf = (text: string | undefined): number => {
  if (text === undefined) return 1;
  const word = text.toLowerCase();
  if (word === 'other' || word === 'alternate') return 2;
  const ordinal = [...ORDINALS, 'sixth'].indexOf(word);
  return ordinal >= 0 ? ordinal + 1 : countOf(word);
};

/** The first day of a rule on a day or later, whatever its interval. */
const firstBy =
  (value: string): ((from: Day) => Day) =>
  (from) => {
    const rule = ruleIn(value);
    if (typeof rule === 'string') return from;
    const span = { from, until: from + 36_600, budget: { left: 40_000 } };
    for (const day of daysOfRule({ ...rule, interval: 1 }, from, span)) return day;
    return from;
  };

const repeatOf = (every: number, unit: RepeatUnit, more: Partial<RepeatPart> = {}): Part => {
  if (every < 1) return wrong('It has to repeat at least every 1');
  if (every > MOST_EVERY) return wrong(`It can repeat every ${MOST_EVERY} at most`);
  return { kind: 'repeat', every, unit, ...more };
};

const ruled = (every: number, unit: 'week' | 'month' | 'year', by: string): Part => {
  const rule = `FREQ=${unit.toUpperCase()}LY;INTERVAL=${every};${by}`;
  return repeatOf(every, unit, { rule, first: firstBy(rule) });
};

const onWeekdays = (every: number, weekdays: readonly number[]): Part => {
  const [only = 1, ...more] = weekdays;
  if (more.length === 0) return repeatOf(every, 'week', { first: (from) => comingWeekday(from, only) });
  if (weekdays.length === ALL.length && every === 1) return repeatOf(1, 'day');
  return ruled(every, 'week', `BYDAY=${weekdays.map((weekday) => BYDAY[weekday - 1]).join(',')}`);
};

/** The weekdays of a list, each once, in the week's order. */
const weekdaysIn = (text: string): readonly number[] => {
  const named = new Set<number>();
  for (const [, from = '', until] of text.matchAll(new RegExp(`(${DAY})(?:${TO}(${DAY}))?`, 'gi'))) {
    const first = weekdayNamed(from);
    const length = until === undefined ? 0 : (weekdayNamed(until) - first + 7) % 7;
    for (let step = 0; step <= length; step += 1) named.add(((first - 1 + step) % 7) + 1);
  }
  return ALL.filter((weekday) => named.has(weekday));
};

const ordinalOf = (text: string): number => {
  const word = text.toLowerCase();
  if (word === 'last') return -1;
  const named = ORDINALS.indexOf(word);
  return named >= 0 ? named + 1 : Number.parseInt(word, 10);
};

/** 'the first monday', 'last day', 'second working day' of a month. */
const byOrdinal = (ordinal: string, what: string): string => {
  const number = ordinalOf(ordinal);
  if (/^day$/i.test(what)) return `BYMONTHDAY=${number}`;
  if (/^(?:week|work|business)/i.test(what)) return `BYDAY=MO,TU,WE,TH,FR;BYSETPOS=${number}`;
  const days = weekdaysIn(what).map((weekday) => BYDAY[weekday - 1]);
  return `BYDAY=${days.map((day) => `${number}${day}`).join(',')}`;
};

/** A date of each month; months that lack it have their last day. */
const onDate = (every: number, date: number): Part =>
  date < 1 || date > 31
    ? wrong(`There is no ${date}. of a month`)
    : repeatOf(every, 'month', {
        first: (from): Day => {
          for (let month = monthIndexOf(civilOf(from)); ; month += 1) {
            const day = dayInMonth(month, date);
            if (day >= from && civilOf(day).date === date) return day;
          }
        },
      });

interface Rule {
  readonly pattern: RegExp;
  readonly read: (groups: Readonly<Record<string, string | undefined>>) => Part | undefined;
}
const rule = (pattern: string, read: Rule['read']): Rule => ({ pattern: new RegExp(pattern), read });

const MONTHS_LEAD = `(?:(?:every|each) (?:(?<count>${COUNTS}) )?months?|(?<word>monthly|quarterly)|once a month)`;
const WEEKS_LEAD = `(?:(?:every|each) (?:(?<count>${COUNTS}) )?weeks?|(?<word>weekly|fortnightly|bi-?weekly)|once a week)`;
const everyIn = ({ count, word }: Readonly<Record<string, string | undefined>>): number =>
  word === undefined ? everyOf(count) : (WORDS[word.toLowerCase()]?.every ?? 1);
const WHICH = `(?<ordinal>${ORDINAL}) (?<what>day|${WORKDAYS}|${DAY}(?:${JOIN}${DAY})*)`;

/** From the longest phrase to the shortest. */
const RULES: readonly Rule[] = [
  rule(`(?:on )?(?:the )?${WHICH} (?:of|in) every (?<count>${COUNTS}) months?`, ({ ordinal = '', what = '', count }) =>
    ruled(everyOf(count), 'month', byOrdinal(ordinal, what)),
  ),
  rule(`(?:on |every |each )?(?:the )?${WHICH} ${OF_MONTH}`, ({ ordinal = '', what = '' }) =>
    ruled(1, 'month', byOrdinal(ordinal, what)),
  ),
  rule(
    `(?:(?:every|each) year )?(?:on |every |each )?(?:the )?${WHICH} (?:of|in) (?:every |each )?(?<month>${MONTH})(?<every> every year| each year| yearly)?`,
    ({ ordinal = '', what = '', month = '' }) =>
      ruled(1, 'year', `BYMONTH=${monthNamed(month)};${byOrdinal(ordinal, what)}`),
  ),
  rule(`${MONTHS_LEAD},? (?:on )?(?:the )?${WHICH}`, (groups) =>
    ruled(everyIn(groups), 'month', byOrdinal(groups['ordinal'] ?? '', groups['what'] ?? '')),
  ),
  // 'every second Friday' is every two weeks; the first and the last one are those of a month.
  rule(`(?:every|each) (?<ordinal>first|1st|last) (?<what>day|${WORKDAYS}|${DAY})`, ({ ordinal = '', what = '' }) =>
    ruled(1, 'month', byOrdinal(ordinal, what)),
  ),
  rule(
    `(?:on )?(?:the )?(?<date>\\d{1,2})(?:st|nd|rd|th)? (?:day )?(?:of|in) (?:every|each) (?:(?<count>${COUNTS}) )?months?`,
    ({ date, count }) => onDate(everyOf(count), Number(date)),
  ),
  rule(`${MONTHS_LEAD},? (?:on )?(?:the )?(?<date>\\d{1,2})(?:st|nd|rd|th)`, (groups) =>
    onDate(everyIn(groups), Number(groups['date'])),
  ),
  rule(`(?:every|each) (?<date>\\d{1,2})(?:st|nd|rd|th)(?: of (?:the|a|every|each) month)?`, ({ date }) =>
    onDate(1, Number(date)),
  ),
  rule(
    `(?:every ?day|each day|daily),? (?:except|but|but not|apart from)(?: for)?(?: (?:on|at))? (?:(?<rest>weekends?)|(?<days>${DAYS}))`,
    ({ rest, days = '' }) => {
      const left = rest === undefined ? weekdaysIn(days) : WEEKEND;
      const kept = ALL.filter((weekday) => !left.includes(weekday));
      return kept.length === 0 ? wrong('That repeats on no day at all') : onWeekdays(1, kept);
    },
  ),
  rule(`(?:(?:on|every|each) )?(?:(?<count>${COUNTS}) )?${WORKDAYS.replace('days?', 'days')}`, ({ count }) =>
    count === undefined || count === 'other' ? onWeekdays(1, [1, 2, 3, 4, 5]) : undefined,
  ),
  rule(`(?:every|each) ${WORKDAYS}`, () => onWeekdays(1, [1, 2, 3, 4, 5])),
  rule(`(?:every|each) (?:(?<count>${COUNTS}) )?weekends?|(?:(?:on|at) (?:the )?)?weekends`, ({ count }) =>
    onWeekdays(everyOf(count), WEEKEND),
  ),
  rule(`${WEEKS_LEAD},? on (?<days>${DAYS})`, (groups) =>
    onWeekdays(everyIn(groups), weekdaysIn(groups['days'] ?? '')),
  ),
  rule(
    `(?:(?:every|each) (?:(?<count>${COUNTS})(?:st|nd|rd|th)? )?|(?<alternate>alternate) )(?<days>${DAYS})`,
    ({ count, alternate, days = '' }) => onWeekdays(everyOf(count ?? alternate), weekdaysIn(days)),
  ),
  rule(`(?:every|each|once an|an) (?:(?:${COUNTS}) )?(?:hours?|min(?:ute)?s?|seconds?)|hourly`, () => wrong(TOO_OFTEN)),
  rule(`(?:twice|(?:two|three|\\d{1,3}) times) (?:a|per|each|every) day`, () => wrong(TOO_OFTEN)),
  rule(`(?:twice|(?:two|three|four|five|six|\\d{1,3}) times) (?:a|per|each|every) (?:week|month|year)`, () =>
    wrong('Say on which days: every Monday and Thursday'),
  ),
  rule(
    `(?:every|each|once (?:a|every|per|each)) (?:(?<count>${COUNTS})(?:st|nd|rd|th)? )?(?<unit>day|week|fortnight|month|quarter|year)s?|(?<everyday>everyday)`,
    ({ count, unit = 'day' }) => {
      const every = everyOf(count);
      const named = unit.toLowerCase();
      if (named === 'fortnight') return repeatOf(every * 2, 'week');
      return named === 'quarter' ? repeatOf(every * 3, 'month') : repeatOf(every, named as RepeatUnit);
    },
  ),
  rule(`(?:every|each)(?= (?:morning|afternoon|evening|night)(?![\\p{L}\\p{N}]))`, () => repeatOf(1, 'day')),
  rule(`(?:every|each) (?<month>${MONTH})(?! \\d)`, ({ month = '' }) =>
    ruled(1, 'year', `BYMONTH=${monthNamed(month)};BYMONTHDAY=1`),
  ),
];

/** 'every 3 march': the next one, and every year. */
const readYearly: Reader = (line, at, today) => {
  const every = matchAt(/(?:every|each)(?= (?:\d|the |\p{L}+\.? \d))/u, line, at);
  const date = every && readMonth(line, at + every[0].length + 1, today);
  if (date?.part.kind !== 'date') return date;
  const { days } = date.part;
  return { end: date.end, part: repeatOf(1, 'year', { first: (from) => days[0] ?? from }) };
};

const readEvery: Reader = (line, at, today) => {
  const yearly = readYearly(line, at, today);
  if (yearly) return yearly;
  for (const { pattern, read } of RULES) {
    const found = matchAt(pattern, line, at);
    const part = found && read(found.groups ?? {});
    if (part) return { end: at + found[0].length, part };
  }
  return undefined;
};

const DATE_BEHIND = new RegExp(`,? (?:the )?(?:\\d{1,2}(?:st|nd|rd|th)?(?: of)? ${MONTH}|${MONTH} \\d)`);
const FROM_TO = new RegExp(`^(${DAY})(${TO})(${DAY})$`, 'i');

/** Days that may be meant once as well, or as one stretch: 'tue and thu', 'mon-fri'. */
const onceOrWeekly = (days: string, weekly: RepeatPart, line: string, today: Day): Part => {
  const [, first, joint = '', last = ''] = FROM_TO.exec(days) ?? [];
  if (first === undefined) return { kind: 'either', options: [weekly, { ...weekly, times: weekdaysIn(days).length }] };
  const from = comingWeekday(today, weekdayNamed(first));
  const span: Part = { kind: 'span', from, until: comingWeekday(from, weekdayNamed(last)) };
  const isWeekly = /[-–]/.test(joint) || /\d/.test(line);
  return { kind: 'either', options: isWeekly ? [weekly, span] : [span, weekly] };
};

/** Of days named side by side, without 'every'. */
const readDays: Reader = (line, at, today) => {
  const found = matchAt(new RegExp(`(?:on )?(?<days>${DAYS})`), line, at);
  const days = found?.groups?.['days'];
  if (!found || days === undefined) return undefined;
  const end = at + found[0].length;
  const isPlural = /days\b/i.test(days);
  const isSeveral = !new RegExp(`^${DAY}$`, 'i').test(days);
  // 'Tuesday 24 November' and 'Monday to Friday 4 December' are dates.
  if ((!isPlural && !isSeveral) || matchAt(DATE_BEHIND, line, end)) return undefined;
  const weekly = onWeekdays(1, weekdaysIn(days));
  const isPlain = isPlural || weekly.kind !== 'repeat' || weekly.rule === undefined;
  return { end, part: isPlain ? weekly : onceOrWeekly(days, weekly, line, today) };
};

/** 'every 2 weeks', 'every Monday', 'first Friday of each month', 'monthly', 'Mondays', 'mon-fri'. */
export const readRepeat: Reader = (line, at, today) => {
  const every = readEvery(line, at, today);
  if (every) return every;
  const word = matchAt(new RegExp(WORD), line, at);
  const known = word && WORDS[word[0].toLowerCase()];
  // 'Weekly review Friday': an adjective of the name is no rule of its own; behind the name it is one.
  if (word && known && at > 0)
    return { end: at + word[0].length, part: { kind: 'repeat', ...known, isAdjective: true } };
  return readDays(line, at, today);
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
