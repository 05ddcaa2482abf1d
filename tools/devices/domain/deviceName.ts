import { countCodePoints } from '#platform/contract/fields.ts';
import { Refusal } from '#platform/contract/refusal.ts';

/** In Unicode code points. */
export const NAME_LIMIT = 40;
/** Control characters, line breaks, lone surrogates, and marks that change the direction of surrounding text. */
const CONTROL = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const CONTROLS = new RegExp(CONTROL.source, 'gu');

/**
 * Validates a name that a user typed and returns it trimmed.
 * @throws {Refusal} if the name is not allowed.
 */
export function checkName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === '') throw new Refusal('device.name_empty', 'Enter a name for the device');
  if (countCodePoints(trimmed) > NAME_LIMIT)
    throw new Refusal('device.name_too_long', `This name is too long. Enter at most ${NAME_LIMIT} characters`);
  if (CONTROL.test(trimmed))
    throw new Refusal('device.name_invalid', "A name can't contain control characters. Remove them");
  return trimmed;
}

/** Cleans a text that a computer reports about itself. Returns `fallback` if nothing is left. */
export function cleanText(text: string, limit: number, fallback: string): string {
  const clean = Array.from(text.replaceAll(CONTROLS, '').trim()).slice(0, limit).join('').trimEnd();
  return clean === '' ? fallback : clean;
}
