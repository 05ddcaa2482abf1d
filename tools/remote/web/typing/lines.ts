import type * as z from 'zod/mini';
import type { AnswerOf } from '#platform/contract/call.ts';
import { getReceivedMs } from '#platform/web/browser/formats.ts';
import type { retrievemessages } from '#tools/messages/contract.ts';
import type { historyEntry } from '../../contract.ts';

export type HistoryEntry = z.output<typeof historyEntry>;

/** Something sent from this page, as far as it knows: '' under way, 'ok', or the sentence that said why not. */
export interface OwnLine extends Omit<HistoryEntry, 'id' | 'received'> {
  readonly target: string;
  /** When the last line before it came to the server, in milliseconds: it stands behind that one. */
  readonly after: number;
}

export interface SentLine extends Omit<HistoryEntry, 'id'> {
  readonly from: 'person';
  /** Undefined while only this page knows it. */
  readonly id: number | undefined;
}

export interface SaidLine {
  readonly from: 'device';
  readonly id: number;
  readonly text: string;
  readonly timesent: number;
  readonly received?: number | undefined;
}

/** A line of the history: something sent to the device, or what the device said. */
export type Line = SentLine | SaidLine;

/** What the device said, of all messages: what people wrote on the messages screen is no answer of the device's. */
export function saidIn({ messages, details }: AnswerOf<typeof retrievemessages>, target: string): SaidLine[] {
  return details.flatMap(({ id, timesent, received, from }, at): SaidLine[] =>
    from === target ? [{ from: 'device', id, timesent, received, text: messages[at] ?? '' }] : [],
  );
}

export function withEntry(history: readonly HistoryEntry[], entry: HistoryEntry): HistoryEntry[] {
  return history.some(({ id }) => id === entry.id)
    ? history.map((known) => (known.id === entry.id ? entry : known))
    : [...history, entry];
}

/** Without these, or without any where no ids are named. */
export function withoutIds<Row extends { readonly id: number }>(
  rows: readonly Row[],
  ids: readonly number[] | undefined,
): Row[] {
  return ids === undefined ? [] : rows.filter(({ id }) => !ids.includes(id));
}

const inOrder = (one: Line, other: Line): number => getReceivedMs(one) - getReceivedMs(other);

/** Both in the order in which the server got them, whatever the senders' clocks say. */
export function linesOf(sent: readonly HistoryEntry[], said: readonly SaidLine[]): readonly Line[] {
  return [...sent.map((entry): Line => ({ from: 'person', ...entry })), ...said].toSorted(inOrder);
}

const isSameMoment = (one: number, other: number): boolean => Math.abs(one - other) < 0.0005;

/** The lines of this page that are not among the server's; the same list where all are. */
export function withoutKnown(own: readonly OwnLine[], lines: readonly Line[]): readonly OwnLine[] {
  const known = lines.filter((each) => each.from === 'person').map(({ timesent }) => timesent);
  const rest = own.filter((each) => !known.some((moment) => isSameMoment(moment, each.timesent)));
  return rest.length === own.length ? own : rest;
}

/** The server's lines with those of this page that the server does not know (yet), each behind what stood there when it was sent. */
export function withOwn(lines: readonly Line[], own: readonly OwnLine[]): readonly Line[] {
  const ours = withoutKnown(own, lines).map(({ inputtype, inputValue, timesent, kept, outcome, after }): Line => ({
    from: 'person',
    id: undefined,
    inputtype,
    inputValue,
    timesent,
    received: after / 1000,
    kept,
    outcome,
  }));
  return [...lines, ...ours].toSorted(inOrder);
}

/** When the last of these lines came to the server, in milliseconds. */
export function lastReceivedMs(lines: readonly Line[]): number {
  return Math.max(0, ...lines.map(getReceivedMs));
}
