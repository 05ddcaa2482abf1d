import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type * as z from 'zod/mini';
import { call } from '#platform/web/call.ts';
import { realtime } from '#platform/web/socket.ts';
import { messageArrived, retrievemessages } from '#tools/messages/contract.ts';
import { historyChanged, remotehistory, type historyEntry } from '../contract.ts';

export type Sent = z.output<typeof historyEntry>;

/** A line of the history: something sent to the device, or what the device said. */
export type Line =
  | ({ readonly from: 'person' } & Omit<Sent, 'id'>)
  | { readonly from: 'device'; readonly id: number; readonly text: string; readonly timesent: number };

type Said = Extract<Line, { from: 'device' }>;

const withEntry = (history: readonly Sent[], entry: Sent): Sent[] =>
  history.some(({ id }) => id === entry.id)
    ? history.map((known) => (known.id === entry.id ? entry : known))
    : [...history, entry];

/** Everything sent to a device and everything it said, oldest first, live from the server. */
export const useHistory = (target: string | undefined) => {
  const queries = useQueryClient();
  const sent = useQuery({
    queryKey: ['remotehistory', target],
    enabled: target !== undefined,
    queryFn: async () => (await call(remotehistory, { target: target ?? '' })).history,
  });
  const said = useQuery({
    queryKey: ['devicesaid', target],
    enabled: target !== undefined,
    queryFn: async (): Promise<Said[]> => {
      const { messages, details } = await call(retrievemessages, { content: { target: target ?? '' } });
      // What people wrote on the messages screen is no answer of the device's.
      return details.flatMap(({ id, timesent, from }, at): Said[] =>
        from === target ? [{ from: 'device', id, timesent, text: messages[at] ?? '' }] : [],
      );
    },
  });
  useEffect(() => {
    if (target === undefined) return undefined;
    const again = () => {
      void queries.invalidateQueries({ queryKey: ['remotehistory', target] });
      void queries.invalidateQueries({ queryKey: ['devicesaid', target] });
    };
    const stops = [
      realtime.on(historyChanged, (change) => {
        if (change.target !== target) return;
        queries.setQueryData<Sent[]>(['remotehistory', target], (known) => withEntry(known ?? [], change.entry));
      }),
      realtime.on(messageArrived, (message) => {
        if (message.target === target) void queries.invalidateQueries({ queryKey: ['devicesaid', target] });
      }),
      realtime.onLine(() => realtime.line() === 'connected' && again()),
    ];
    return () => stops.forEach((stop) => stop());
  }, [queries, target]);
  const lines: readonly Line[] = [
    ...(sent.data ?? []).map(({ inputtype, inputValue, timesent, outcome }): Line => ({
      from: 'person',
      inputtype,
      inputValue,
      timesent,
      outcome,
    })),
    ...(said.data ?? []),
  ];
  return { lines, error: sent.error ?? said.error, isPending: sent.isPending };
};
