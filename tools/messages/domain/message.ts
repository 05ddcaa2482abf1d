import { countCodePoints } from '#platform/contract/fields.ts';
import { validateLength, type InputType } from '#platform/contract/message.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { MAX_DEVICE_TEXT_LENGTH, MAX_VISITOR_NAME_LENGTH, MAX_VISITOR_TEXT_LENGTH } from '../contract.ts';

/** Sender and receiver of a message, by device ids. */
interface Participants<Id> {
  /** The device it is for, or the computer that wrote it. */
  readonly device: Id;
  /** The device that wrote it; undefined if only the account is known. */
  readonly from: Id | undefined;
}

/**
 * Returns the device under which a reader finds a message. Messages to and from a computer are one conversation for all
 * readers. Two browsers have a conversation of their own: each finds it under the other one. A message to the reading
 * browser from no device (a program with the account's token) is found under the browser itself.
 * @param reader the browser that reads; without one, a browser's conversation is everything that was sent to it
 * @returns undefined for a message between other devices
 */
export function getConversation<Id extends string | number>(
  { device, from }: Participants<Id>,
  reader: Id | undefined,
  isBrowser: (device: Id) => boolean,
): Id | undefined {
  if (!isBrowser(device) || reader === undefined) return device;
  if (device === reader) return from ?? reader;
  return from === reader ? device : undefined;
}

/** A message that a visitor writes in the public form. */
export interface Letter {
  readonly name: string;
  readonly text: string;
}

/** Whether a text is invisible: only spaces, line breaks and characters without a width. */
const isBlank = (text: string): boolean => /^[\s\p{Cc}\p{Cf}]*$/u.test(text);

/**
 * Validates a visitor's message; used by the page and the server.
 * @throws Refusal
 */
export function validateLetter({ name, text }: Letter): void {
  if (isBlank(name)) throw new Refusal('messages.name_empty', 'Enter a name');
  if (isBlank(text)) throw new Refusal('messages.text_empty', 'Enter a message');
  validateMaxLength('Name', name, MAX_VISITOR_NAME_LENGTH);
  validateMaxLength('Message', text, MAX_VISITOR_TEXT_LENGTH);
}

function validateMaxLength(label: string, text: string, limit: number): void {
  const length = countCodePoints(text);
  if (length > limit)
    throw new Refusal(
      'messages.too_long',
      `${label} is too long. Enter at most ${limit.toLocaleString('en')} characters`,
    );
}

export type Sender = 'person' | 'device';

/** A message between devices of an account. `timesent` is in seconds since the epoch. */
export interface Message {
  readonly account: number;
  /** The device it is for; if the sender is 'device', the device that sent it. */
  readonly device: number;
  readonly sender: Sender;
  /** The browser in which a person wrote it, if it is known. */
  readonly from: number | undefined;
  readonly type: InputType;
  readonly text: string;
  readonly timesent: number;
}

/**
 * Devices may send more than the 200 characters of a person, as a result includes output
 * (docs/specification/messages.md section 4).
 */
export function validateDeviceText(text: string): void {
  if (text === '') throw new Refusal('message.empty', 'No text to send');
  validateLength(text, MAX_DEVICE_TEXT_LENGTH);
}

/** Replaces NUL characters, which databases can't store and a program's output may contain. */
export function toStorableText(text: string): string {
  return text.replaceAll('\0', '\u{fffd}');
}
