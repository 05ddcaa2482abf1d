import { FIRST_DAY, LAST_DAY, type Day } from '#platform/contract/day.ts';
import { addMonths } from '#tools/calendar/events/domain/day.ts';
import {
  countEndDays,
  findEndTime,
  getDurationEnd,
  type Duration,
  type EventDraft,
  type EventTimes,
  type Repeat,
  type RepeatUnit,
  type RepeatUntil,
} from '#tools/calendar/events/domain/event.ts';
import {
  MAX_DURATION,
  MAX_END_DAYS,
  MAX_REPEAT_INTERVAL,
  MAX_EXCEPTIONS,
  MAX_FOREIGN_DAYS,
  MAX_REPEAT_COUNT,
} from '#tools/calendar/events/domain/eventDraft.ts';
import {
  iterateRuleDays,
  parseRecurrenceRule,
  formatRuleDays,
  findRepeatUnit,
  type Budget,
  type IcsRule,
} from '#tools/calendar/repeat/domain/recurrenceRule.ts';
import { getBounds, findNextRepeatDay, occursOn } from '#tools/calendar/repeat/domain/repeat.ts';
import { parseDurationHint, parseRepeatHint, formatRepeatRule } from '../../domain/icsPattern.ts';
import { formatIcsDay } from '../../domain/icsText.ts';
import { describeRule } from '../../domain/ruleDescription.ts';
import { listLines, getRawText, findText, type Component, getRawValue } from './contentLines.ts';
import { getLengthMinutes, MAX_SINGLE_MINUTES, hasRepeat, type EventTime, type EventTimeReader } from './eventTime.ts';
import {
  readExtraDays,
  readExceptions,
  type ReadContext,
  computeRuleEnd,
  hasOtherTimes,
  MAX_SCANNED_DAYS,
  type BoundedRule,
  hasOwnTime,
} from './ruleEnds.ts';

/** Parses the rules of exceptions (`EXRULE`). */
export function parseExclusionRules(
  component: Component,
  when: EventTime,
  { reader, note }: ReadContext,
): readonly BoundedRule[] {
  return listLines(component, 'EXRULE').flatMap((line): readonly BoundedRule[] => {
    const text = getRawValue(line);
    const rule = parseRecurrenceRule(text);
    if (typeof rule === 'string') {
      reader.warn('A rule for excluded dates is not supported, so those dates are not excluded');
      note('a rule for excluded dates is not supported');
      return [];
    }
    // A rule of other times of day excludes nothing.
    return hasOwnTime(text, when) ? [computeRuleEnd(rule, text, when, reader)] : [];
  });
}

/** Years from today, or from their start, for which foreign rules are computed. */
const YEARS_AHEAD = 10;
/** Older days of an endless rule are not computed. */
const YEARS_BACK = 50;

/** The cost that the rules of one file may have in total. */
export interface RuleBudget {
  /** Number of days that may be checked. */
  readonly scanned: Budget;
  /** Number of days that may be stored. */
  daysLeft: number;
}
export function createRuleBudget(): RuleBudget {
  return { scanned: { left: 20_000_000 }, daysLeft: 400_000 };
}

export interface PatternReader extends EventTimeReader {
  readonly today: Day;
  readonly budget: RuleBudget;
}

type PatternFields = Pick<EventDraft, 'day' | 'endTime' | 'endDays' | 'pattern' | 'exceptions'>;

/** An event that is refused because no stored pattern can express it. */
export class UnsupportedEventError extends Error {
  override readonly name = 'UnsupportedEventError';
}

// Durations ------------------------------------------------------------------------------------------

/** Converts a length to a duration: in days, or in larger units if there are too many days. */
function toDuration(day: Day, length: number, warn: PatternReader['warn']): Duration {
  const until = Math.min(LAST_DAY, day + length - 1);
  const months = Math.round((until - day + 1) / 30.436_875);
  const candidates: readonly Duration[] = [
    { amount: length, unit: 'days' },
    { amount: Math.round(length / 7), unit: 'weeks' },
    { amount: months, unit: 'months' },
    { amount: Math.round(months / 12), unit: 'years' },
  ];
  const fitting = candidates.filter(({ amount }) => amount <= MAX_DURATION);
  const exact = fitting.find((way) => getDurationEnd(day, way) === until);
  if (exact) return exact;
  warn('It is too long to count in days, so its end is moved by some days');
  return fitting[0] ?? { amount: MAX_DURATION, unit: 'years' };
}

