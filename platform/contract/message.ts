import * as z from 'zod/mini';
import { countCodePoints, NO_TARGET } from './fields.ts';
import { Refusal } from './refusal.ts';

// What dashboard and messages screen share: both send short texts to a device (specification 1, section 5).

/** Largest length of a message, in Unicode code points (specification 1, section 9). */
export const MAX_MESSAGE_LENGTH = 200;
/** What the empty text field shows; it counts as no text. */
export const TEXT_PLACEHOLDER = 'Enter text here';
export const KEYS_MARKER = '[[keys]]';
export const FILE_MARKER = '[[file]]';

/** 1 plain text, 2 shortcut, 3 file. */
export const inputType = z.literal([1, 2, 3]);
export type InputType = z.output<typeof inputType>;

/** The type that the markers in a text give it. */
export function getInputType(text: string): InputType {
  if (text.includes(KEYS_MARKER)) return 2;
  return text.includes(FILE_MARKER) ? 3 : 1;
}

/** @throws Refusal for a text that is longer than this many Unicode code points. */
export function validateLength(text: string, limit: number): void {
  const length = countCodePoints(text);
  if (length > limit) throw new Refusal(`Message is too long at ${length} characters, limit is ${limit} characters`);
}

/** @throws Refusal for what may not be sent, in the specification's order: text, device, length. */
export function validateMessage(text: string, target: string): void {
  if (text === '' || text === TEXT_PLACEHOLDER) throw new Refusal('No text to send');
  if (target === '' || target === NO_TARGET) throw new Refusal('no device selected');
  validateLength(text, MAX_MESSAGE_LENGTH);
}
