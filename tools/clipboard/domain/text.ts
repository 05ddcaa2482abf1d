import { countCodePoints } from '#platform/contract/fields.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { CLIPBOARD_LIMIT } from '../contract.ts';

/** Refuses a text that is too long. It is not cut, because half a text on a clipboard is worse than none. */
export function refuseTooLong(text: string): void {
  const length = countCodePoints(text);
  if (length > CLIPBOARD_LIMIT)
    throw new Refusal(
      'clipboard.too_long',
      `The text is too long. Send at most ${CLIPBOARD_LIMIT.toLocaleString('en')} characters`,
    );
}

/** Makes a text safe for other programs: many stop at a NUL character, and lone surrogates are not characters. */
export function toSendable(text: string): string {
  return text.replaceAll('\0', '\u{fffd}').toWellFormed();
}
