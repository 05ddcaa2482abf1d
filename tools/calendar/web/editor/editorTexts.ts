import { LAST_DAY, type Day } from '#platform/contract/day.ts';
import { formatInterval, formatWeekday } from '../../events/domain/dateNames.ts';
import { parseDay, toWire } from '../../events/domain/day.ts';
import { getDurationEnd } from '../../events/domain/event.ts';
import { iterateRepeatDays } from '../../repeat/domain/repeat.ts';
import type { WireEvent } from './eventData.ts';
import { getFirstDay, toRepeat, type Form } from './eventForm.ts';

/** Formats `Monday, 23-11-2026`. */
export function formatLongDay(day: Day): string {
  return `${formatWeekday(day)}, ${toWire(day)}`;
}

const MAX_LISTED_DAYS = 4;

/** Formats `every week`, `every 7 weeks`. */
export function formatEvery({ every, unit }: Pick<Form, 'every' | 'unit'>): string {
  return formatInterval(every, unit);
}

/** Formats `for 3 days`. */
export function formatDuration({ amount, durationUnit }: Pick<Form, 'amount' | 'durationUnit'>): string {
  return `for ${amount} ${amount === 1 ? durationUnit.slice(0, -1) : durationUnit}`;
}

/** Returns the next days of the form's repeat from today on, and whether there are more. */
export function listNextDays(
  form: Form,
  base: WireEvent | undefined,
  { start, today }: { readonly start: Form; readonly today: Day },
): { readonly days: readonly Day[]; readonly hasMore: boolean } | undefined {
  const repeat = toRepeat(form, base, today);
  const day = getFirstDay(form, base, start);
  if (repeat === undefined || day === undefined || repeat.every < 1) return undefined;
  const exceptions = new Set(base?.exceptions.map(parseDay));
  const days: Day[] = [];
  for (const next of iterateRepeatDays(day, repeat, today, LAST_DAY)) {
    if (!exceptions.has(next)) days.push(next);
    if (days.length > MAX_LISTED_DAYS) break;
  }
  return { days: days.slice(0, MAX_LISTED_DAYS), hasMore: days.length > MAX_LISTED_DAYS };
}

/** Formats `Next on Monday, 23-11-2026, then 11-01-2027, 01-03-2027`. */
export function formatNextDays({ days, hasMore }: NonNullable<ReturnType<typeof listNextDays>>): string {
  const [first, ...rest] = days;
  if (first === undefined) return 'No upcoming dates';
  if (rest.length === 0) return `Last date: ${formatLongDay(first)}`;
  const dates = rest.map(toWire);
  return `Next on ${formatLongDay(first)}, then ${dates.join(', ')}${hasMore ? ' and so on' : ''}`;
}

/** Formats `until Sunday, 29-11-2026`. */
export function formatUntil(form: Form): string | undefined {
  const day = parseDay(form.date);
  if (day === undefined) return undefined;
  return `until ${formatLongDay(getDurationEnd(day, { amount: form.amount, unit: form.durationUnit }))}`;
}

// Texts of the comparison of two versions.

export function formatDate({ date }: Form): string {
  const day = parseDay(date);
  return day === undefined ? date : formatLongDay(day);
}
export function formatTime({ time, endTime, endDate }: Form): string {
  return time === ''
    ? 'all day'
    : endTime === ''
      ? time
      : `${time} to ${endTime}${endDate === '' ? '' : ` on ${endDate}`}`;
}
export function formatTags({ tags, pinned }: Form): string {
  return tags.map((tag) => (tag === pinned ? `${tag} (pinned)` : tag)).join(', ');
}
const describeFrom = ({ from, fromDate }: Form): string =>
  ({ forever: '', today: ', from the day it was saved', date: `, from ${fromDate}` })[from];
const describeUntil = ({ until, times, untilDate }: Form): string =>
  ({ forever: '', times: `, ${times} further times`, date: `, until ${untilDate}` })[until];
export function formatPattern(form: Form): string {
  if (form.style === 'duration') return formatDuration(form);
  return form.style === 'calendar' ? 'once' : `${formatEvery(form)}${describeFrom(form)}${describeUntil(form)}`;
}
