import type { AnswerOf } from '#platform/contract/call.ts';
import { MINUTE_MS } from '#platform/contract/duration.ts';
import { FILE_MARKER, KEYS_MARKER, type InputType, getInputType } from '#platform/contract/message.ts';
import { getReceivedMs } from '#platform/web/browser/formats.ts';
import { MAX_RETURNED_MESSAGES, type retrievemessages } from '../contract.ts';
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
  return details.map(({ id, inputtype, timesent, received, from }, index) => ({
    id,
    inputtype,
    timesent,
    received,
    from,
    text: messages[index] ?? '',
    sentby: sentby[index] ?? '',
  }));
}

/** Merges both lists by id; returns the known list itself if nothing is new. */
function mergeEntries(known: readonly Entry[], added: readonly Entry[]): readonly Entry[] {
  const knownIds = new Set(known.map(({ id }) => id));
  const newEntries = added.filter(({ id }) => !knownIds.has(id));
  return newEntries.length === 0 ? known : [...known, ...newEntries].toSorted((a, b) => a.id - b.id);
}

/** The known part of a conversation. */
export interface ConversationState {
  /** Oldest first. */
  readonly entries: readonly Entry[];
  /** Messages up to this id were requested. Live messages after it may have gaps, as events are lost while offline. */
  readonly watermark: number | undefined;
  /** The connection was lost and deletions may have been missed, so the whole conversation must be requested. */
  readonly isStale?: boolean;
  /** Ids of deleted messages, which a pending answer may still contain. */
  readonly deletedIds?: readonly number[];
}

const MAX_DELETED_IDS = 5000;

function filterDeleted({ deletedIds = [] }: ConversationState, entries: readonly Entry[]): readonly Entry[] {
  const ids = new Set(deletedIds);
  return ids.size === 0 ? entries : entries.filter(({ id }) => !ids.has(id));
}

/** Adds live messages, or messages from before the first one. */
export function addLiveMessages(state: ConversationState, added: readonly Entry[]): ConversationState {
  const entries = mergeEntries(state.entries, filterDeleted(state, added));
  return entries === state.entries ? state : { ...state, entries };
}

/** Applies an answer about the whole conversation. Other messages in the range of the answer were deleted. */
function applyWholeConversation(
  state: ConversationState,
  received: readonly Entry[],
  requestedIds: ReadonlySet<number>,
): ConversationState {
  const firstId = received.length < MAX_RETURNED_MESSAGES ? 0 : (received[0]?.id ?? 0);
  // Messages that were known at the request and are not in the answer were deleted; later live messages stay.
  const remaining = state.entries.filter(({ id }) => id < firstId || !requestedIds.has(id));
  const { isStale: _isStale, ...rest } = state;
  return { ...rest, entries: mergeEntries(filterDeleted(state, received), remaining), watermark: received.at(-1)?.id };
}

/**
 * Applies the answer to a request for messages after the watermark.
 * @param requestState the state at the time of the request
 */
export function applyAnswer(
  state: ConversationState,
  received: readonly Entry[],
  requestState: ConversationState = state,
): ConversationState {
  // The state became stale during the request: the next request is for the whole conversation.
  if (state.isStale === true && requestState.isStale !== true) return state;
  if (state.isStale === true)
    return applyWholeConversation(state, received, new Set(requestState.entries.map(({ id }) => id)));
  const last = received.at(-1);
  if (last === undefined) return state;
  // With a full answer, messages in between may be missing.
  if (received.length >= MAX_RETURNED_MESSAGES)
    return { ...state, entries: filterDeleted(state, received), watermark: last.id };
  return { ...state, entries: mergeEntries(state.entries, filterDeleted(state, received)), watermark: last.id };
}

/** Removes deleted messages. */
export function removeEntries(state: ConversationState, ids: readonly number[]): ConversationState {
  return {
    ...state,
    entries: state.entries.filter(({ id }) => !ids.includes(id)),
    deletedIds: [...(state.deletedIds ?? []), ...ids].slice(-MAX_DELETED_IDS),
  };
}

/** Returns whether an entry is the message that the outbox sent. */
export function isSameMessage(entry: Entry, unsent: OutboxMessage): boolean {
  return Math.abs(entry.timesent - unsent.timesent) < 0.0005 && entry.text === unsent.text;
}

/** Returns the text without its marker: the name of the shortcut or the file. */
export function getDisplayText({ inputtype, text }: Pick<Entry, 'inputtype' | 'text'>): string {
  const marker = inputtype === 2 ? KEYS_MARKER : FILE_MARKER;
  const start = inputtype === 1 ? -1 : text.indexOf(marker);
  return start === -1 ? text : text.slice(0, start) + text.slice(start + marker.length);
}

export interface TextSegment {
  readonly text: string;
  /** Only for web addresses. */
  readonly href?: string;
}

/** Splits a text at its web addresses; only those become links. */
export function splitLinks(text: string): readonly TextSegment[] {
  return text
    .split(/(https?:\/\/[^\s<>"'`]+[^\s<>"'`.,;:!?)\]}])/i)
    .flatMap((segment, index): readonly TextSegment[] => {
      if (segment === '') return [];
      return [index % 2 === 1 && URL.canParse(segment) ? { text: segment, href: segment } : { text: segment }];
    });
}

const MAX_GROUP_GAP_MS = 5 * MINUTE_MS;

/** Returns whether a message follows one of the same sender so closely that its name is not shown again. */
export function isContinuation(entry: Entry, previous: Entry | undefined): boolean {
  return (
    previous !== undefined &&
    previous.from === entry.from &&
    getReceivedMs(entry) - getReceivedMs(previous) < MAX_GROUP_GAP_MS
  );
}

/**
 * Colours of devices in the order of their ids; the first one is for this browser. Used for fills, dots and tints,
 * never for text.
 */
const COLOURS = ['#3b82c4', '#2e9e5b', '#c05299', '#d08a1e', '#7c5cd6', '#1f9d9a', '#c4553b', '#6b7f2a'] as const;
/** For messages that no device wrote. */
const DEFAULT_COLOUR = '#85858f';

type MessageOrigin = Pick<Entry, 'from' | 'inputtype'>;

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
