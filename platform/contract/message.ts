import * as z from 'zod/mini';
import { countCodePoints, NO_TARGET } from './fields.ts';
import { Refusal } from './refusal.ts';

// Rules for short texts to a device, shared by dashboard and messages screen.
// Source: docs/specification/platform.md section 4.

/** In Unicode code points (docs/specification/platform.md section 6). */
export const MAX_MESSAGE_LENGTH = 200;
/** Placeholder of the empty text field. It counts as no text. */
export const TEXT_PLACEHOLDER = 'Enter text here';
export const KEYS_MARKER = '[[keys]]';
export const FILE_MARKER = '[[file]]';

/** 1 is plain text, 2 a shortcut, 3 a file. */
export const inputType = z.literal([1, 2, 3]);
export type InputType = z.output<typeof inputType>;

/** Detects the input type from the markers in a text. */
export function getInputType(text: string): InputType {
  if (text.includes(KEYS_MARKER)) return 2;
  return text.includes(FILE_MARKER) ? 3 : 1;
}

/** @throws {Refusal} if the text is longer than `limit` Unicode code points. */
export function validateLength(text: string, limit: number): void {
  const length = countCodePoints(text);
  if (length > limit)
    throw new Refusal('message.too_long', `Message is too long at ${length} characters, limit is ${limit} characters`);
}

/**
 * Checks text, device and length, in the order of docs/specification/platform.md section 4.1.
 * @throws {Refusal} if one is invalid.
 */
export function validateMessage(text: string, target: string): void {
  if (text === '' || text === TEXT_PLACEHOLDER) throw new Refusal('message.empty', 'No text to send');
  if (target === '' || target === NO_TARGET) throw new Refusal('message.no_device', 'no device selected');
  validateLength(text, MAX_MESSAGE_LENGTH);
}
