import * as fc from 'fast-check';
import { type Day, toDay } from '#platform/contract/day.ts';
import { padTwo } from '#platform/contract/text.ts';
import type { DurationUnit, EventDraft, DayPattern, Repeat, RepeatUnit } from '#tools/calendar/events/domain/event.ts';

const arbitraryDay: fc.Arbitrary<Day> = fc.integer({
  min: toDay({ year: 1, month: 1, date: 1 }),
  max: toDay({ year: 9999, month: 12, date: 31 }),
});

const arbitraryBounds = fc.tuple(arbitraryDay, arbitraryDay).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);

const arbitraryRepeat: fc.Arbitrary<Repeat> = fc
  .record({
    every: fc.integer({ min: 1, max: 1000 }),
    unit: fc.constantFrom<RepeatUnit>('day', 'week', 'month', 'year'),
    from: fc.constantFrom('forever' as const, 'today' as const, 'date' as const),
    until: fc.constantFrom('forever' as const, 'times' as const, 'date' as const),
    between: arbitraryBounds,
    times: fc.integer({ min: 0, max: 1000 }),
  })
  .map(({ every, unit, from, until, between: [first, last], times }) => ({
    every,
    unit,
    from: from === 'forever' ? { type: from } : { type: from, day: first },
    until:
      until === 'forever' ? { type: until } : until === 'times' ? { type: until, times } : { type: until, day: last },
  }));

const arbitraryForeignPattern: fc.Arbitrary<DayPattern> = fc
  .uniqueArray(arbitraryDay, { minLength: 1, maxLength: 20 })
  .map((days) => ({
    kind: 'foreign',
    rule: 'RRULE:FREQ=MONTHLY;BYDAY=2MO',
    words: 'on the second Monday of each month',
    days: days.toSorted((a, b) => a - b),
  }));

const arbitraryPattern: fc.Arbitrary<DayPattern> = fc.oneof(
  fc.constant<DayPattern>({ kind: 'single' }),
  arbitraryRepeat.map((repeat): DayPattern => ({ kind: 'repeat', repeat })),
  arbitraryForeignPattern,
  fc
    .record({
      amount: fc.integer({ min: 0, max: 1000 }),
      unit: fc.constantFrom<DurationUnit>('hours', 'days', 'weeks', 'months', 'years'),
    })
    .map((duration): DayPattern => ({ kind: 'duration', duration })),
);

const arbitraryTime = fc
  .integer({ min: 0, max: 24 * 60 - 1 })
  .map((minute) => `${padTwo(Math.floor(minute / 60))}:${padTwo(minute % 60)}`);

/** Any text that a user could type. */
export const arbitraryText = fc.string({ unit: 'binary', maxLength: 40 });

/** Valid drafts before they are normalized. */
export const arbitraryDraft: fc.Arbitrary<EventDraft> = fc
  .record({
    name: arbitraryText.map((text) => `a ${text.replaceAll('\u2800', '')}`),
    description: arbitraryText,
    day: arbitraryDay,
    times: fc.option(fc.tuple(arbitraryTime, arbitraryTime)),
    pattern: arbitraryPattern,
    exceptions: fc.array(arbitraryDay, { maxLength: 5 }),
    tags: fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 10 }), { maxLength: 6 }),
    pinned: fc.boolean(),
  })
  .map(({ times, exceptions, tags, pinned, ...draft }) => {
    const [begin, end] = times?.toSorted() ?? [];
    const tagNames = tags.map((tag) => `#${tag.replaceAll(',', '')}`);
    return {
      ...draft,
      time: begin,
      endTime: begin === end ? undefined : end,
      exceptions: draft.pattern.kind === 'repeat' || draft.pattern.kind === 'foreign' ? exceptions : [],
      tags: tagNames,
      pinned: pinned ? tagNames.at(-1) : undefined,
    };
  });