/** Returns the days that an event covers. An end at midnight belongs to the day before, and needs no time. */
const countCoveredDays = (when: EventTime): { readonly length: number; readonly endTime: string | undefined } =>
  when.endTime === '00:00'
    ? { length: when.endDays, endTime: undefined }
    : { length: when.endDays + 1, endTime: when.endTime };

function toDurationFields(component: Component, when: EventTime, warn: PatternReader['warn']): PatternFields {
  const { day, endTime, endDays, time } = when;
  const hint = parseDurationHint(findText(component, 'X-PEGBOARD-PATTERN') ?? '');
  const hinted = hint && { day, time, endTime: hint.endTime, pattern: hint.pattern, exceptions: [] };
  const { length, endTime: last } = countCoveredDays(when);
  if (hinted && hasSameEnd(hinted, when)) return { ...hinted, endDays: 0 };
  if (endDays === 0 || (time !== undefined && getLengthMinutes(when) < MAX_SINGLE_MINUTES))
    return { day, pattern: { kind: 'single' }, endTime, endDays, exceptions: [] };
  return {
    day,
    pattern: { kind: 'duration', duration: toDuration(day, length, warn) },
    endTime: last,
    endDays: 0,
    exceptions: [],
  };
}

/** Whether a duration has the same end as the rest of the object. */
function hasSameEnd(event: EventTimes, { endTime, endDays, time }: EventTime): boolean {
  const days = countEndDays(event);
  const end = findEndTime(event) ?? (time === undefined ? undefined : '24:00');
  const isMoment = event.pattern.kind === 'duration' && event.pattern.duration.amount === 0;
  if (time === undefined || endTime === undefined) return days === endDays && (end === undefined || isMoment);
  return end === '24:00' ? endTime === '00:00' && days + 1 === endDays : end === endTime && days === endDays;
}

// Repeats --------------------------------------------------------------------------------------------

function toUntil(rule: IcsRule, until: Day | undefined, draft: { day: Day; repeat: Repeat }): RepeatUntil {
  if (rule.count !== undefined && rule.count <= MAX_REPEAT_COUNT + 1) return { type: 'times', times: rule.count - 1 };
  const counted: RepeatUntil = { type: 'times', times: (rule.count ?? 1) - 1 };
  const day = rule.count === undefined ? until : getBounds(draft.day, { ...draft.repeat, until: counted }).until;
  return day === undefined || day >= LAST_DAY ? { type: 'forever' } : { type: 'date', day };
}

/** Returns the repeat that this program wrote, if the rest of the object still agrees with it. */
function parseWrittenRepeat(component: Component, when: EventTime): PatternFields | undefined {
  const hint = parseRepeatHint(findText(component, 'X-PEGBOARD-PATTERN') ?? '');
  if (!hint) return undefined;
  const { day, pattern } = hint;
  const { repeat } = pattern;
  const { endTime, endDays } = when;
  const first = findNextRepeatDay(day, repeat, when.day);
  const rule = getRawText(component, 'RRULE');
  // A repeat without days is written as one day with an exception.
  if (first === undefined)
    return when.day === day && rule.endsWith(';COUNT=1')
      ? { day, pattern, endTime, endDays, exceptions: [] }
      : undefined;
  const isFirst = repeat.from.type === 'forever' ? occursOn(day, repeat, when.day) : first === when.day;
  const isSame = isFirst && formatRepeatRule({ day, time: when.time, zone: when.zone }, repeat, first) === rule;
  return isSame ? { day, pattern, endTime, endDays, exceptions: [] } : undefined;
}

interface RepeatRule {
  readonly rule: IcsRule | undefined;
  /** The last day of the rule, as the event's own day. */
  readonly until: Day | undefined;
  readonly extra: readonly Day[];
  readonly exceptions: readonly Day[];
  /** Rules of exceptions, each with its end as the event's own day. */
  readonly exceptionRules: readonly BoundedRule[];
  /** The first day, as the event's own day. */
  readonly start: Day;
  /** Parts of the rule that the days don't reflect. Stored with the event, in words. */
  readonly notes: readonly string[];
}

function findOwnUnit(rule: IcsRule, { start, extra }: RepeatRule): RepeatUnit | undefined {
  if (extra.length > 0 || rule.interval > MAX_REPEAT_INTERVAL) return undefined;
  return findRepeatUnit(rule, start);
}

