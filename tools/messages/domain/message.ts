import { countCodePoints } from '#platform/contract/fields.ts';
import { validateLength, type InputType } from '#platform/contract/message.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { DEVICE_TEXT_LIMIT, VISITOR_NAME_LIMIT, VISITOR_TEXT_LIMIT } from '../contract.ts';

/** Who wrote to whom, by ids of devices. */
interface Ends<Id> {
  /** The device it is for, or the computer that wrote it. */
  readonly device: Id;
  /** The device that wrote it; undefined where only the account is known. */
  readonly from: Id | undefined;
}

/**
 * The device under which a reader finds a message. What goes to a computer and comes from it is one conversation, whoever reads it.
 * Between two browsers it is theirs alone: each finds it under the other. What came to the reading browser from no device (a program
 * that used the account's token) stands under itself.
 *
 * `reader` is the browser that reads; without one, a browser's conversation is all that it was sent. Undefined: it is between others.
 */
export function conversationOf<Id extends string | number>(
  { device, from }: Ends<Id>,
  reader: Id | undefined,
  isBrowser: (device: Id) => boolean,
): Id | undefined {
  if (!isBrowser(device) || reader === undefined) return device;
  if (device === reader) return from ?? reader;
  return from === reader ? device : undefined;
}

/** What a visitor writes into the public form. */
export interface Letter {
  readonly name: string;
  readonly text: string;
}

/** Says nothing to a reader: spaces, line ends, and characters without any width. */
const isBlank = (text: string): boolean => /^[\s\p{Cc}\p{Cf}]*$/u.test(text);

/** @throws Refusal for what the form does not take; the page and the server say the same. */
export function checkLetter({ name, text }: Letter): void {
  if (isBlank(name)) throw new Refusal('Enter a name');
  if (isBlank(text)) throw new Refusal('Enter a message');
  refuseLonger('Name', name, VISITOR_NAME_LIMIT);
  refuseLonger('Message', text, VISITOR_TEXT_LIMIT);
}

const refuseLonger = (what: string, text: string, limit: number): void => {
  const length = countCodePoints(text);
  if (length > limit) throw new Refusal(`${what} is too long at ${length} characters, limit is ${limit} characters`);
};

export type Sender = 'person' | 'device';

/** A message between devices of an account. `timesent` in seconds since the epoch. */
export interface Message {
  readonly account: number;
  /** The device it is for; where the sender is 'device', the one that sent it. */
  readonly device: number;
  readonly sender: Sender;
  /** The browser that a person wrote it in, where that is known. */
  readonly from: number | undefined;
  readonly type: InputType;
  readonly text: string;
  readonly timesent: number;
}

/** The 200 characters bind people: the end of a script brings its output along (contract.md section 4). */
export function checkDeviceText(text: string): void {
  if (text === '') throw new Refusal('No text to send');
  validateLength(text, DEVICE_TEXT_LIMIT);
}

/** The text as it is kept: databases keep no null character, and a program's output may hold some. */
export function keepable(text: string): string {
  return text.replaceAll('\0', '\u{fffd}');
}
