import { civilOf, dayInMonth, FIRST_DAY, LAST_DAY, monthIndexOf, parseDay, type Day } from '../../domain/day.ts';
import { MOST_DURATION, MOST_EVERY, MOST_EXCEPTIONS, MOST_FOREIGN_DAYS, MOST_TIMES } from '../../domain/draft.ts';
import { untilOf } from '../../domain/duration.ts';
import type { Duration, EventDraft, Pattern, Repeat, RepeatUnit, RepeatUntil } from '../../domain/event.ts';
import { durationIn, repeatIn } from '../../domain/icsPattern.ts';
import { ruleOfRepeat } from '../../domain/icsRepeat.ts';
import { daysOfRule, ruleIn, ruleText, unitOfRule, type Budget, type IcsRule } from '../../domain/icsRule.ts';
import { icsDay } from '../../domain/icsText.ts';
import { wordsOfRule } from '../../domain/icsWords.ts';
import { boundsOf, nextOccurrence, standsOn } from '../../domain/repeat.ts';
import { linesOf, rawOf, textOf, type Component } from './component.ts';
import { rawValueOf } from './lines.ts';
import { clockOf, dayOfWall, inZone, momentsIn, type Moment, type MomentReader } from './moments.ts';
import type { When } from './when.ts';
import { toWall, UTC, wallIn, type Zone } from './zones.ts';

/** Rules of other calendars are worked out so many years from today, or from their start. */
const YEARS_AHEAD = 10;
/** What lies further back of an endless rule is not asked for. */
const YEARS_BACK = 50;

/** What the rules of one file may cost together. */
export interface RuleBudget {
  /** Days that may be looked at. */
  readonly scanned: Budget;
  /** Days that may be kept. */
  kept: number;
}
export const ruleBudget = (): RuleBudget => ({ scanned: { left: 20_000_000 }, kept: 400_000 });
/** Of one event: rules that never come true would be looked for to the end of time. */
const SCANNED_AT_ONCE = 400_000;

export interface PatternReader extends MomentReader {
  readonly home: Zone | undefined;
  readonly today: Day;
  readonly budget: RuleBudget;
  /** Something is taken otherwise than it was written. */
  readonly tell: (why: string) => void;
}

type Placed = Pick<EventDraft, 'day' | 'endTime' | 'pattern' | 'exceptions'>;

/** What stands in no rule that is kept, and is refused. */
export class NotTaken extends Error {
  override readonly name = 'NotTaken';
}

const yearsFrom = (day: Day, years: number): Day => {
  const civil = civilOf(day);
  return dayInMonth(monthIndexOf(civil) + years * 12, civil.date);
};

// Durations ------------------------------------------------------------------------------------------

/** A duration as it would be told: in days, and in larger units where days would be too many. */
const durationOf = (day: Day, length: number, tell: PatternReader['tell']): Duration => {
  const until = Math.min(LAST_DAY, day + length - 1);
  const months = Math.round((until - day + 1) / 30.436_875);
  const ways: readonly Duration[] = [
    { amount: length, unit: 'days' },
    { amount: Math.round(length / 7), unit: 'weeks' },
    { amount: months, unit: 'months' },
    { amount: Math.round(months / 12), unit: 'years' },
  ];
  const fitting = ways.filter(({ amount }) => amount <= MOST_DURATION);
  const exact = fitting.find((way) => untilOf(day, way) === until);
  if (exact) return exact;
  tell('It lasts longer than can be told in days, so its end is moved by some of them');
  return fitting[0] ?? { amount: MOST_DURATION, unit: 'years' };
};

