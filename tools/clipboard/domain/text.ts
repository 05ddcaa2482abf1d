import { countCodePoints } from '#platform/contract/fields.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { MAX_CLIPBOARD_LENGTH } from '../contract.ts';

/**
 * Validates the length of a text. It is not cut, because half a text on a clipboard is worse than none.
 * @throws Refusal if it is too long.
 */
export function validateLength(text: string): void {
  const length = countCodePoints(text);
  if (length > MAX_CLIPBOARD_LENGTH)
    throw new Refusal(
      'clipboard.too_long',
      `The text is too long. Send at most ${MAX_CLIPBOARD_LENGTH.toLocaleString('en')} characters`,
    );
}

/** Makes a text safe for other programs: many stop at a NUL character, and lone surrogates are not characters. */
export function sanitizeText(text: string): string {
  return text.replaceAll('\0', '\u{fffd}').toWellFormed();
}
