import { durationUnits, repeatUnits } from '../../contract/events.ts';
import { parseDay, toIso } from '../../events/domain/day.ts';
import type { Day } from '../../events/domain/day.ts';
import type { EventDraft, DayPattern, RepeatFrom, RepeatUntil } from '../../events/domain/event.ts';

// iCalendar cannot say all of a repeat of ours (the day that it counts from where that is not its first, that it has always been) nor in which
// unit a duration was told. So what we write says it once more, in a field of its own; whoever reads it believes it only where the rest agrees.

const boundText = (bound: RepeatFrom | RepeatUntil): string => {
  if (bound.type === 'forever') return 'forever';
  return bound.type === 'times' ? `times ${bound.times}` : `${bound.type} ${toIso(bound.day)}`;
};

type PatternFields = Pick<EventDraft, 'day' | 'pattern' | 'endTime'>;

/** `duration 2 weeks`, `duration 2 days to 10:45`, `repeat 2026-11-23 every 2 week from forever until times 5`; undefined for what iCalendar says itself. */
export const patternText = ({ day, pattern, endTime }: PatternFields): string | undefined => {
  if (pattern.kind === 'duration')
    return `duration ${pattern.duration.amount} ${pattern.duration.unit}${endTime === undefined ? '' : ` to ${endTime}`}`;
  if (pattern.kind !== 'repeat') return undefined;
  const { every, unit, from, until } = pattern.repeat;
  return `repeat ${toIso(day)} every ${every} ${unit} from ${boundText(from)} until ${boundText(until)}`;
};

const fromIn = (type: string, day: string | undefined): RepeatFrom | undefined => {
  if (type === 'forever') return { type };
  const read = parseDay(day ?? '');
  return read === undefined || (type !== 'today' && type !== 'date') ? undefined : { type, day: read };
};

const untilIn = (type: string, value: string | undefined): RepeatUntil | undefined => {
  if (type === 'forever') return { type };
  if (type === 'times') return /^\d{1,9}$/.test(value ?? '') ? { type, times: Number(value) } : undefined;
  const day = parseDay(value ?? '');
  return day === undefined || type !== 'date' ? undefined : { type, day };
};

interface RepeatHint {
  readonly day: Day;
  readonly pattern: Extract<DayPattern, { kind: 'repeat' }>;
}

/** Reads what `patternText` wrote of a repeat; undefined where it is something else. */
export const repeatIn = (text: string): RepeatHint | undefined => {
  const repeating =
    /^repeat (\d{4}-\d\d-\d\d) every (\d{1,10}) (\w+) from (\w+)(?: (\d{4}-\d\d-\d\d))? until (\w+)(?: ([\d-]+))?$/.exec(
      text,
    );
  const [, anchor = '', every, unitName, fromType = '', fromDay, untilType = '', untilValue] = repeating ?? [];
  const unit = repeatUnits.find((one) => one === unitName);
  const day = parseDay(anchor);
  const from = fromIn(fromType, fromDay);
  const until = untilIn(untilType, untilValue);
  if (!unit || day === undefined || !from || !until || !(Number(every) >= 1)) return undefined;
  return { day, pattern: { kind: 'repeat', repeat: { every: Number(every), unit, from, until } } };
};

interface DurationHint {
  readonly pattern: Extract<DayPattern, { kind: 'duration' }>;
  readonly endTime: string | undefined;
}

/** Reads what `patternText` wrote of a duration; undefined where it is something else. */
export const durationIn = (text: string): DurationHint | undefined => {
  const [, amount, unitName, endTime] = /^duration (\d{1,9}) (\w+)(?: to (\d\d:\d\d))?$/.exec(text) ?? [];
  const unit = durationUnits.find((one) => one === unitName);
  return unit && { pattern: { kind: 'duration', duration: { amount: Number(amount), unit } }, endTime };
};
