import type { AnswerOf } from '#platform/contract/call.ts';
import { MINUTE_MS } from '#platform/contract/duration.ts';
import { FILE_MARKER, KEYS_MARKER, type InputType, getInputType } from '#platform/contract/message.ts';
import { getReceivedMs } from '#platform/web/browser/formats.ts';
import type { retrievemessages } from '../contract.ts';
import type { OutboxMessage } from './outbox.ts';
import type { MessageDevice } from './useDevices.ts';
import type { OwnBrowser } from './useOwnBrowser.ts';

/** A message in a conversation. `timesent` is in seconds since the epoch. */
export interface Entry {
  readonly id: number;
  readonly text: string;
  readonly sentby: string;
  readonly inputtype: InputType;
  readonly timesent: number;
  /** Seconds since the epoch, by the server's clock. */
  readonly received?: number | undefined;
  /** The device that wrote it; undefined if only the account is known. */
  readonly from: string | undefined;
}

export function toEntries({ messages, sentby, details }: AnswerOf<typeof retrievemessages>): readonly Entry[] {
  return details.map(({ id, inputtype, timesent, received, from }, at) => ({
    id,
    inputtype,
    timesent,
    received,
    from,
    text: messages[at] ?? '',
    sentby: sentby[at] ?? '',
  }));
}

/** Merges both lists by id; returns the known list itself if nothing is new. */
const mergeEntries = (known: readonly Entry[], more: readonly Entry[]): readonly Entry[] => {
  const ids = new Set(known.map(({ id }) => id));
  const fresh = more.filter(({ id }) => !ids.has(id));
  return fresh.length === 0 ? known : [...known, ...fresh].toSorted((one, other) => one.id - other.id);
};

/** Maximum number of messages in an answer. */
export const ANSWERED = 200;

/** The known part of a conversation. */
export interface ConversationState {
  /** Oldest first. */
  readonly entries: readonly Entry[];
  /**
   * Watermark: messages up to this one were requested. Live messages after it may have gaps, as events are lost while
   * offline.
   */
  readonly upTo: number | undefined;
  /** The connection was lost, so deletions may have been missed: the whole conversation must be requested. */
  readonly isStale?: boolean;
  /** Ids of deleted messages, which a pending answer may still contain. */
  readonly deleted?: readonly number[];
}

const MAX_DELETED = 5000;

const removeDeleted = ({ deleted = [] }: ConversationState, entries: readonly Entry[]): readonly Entry[] => {
  const ids = new Set(deleted);
  return ids.size === 0 ? entries : entries.filter(({ id }) => !ids.has(id));
};

/** Adds live messages, or messages from before the first one. */
export function addLiveMessages(known: ConversationState, more: readonly Entry[]): ConversationState {
  const entries = mergeEntries(known.entries, removeDeleted(known, more));
  return entries === known.entries ? known : { ...known, entries };
}

/**
 * Applies an answer about the whole conversation, which is complete within its range: other messages of that range were
 * deleted.
 */
const applyWholeConversation = (
  known: ConversationState,
  fresh: readonly Entry[],
  requestedIds: ReadonlySet<number>,
): ConversationState => {
  const first = fresh.length < ANSWERED ? 0 : (fresh[0]?.id ?? 0);
  // Messages that were known at the request and are not in the answer were deleted; later live messages stay.
  const others = known.entries.filter(({ id }) => id < first || !requestedIds.has(id));
  const { isStale: _isStale, ...rest } = known;
  return { ...rest, entries: mergeEntries(removeDeleted(known, fresh), others), upTo: fresh.at(-1)?.id };
};

/**
 * Applies the answer to a request for messages after `upTo`.
 * @param requestState the known state at the time of the request
 */
export function applyAnswer(
  known: ConversationState,
  fresh: readonly Entry[],
  requestState: ConversationState = known,
): ConversationState {
  // The state became stale during the request: the next request is for the whole conversation.
  if (known.isStale === true && requestState.isStale !== true) return known;
  if (known.isStale === true)
    return applyWholeConversation(known, fresh, new Set(requestState.entries.map(({ id }) => id)));
  const last = fresh.at(-1);
  if (last === undefined) return known;
  // With a full answer, messages in between may be missing.
  if (fresh.length >= ANSWERED) return { ...known, entries: removeDeleted(known, fresh), upTo: last.id };
  return { ...known, entries: mergeEntries(known.entries, removeDeleted(known, fresh)), upTo: last.id };
}

/** Removes deleted messages. */
export function withoutDeleted(known: ConversationState, ids: readonly number[]): ConversationState {
  return {
    ...known,
    entries: known.entries.filter(({ id }) => !ids.includes(id)),
    deleted: [...(known.deleted ?? []), ...ids].slice(-MAX_DELETED),
  };
}

/** Whether this is the message that the outbox sent. */
export function isSameMessage(entry: Entry, unsent: OutboxMessage): boolean {
  return Math.abs(entry.timesent - unsent.timesent) < 0.0005 && entry.text === unsent.text;
}

/** Returns the text without its marker: the name of the shortcut or the file. */
export function getDisplayText({ inputtype, text }: Pick<Entry, 'inputtype' | 'text'>): string {
  const marker = inputtype === 2 ? KEYS_MARKER : FILE_MARKER;
  const start = inputtype === 1 ? -1 : text.indexOf(marker);
  return start === -1 ? text : text.slice(0, start) + text.slice(start + marker.length);
}

export interface TextPiece {
  readonly text: string;
  /** Only for web addresses. */
  readonly href?: string;
}

/** Splits a text at its web addresses; only those become links. */
export function splitLinks(text: string): readonly TextPiece[] {
  return text.split(/(https?:\/\/[^\s<>"'`]+[^\s<>"'`.,;:!?)\]}])/i).flatMap((piece, at): readonly TextPiece[] => {
    if (piece === '') return [];
    return [at % 2 === 1 && URL.canParse(piece) ? { text: piece, href: piece } : { text: piece }];
  });
}

const GROUP_MS = 5 * MINUTE_MS;

/** Whether a message follows one of the same sender so closely that the name need not be shown again. */
export function follows(entry: Entry, before: Entry | undefined): boolean {
  return before !== undefined && before.from === entry.from && getReceivedMs(entry) - getReceivedMs(before) < GROUP_MS;
}

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
  readonly getColour: (from: string | undefined) => string;
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
    getColour: (from) => {
      if (from === own?.id) return COLOURS[0];
      if (from === undefined) return DEFAULT_COLOUR;
      return COLOURS[1 + (Math.max(0, others.indexOf(from)) % (COLOURS.length - 1))] ?? DEFAULT_COLOUR;
    },
    isOwn,
    isResult: ({ from, inputtype }) => inputtype === 3 && from !== undefined && computers.has(from),
    unsent: ({ text }) => ({ sentby: own?.name ?? person, from: own?.id, inputtype: getInputType(text) }),
  };
}
