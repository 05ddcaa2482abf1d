import { Refusal } from '#platform/contract/refusal.ts';
import { civilOf, type Day, dayInMonth, LAST_DAY, monthIndexOf, parseDay } from '../../events/domain/day.ts';
import type { DayPattern } from '../../events/domain/event.ts';
import { daysInOrder, MAX_FOREIGN_DAYS } from '../../events/domain/eventDraft.ts';
import { icsDay } from '../../exchange/domain/icsText.ts';
import { wordsOfRule } from '../../exchange/domain/ruleDescription.ts';
import { daysOfRule, ruleIn, ruleText } from './recurrenceRule.ts';

/** Days are worked out so far ahead, as those of imported rules are. */
const YEARS_AHEAD = 10;
const SCANNED = 400_000;

const yearsFrom = (day: Day, years: number): Day => {
  const civil = civilOf(day);
  return dayInMonth(monthIndexOf(civil) + years * 12, civil.date);
};

/** The pattern of a value of `RRULE` that begins on `start`. @throws Refusal for what is no rule, or lies on no day. */
export function patternOfRule(value: string, start: Day, today: Day): Extract<DayPattern, { kind: 'foreign' }> {
  // Line ends would make other properties of it in what other calendars are sent.
  const rule = /^[\w=;,+-]+$/.test(value) ? ruleIn(value) : 'Its rule is not understood';
  if (typeof rule === 'string') throw new Refusal(`rule: ${rule}`);
  const until = rule.until === undefined ? undefined : parseDay(rule.until.replace(/^(....)(..)(..)$/, '$1-$2-$3'));
  if (rule.until !== undefined && until === undefined)
    throw new Refusal('rule: UNTIL is a day that exists, such as 20270305');
  if (until !== undefined && until < start) throw new Refusal('rule: the repeat ends before it begins');
  const end = Math.min(LAST_DAY, until ?? LAST_DAY, yearsFrom(Math.max(today, start), YEARS_AHEAD));
  const budget = { left: SCANNED };
  const days = daysInOrder([start, ...daysOfRule(rule, start, { from: start, until: end, budget })]);
  return {
    kind: 'foreign',
    rule: `RRULE:${ruleText(value, { until: until === undefined ? undefined : icsDay(until), count: rule.count })}`,
    words: wordsOfRule(rule, start, until),
    days: days.slice(0, MAX_FOREIGN_DAYS),
  };
}
