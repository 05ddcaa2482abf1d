import { validateLength, type InputType } from '#platform/contract/message.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { DEVICE_TEXT_LIMIT } from '../contract.ts';

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
export const checkDeviceText = (text: string): void => {
  if (text === '') throw new Refusal('No text to send');
  validateLength(text, DEVICE_TEXT_LIMIT);
};

/** The text as it is kept: databases keep no null character, and a program's output may hold some. */
export const keepable = (text: string): string => text.replaceAll('\0', '\u{fffd}');
