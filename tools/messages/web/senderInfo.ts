import { type InputType, getInputType } from '#platform/contract/message.ts';
import type { ConversationEntry } from './conversation.ts';
import type { OutboxMessage } from './outbox.ts';
import type { MessageDevice } from './useDevices.ts';
import type { OwnBrowser } from './useOwnBrowser.ts';

/**
 * Colours of devices in the order of their ids; the first one is for this browser. Used for fills, dots and tints,
 * never for text.
 */
const COLOURS = ['#3b82c4', '#2e9e5b', '#c05299', '#d08a1e', '#7c5cd6', '#1f9d9a', '#c4553b', '#6b7f2a'] as const;
/** Colour of messages that no device wrote. */
const DEFAULT_COLOUR = '#85858f';

type MessageOrigin = Pick<ConversationEntry, 'from' | 'inputtype'>;

/** Describes the senders of messages. */
export interface SenderInfo {
  readonly getColour: (from: string | undefined) => string;
  readonly isOwn: (entry: MessageOrigin) => boolean;
  /** Whether a computer reports the result of a script. */
  readonly isResult: (entry: MessageOrigin) => boolean;
  readonly describeUnsent: (message: OutboxMessage) => {
    readonly sentby: string;
    readonly from: string | undefined;
    readonly inputtype: InputType;
  };
}

/** Creates the description of senders, as this browser shows them. */
export function createSenderInfo(
  ownBrowser: OwnBrowser | undefined,
  devices: readonly MessageDevice[],
  accountName: string,
): SenderInfo {
  const computers = new Set(devices.filter(({ isBrowser }) => !isBrowser).map(({ id }) => id));
  const otherIds = devices
    .map(({ id }) => id)
    .filter((id) => id !== ownBrowser?.id)
    .toSorted((a, b) => Number(a) - Number(b));
  const isOwn = ({ from }: MessageOrigin): boolean => from === ownBrowser?.id;
  return {
    getColour: (from) => {
      if (from === ownBrowser?.id) return COLOURS[0];
      if (from === undefined) return DEFAULT_COLOUR;
      return COLOURS[1 + (Math.max(0, otherIds.indexOf(from)) % (COLOURS.length - 1))] ?? DEFAULT_COLOUR;
    },
    isOwn,
    isResult: ({ from, inputtype }) => inputtype === 3 && from !== undefined && computers.has(from),
    describeUnsent: ({ text }) => ({
      sentby: ownBrowser?.name ?? accountName,
      from: ownBrowser?.id,
      inputtype: getInputType(text),
    }),
  };
}
