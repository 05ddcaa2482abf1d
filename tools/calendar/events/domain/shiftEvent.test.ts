import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { FIRST_DAY, LAST_DAY } from '#platform/contract/day.ts';
import { arbitraryDraft } from '#testing/kits/browser/drafts.ts';
import { isOnDay } from '../../repeat/domain/placement.ts';
import { parseDay } from './day.ts';
import { shiftEvent } from './shiftEvent.ts';

const toDay = (text: string): number => parseDay(text) ?? Number.NaN;

test('an event that is moved back again is unchanged', () => {
  fc.assert(
    fc.property(arbitraryDraft, fc.integer({ min: -500, max: 500 }), (draft, days) => {
      const far = [FIRST_DAY + 500, LAST_DAY - 500] as const;
      const clamp = (day: number) => Math.min(far[1], Math.max(far[0], day));
      const { pattern } = draft;
      fc.pre(pattern.kind === 'single' || pattern.kind === 'duration');
      const event = { ...draft, day: clamp(draft.day) };
      expect(shiftEvent(shiftEvent(event, days), -days)).toEqual({
        day: event.day,
        pattern,
        exceptions: event.exceptions,
      });
    }),
  );
});

test('a weekly repeat moved by a day has the next day of each of its days, bounds and exceptions', () => {
  const moved = shiftEvent(
    {
      day: toDay('02-11-2026'),
      pattern: {
        kind: 'repeat',
        repeat: {
          every: 1,
          unit: 'week',
          from: { type: 'today', day: toDay('02-11-2026') },
          until: { type: 'date', day: toDay('30-11-2026') },
        },
      },
      exceptions: [toDay('16-11-2026')],
    },
    1,
  );
  const days = Array.from({ length: 60 }, (_, number) => toDay('25-10-2026') + number).filter((day) =>
    isOnDay(moved, day),
  );
  expect(days).toEqual(['03-11-2026', '10-11-2026', '24-11-2026', '01-12-2026'].map(toDay));
});

test('a moved foreign rule lists its days', () => {
  const days = ['09-11-2026', '14-12-2026'].map(toDay);
  const { pattern } = shiftEvent(
    {
      day: toDay('09-11-2026'),
      pattern: { kind: 'foreign', rule: 'RRULE:FREQ=MONTHLY;BYDAY=2MO', words: 'on second Mondays', days },
      exceptions: [],
    },
    1,
  );
  expect(pattern).toEqual({
    kind: 'foreign',
    rule: 'RDATE;VALUE=DATE:20261110,20261215',
    words: 'on 2 selected days',
    days: ['10-11-2026', '15-12-2026'].map(toDay),
  });
});

test('nothing can be moved out of the supported days', () => {
  expect(() => shiftEvent({ day: LAST_DAY, pattern: { kind: 'single' }, exceptions: [] }, 1)).toThrow(
    'years 1 to 9999',
  );
});