const lasting = (component: Component, when: When, tell: PatternReader['tell']): Placed => {
  const { day, endTime, length } = when;
  const written = durationIn(textOf(component, 'X-PEGBOARD-PATTERN') ?? '');
  const isSame = written && untilOf(day, written.pattern.duration) === day + length - 1;
  if (isSame && (written.endTime === undefined || written.endTime === endTime))
    return { day, pattern: written.pattern, endTime: written.endTime, exceptions: [] };
  const pattern: Pattern =
    length === 1 ? { kind: 'single' } : { kind: 'duration', duration: durationOf(day, length, tell) };
  return { day, pattern, endTime, exceptions: [] };
};

// Repeats --------------------------------------------------------------------------------------------

/** The day, by the clock that the event was written by, on which a moment lies. */
const dayBy = (moment: Moment, start: Moment): Day =>
  dayOfWall(start.isDay || moment.isDay ? moment.wall : inZone(moment, start.zone));

const daysIn = (component: Component, name: string, when: When, reader: PatternReader): readonly Day[] =>
  linesOf(component, name).flatMap((line) => {
    const moments = momentsIn(line, reader);
    if (!moments) reader.tell(`A day of its ${name} is none, and left out`);
    return moments?.map((moment) => dayBy(moment, when.start)) ?? [];
  });

/** The last day that a rule's `UNTIL` lets an occurrence begin on, by the event's own clock. */
const untilIn = (rule: IcsRule, { start }: When, { home, tell }: PatternReader): Day | undefined => {
  if (rule.until === undefined) return undefined;
  const [, year, month, date, hours, minutes, seconds, utc] =
    /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?$/.exec(rule.until) ?? [];
  if (hours === undefined || start.isDay) {
    const day = parseDay(`${year}-${month}-${date}`);
    if (day === undefined) tell('The end of its repeat is no day, and left out');
    return day;
  }
  const written = wallIn(`${year}-${month}-${date}T${hours}:${minutes}:${seconds}`);
  if (written === undefined) {
    tell('The end of its repeat is no time, and left out');
    return undefined;
  }
  const wall = utc === 'Z' ? toWall(start.zone ?? home ?? UTC, written) : written;
  return dayOfWall(wall) - (clockOf(wall) < clockOf(start.wall) ? 1 : 0);
};

const boundOf = (rule: IcsRule, until: Day | undefined, draft: { day: Day; repeat: Repeat }): RepeatUntil => {
  if (rule.count !== undefined && rule.count <= MOST_TIMES + 1) return { type: 'times', times: rule.count - 1 };
  const counted: RepeatUntil = { type: 'times', times: (rule.count ?? 1) - 1 };
  const day = rule.count === undefined ? until : boundsOf(draft.day, { ...draft.repeat, until: counted }).until;
  return day === undefined || day >= LAST_DAY ? { type: 'forever' } : { type: 'date', day };
};

/** What this program wrote of its own repeats, where the rest of the object still says the same. */
const writtenRepeat = (component: Component, when: When): Placed | undefined => {
  const written = repeatIn(textOf(component, 'X-PEGBOARD-PATTERN') ?? '');
  if (!written || when.length !== 1) return undefined;
  const { day, pattern } = written;
  const { repeat } = pattern;
  const { endTime } = when;
  const first = nextOccurrence(day, repeat, when.day);
  const rule = rawOf(component, 'RRULE');
  // One that stands on no day at all is written as one day that is left out.
  if (first === undefined)
    return when.day === day && rule.endsWith(';COUNT=1') ? { day, pattern, endTime, exceptions: [] } : undefined;
  const isFirst = repeat.from.type === 'forever' ? standsOn(day, repeat, when.day) : first === when.day;
  const isSame = isFirst && ruleOfRepeat({ day, time: when.time }, repeat, first) === rule;
  return isSame ? { day, pattern, endTime, exceptions: [] } : undefined;
};

interface Repeating {
  readonly rule: IcsRule | undefined;
  /** Of the rule, by the event's own clock. */
  readonly until: Day | undefined;
  readonly extra: readonly Day[];
  readonly left: readonly Day[];
  /** Of its first day, by the event's own clock. */
  readonly start: Day;
  /** Days from the event's own clock to the account's: -1, 0 or 1. */
  readonly shift: number;
}

