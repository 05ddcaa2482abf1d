import * as fc from 'fast-check';
import { type Day, toDay } from '#platform/contract/day.ts';
import { padTwo } from '#platform/contract/text.ts';
import type { DurationUnit, EventDraft, DayPattern, Repeat, RepeatUnit } from '#tools/calendar/events/domain/event.ts';

const day: fc.Arbitrary<Day> = fc.integer({
  min: toDay({ year: 1, month: 1, date: 1 }),
  max: toDay({ year: 9999, month: 12, date: 31 }),
});

const bounds = fc.tuple(day, day).map(([one, other]) => [Math.min(one, other), Math.max(one, other)] as const);

const repeat: fc.Arbitrary<Repeat> = fc
  .record({
    every: fc.integer({ min: 1, max: 1000 }),
    unit: fc.constantFrom<RepeatUnit>('day', 'week', 'month', 'year'),
    from: fc.constantFrom('forever' as const, 'today' as const, 'date' as const),
    until: fc.constantFrom('forever' as const, 'times' as const, 'date' as const),
    between: bounds,
    times: fc.integer({ min: 0, max: 1000 }),
  })
  .map(({ every, unit, from, until, between: [first, last], times }) => ({
    every,
    unit,
    from: from === 'forever' ? { type: from } : { type: from, day: first },
    until:
      until === 'forever' ? { type: until } : until === 'times' ? { type: until, times } : { type: until, day: last },
  }));

const foreign: fc.Arbitrary<DayPattern> = fc.uniqueArray(day, { minLength: 1, maxLength: 20 }).map((days) => ({
  kind: 'foreign',
  rule: 'RRULE:FREQ=MONTHLY;BYDAY=2MO',
  words: 'on the second Monday of each month',
  days: days.toSorted((one, other) => one - other),
}));

const pattern: fc.Arbitrary<DayPattern> = fc.oneof(
  fc.constant<DayPattern>({ kind: 'single' }),
  repeat.map((each): DayPattern => ({ kind: 'repeat', repeat: each })),
  foreign,
  fc
    .record({
      amount: fc.integer({ min: 0, max: 1000 }),
      unit: fc.constantFrom<DurationUnit>('hours', 'days', 'weeks', 'months', 'years'),
    })
    .map((duration): DayPattern => ({ kind: 'duration', duration })),
);

const time = fc
  .integer({ min: 0, max: 24 * 60 - 1 })
  .map((minute) => `${padTwo(Math.floor(minute / 60))}:${padTwo(minute % 60)}`);

/** Any text that a user could type. */
export const arbitraryText = fc.string({ unit: 'binary', maxLength: 40 });

/** Valid drafts before they are normalized. */
export const arbitraryDraft: fc.Arbitrary<EventDraft> = fc
  .record({
    name: arbitraryText.map((text) => `a ${text.replaceAll('\u2800', '')}`),
    description: arbitraryText,
    day,
    times: fc.option(fc.tuple(time, time)),
    pattern,
    left: fc.array(day, { maxLength: 5 }),
    tags: fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 10 }), { maxLength: 6 }),
    pinned: fc.boolean(),
  })
  .map(({ times, left, tags, pinned, ...draft }) => {
    const [begin, end] = times?.toSorted() ?? [];
    const named = tags.map((tag) => `#${tag.replaceAll(',', '')}`);
    return {
      ...draft,
      time: begin,
      endTime: begin === end ? undefined : end,
      exceptions: draft.pattern.kind === 'repeat' || draft.pattern.kind === 'foreign' ? left : [],
      tags: named,
      pinned: pinned ? named.at(-1) : undefined,
    };
  });