/** Converts a rule to our own repeat with the same days. Undefined if there is none. */
function toOwnRepeat(parts: RepeatRule, when: EventTime): PatternFields | undefined {
  const { rule, until, start: day } = parts;
  const { endTime, endDays } = when;
  const unit = rule && findOwnUnit(rule, parts);
  if (!rule || unit === undefined) return undefined;
  if (rule.count === 1 || (until !== undefined && until <= day))
    return { day, endTime, endDays, pattern: { kind: 'single' }, exceptions: [] };
  const repeat: Repeat = { every: rule.interval, unit, from: { type: 'date', day }, until: { type: 'forever' } };
  const bound = toUntil(rule, until, { day, repeat });
  return { day, endTime, endDays, pattern: { kind: 'repeat', repeat: { ...repeat, until: bound } }, exceptions: [] };
}

/** Returns the event's own days on which the occurrences of a foreign rule start, in order. */
function listStarts(
  { rule, until, extra, exceptions, exceptionRules, start }: RepeatRule,
  reader: PatternReader,
): readonly Day[] {
  const { today, budget, warn } = reader;
  const end = Math.min(LAST_DAY, until ?? LAST_DAY, addMonths(Math.max(today, start), 12 * YEARS_AHEAD));
  const from = Math.max(start, addMonths(today, -12 * YEARS_BACK));
  const allowance: Budget = { left: Math.min(MAX_SCANNED_DAYS, budget.scanned.left) };
  const budgetBefore = allowance.left;
  const ruleDays = rule ? [...iterateRuleDays(rule, start, { from, until: end, budget: allowance })] : [];
  const excluded = exceptionRules.flatMap((exclusion) => [
    ...iterateRuleDays(exclusion.rule, start, {
      from,
      until: Math.min(end, exclusion.until ?? end),
      budget: allowance,
    }),
  ]);
  budget.scanned.left -= budgetBefore - allowance.left;
  if (allowance.left <= 0) warn('Its repeat rule takes too long to calculate. Only the first dates are used');
  const exceptionDays = new Set([...exceptions, ...excluded]);
  return [...new Set([start, ...ruleDays, ...extra])]
    .filter((day) => !exceptionDays.has(day))
    .toSorted((one, other) => one - other);
}

const formatRdates = (days: readonly Day[]): readonly string[] =>
  days.length === 0 ? [] : [`RDATE:${days.map(formatIcsDay).join(',')}`];

function formatForeignRule(
  component: Component,
  { rule, until, extra, exceptionRules }: RepeatRule,
  starts: readonly Day[],
): string {
  if (!rule || exceptionRules.length > 0) return formatRdates(starts).join('\n');
  const text = formatRuleDays(getRawText(component, 'RRULE'), {
    until: until === undefined ? undefined : formatIcsDay(until),
    count: rule.count,
  });
  return [`RRULE:${text}`, ...formatRdates(extra)].join('\n');
}

function describeForeignRule(
  { rule, extra, exceptionRules, start, until, notes }: RepeatRule,
  { endDays, time }: EventTime,
): string {
  const more = `${extra.length} ${rule ? 'more ' : ''}${extra.length === 1 ? 'day' : 'days'}`;
  const ruled = rule ? describeRule(rule, start, until) : '';
  const chosen = extra.length === 0 ? '' : rule ? `, and on ${more}` : `on ${more} besides the first`;
  const except = exceptionRules
    .map((exclusion) => `, but not ${describeRule(exclusion.rule, start, exclusion.until)}`)
    .join('');
  const length = endDays === 0 || time !== undefined ? '' : `, ${endDays + 1} days each time`;
  const words = `${ruled}${chosen}${except}${length}`;
  return notes.length === 0 ? words : `${words || 'on its first day'} (${notes.join('; ')})`;
}

const TOO_MANY_DATES_MESSAGE = 'The repeat rules in this file have too many dates';

/** Limits too many days to those from the last year on, or to the latest ones. */
function limitDays(days: readonly Day[], today: Day): readonly Day[] {
  const recent = days.findIndex((day) => day >= addMonths(today, -12));
  const surplus = Math.max(0, days.length - MAX_FOREIGN_DAYS);
  const first = recent === -1 ? surplus : Math.min(surplus, recent);
  return days.slice(first, first + MAX_FOREIGN_DAYS);
}

