import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { arbitraryText, arbitraryDraft } from '#testing/kits/browser/drafts.ts';
import type { EventDraft, DayPattern } from './event.ts';
import { normalizeDraft, normalizeTag } from './eventDraft.ts';

const PLAIN_DRAFT: EventDraft = {
  name: 'Dentist',
  description: '',
  day: 20_000,
  time: undefined,
  endTime: undefined,
  pattern: { kind: 'single' },
  exceptions: [],
  tags: [],
  pinned: undefined,
};
const normalize = (more: Partial<EventDraft>) => normalizeDraft({ ...PLAIN_DRAFT, ...more });
const createRepeat = (more: object): DayPattern => ({
  kind: 'repeat',
  repeat: { every: 1, unit: 'week', from: { type: 'forever' }, until: { type: 'forever' }, ...more },
});

test('a normalized draft stays the same when it is normalized again', () => {
  fc.assert(
    fc.property(arbitraryDraft, (draft) => {
      const once = normalizeDraft(draft);
      expect(normalizeDraft(once)).toEqual(once);
      expect(JSON.stringify(once)).not.toContain('\\u0000');
      expect(once.name.isWellFormed() && once.description.isWellFormed()).toBe(true);
      expect(once.pinned).toBe(once.pinned === undefined ? undefined : once.tags[0]);
    }),
  );
});

test('a tag is refused, or follows the rules of tags', () => {
  fc.assert(
    fc.property(fc.oneof(arbitraryText, fc.string({ maxLength: 300 })), (text) => {
      let name: string;
      try {
        name = normalizeTag(text);
      } catch {
        return;
      }
      expect(name).toMatch(/^[^,]+$/);
      expect(Array.from(name).length).toBeLessThanOrEqual(60);
      expect(name).toBe(name.trim());
    }),
  );
});

test.each([
  [{ name: ' \n ' }, 'Enter a name for the event'],
  [{ name: 'enter\u2800name' }, 'The event name has an invisible blank. Remove it'],
  [{ name: '👋'.repeat(301) }, 'at most 300 characters'],
  [{ description: 'x'.repeat(20_001) }, 'at most 20,000 characters'],
  [{ time: '9:30' }, 'time: must be a time such as 09:30'],
  [{ time: '24:00' }, 'time: '],
  [{ endTime: '10:00' }, 'endtime: needs a start time'],
  [{ time: '10:00', endTime: '10:00' }, 'endtime: must be after the start'],
  [{ tags: ['x'.repeat(300)] }, 'at most 60 characters'],
  [{ tags: ['a,b'] }, "can't contain a comma"],
  [{ tags: [' '] }, 'Enter a name for the tag'],
  [{ tags: Array.from({ length: 31 }, (_, at) => `tag ${at}`) }, 'at most 30 tags'],
  [{ tags: ['work'], pinned: 'home' }, 'pinned: must be one of the tags'],
  [{ pattern: createRepeat({ every: 0 }) }, 'repeateveryamount: must be a whole number from 1 to 1000'],
  [{ pattern: createRepeat({ every: 1e9 }) }, 'repeateveryamount'],
  [{ pattern: createRepeat({ every: 1.5 }) }, 'repeateveryamount'],
  [
    { pattern: createRepeat({ until: { type: 'times', times: 1001 } }) },
    'repeatuntill: must be a whole number from 0 to 1000',
  ],
  [
    { pattern: createRepeat({ from: { type: 'date', day: 10 }, until: { type: 'date', day: 9 } }) },
    'repeatuntill: must not be before the start of the repeat',
  ],
  [{ pattern: { kind: 'duration', duration: { amount: -1, unit: 'days' } } }, 'duration: must be a whole number'],
  [{ day: 1e9 }, 'date: must be in the years 1 to 9999'],
] satisfies [Partial<EventDraft>, string][])('%j is refused: %s', (more, sentence) => {
  expect(() => normalize(more)).toThrow(sentence);
});

test('values at the limit are accepted', () => {
  const tags = Array.from({ length: 30 }, (_, at) => `${10 + at}${'👋'.repeat(58)}`);
  expect(normalize({ name: '👋'.repeat(300), tags, description: '👋'.repeat(20_000) }).tags).toEqual(tags);
  expect(normalize({ pattern: createRepeat({ every: 1000, until: { type: 'times', times: 0 } }) })).toBeDefined();
});

test('built-in names and the placeholder are removed from the tags, and the main tag is first', () => {
  const { tags, pinned } = normalize({
    tags: ['home', ' work ', 'Repeat', 'CLICK TO CHANGE TAG', 'work', 'Pinned'],
    pinned: 'work',
  });
  expect({ tags, pinned }).toEqual({ tags: ['work', 'home'], pinned: 'work' });
});

test('joiners of emoji are preserved', () => {
  expect(normalize({ name: '👩‍👩‍👧 zoo' }).name).toBe('👩‍👩‍👧 zoo');
});