const ownUnit = (rule: IcsRule, { start, shift, extra }: Repeating, { length }: When): RepeatUnit | undefined => {
  if (extra.length > 0 || length > 1 || rule.interval > MOST_EVERY) return undefined;
  const unit = unitOfRule(rule, start);
  return shift === 0 || unit === 'day' || unit === 'week' ? unit : undefined;
};

/** A repeat of ours that stands on the same days; undefined where there is none. */
const ownRepeat = (parts: Repeating, when: When): Placed | undefined => {
  const { rule, until, start, shift } = parts;
  const { endTime } = when;
  const unit = rule && ownUnit(rule, parts, when);
  if (!rule || unit === undefined) return undefined;
  const day = start + shift;
  if (rule.count === 1 || (until !== undefined && until <= start))
    return { day, endTime, pattern: { kind: 'single' }, exceptions: [] };
  const repeat: Repeat = { every: rule.interval, unit, from: { type: 'date', day }, until: { type: 'forever' } };
  const bound = boundOf(rule, until === undefined ? undefined : until + shift, { day, repeat });
  return { day, endTime, pattern: { kind: 'repeat', repeat: { ...repeat, until: bound } }, exceptions: [] };
};

/** First days of the occurrences of a rule that is not ours, by the event's own clock, in order. */
const startsOf = ({ rule, until, extra, left, start }: Repeating, reader: PatternReader): readonly Day[] => {
  const { today, budget, tell } = reader;
  const end = Math.min(LAST_DAY, until ?? LAST_DAY, yearsFrom(Math.max(today, start), YEARS_AHEAD));
  const from = Math.max(start, yearsFrom(today, -YEARS_BACK));
  const allowance: Budget = { left: Math.min(SCANNED_AT_ONCE, budget.scanned.left) };
  const had = allowance.left;
  const ruled = rule ? [...daysOfRule(rule, start, { from, until: end, budget: allowance })] : [];
  budget.scanned.left -= had - allowance.left;
  if (allowance.left <= 0) tell('Its rule takes too long to work out; only its first days are taken');
  const without = new Set(left);
  return [...new Set([start, ...ruled, ...extra])]
    .filter((day) => !without.has(day))
    .toSorted((one, other) => one - other);
};

/** The days from a start on, as many as the event lasts. */
const spread = (starts: readonly Day[], length: number): readonly Day[] =>
  length === 1
    ? starts
    : [...new Set(starts.flatMap((start) => Array.from({ length }, (_none, index) => start + index)))];

const rdates = (days: readonly Day[]): readonly string[] =>
  days.length === 0 ? [] : [`RDATE:${days.map(icsDay).join(',')}`];

const foreignRule = (component: Component, parts: Repeating, starts: readonly Day[], length: number): string => {
  const { rule, until, extra, shift } = parts;
  const lasts = length === 1 ? [] : [`DURATION:P${length}D`];
  // On another day than there the rule would say other days: they are told one by one.
  if (shift !== 0 || !rule) return [...rdates(starts.map((day) => day + shift)), ...lasts].join('\n');
  const text = ruleText(rawOf(component, 'RRULE'), until === undefined ? undefined : icsDay(until));
  return [`RRULE:${text}`, ...rdates(extra), ...lasts].join('\n');
};

const foreignWords = ({ rule, extra, start, until }: Repeating, length: number): string => {
  const more = `${extra.length} ${rule ? 'more ' : ''}${extra.length === 1 ? 'day' : 'days'}`;
  const ruled = rule ? wordsOfRule(rule, start, until) : '';
  const chosen = extra.length === 0 ? '' : rule ? `, and on ${more}` : `on ${more} besides the first`;
  return `${ruled}${chosen}${length === 1 ? '' : `, ${length} days each time`}`;
};

const LENGTH_LIMIT = 366;
const TOO_MANY = 'The rules of this file make too many days';

