import { LAST_DAY, type Day } from '#tools/calendar/events/domain/day.ts';
import type { EventDraft, DayPattern, Repeat } from '#tools/calendar/events/domain/event.ts';
import { listed } from '#tools/calendar/events/domain/shiftEvent.ts';
import { boundsOf } from '#tools/calendar/repeat/domain/repeat.ts';

type RepeatFields = Pick<EventDraft, 'day' | 'pattern' | 'exceptions'>;

interface Range {
  readonly from?: Day | undefined;
  /** No part of it. */
  readonly before?: Day | undefined;
  /** Days by which it is later than there. */
  readonly by?: number;
}

const partOfRepeat = (day: Day, repeat: Repeat, { from, before, by = 0 }: Range): Repeat => {
  const last = Math.min(boundsOf(day, repeat).until, before === undefined ? LAST_DAY : before - 1);
  const isBound = from !== undefined || before !== undefined;
  return {
    ...repeat,
    from: from === undefined ? repeat.from : { type: 'date', day: from + by },
    // Times are counted from the first day, which may be another one now.
    until: !isBound || last >= LAST_DAY ? repeat.until : { type: 'date', day: last + by },
  };
};

const partOfPattern = (day: Day, pattern: DayPattern, range: Range): DayPattern => {
  const { from = Number.NEGATIVE_INFINITY, before = Number.POSITIVE_INFINITY, by = 0 } = range;
  if (pattern.kind === 'repeat') return { kind: 'repeat', repeat: partOfRepeat(day, pattern.repeat, range) };
  if (pattern.kind !== 'foreign') return pattern;
  return listed(pattern.days.filter((each) => each >= from && each < before).map((each) => each + by));
};

/** A repeat on some of its days alone, told from its own day as it was. */
export const partOfRepeating = ({ day, pattern, exceptions }: RepeatFields, range: Range): RepeatFields => {
  const { from = Number.NEGATIVE_INFINITY, before = Number.POSITIVE_INFINITY, by = 0 } = range;
  return {
    day: day + by,
    pattern: partOfPattern(day, pattern, range),
    exceptions: exceptions.filter((each) => each >= from && each < before).map((each) => each + by),
  };
};
