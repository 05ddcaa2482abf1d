import { getInputType, type InputType } from '#platform/contract/message.ts';
import type { OutboxMessage } from './outbox.ts';
import type { Entry } from './thread.ts';
import type { MessageDevice } from './useDevices.ts';
import type { OwnBrowser } from './useOwnBrowser.ts';

/**
 * Colours of devices in the order of their ids; the first one is for this browser. Used for fills, dots and tints,
 * never for text.
 */
const COLOURS = ['#3b82c4', '#2e9e5b', '#c05299', '#d08a1e', '#7c5cd6', '#1f9d9a', '#c4553b', '#6b7f2a'] as const;
/** For messages that no device wrote. */
const DEFAULT_COLOUR = '#85858f';

type MessageOrigin = Pick<Entry, 'from' | 'inputtype'>;

/** Describes the sender of a message for the page. */
export interface Sides {
  readonly colourOf: (from: string | undefined) => string;
  readonly isOwn: (entry: MessageOrigin) => boolean;
  /** Whether it is a computer's own report about a script. */
  readonly isResult: (entry: MessageOrigin) => boolean;
  readonly unsent: (each: OutboxMessage) => {
    readonly sentby: string;
    readonly from: string | undefined;
    readonly inputtype: InputType;
  };
}

/** Creates the sides. `person` is the account's name. */
export function createSides(own: OwnBrowser | undefined, devices: readonly MessageDevice[], person: string): Sides {
  const computers = new Set(devices.filter(({ isBrowser }) => !isBrowser).map(({ id }) => id));
  const others = devices
    .map(({ id }) => id)
    .filter((id) => id !== own?.id)
    .toSorted((one, other) => Number(one) - Number(other));
  const isOwn = ({ from }: MessageOrigin): boolean => from === own?.id;
  return {
    colourOf: (from) => {
      if (from === own?.id) return COLOURS[0];
      if (from === undefined) return DEFAULT_COLOUR;
      return COLOURS[1 + (Math.max(0, others.indexOf(from)) % (COLOURS.length - 1))] ?? DEFAULT_COLOUR;
    },
    isOwn,
    isResult: ({ from, inputtype }) => inputtype === 3 && from !== undefined && computers.has(from),
    unsent: ({ text }) => ({ sentby: own?.name ?? person, from: own?.id, inputtype: getInputType(text) }),
  };
}
