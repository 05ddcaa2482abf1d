import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { arbitraryDraft } from '#testing/kits/browser/drafts.ts';
import { event as eventShape } from '../../contract/events.ts';
import type { CalendarEvent, EventDraft } from '../domain/event.ts';
import { normalizeDraft } from '../domain/eventDraft.ts';
import { toDraft, toWireEvent } from './eventWire.ts';

const toStoredEvent = (draft: EventDraft): CalendarEvent => ({
  ...draft,
  id: 7,
  uid: 'u',
  resource: 'u.ics',
  subscription: undefined,
  parent: undefined,
  replaces: undefined,
  created: 0,
  edited: 0,
  revision: 1,
});

test('an event that is sent back unchanged stays the same', () => {
  fc.assert(
    fc.property(arbitraryDraft, fc.integer({ min: 0, max: 30_000 }), (draft, today) => {
      const event = toStoredEvent(normalizeDraft(draft));
      const wire = eventShape.parse(toWireEvent(event, { bins: [] }));
      const result = normalizeDraft(toDraft(wire, { today, existing: event }));
      expect(result).toEqual(normalizeDraft(draft));
    }),
  );
});

test('a copy of a received event is the same, except for the day it counts from', () => {
  fc.assert(
    fc.property(arbitraryDraft, (draft) => {
      fc.pre(draft.pattern.kind !== 'foreign');
      const event = toStoredEvent(normalizeDraft(draft));
      const wire = toWireEvent(event, { bins: [] });
      const today =
        event.pattern.kind === 'repeat' && event.pattern.repeat.from.type === 'today'
          ? event.pattern.repeat.from.day
          : 0;
      expect(normalizeDraft(toDraft(wire, { today, existing: undefined }))).toEqual(normalizeDraft(draft));
    }),
  );
});

const foreign = toStoredEvent({
  name: 'Club',
  description: '',
  day: 20_000,
  time: undefined,
  endTime: undefined,
  pattern: {
    kind: 'foreign',
    rule: 'RRULE:FREQ=MONTHLY;BYDAY=2MO',
    words: 'on second Mondays',
    days: [20_000, 20_028],
  },
  exceptions: [20_028],
  tags: [],
  pinned: undefined,
});

test('the exceptions of a foreign rule can be changed, and the rule stays', () => {
  const wire = toWireEvent(foreign, { bins: [] });
  const result = toDraft({ ...wire, exceptions: [] }, { today: 0, existing: foreign });
  expect(result).toMatchObject({ pattern: foreign.pattern, exceptions: [] });
});

test('a foreign rule moves with its event', () => {
  const wire = toWireEvent(foreign, { bins: [] });
  const result = toDraft({ ...wire, date: '05-10-2024' }, { today: 0, existing: foreign });
  expect(result).toMatchObject({ day: 20_001, pattern: { days: [20_001, 20_029] }, exceptions: [20_029] });
});

const createSentEvent = (more: object) =>
  toDraft({ id: 0, name: 'Shift', date: '31-12-2026', time: '22:00', ...more }, { today: 0, existing: undefined });

test.each([
  [{ endtime: '24:00' }],
  [{ endtime: '24:00', enddate: '31-12-2026' }],
  [{ endtime: '00:00' }],
  [{ endtime: '00:00', enddate: '31-12-2026' }],
  [{ endtime: '00:00', enddate: '01-01-2027' }],
])('an end at midnight is 00:00 of the next day: %j', (end) => {
  expect(normalizeDraft(createSentEvent(end))).toMatchObject({ time: '22:00', endTime: '00:00', endDays: 1 });
});

test('midnight is accepted as the end of any other day', () => {
  expect(normalizeDraft(createSentEvent({ time: '00:00', endtime: '24:00' }))).toMatchObject({
    endTime: '00:00',
    endDays: 1,
  });
  expect(normalizeDraft(createSentEvent({ time: '00:00', endtime: '00:00' }))).toMatchObject({
    endTime: '00:00',
    endDays: 1,
  });
  expect(normalizeDraft(createSentEvent({ endtime: '24:00', enddate: '02-01-2027' }))).toMatchObject({ endDays: 3 });
  expect(normalizeDraft(createSentEvent({ endtime: '00:00', enddate: '02-01-2027' }))).toMatchObject({ endDays: 2 });
  // A duration without an end time covers its whole last day.
  const lasting = { style: 'duration', duration: 3, durationtype: 'days' } as const;
  expect(normalizeDraft(createSentEvent({ ...lasting, endtime: '24:00' }))).toMatchObject({
    endTime: undefined,
    endDays: 0,
  });
});
