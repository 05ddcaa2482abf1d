import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/failure.ts';
import { realtime } from '#platform/web/app/socket.ts';
import { deletevisitormessage, visitorArrived, visitormessages, type VisitorMessage } from '../contract.ts';

const VISITORS = ['visitormessages'] as const;

type VisitorMessages = readonly VisitorMessage[];
/** Adds a message in the order of arrival, once: the event and the list may contain the same one. */
const addMessage = (cached: VisitorMessages | undefined, one: VisitorMessage): VisitorMessages =>
  [...(cached ?? []).filter(({ id }) => id !== one.id), one].toSorted((a, b) => a.id - b.id);

/** The visitors' messages, oldest first, live; only for the owner. With `isOwner` false nothing is requested. */
export function useVisitors(isOwner = true) {
  const queries = useQueryClient();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: VISITORS,
    queryFn: async (): Promise<VisitorMessages> => (await call(visitormessages, {})).visitors,
    enabled: isOwner,
  });
  useEffect(() => {
    if (!isOwner) return undefined;
    const stops = [
      realtime.on(visitorArrived, (one) => {
        // A pending list may be older than this message, so it is requested again.
        if (queries.isFetching({ queryKey: VISITORS }) > 0) void queries.invalidateQueries({ queryKey: VISITORS });
        queries.setQueryData<VisitorMessages>(VISITORS, (cached) => cached && addMessage(cached, one));
      }),
      // Loads messages that arrived while the connection was down.
      realtime.onConnectionStateChange(() => {
        if (realtime.getConnectionState() === 'connected') void queries.invalidateQueries({ queryKey: VISITORS });
      }),
    ];
    return () => stops.forEach((stop) => stop());
  }, [queries, isOwner]);
  const remove = useMutation({
    mutationFn: (id: number) => call(deletevisitormessage, { id }),
    onSuccess: (_, id) =>
      queries.setQueryData<VisitorMessages>(VISITORS, (cached) => cached?.filter((one) => one.id !== id)),
    onError: showError,
    onSettled: () => queries.invalidateQueries({ queryKey: VISITORS }),
  });
  return { visitors: data, error, isPending, refetch, remove };
}
