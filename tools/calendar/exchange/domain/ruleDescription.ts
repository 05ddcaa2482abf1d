import { toCivilDate, type Day } from '#platform/contract/day.ts';
import {
  formatDate,
  formatInterval,
  formatFullDate,
  getMonthName,
  getWeekdayName,
  formatWeekday,
} from '../../events/domain/dateNames.ts';
import type { EventDraft } from '../../events/domain/event.ts';
import type { IcsRule } from '../../repeat/domain/recurrenceRule.ts';

const UNITS = { DAILY: 'day', WEEKLY: 'week', MONTHLY: 'month', YEARLY: 'year' } as const;
const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth'];
/** Number of values of a long list that are named. */
const MAX_NAMED_VALUES = 8;

/** 'a, b and c'. */
function formatList(words: readonly string[]): string {
  const shownWords =
    words.length > MAX_NAMED_VALUES
      ? [...words.slice(0, MAX_NAMED_VALUES - 1), `${words.length - MAX_NAMED_VALUES + 1} more`]
      : words;
  return shownWords.length < 2 ? shownWords.join('') : `${shownWords.slice(0, -1).join(', ')} and ${shownWords.at(-1)}`;
}

function getOrdinalSuffix(number: number): string {
  if (number % 100 >= 11 && number % 100 <= 13) return 'th';
  return ['th', 'st', 'nd', 'rd'][number % 10] ?? 'th';
}
const formatNumber = (number: number): string => `${number}${getOrdinalSuffix(number)}`;

const formatOrdinalWord = (count: number): string => ORDINALS[count - 1] ?? formatNumber(count);

/** 'first', '12th', 'last', 'second to last'. */
function formatOrdinal(number: number): string {
  if (number > 0) return formatOrdinalWord(number);
  return number === -1 ? 'last' : `${formatOrdinalWord(-number)} to last`;
}

function formatMonthDays(rule: IcsRule): string {
  const days = rule.monthDays.map((day) => (day > 0 ? formatNumber(day) : `${formatOrdinal(day)} day`));
  return `the ${formatList(days)}`;
}

const formatWeekdays = ({ weekdays }: IcsRule): string =>
  formatList(
    weekdays.map(({ weekday, nth }) => (nth === 0 ? '' : `the ${formatOrdinal(nth)} `) + getWeekdayName(weekday)),
  );

/** 'the last of Monday and Tuesday in the month'. */
const formatPositions = (rule: IcsRule, words: string): string =>
  rule.positions.length === 0
    ? words
    : `the ${formatList(rule.positions.map(formatOrdinal))} of ${words} in the ${UNITS[rule.frequency]}`;

/** Describes the days that follow from the start if the rule names none. */
function describeImplied({ frequency, months, weeks }: IcsRule, start: Day): readonly string[] {
  if (frequency === 'DAILY' || weeks.length > 0) return [];
  if (frequency === 'WEEKLY') return [formatWeekday(start)];
  return [
    frequency === 'YEARLY' && months.length === 0 ? formatDate(start) : `the ${formatNumber(toCivilDate(start).date)}`,
  ];
}

function formatPlaces(rule: IcsRule, start: Day): string {
  const { months, monthDays, yearDays, weeks, weekdays } = rule;
  const parts = [
    ...(weekdays.length > 0 ? [formatWeekdays(rule)] : []),
    ...(monthDays.length > 0 ? [formatMonthDays(rule)] : []),
    ...(yearDays.length > 0 ? [`the ${formatList(yearDays.map(formatOrdinal))} day of the year`] : []),
  ];
  const places = parts.length === 0 ? describeImplied(rule, start) : parts;
  const placesText = places.length === 0 ? '' : ` on ${formatPositions(rule, places.join(' where it is '))}`;
  const inWeeks = weeks.length === 0 ? '' : ` in week ${formatList(weeks.map(String))}`;
  return `${placesText}${inWeeks}${months.length === 0 ? '' : ` in ${formatList(months.map(getMonthName))}`}`;
}

/** Describes a foreign rule: 'every 2 weeks on Monday and Wednesday, until 5 March 2027'. */
export function describeRule(rule: IcsRule, start: Day, until: Day | undefined): string {
  const interval = formatInterval(rule.interval, UNITS[rule.frequency]);
  const times = rule.count === undefined ? '' : `, ${rule.count} ${rule.count === 1 ? 'time' : 'times'}`;
  return `${interval}${formatPlaces(rule, start)}${times}${until === undefined ? '' : `, until ${formatFullDate(until)}`}`;
}

const formatAmount = (amount: number, unit: string): string => (amount === 1 ? `1 ${unit}` : `${amount} ${unit}s`);

function describePattern({ pattern }: EventDraft): string {
  if (pattern.kind === 'single') return '';
  if (pattern.kind === 'foreign') return pattern.words;
  if (pattern.kind === 'duration') return formatAmount(pattern.duration.amount, pattern.duration.unit.slice(0, -1));
  const { every, unit, until } = pattern.repeat;
  const interval = formatInterval(every, unit);
  if (until.type === 'forever') return interval;
  return until.type === 'times'
    ? `${interval}, ${until.times + 1} times`
    : `${interval}, until ${formatFullDate(until.day)}`;
}

/** Describes repeat, duration and time of an event: 'every 2 weeks, 09:00 to 10:00', or just 'all day'. */
export function describeTime(draft: EventDraft): string {
  const { time, endTime, zone } = draft;
  const days = draft.pattern.kind === 'duration' ? 0 : (draft.endDays ?? 0);
  const later = days === 0 ? '' : days === 1 ? ' the next day' : ` ${days} days later`;
  const clock = time === undefined ? '' : endTime === undefined ? time : `${time} to ${endTime}${later}`;
  const where = clock === '' || zone === undefined ? '' : ` (${zone})`;
  return [describePattern(draft), clock + where].filter((part) => part !== '').join(', ') || 'all day';
}
