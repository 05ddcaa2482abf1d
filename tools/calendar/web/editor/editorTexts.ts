import { LAST_DAY, type Day } from '#platform/contract/day.ts';
import { formatInterval, formatWeekday } from '../../events/domain/dateNames.ts';
import { parseDay, toWire } from '../../events/domain/day.ts';
import { getDurationEnd } from '../../events/domain/event.ts';
import { iterateRepeatDays } from '../../repeat/domain/repeat.ts';
import type { WireEvent } from './eventData.ts';
import { getOwnDay, toRepeat, type Form } from './eventForm.ts';

/** 'Monday, 23-11-2026'. */
export function formatLongDay(day: Day): string {
  return `${formatWeekday(day)}, ${toWire(day)}`;
}

const MAX_DAYS = 4;

/** 'every week', 'every 7 weeks'. */
export function formatEvery({ every, unit }: Pick<Form, 'every' | 'unit'>): string {
  return formatInterval(every, unit);
}

/** 'for 3 days'. */
export function durationWords({ amount, durationUnit }: Pick<Form, 'amount' | 'durationUnit'>): string {
  return `for ${amount} ${amount === 1 ? durationUnit.slice(0, -1) : durationUnit}`;
}

/** Returns the next days of the form's repeat from today on, and whether there are more. */
export function nextDays(
  form: Form,
  base: WireEvent | undefined,
  { start, today }: { readonly start: Form; readonly today: Day },
): { readonly days: readonly Day[]; readonly more: boolean } | undefined {
  const repeat = toRepeat(form, base, today);
  const day = getOwnDay(form, base, start);
  if (repeat === undefined || day === undefined || repeat.every < 1) return undefined;
  const out = new Set(base?.exceptions.map(parseDay));
  const days: Day[] = [];
  for (const next of iterateRepeatDays(day, repeat, today, LAST_DAY)) {
    if (!out.has(next)) days.push(next);
    if (days.length > MAX_DAYS) break;
  }
  return { days: days.slice(0, MAX_DAYS), more: days.length > MAX_DAYS };
}

/** 'Next on Monday, 23-11-2026, then 11-01-2027 and 01-03-2027'. */
export function nextDaysWords({ days, more }: NonNullable<ReturnType<typeof nextDays>>): string {
  const [first, ...rest] = days;
  if (first === undefined) return 'No upcoming dates';
  if (rest.length === 0) return `Last date: ${formatLongDay(first)}`;
  const dates = rest.map(toWire);
  return `Next on ${formatLongDay(first)}, then ${dates.join(', ')}${more ? ' and so on' : ''}`;
}

/** 'until Sunday, 29-11-2026'. */
export function untilWords(form: Form): string | undefined {
  const day = parseDay(form.date);
  if (day === undefined) return undefined;
  return `until ${formatLongDay(getDurationEnd(day, { amount: form.amount, unit: form.durationUnit }))}`;
}

// Texts of the comparison of two versions.

export function dateWords({ date }: Form): string {
  const day = parseDay(date);
  return day === undefined ? date : formatLongDay(day);
}
export function timeWords({ time, endTime, endDate }: Form): string {
  return time === ''
    ? 'all day'
    : endTime === ''
      ? time
      : `${time} to ${endTime}${endDate === '' ? '' : ` on ${endDate}`}`;
}
export function tagWords({ tags, pinned }: Form): string {
  return tags.map((tag) => (tag === pinned ? `${tag} (pinned)` : tag)).join(', ');
}
const describeFrom = ({ from, fromDate }: Form): string =>
  ({ forever: '', today: ', from the day it was saved', date: `, from ${fromDate}` })[from];
const describeUntil = ({ until, times, untilDate }: Form): string =>
  ({ forever: '', times: `, ${times} further times`, date: `, until ${untilDate}` })[until];
export function patternWords(form: Form): string {
  if (form.style === 'duration') return durationWords(form);
  return form.style === 'calendar' ? 'once' : `${formatEvery(form)}${describeFrom(form)}${describeUntil(form)}`;
}
