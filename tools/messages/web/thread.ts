import type { AnswerOf } from '#platform/contract/call.ts';
import { FILE_MARKER, KEYS_MARKER, type InputType } from '#platform/contract/message.ts';
import { getReceivedMs } from '#platform/web/browser/formats.ts';
import type { retrievemessages } from '../contract.ts';
import type { OutboxMessage } from './outbox.ts';

/** A message as it stands in a conversation. `timesent` in seconds since the epoch. */
export interface Entry {
  readonly id: number;
  readonly text: string;
  readonly sentby: string;
  readonly inputtype: InputType;
  readonly timesent: number;
  /** Likewise, by the server's clock. */
  readonly received?: number | undefined;
  /** The device that wrote it; undefined where only the account is known. */
  readonly from: string | undefined;
}

export function entriesOf({ messages, sentby, details }: AnswerOf<typeof retrievemessages>): readonly Entry[] {
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

/** Both lists in one, each message once, by id; the known list itself where nothing is new. */
const merged = (known: readonly Entry[], more: readonly Entry[]): readonly Entry[] => {
  const ids = new Set(known.map(({ id }) => id));
  const fresh = more.filter(({ id }) => !ids.has(id));
  return fresh.length === 0 ? known : [...known, ...fresh].toSorted((one, other) => one.id - other.id);
};

/** Messages that one answer holds at most. */
export const ANSWERED = 200;

/** A conversation as far as it is known. */
export interface ConversationState {
  /** Oldest first. */
  readonly entries: readonly Entry[];
  /** Up to this message the server was asked. What came live behind it may have gaps: a line that was down told nothing. */
  readonly upTo: number | undefined;
  /** The line was down, and messages may have been deleted meanwhile: the whole conversation is to be asked for. */
  readonly isStale?: boolean;
  /** Ids of deleted messages, which an answer that was on its way may still have. */
  readonly deleted?: readonly number[];
}

const MAX_DELETED = 5000;

const notDeleted = ({ deleted = [] }: ConversationState, entries: readonly Entry[]): readonly Entry[] => {
  const ids = new Set(deleted);
  return ids.size === 0 ? entries : entries.filter(({ id }) => !ids.has(id));
};

/** With what came live, or from before the first one. */
export function afterHearing(known: ConversationState, more: readonly Entry[]): ConversationState {
  const entries = merged(known.entries, notDeleted(known, more));
  return entries === known.entries ? known : { ...known, entries };
}

/** With the answer about a whole conversation of which messages may have been deleted unheard: of its range it has all that are left. */
const afterAskingAnew = (
  known: ConversationState,
  fresh: readonly Entry[],
  asked: ReadonlySet<number>,
): ConversationState => {
  const first = fresh.length < ANSWERED ? 0 : (fresh[0]?.id ?? 0);
  // What was known when it was asked and is not in the answer is deleted; what came live since then is behind it.
  const others = known.entries.filter(({ id }) => id < first || !asked.has(id));
  const { isStale: _asked, ...rest } = known;
  return { ...rest, entries: merged(notDeleted(known, fresh), others), upTo: fresh.at(-1)?.id };
};

/**
 * With the answer to what came after `upTo`.
 * @param asked what was known when the question began
 */
export function afterAsking(
  known: ConversationState,
  fresh: readonly Entry[],
  asked: ConversationState = known,
): ConversationState {
  // It became stale while this was under way: the next question is about the whole.
  if (known.isStale === true && asked.isStale !== true) return known;
  if (known.isStale === true) return afterAskingAnew(known, fresh, new Set(asked.entries.map(({ id }) => id)));
  const last = fresh.at(-1);
  if (last === undefined) return known;
  // So many that some between may be missing.
  if (fresh.length >= ANSWERED) return { ...known, entries: notDeleted(known, fresh), upTo: last.id };
  return { ...known, entries: merged(known.entries, notDeleted(known, fresh)), upTo: last.id };
}

/** Without deleted messages. */
export function withoutDeleted(known: ConversationState, ids: readonly number[]): ConversationState {
  return {
    ...known,
    entries: known.entries.filter(({ id }) => !ids.includes(id)),
    deleted: [...(known.deleted ?? []), ...ids].slice(-MAX_DELETED),
  };
}

/** Whether this is the very message that the outbox sent. */
export function isSameMessage(entry: Entry, unsent: OutboxMessage): boolean {
  return Math.abs(entry.timesent - unsent.timesent) < 0.0005 && entry.text === unsent.text;
}

/** The text without its marker: what a shortcut or a file is called. */
export function shownText({ inputtype, text }: Pick<Entry, 'inputtype' | 'text'>): string {
  const marker = inputtype === 2 ? KEYS_MARKER : FILE_MARKER;
  const start = inputtype === 1 ? -1 : text.indexOf(marker);
  return start === -1 ? text : text.slice(0, start) + text.slice(start + marker.length);
}

export interface TextPiece {
  readonly text: string;
  /** Only web addresses. */
  readonly href?: string;
}

/** A text cut at its web addresses, which alone become links. */
export function piecesOf(text: string): readonly TextPiece[] {
  return text.split(/(https?:\/\/[^\s<>"'`]+[^\s<>"'`.,;:!?)\]}])/i).flatMap((piece, at): readonly TextPiece[] => {
    if (piece === '') return [];
    return [at % 2 === 1 && URL.canParse(piece) ? { text: piece, href: piece } : { text: piece }];
  });
}

const GROUP_MS = 300_000;

/** Whether a message follows another of the same sender so closely that its name need not be said again. */
export function follows(entry: Entry, before: Entry | undefined): boolean {
  return before !== undefined && before.from === entry.from && getReceivedMs(entry) - getReceivedMs(before) < GROUP_MS;
}
