import { countCodePoints } from '#platform/contract/fields.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { MAX_NOTE_LENGTH } from '../contract.ts';

export interface Note {
  readonly id: number;
  readonly text: string;
  /** ISO 8601. */
  readonly created: string;
}

/** Returns the text of a note on one line, without spaces at its ends. @throws Refusal if it is empty or too long. */
export function parseNoteText(input: string): string {
  const text = input.trim().replaceAll(/\s+/g, ' ');
  if (text === '') throw new Refusal('example.empty', 'There is no text to add. Enter some text first');
  if (countCodePoints(text) > MAX_NOTE_LENGTH)
    throw new Refusal('example.too_long', `The note is too long. Enter at most ${MAX_NOTE_LENGTH} characters`);
  return text;
}

/** Adds a note to a list that is sorted newest first. A note that is already in the list is not added again. */
export function addToNotes(notes: readonly Note[], note: Note): readonly Note[] {
  if (notes.some(({ id }) => id === note.id)) return notes;
  return [...notes, note].toSorted((first, second) => second.id - first.id);
}

export function removeFromNotes(notes: readonly Note[], id: number): readonly Note[] {
  return notes.filter((note) => note.id !== id);
}
