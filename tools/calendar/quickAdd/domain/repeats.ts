import { toCivilDate, type Day, toDay } from '#platform/contract/day.ts';
import { getDayOfMonth, getMonthIndex } from '../../events/domain/day.ts';
import type { RepeatUnit } from '../../events/domain/event.ts';
import { readMonth } from './dates.ts';
import { AWAY_PATTERN, findNextWeekday, MONTH, parseMonth, parseWeekday } from './dayNames.ts';
import {
  createReader,
  readFirst,
  followsBound,
  isClosing,
  matchAt,
  type Match,
  createOptionalPart,
  type Neighbours,
  type LinePart,
  type Reader,
  type RepeatPart,
  createWrongPart,
} from './lineScanner.ts';
import {
  formatOrdinalRule,
  COUNTED,
  COUNTS,
  DATE_LIST,
  DAY,
  DAYS,
  parseEvery,
  createPeriodPart,
  JOIN,
  LISTED,
  getNextPeriodMonth,
  OF_MONTH,
  createDatesPart,
  createWeekdaysPart,
  ORDINAL,
  ORDINAL_LIST,
  createRepeatPart,
  createRulePart,
  TO,
  parseWeekdays,
  WEEKEND_DAYS,
  WORKDAYS,
  WORKWEEK_DAYS,
} from './repeatPatterns.ts';

