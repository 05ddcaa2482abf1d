import { countCodePoints } from '#platform/contract/fields.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { CLIPBOARD_LIMIT } from '../contract.ts';

/** Nothing is cut: half a text on a clipboard is worse than none. */
export function refuseTooLong(text: string): void {
  const length = countCodePoints(text);
  if (length > CLIPBOARD_LIMIT)
    throw new Refusal(`Text is too long at ${length} characters, limit is ${CLIPBOARD_LIMIT} characters`);
}

/** The text as programs take it: many end it at a null character, and halves of a surrogate pair are no characters. */
export function sendable(text: string): string {
  return text.replaceAll('\0', '\u{fffd}').toWellFormed();
}
