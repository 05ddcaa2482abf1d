import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { countCodePoints } from '#platform/contract/fields.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { MAX_NOTE_LENGTH } from '../contract.ts';
import { addToNotes, type Note, parseNoteText, removeFromNotes } from './note.ts';

const anyInput = fc.string({ unit: fc.constantFrom('a', 'é', '👋', ' ', '\n', '\t'), maxLength: MAX_NOTE_LENGTH + 20 });
const anyNote: fc.Arbitrary<Note> = fc
  .integer({ min: 1, max: 20 })
  .map((id) => ({ id, text: `note ${id}`, created: '2026-11-21T12:00:00Z' }));

/** Returns undefined if the input is refused. */
function tryParse(input: string): string | undefined {
  try {
    return parseNoteText(input);
  } catch (error) {
    expect(error).toBeInstanceOf(Refusal);
    return undefined;
  }
}

test('a note is one line without spaces at its ends', () => {
  expect(parseNoteText('  feed\n the\tbirds ')).toBe('feed the birds');
});

test('an empty or too long note is refused', () => {
  expect(() => parseNoteText(' \n ')).toThrow('There is no text to add');
  expect(parseNoteText('👋'.repeat(MAX_NOTE_LENGTH))).toHaveLength(2 * MAX_NOTE_LENGTH);
  expect(() => parseNoteText('👋'.repeat(MAX_NOTE_LENGTH + 1))).toThrow('Enter at most 200 characters');
});

test('any input is refused, or becomes a text that stays the same when it is parsed again', () => {
  fc.assert(
    fc.property(anyInput, (input) => {
      const text = tryParse(input);
      if (text === undefined) return;
      expect(text).toMatch(/^\S(.*\S)?$/u);
      expect(countCodePoints(text)).toBeLessThanOrEqual(MAX_NOTE_LENGTH);
      expect(parseNoteText(text)).toBe(text);
    }),
  );
});

test('events may arrive in any order and more than once: the list has each note once, newest first', () => {
  fc.assert(
    fc.property(fc.array(anyNote), (added) => {
      const notes = added.reduce(addToNotes, [] as readonly Note[]);
      const expected = [...new Set(added.map(({ id }) => id))].toSorted((first, second) => second - first);
      expect(notes.map(({ id }) => id)).toEqual(expected);
      expect(expected.reduce(removeFromNotes, notes)).toEqual([]);
    }),
  );
});
