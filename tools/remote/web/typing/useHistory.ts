import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { call } from '#platform/web/app/call.ts';
import { realtime } from '#platform/web/app/socket.ts';
import { messageArrived, messagesDeleted, retrievemessages } from '#tools/messages/contract.ts';
import { historyChanged, historyDeleted, remotehistory } from '../../contract.ts';
import { linesOf, saidIn, withEntry, withoutIds, type Line, type SaidLine, type HistoryEntry } from './lines.ts';

/** Everything sent to a device and everything it said, in the order in which the server got it, live from the server. */
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
  const said = useQuery({
    queryKey: ['devicesaid', target],
    enabled: target !== undefined,
    queryFn: async () => saidIn(await call(retrievemessages, { content: { target: target ?? '' } }), target ?? ''),
  });
  useEffect(() => {
    if (target === undefined) return undefined;
    const sentKey = ['remotehistory', target];
    const saidKey = ['devicesaid', target];
    const again = () => {
      void queries.invalidateQueries({ queryKey: sentKey });
      void queries.invalidateQueries({ queryKey: saidKey });
    };
    const stops = [
      realtime.on(historyChanged, (change) => {
        if (change.target !== target) return;
        queries.setQueryData<HistoryEntry[]>(sentKey, (known) => withEntry(known ?? [], change.entry));
      }),
      realtime.on(historyDeleted, ({ target: device, ids }) => {
        if (device !== target) return;
        queries.setQueryData<HistoryEntry[]>(sentKey, (known) => known && withoutIds(known, ids));
        // An answer that was on its way may still have them.
        void queries.invalidateQueries({ queryKey: sentKey });
      }),
      realtime.on(messageArrived, (message) => {
        if (message.target === target) void queries.invalidateQueries({ queryKey: saidKey });
      }),
      realtime.on(messagesDeleted, ({ ids }) => {
        queries.setQueryData<SaidLine[]>(saidKey, (known) => known && withoutIds(known, ids));
        void queries.invalidateQueries({ queryKey: saidKey });
      }),
      realtime.onConnectionStateChange(() => realtime.getConnectionState() === 'connected' && again()),
    ];
    return () => stops.forEach((stop) => stop());
  }, [queries, target]);
  return {
    lines: linesOf(sent.data ?? [], said.data ?? []),
    error: sent.error ?? said.error,
    isPending: sent.isPending,
  };
}
