import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { drafts } from '#testing/drafts.ts';
import { event as eventShape } from '../contract.ts';
import { checkedDraft } from '../domain/draft.ts';
import type { CalendarEvent, EventDraft } from '../domain/event.ts';
import { draftOf, wireEvent } from './wire.ts';

const kept = (draft: EventDraft): CalendarEvent => ({
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

test('an event that is sent back as it came is the same', () => {
  fc.assert(
    fc.property(drafts, fc.integer({ min: 0, max: 30_000 }), (draft, today) => {
      const event = kept(checkedDraft(draft));
      const wire = eventShape.parse(wireEvent(event, { bins: [] }));
      const back = checkedDraft(draftOf(wire, { today, existing: event }));
      expect(back).toEqual(checkedDraft(draft));
    }),
  );
});

test('a copy made of what came is the same but for where it counts from', () => {
  fc.assert(
    fc.property(drafts, (draft) => {
      fc.pre(draft.pattern.kind !== 'foreign');
      const event = kept(checkedDraft(draft));
      const wire = wireEvent(event, { bins: [] });
      const today =
        event.pattern.kind === 'repeat' && event.pattern.repeat.from.type === 'today'
          ? event.pattern.repeat.from.day
          : 0;
      expect(checkedDraft(draftOf(wire, { today, existing: undefined }))).toEqual(checkedDraft(draft));
    }),
  );
});

const foreign = kept({
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

test('of a rule of another calendar the days that are left out can be changed, and the rule stays', () => {
  const wire = wireEvent(foreign, { bins: [] });
  const back = draftOf({ ...wire, exceptions: [] }, { today: 0, existing: foreign });
  expect(back).toMatchObject({ pattern: foreign.pattern, exceptions: [] });
});

test('a rule of another calendar goes along with its event', () => {
  const wire = wireEvent(foreign, { bins: [] });
  const back = draftOf({ ...wire, date: '05-10-2024' }, { today: 0, existing: foreign });
  expect(back).toMatchObject({ day: 20_001, pattern: { days: [20_001, 20_029] }, exceptions: [20_029] });
});