/** Of too many days those of the last year and on; of what lies before the latest. */
const keptOf = (days: readonly Day[], today: Day): readonly Day[] => {
  const recent = days.findIndex((day) => day >= yearsFrom(today, -1));
  const surplus = Math.max(0, days.length - MOST_FOREIGN_DAYS);
  const first = recent === -1 ? surplus : Math.min(surplus, recent);
  return days.slice(first, first + MOST_FOREIGN_DAYS);
};

const foreign = (component: Component, parts: Repeating, when: When, reader: PatternReader): Placed => {
  const { budget, tell } = reader;
  if (budget.kept <= 0) throw new NotTaken(TOO_MANY);
  const length = Math.min(when.length, LENGTH_LIMIT);
  if (length < when.length) tell(`Each time it lasts more than ${LENGTH_LIMIT} days; only these are taken`);
  const starts = startsOf(parts, reader);
  const all = spread(
    starts.map((day) => day + parts.shift).filter((day) => day + length - 1 <= LAST_DAY),
    length,
  ).toSorted((one, other) => one - other);
  const days = keptOf(all, reader.today);
  budget.kept -= days.length;
  if (budget.kept < 0) throw new NotTaken(TOO_MANY);
  const rule = foreignRule(component, parts, starts.slice(-MOST_FOREIGN_DAYS), length);
  const left = spread(
    parts.left.map((day) => day + parts.shift),
    length,
  );
  return {
    day: when.day,
    endTime: when.endTime,
    pattern: { kind: 'foreign', rule, words: foreignWords(parts, length), days },
    exceptions: left,
  };
};

const ruleOf = (component: Component, { tell }: PatternReader): IcsRule | undefined => {
  const [line, ...more] = linesOf(component, 'RRULE');
  if (line === undefined) return undefined;
  if (more.length > 0) tell('It has several rules; only the first is taken');
  const rule = ruleIn(rawValueOf(line));
  if (typeof rule !== 'string') return rule;
  tell(`${rule}; only its first day is taken`);
  return undefined;
};

/** Days that are left out, those that have an event of their own among them. */
const kept = (days: readonly Day[], { tell }: PatternReader): readonly Day[] => {
  const inOrder = [...new Set(days)].filter((day) => day <= LAST_DAY).toSorted((one, other) => one - other);
  if (inOrder.length > MOST_EXCEPTIONS) tell(`More than ${MOST_EXCEPTIONS} days are left out of it; only these are`);
  return inOrder.slice(-MOST_EXCEPTIONS);
};

/** On which days an event stands. `replaced` are those with an event of their own, by the account's clock. @throws NotTaken */
export const patternOf = (
  component: Component,
  when: When,
  reader: PatternReader,
  replaced: readonly Day[],
): Placed => {
  const rule = ruleOf(component, reader);
  const start = dayOfWall(when.start.wall);
  const parts: Repeating = {
    rule,
    until: rule && untilIn(rule, when, reader),
    extra: daysIn(component, 'RDATE', when, reader).filter((day) => day !== start),
    left: daysIn(component, 'EXDATE', when, reader),
    start,
    shift: when.day - start,
  };
  if (!rule && parts.extra.length === 0) return lasting(component, when, reader.tell);
  const own = writtenRepeat(component, when) ?? ownRepeat(parts, when);
  if (!own) {
    const placed = foreign(component, parts, when, reader);
    return { ...placed, exceptions: kept([...placed.exceptions, ...replaced], reader) };
  }
  const { day, pattern } = own;
  if (pattern.kind !== 'repeat') return own;
  const left = parts.left.map((each) => each + parts.shift).concat(replaced);
  const isWithin = (each: Day): boolean => each >= FIRST_DAY && each <= LAST_DAY && standsOn(day, pattern.repeat, each);
  return { ...own, exceptions: kept(left.filter(isWithin), reader) };
};
