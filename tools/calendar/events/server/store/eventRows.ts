import type {
  CalendarEvent,
  Duration,
  DurationUnit,
  EventDraft,
  DayPattern,
  Repeat,
  RepeatFrom,
  RepeatUnit,
  RepeatUntil,
} from '../../domain/event.ts';
import { getStyle } from '../../domain/event.ts';
import type { EventRow } from './tables.ts';

type RepeatColumns = Pick<
  EventRow,
  'repeat_every' | 'repeat_unit' | 'repeat_from' | 'repeat_from_day' | 'repeat_until' | 'repeat_until_value'
>;
type PatternColumns = RepeatColumns &
  Pick<EventRow, 'style' | 'foreign_rule' | 'foreign_words' | 'foreign_days' | 'duration' | 'duration_unit'>;

const NO_REPEAT: RepeatColumns = {
  repeat_every: null,
  repeat_unit: null,
  repeat_from: null,
  repeat_from_day: null,
  repeat_until: null,
  repeat_until_value: null,
};

const toRepeatColumns = ({ every, unit, from, until }: Repeat): RepeatColumns => ({
  repeat_every: every,
  repeat_unit: unit,
  repeat_from: from.type,
  repeat_from_day: from.type === 'forever' ? null : from.day,
  repeat_until: until.type,
  repeat_until_value: until.type === 'forever' ? null : until.type === 'times' ? until.times : until.day,
});

const packDays = (days: readonly number[]): string =>
  days.map((day, index) => (index === 0 ? day : day - (days[index - 1] ?? 0))).join(' ');
function unpackDays(text: string): readonly number[] {
  let day = 0;
  return text === '' ? [] : text.split(' ').map((step) => (day += Number(step)));
}

const toPatternColumns = (pattern: DayPattern): PatternColumns => ({
  style: getStyle(pattern),
  ...(pattern.kind === 'repeat' ? toRepeatColumns(pattern.repeat) : NO_REPEAT),
  foreign_rule: pattern.kind === 'foreign' ? pattern.rule : null,
  foreign_words: pattern.kind === 'foreign' ? pattern.words : null,
  foreign_days: pattern.kind === 'foreign' ? packDays(pattern.days) : null,
  duration: pattern.kind === 'duration' ? pattern.duration.amount : null,
  duration_unit: pattern.kind === 'duration' ? pattern.duration.unit : null,
});

/** Converts a draft to columns of the event's row. Tags and exceptions are in other tables. */
export function toDraftColumns({ name, description, day, time, endTime, endDays, zone, pattern }: EventDraft) {
  return {
    name,
    description,
    day,
    time: time ?? null,
    end_time: endTime ?? null,
    end_days: endDays ?? 0,
    zone: zone ?? null,
    ...toPatternColumns(pattern),
  };
}

// Only `toPatternColumns` writes these columns, from the same types.
const toFrom = (row: RepeatColumns): RepeatFrom =>
  row.repeat_from === 'forever'
    ? { type: 'forever' }
    : { type: row.repeat_from as 'today' | 'date', day: row.repeat_from_day ?? 0 };

function toUntil({ repeat_until: type, repeat_until_value: value }: RepeatColumns): RepeatUntil {
  if (type === 'times') return { type, times: value ?? 0 };
  return type === 'date' ? { type, day: value ?? 0 } : { type: 'forever' };
}

const toRepeat = (row: RepeatColumns): Repeat => ({
  every: row.repeat_every ?? 1,
  unit: row.repeat_unit as RepeatUnit,
  from: toFrom(row),
  until: toUntil(row),
});
const toDuration = ({ duration, duration_unit: unit }: PatternColumns): Duration => ({
  amount: duration ?? 0,
  unit: unit as DurationUnit,
});

function toPattern(row: PatternColumns): DayPattern {
  if (row.style === 'duration') return { kind: 'duration', duration: toDuration(row) };
  if (row.style !== 'repeat') return { kind: 'single' };
  if (row.foreign_rule === null) return { kind: 'repeat', repeat: toRepeat(row) };
  const words = row.foreign_words ?? '';
  return { kind: 'foreign', rule: row.foreign_rule, words, days: unpackDays(row.foreign_days ?? '') };
}

/** Converts a row and its data from other tables to an event. */
export function toEvent(
  row: EventRow,
  { exceptions, tags, pinned }: Pick<CalendarEvent, 'exceptions' | 'tags' | 'pinned'>,
): CalendarEvent {
  return {
    name: row.name,
    description: row.description,
    day: row.day,
    time: row.time ?? undefined,
    endTime: row.end_time ?? undefined,
    endDays: row.end_days,
    zone: row.zone ?? undefined,
    pattern: toPattern(row),
    exceptions,
    tags,
    pinned,
    id: row.id,
    uid: row.uid,
    resource: row.resource,
    subscription: row.subscription ?? undefined,
    parent: row.parent ?? undefined,
    replaces: row.replaces ?? undefined,
    created: row.created,
    edited: row.edited,
    revision: row.revision,
  };
}
