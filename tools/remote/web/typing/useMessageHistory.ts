import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect } from 'react';
import type * as z from 'zod/mini';
import type { AnswerOf } from '#platform/contract/call.ts';
import { call } from '#platform/web/app/call.ts';
import { realtime } from '#platform/web/app/realtime.ts';
import { getReceivedMs } from '#platform/web/browser/formats.ts';
import { messageArrived, messagesDeleted, retrievemessages } from '#tools/messages/contract.ts';
import { historyChanged, historyDeleted, remotehistory, type historyEntry } from '../../contract.ts';

export type HistoryEntry = z.output<typeof historyEntry>;

export interface SentLine extends Omit<HistoryEntry, 'id'> {
  readonly from: 'person';
  /** Undefined while only this page knows the message. */
  readonly id: number | undefined;
}

export interface ReplyLine {
  readonly from: 'device';
  readonly id: number;
  readonly text: string;
  readonly timesent: number;
  readonly received?: number | undefined;
}

/** A line of the history: a message to the device, or a reply of the device. */
export type HistoryLine = SentLine | ReplyLine;

/** Lists the replies of the device, without the messages that people wrote on the messages screen. */
export function listReplies({ messages, details }: AnswerOf<typeof retrievemessages>, target: string): ReplyLine[] {
  return details.flatMap(({ id, timesent, received, from }, index): ReplyLine[] =>
    from === target ? [{ from: 'device', id, timesent, received, text: messages[index] ?? '' }] : [],
  );
}

/** Returns the history with this entry, which replaces an earlier version of itself. */
export function upsertEntry(history: readonly HistoryEntry[], entry: HistoryEntry): HistoryEntry[] {
  return history.some(({ id }) => id === entry.id)
    ? history.map((existing) => (existing.id === entry.id ? entry : existing))
    : [...history, entry];
}

/** Returns the items without those with these ids; without `ids`, an empty list. */
export function removeByIds<Item extends { readonly id: number }>(
  items: readonly Item[],
  ids: readonly number[] | undefined,
): Item[] {
  return ids === undefined ? [] : items.filter(({ id }) => !ids.includes(id));
}

/** Returns the lines of both lists in the order in which the server received them, whatever the senders' clocks say. */
export function mergeLines(sent: readonly HistoryEntry[], replies: readonly ReplyLine[]): readonly HistoryLine[] {
  const lines = [...sent.map((entry): HistoryLine => ({ from: 'person', ...entry })), ...replies];
  return lines.toSorted((one, other) => getReceivedMs(one) - getReceivedMs(other));
}

/** Everything sent to a device and its replies, in the order in which the server received it, live. */
export interface MessageHistory {
  readonly lines: readonly HistoryLine[];
  /** Why a part could not be loaded. */
  readonly error: Error | null;
  readonly reload: () => void;
}

/** Loads the history of a device, and keeps it up to date. */
export function useMessageHistory(target: string | undefined): MessageHistory {
  const queryClient = useQueryClient();
  const sent = useQuery({
    queryKey: ['remotehistory', target],
    enabled: target !== undefined,
    queryFn: async () => (await call(remotehistory, { target: target ?? '' })).history,
  });
  const replies = useQuery({
    queryKey: ['devicereplies', target],
    enabled: target !== undefined,
    queryFn: async () => listReplies(await call(retrievemessages, { content: { target: target ?? '' } }), target ?? ''),
  });
  const { refetch: reloadSent } = sent;
  const { refetch: reloadReplies } = replies;
  const reload = useCallback((): void => {
    void reloadSent();
    void reloadReplies();
  }, [reloadSent, reloadReplies]);
  useEffect(() => {
    if (target === undefined) return undefined;
    const sentKey = ['remotehistory', target];
    const repliesKey = ['devicereplies', target];
    const unsubscribers = [
      realtime.on(historyChanged, (change) => {
        if (change.target !== target) return;
        queryClient.setQueryData<HistoryEntry[]>(sentKey, (cached) => upsertEntry(cached ?? [], change.entry));
      }),
      realtime.on(historyDeleted, ({ target: device, ids }) => {
        if (device !== target) return;
        queryClient.setQueryData<HistoryEntry[]>(sentKey, (cached) => cached && removeByIds(cached, ids));
        // A pending answer may still contain them.
        void queryClient.invalidateQueries({ queryKey: sentKey });
      }),
      realtime.on(messageArrived, (message) => {
        if (message.target === target) void queryClient.invalidateQueries({ queryKey: repliesKey });
      }),
      realtime.on(messagesDeleted, ({ ids }) => {
        queryClient.setQueryData<ReplyLine[]>(repliesKey, (cached) => cached && removeByIds(cached, ids));
        void queryClient.invalidateQueries({ queryKey: repliesKey });
      }),
      realtime.onConnectionStateChange(() => realtime.getConnectionState() === 'connected' && reload()),
    ];
    return () => unsubscribers.forEach((unsubscribe) => unsubscribe());
  }, [queryClient, target, reload]);
  return { lines: mergeLines(sent.data ?? [], replies.data ?? []), error: sent.error ?? replies.error, reload };
}
