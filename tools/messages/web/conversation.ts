import type { AnswerOf } from '#platform/contract/call.ts';
import { MINUTE_MS } from '#platform/contract/duration.ts';
import { FILE_MARKER, KEYS_MARKER, type InputType } from '#platform/contract/message.ts';
import { getReceivedMs } from '#platform/web/browser/formats.ts';
import { MAX_RETURNED_MESSAGES, type retrievemessages } from '../contract.ts';
import type { OutboxMessage } from './outbox.ts';

/** A message in a conversation. `timesent` is in seconds since the epoch. */
export interface ConversationEntry {
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

/** Returns the messages of an answer. */
export function toEntries({
  messages,
  sentby,
  details,
}: AnswerOf<typeof retrievemessages>): readonly ConversationEntry[] {
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
function mergeEntries(
  known: readonly ConversationEntry[],
  added: readonly ConversationEntry[],
): readonly ConversationEntry[] {
  const knownIds = new Set(known.map(({ id }) => id));
  const newEntries = added.filter(({ id }) => !knownIds.has(id));
  return newEntries.length === 0 ? known : [...known, ...newEntries].toSorted((a, b) => a.id - b.id);
}

/** The known part of a conversation. */
export interface ConversationState {
  /** Oldest first. */
  readonly entries: readonly ConversationEntry[];
  /** Messages up to this id were requested. Live messages after it may have gaps, as events are lost while offline. */
  readonly watermark: number | undefined;
  /** The connection was lost and deletions may have been missed, so the whole conversation must be requested. */
  readonly isStale?: boolean;
  /** Ids of deleted messages, which a pending answer may still contain. */
  readonly deletedIds?: readonly number[];
}

const MAX_DELETED_IDS = 5000;

function filterDeleted(
  { deletedIds = [] }: ConversationState,
  entries: readonly ConversationEntry[],
): readonly ConversationEntry[] {
  const ids = new Set(deletedIds);
  return ids.size === 0 ? entries : entries.filter(({ id }) => !ids.has(id));
}

/** Returns the state with live messages, or messages from before the first one. */
export function addLiveMessages(state: ConversationState, added: readonly ConversationEntry[]): ConversationState {
  const entries = mergeEntries(state.entries, filterDeleted(state, added));
  return entries === state.entries ? state : { ...state, entries };
}

/** Returns the state after an answer about the whole conversation. Messages that the answer lacks were deleted. */
function applyWholeConversation(
  state: ConversationState,
  received: readonly ConversationEntry[],
  requestedIds: ReadonlySet<number>,
): ConversationState {
  const firstId = received.length < MAX_RETURNED_MESSAGES ? 0 : (received[0]?.id ?? 0);
  // Messages that were known at the request and are not in the answer were deleted; later live messages stay.
  const remaining = state.entries.filter(({ id }) => id < firstId || !requestedIds.has(id));
  const { isStale: _isStale, ...rest } = state;
  return { ...rest, entries: mergeEntries(filterDeleted(state, received), remaining), watermark: received.at(-1)?.id };
}

/**
 * Returns the state after the answer to a request for messages after the watermark.
 * @param requestState the state at the time of the request
 */
export function applyAnswer(
  state: ConversationState,
  received: readonly ConversationEntry[],
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

/** Returns the state without deleted messages. */
export function removeEntries(state: ConversationState, ids: readonly number[]): ConversationState {
  return {
    ...state,
    entries: state.entries.filter(({ id }) => !ids.includes(id)),
    deletedIds: [...(state.deletedIds ?? []), ...ids].slice(-MAX_DELETED_IDS),
  };
}

/** Returns whether an entry is the message that the outbox sent. */
export function isSameMessage(entry: ConversationEntry, unsent: OutboxMessage): boolean {
  return Math.abs(entry.timesent - unsent.timesent) < 0.0005 && entry.text === unsent.text;
}

/** Returns the text without its marker: the name of the shortcut or the file. */
export function getDisplayText({ inputtype, text }: Pick<ConversationEntry, 'inputtype' | 'text'>): string {
  const marker = inputtype === 2 ? KEYS_MARKER : FILE_MARKER;
  const start = inputtype === 1 ? -1 : text.indexOf(marker);
  return start === -1 ? text : text.slice(0, start) + text.slice(start + marker.length);
}

const MAX_GROUP_GAP_MS = 5 * MINUTE_MS;

/** Returns whether a message follows one of the same sender so closely that its name is not shown again. */
export function isContinuation(entry: ConversationEntry, previous: ConversationEntry | undefined): boolean {
  return (
    previous !== undefined &&
    previous.from === entry.from &&
    getReceivedMs(entry) - getReceivedMs(previous) < MAX_GROUP_GAP_MS
  );
}