function toForeignPattern(
  component: Component,
  parts: RepeatRule,
  when: EventTime,
  reader: PatternReader,
): PatternFields {
  const { budget } = reader;
  if (budget.daysLeft <= 0) throw new UnsupportedEventError(TOO_MANY_DATES_MESSAGE);
  const starts = listStarts(parts, reader);
  const days = limitDays(starts, reader.today);
  budget.daysLeft -= days.length;
  if (budget.daysLeft < 0) throw new UnsupportedEventError(TOO_MANY_DATES_MESSAGE);
  const rule = formatForeignRule(component, parts, starts.slice(-MAX_FOREIGN_DAYS));
  const { day, endTime, endDays } = when;
  const pattern = { kind: 'foreign', rule, words: describeForeignRule(parts, when), days } as const;
  return { day, endTime, endDays, pattern, exceptions: parts.exceptions };
}

const OTHER_TIMES_NOTE = 'its other start times are not shown';
function parseRule(component: Component, when: EventTime, { reader, note }: ReadContext): BoundedRule | undefined {
  const { warn } = reader;
  const [line, ...more] = new Set(listLines(component, 'RRULE'));
  if (line === undefined) return undefined;
  if (more.length > 0) {
    warn('It has several repeat rules. Only the first is used');
    note('its other rules are not shown');
  }
  const rule = parseRecurrenceRule(getRawValue(line));
  if (typeof rule === 'string') {
    warn(`${rule}. Only the first date is used`);
    note(`${rule.charAt(0).toLowerCase()}${rule.slice(1)}; its other dates are not shown`);
    return undefined;
  }
  if (hasOtherTimes(getRawValue(line), when)) {
    warn(`It has several start times, or others than its first. Only ${when.time} is used`);
    note(OTHER_TIMES_NOTE);
  }
  return computeRuleEnd(rule, getRawValue(line), when, reader);
}

/** Limits the exceptions, which include days with an event of their own. */
function limitExceptions(days: readonly Day[], { warn }: PatternReader): readonly Day[] {
  const inOrder = [...new Set(days)].filter((day) => day <= LAST_DAY).toSorted((one, other) => one - other);
  if (inOrder.length > MAX_EXCEPTIONS)
    warn(
      `It has more than ${MAX_EXCEPTIONS.toLocaleString('en')} excluded dates. Only the first ${MAX_EXCEPTIONS.toLocaleString('en')} are excluded`,
    );
  return inOrder.slice(-MAX_EXCEPTIONS);
}

export const TOO_LONG_MESSAGE = `It is longer than ${MAX_END_DAYS} days. It is cut off after that`;

/** Limits occurrences of a repeat to a year. */
function limitLength(when: EventTime, { warn }: PatternReader): EventTime {
  if (when.endDays <= MAX_END_DAYS) return when;
  warn(TOO_LONG_MESSAGE);
  return { ...when, endDays: MAX_END_DAYS };
}

/**
 * Returns the pattern of an event. `replaced` are days with an event of their own. All days are the event's own.
 * @throws UnsupportedEventError
 */
export function readPatternFields(
  component: Component,
  eventTime: EventTime,
  reader: PatternReader,
  replaced: readonly Day[],
): PatternFields {
  const when = hasRepeat(component) ? limitLength(eventTime, reader) : eventTime;
  const { warn } = reader;
  const notes = new Set<string>();
  const context: ReadContext = { reader, note: (words) => void notes.add(words) };
  const start = when.day;
  const { rule, until } = parseRule(component, when, context) ?? {};
  const parts: RepeatRule = {
    rule,
    until,
    extra: readExtraDays(component, when, context).filter((day) => day !== start),
    exceptions: readExceptions(component, when, context),
    exceptionRules: parseExclusionRules(component, when, context),
    start,
    notes: [...notes],
  };
  if (!rule && parts.extra.length === 0 && notes.size === 0) return toDurationFields(component, when, warn);
  const isExact = parts.exceptionRules.length === 0 && notes.size === 0;
  const ownFields = isExact ? (parseWrittenRepeat(component, when) ?? toOwnRepeat(parts, when)) : undefined;
  if (!ownFields) {
    const placed = toForeignPattern(component, parts, when, reader);
    return { ...placed, exceptions: limitExceptions([...placed.exceptions, ...replaced], reader) };
  }
  const { day, pattern } = ownFields;
  if (pattern.kind !== 'repeat') return ownFields;
  const exceptions = [...parts.exceptions, ...replaced];
  const isWithin = (exception: Day): boolean =>
    exception >= FIRST_DAY && exception <= LAST_DAY && occursOn(day, pattern.repeat, exception);
  return { ...ownFields, exceptions: limitExceptions(exceptions.filter(isWithin), reader) };
}
