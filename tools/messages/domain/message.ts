import { lengthOf, NO_TARGET } from '#platform/contract/fields.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { MESSAGE_LIMIT, TEXT_PLACEHOLDER } from '#tools/remote/contract.ts';
import { DEVICE_TEXT_LIMIT } from '../contract.ts';

/** 1 plain text, 2 shortcut, 3 file. */
export type InputType = 1 | 2 | 3;
export type Sender = 'person' | 'device';

/** A message in the conversation with a device. `timesent` in seconds since the epoch. */
export interface Message {
  readonly account: number;
  readonly device: number;
  readonly sender: Sender;
  readonly type: InputType;
  readonly text: string;
  readonly timesent: number;
}

/** @throws Refusal for what a person may not send, in the specification's order: text, device, length. */
export const checkSending = (text: string, target: string): void => {
  if (text === '' || text === TEXT_PLACEHOLDER) throw new Refusal('No text to send');
  if (target === '' || target === NO_TARGET) throw new Refusal('no device selected');
  checkLength(text, MESSAGE_LIMIT);
};

/** The 200 characters bind people: the end of a script brings its output along (contract.md section 4). */
export const checkDeviceText = (text: string): void => {
  if (text === '') throw new Refusal('No text to send');
  checkLength(text, DEVICE_TEXT_LIMIT);
};

const checkLength = (text: string, limit: number): void => {
  const length = lengthOf(text);
  if (length > limit) throw new Refusal(`Message is too long at ${length} characters, limit is ${limit} characters`);
};

/** The text as it is kept: databases keep no null character, and a program's output may hold some. */
export const keepable = (text: string): string => text.replaceAll('\0', '\u{fffd}');
