import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { call } from '#platform/web/app/call.ts';
import { realtime } from '#platform/web/app/socket.ts';
import { messageArrived, messagesDeleted, retrievemessages } from '#tools/messages/contract.ts';
import { historyChanged, historyDeleted, remotehistory } from '../../contract.ts';
import { mergeLines, saidIn, withEntry, withoutIds, type Line, type SaidLine, type HistoryEntry } from './lines.ts';

/** Everything sent to a device and its replies, in the order in which the server received it, live. */
export function useHistory(target: string | undefined): {
  readonly lines: readonly Line[];
  readonly error: Error | null;
  readonly isPending: boolean;
} {
  const queries = useQueryClient();
  const sent = useQuery({
    queryKey: ['remotehistory', target],
    enabled: target !== undefined,
    queryFn: async () => (await call(remotehistory, { target: target ?? '' })).history,
  });
  const replies = useQuery({
    queryKey: ['devicesaid', target],
    enabled: target !== undefined,
    queryFn: async () => saidIn(await call(retrievemessages, { content: { target: target ?? '' } }), target ?? ''),
  });
  useEffect(() => {
    if (target === undefined) return undefined;
    const sentKey = ['remotehistory', target];
    const repliesKey = ['devicesaid', target];
    const reload = () => {
      void queries.invalidateQueries({ queryKey: sentKey });
      void queries.invalidateQueries({ queryKey: repliesKey });
    };
    const stops = [
      realtime.on(historyChanged, (change) => {
        if (change.target !== target) return;
        queries.setQueryData<HistoryEntry[]>(sentKey, (cached) => withEntry(cached ?? [], change.entry));
      }),
      realtime.on(historyDeleted, ({ target: device, ids }) => {
        if (device !== target) return;
        queries.setQueryData<HistoryEntry[]>(sentKey, (cached) => cached && withoutIds(cached, ids));
        // A pending answer may still contain them.
        void queries.invalidateQueries({ queryKey: sentKey });
      }),
      realtime.on(messageArrived, (message) => {
        if (message.target === target) void queries.invalidateQueries({ queryKey: repliesKey });
      }),
      realtime.on(messagesDeleted, ({ ids }) => {
        queries.setQueryData<SaidLine[]>(repliesKey, (cached) => cached && withoutIds(cached, ids));
        void queries.invalidateQueries({ queryKey: repliesKey });
      }),
      realtime.onConnectionStateChange(() => realtime.getConnectionState() === 'connected' && reload()),
    ];
    return () => stops.forEach((stop) => stop());
  }, [queries, target]);
  return {
    lines: mergeLines(sent.data ?? [], replies.data ?? []),
    error: sent.error ?? replies.error,
    isPending: sent.isPending,
  };
}