const REPEAT_BY_WORD: Readonly<Record<string, { readonly every: number; readonly unit: RepeatUnit }>> = {
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

const ONE_DAY = `(?<ordinal>${ORDINAL}) (?<what>day|${WORKDAYS}|${DAY})`;
const NO_RULE = '(?! (?:every|each|yearly))';
const toSingleDay = (rule: LinePart, from: Day): LinePart =>
  rule.kind === 'repeat' && rule.first ? { kind: 'date', days: [rule.first(from)] } : rule;
const parseOrdinalDay = ({ word }: Match): string => formatOrdinalRule(word('ordinal'), word('what'));

/** 'the last Friday of the quarter': one day, or one of each quarter. */
const readDayOfPeriod = createReader(
  `(?:on )?(?:the )?${ONE_DAY} (?:of|in) (?<which>the|this|next) (?<period>quarter|year)${NO_RULE}`,
  ({ word }, today) => {
    const rule = createPeriodPart(word('period'), word('ordinal'), word('what'));
    if (/^next/i.test(word('which')))
      return toSingleDay(rule, getDayOfMonth(getNextPeriodMonth(today, word('period')), 1));
    return { kind: 'either', options: [toSingleDay(rule, today), rule] };
  },
);

/** 'first Monday in March', 'last day of next month': one day. */
const readDayOfMonth = createReader(
  `(?:on )?(?:the )?${ONE_DAY} (?:of|in) (?:(?<next>next month)|(?<month>${MONTH})(?:,? (?<year>\\d{4}))?)${NO_RULE}`,
  (match, today) => {
    const { word } = match;
    const coming = getMonthIndex(toCivilDate(today)) + 1;
    const month = word('next') === '' ? parseMonth(word('month')) : (coming % 12) + 1;
    const from = word('next') === '' ? today : getDayOfMonth(coming, 1);
    const year = Number(word('year'));
    const rule = createRulePart(1, 'year', `BYMONTH=${month};${parseOrdinalDay(match)}`);
    return toSingleDay(rule, year < 1 ? from : toDay({ year, month: 1, date: 1 }));
  },
);

const isOnlyDay = (neighbours: Neighbours): boolean => isClosing(neighbours) && !neighbours.has('date', 'repeat');

/** 'second Tuesday' is the next one or that of each month; next to 'monthly' it is the rule. */
const readOrdinalDay = createReader(
  `(?:on )?(?:the )?(?<ordinal>${ORDINAL}) (?<what>${DAY})(?! of )`,
  (match, today, line) => {
    const monthly = createRulePart(1, 'month', parseOrdinalDay(match));
    if (/(?<!\p{L})monthly(?!\p{L})/iu.test(line)) return monthly;
    if (/last/i.test(match.word('ordinal'))) return undefined;
    const part: LinePart = { kind: 'either', options: [toSingleDay(monthly, today), monthly] };
    return createOptionalPart({ end: match.end, part, fits: isOnlyDay });
  },
);

const MONTHS_LEAD = `(?:(?:every|each) (?:(?<count>${COUNTS}) )?months?|(?<lead>monthly|quarterly)|once a month)`;
const WEEKS_LEAD = `(?:(?:every|each) (?:(?<count>${COUNTS}) )?weeks?|(?<lead>weekly|fortnightly|bi-?weekly)|once a week)`;
const parseInterval = ({ word }: Match): number =>
  REPEAT_BY_WORD[word('lead').toLowerCase()]?.every ?? parseEvery(word('count'));
const WHICH = `(?<ordinal>${ORDINAL_LIST}) (?<what>day|${WORKDAYS}|${DAY}(?:${JOIN}${DAY})*)`;
const ORDINAL_DATES = `\\d{1,2}(?:st|nd|rd|th)(?:${LISTED}\\d{1,2}(?:st|nd|rd|th))`;
const IS_DAY = new RegExp(`^${DAY}$`, 'i');
const IS_ORDINAL = new RegExp(`^${ORDINAL}$`, 'i');
const NAME_DAYS_MESSAGE = 'Name the days: every Monday and Thursday';

const readOrdinals = (match: Match): LinePart => createRulePart(parseInterval(match), 'month', parseOrdinalDay(match));
const readPeriods = ({ word }: Match): LinePart =>
  createPeriodPart(word('period') || 'quarter', word('ordinal'), word('what'));
const readDates = (match: Match): LinePart => createDatesPart(parseInterval(match), match.word('dates'));

/** Ordered from the longest phrase to the shortest. */
const RULES: readonly Reader[] = [
  createReader(`(?:on )?(?:the )?${WHICH},? ${MONTHS_LEAD}`, readOrdinals),
  createReader(`(?:on )?(?:the )?${WHICH} (?:of|in) every (?<count>${COUNTS}) months?`, readOrdinals),
  createReader(`(?:on |every |each )?(?:the )?${WHICH} ${OF_MONTH}`, (match, today) => {
    const rule = readOrdinals(match);
    const isOne = /(?:of|in) (?:the )?month$/i.test(match.text) && !/^(?:every|each)/i.test(match.text);
    // 'the last day of the month' may be one day.
    return isOne && IS_ORDINAL.test(match.word('ordinal'))
      ? { kind: 'either', options: [rule, toSingleDay(rule, today)] }
      : rule;
  }),
  createReader(
    `(?:(?:every|each) year )?(?:on |every |each )?(?:the )?${WHICH} (?:of|in) (?:every |each )?(?<month>${MONTH})(?: every year| each year| yearly)?`,
    (match) => createRulePart(1, 'year', `BYMONTH=${parseMonth(match.word('month'))};${parseOrdinalDay(match)}`),
  ),
  createReader(`${MONTHS_LEAD},? (?:on )?(?:the )?${WHICH}`, readOrdinals),
  createReader(
    `(?:on |every |each )?(?:the )?${WHICH} (?:of|in) (?:every|each|a) (?<period>quarter|year)`,
    readPeriods,
  ),
  createReader(`(?:(?:every|each) (?<period>quarter|year)|quarterly),? (?:on )?(?:the )?${ONE_DAY}`, readPeriods),
  // 'every second Friday' is every two weeks; the first and the last one are those of a month.
  createReader(`(?:every|each) (?<ordinal>first|1st|last) (?<what>day|${WORKDAYS}|${DAY})`, readOrdinals),
  createReader(
    `(?:on |every |each )?(?:the )?(?<dates>${DATE_LIST}) (?:day )?(?:of|in) (?:(?:every|each|the|a) )?(?:(?<count>${COUNTS}) )?months?`,
    readDates,
  ),
  // 'second and fourth Tuesday' are those of each month.
  createReader(
    `(?:every |each )?(?:on )?(?:the )?(?<ordinal>${ORDINAL}(?:${LISTED}${ORDINAL})+) (?<what>${DAY})`,
    readOrdinals,
  ),
  createReader(`${MONTHS_LEAD},? (?:on )?(?:the )?(?<dates>${ORDINAL_DATES}*)`, readDates),
  createReader(`${MONTHS_LEAD},? on the (?<dates>${DATE_LIST})`, readDates),
  createReader(`(?:on )?(?:the )?(?<dates>${ORDINAL_DATES}*),? ${MONTHS_LEAD}`, readDates),
  createReader(`(?:every|each) (?:the )?(?<dates>${ORDINAL_DATES}+)(?! ${COUNTED})`, readDates),
  // 'every 2nd Monday' and 'every 2nd week' count weeks, 'every 2nd' alone is a date.
  createReader(
    `(?:every|each) (?<dates>\\d{1,2}(?:st|nd|rd|th))(?! ${COUNTED}(?![\\p{L}\\p{N}]))(?: of (?:the|a|every|each) month)?`,
    readDates,
  ),
  createReader(
    `(?:on |(?:every|each) (?:other )?)?${WORKDAYS.replace('days?', 'days')}|(?:every|each) ${WORKDAYS}`,
    () => createWeekdaysPart(1, WORKWEEK_DAYS),
  ),
  createReader(`(?:every|each) (?:(?<count>${COUNTS}) )?weekends?|(?:(?:on|at) (?:the )?)?weekends`, ({ word }) =>
    createWeekdaysPart(parseEvery(word('count')), WEEKEND_DAYS),
  ),
  createReader(`${WEEKS_LEAD},? on (?<days>${DAYS})`, (match) =>
    createWeekdaysPart(parseInterval(match), parseWeekdays(match.word('days'))),
  ),
  createReader(`(?:(?:every|each) (?:(?<count>${COUNTS}) )?|(?<alternate>alternate) )(?<days>${DAYS})`, ({ word }) =>
    createWeekdaysPart(parseEvery(word('alternate') || word('count')), parseWeekdays(word('days'))),
  ),
  createReader(
    `(?:every|each|once an|an) (?:(?:${COUNTS}) )?(?:hours?|min(?:ute)?s?|seconds?)(?! ${COUNTED})|hourly|(?:twice|(?:two|three|\\d{1,3}) times|\\d{1,3} ?x) (?:a|per|each|every) day`,
    () => createWrongPart('An event can repeat at most once a day. Create an event for each time'),
  ),
  createReader('half-?yearly|(?:semi|bi)-?annual(?:ly)?', () => createRepeatPart(6, 'month')),
  createReader('bi-?ennial(?:ly)?', () => createRepeatPart(2, 'year')),
  createReader('bi-?monthly', () =>
    createWrongPart("'Bimonthly' can mean two things. Write every 2 months, or name the days of the month"),
  ),
  createReader(
    `(?:semi|tri)-?(?:weekly|monthly|yearly)|(?:twice|(?:two|three|four|five|six|\\d{1,3}) times|\\d{1,3} ?x) (?:(?:a|per|each|every) (?:week|month|year)|weekly|monthly|yearly)|\\d ?x ?(?:week|month|year)`,
    () => createWrongPart(NAME_DAYS_MESSAGE),
  ),
  createReader(
    `(?:every|each|once (?:a|every|per|each)) (?:(?<count>${COUNTS}) )?(?<unit>day|week|fortnight|month|quarter|year)s?|everyday`,
    ({ word }) => {
      const every = parseEvery(word('count'));
      const unit = word('unit').toLowerCase() || 'day';
      if (unit === 'fortnight') return createRepeatPart(every * 2, 'week');
      return unit === 'quarter' ? createRepeatPart(every * 3, 'month') : createRepeatPart(every, unit as RepeatUnit);
    },
  ),
  createReader(
    `(?:every|each)(?: (?<count>${COUNTS}))?(?= (?:morning|afternoon|evening|night)(?![\\p{L}\\p{N}]))`,
    (match) => createRepeatPart(parseInterval(match), 'day'),
  ),
  createReader('(?:on |every )?alternate (?<unit>day|week|month|year)s?', ({ word }) =>
    createRepeatPart(2, word('unit').toLowerCase() as RepeatUnit),
  ),
  createReader(`(?:every|each) (?<month>${MONTH})(?! \\d)`, ({ word }) =>
    createRulePart(1, 'year', `BYMONTH=${parseMonth(word('month'))};BYMONTHDAY=1`),
  ),
];

/** 'every 3 march': the next one, and every year. */
const readYearly = createReader('(?:every|each)(?= (?:\\d|the |\\p{L}+\\.? \\d))', ({ end }, today, line) => {
  const date = readMonth(line, end + 1, today);
  if (date?.part.kind !== 'date') return date;
  const { days } = date.part;
  return { end: date.end, part: createRepeatPart(1, 'year', { first: (from) => days[0] ?? from }) };
});

const DATE_BEHIND = `,? (?:the )?(?:\\d{1,2}(?:st|nd|rd|th)?(?: of)? ${MONTH}|${MONTH} \\d)`;
const FROM_TO = new RegExp(`^(${DAY})(${TO})(${DAY})$`, 'i');

/** Creates a repeat on days that may also happen once, or be one span: 'tue and thu', 'mon-fri'. */
function createOnceOrWeeklyPart(days: string, weekly: RepeatPart, line: string, today: Day): LinePart {
  const [, first, joint = '', last = ''] = FROM_TO.exec(days) ?? [];
  if (first === undefined) {
    const once: LinePart = { ...weekly, times: parseWeekdays(days).length };
    return { kind: 'either', options: AWAY_PATTERN.test(line) ? [once, weekly] : [weekly, once] };
  }
  const from = findNextWeekday(today, parseWeekday(first));
  const span: LinePart = { kind: 'span', from, until: findNextWeekday(from, parseWeekday(last)) };
  const isWeekly = (/[-–]/.test(joint) || /\d/.test(line)) && !AWAY_PATTERN.test(line);
  return { kind: 'either', options: isWeekly ? [weekly, span] : [span, weekly] };
}

/** Whether the days are no list: in 'Freaky Friday sat' nothing joins them, and they are written differently. */
const isMixed = (days: string): boolean =>
  !/[,/+&–-]| (?:and|to|or) /i.test(days) && /day/i.test(days) && /(?<!days?)(?: |$)/i.test(days);

/** Reads a list of days without 'every'. */
const readDays = createReader(`(?:on )?(?<days>${DAYS})`, ({ end, text, word }, today, line) => {
  const days = word('days');
  const isPlural = /days\b/i.test(days);
  const isSeveral = !IS_DAY.test(days);
  // 'Tuesday 24 November' and 'Monday to Friday 4 December' are dates.
  if ((!isPlural && !isSeveral) || isMixed(days) || matchAt(DATE_BEHIND, line, end)) return undefined;
  const quantifier = /(?:most|some|many|odd|even|certain|few) $/iu.exec(line.slice(0, end - text.length))?.[0];
  if (quantifier !== undefined)
    return createWrongPart(
      `'${quantifier}${text}' is not understood as a repeat. Put it in quotes to keep it in the name`,
    );
  const weekly = createWeekdaysPart(1, parseWeekdays(days));
  const isPlain = isPlural || weekly.kind !== 'repeat' || weekly.rule === undefined;
  return isPlain ? weekly : createOnceOrWeeklyPart(days, weekly, line, today);
});

/** 'weekly': in front it may be an adjective of the name, as in 'Weekly review Friday'; after the name it is a rule. */
const readWord: Reader = (line, at, today) => {
  const wordPart = readWordAlone(line, at, today);
  if (!wordPart || at > 0 || wordPart.part.kind !== 'repeat') return wordPart;
  // 'Biweekly' is rarely part of a name, 'Weekly' in 'Weekly review Friday' often is.
  const options = wordPart.part.every === 2 ? [wordPart.part, undefined] : [undefined, wordPart.part];
  return createOptionalPart(
    { ...wordPart, fits: ({ has }) => has('repeat') },
    { end: wordPart.end, part: { kind: 'either', options }, fits: ({ has }) => has('date') },
  );
};
const readWordAlone = createReader(Object.keys(REPEAT_BY_WORD).join('|'), ({ text }) => {
  const repeat = REPEAT_BY_WORD[text.toLowerCase()];
  return repeat && { kind: 'repeat', ...repeat, isAdjective: true };
});

/** 'except Sundays', 'but not at weekends': exceptions of the repeat next to it. */
const readExcept = createReader(
  `(?<lead>(?:but )?(?:except(?:ing)?|excluding|not|apart from|other than)|but|without)(?: for)?(?: (?:on|at))?(?: the)? (?:(?<rest>weekends?)|(?<days>${DAYS}))`,
  ({ end, word }) => {
    const part: LinePart = {
      kind: 'except',
      weekdays: word('rest') === '' ? parseWeekdays(word('days')) : WEEKEND_DAYS,
    };
    const isPlain = !/^(?:not|without)$/i.test(word('lead'));
    return createOptionalPart({ end, part, fits: ({ has, left }) => has('repeat') && (isPlain || left !== undefined) });
  },
);

const readers = [readExcept, readDayOfPeriod, readDayOfMonth, readYearly, ...RULES, readOrdinalDay, readWord, readDays];

/** 'every 2 weeks', 'every Monday', 'first Friday of each month', 'monthly', 'Mondays', 'mon-fri'. */
export const readRepeat: Reader = (line, at, today) =>
  followsBound(line, at) ? undefined : readFirst(readers, line, at, today);
