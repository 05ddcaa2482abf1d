import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/failure.ts';
import { realtime } from '#platform/web/app/socket.ts';
import { deletevisitormessage, visitorArrived, visitormessages, type VisitorMessage } from '../contract.ts';

const VISITORS = ['visitormessages'] as const;

type VisitorMessages = readonly VisitorMessage[];
/** In the order of their coming, each once: the event and the list may bring the same one. */
const withOne = (kept: VisitorMessages | undefined, one: VisitorMessage): VisitorMessages =>
  [...(kept ?? []).filter(({ id }) => id !== one.id), one].toSorted((a, b) => a.id - b.id);

/** Visitors' messages, oldest first, as they come; for the owner alone (`isOwner` keeps others from asking). */
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
        // A list that is being asked for may be older than this: it is asked for again.
        if (queries.isFetching({ queryKey: VISITORS }) > 0) void queries.invalidateQueries({ queryKey: VISITORS });
        queries.setQueryData<VisitorMessages>(VISITORS, (kept) => kept && withOne(kept, one));
      }),
      // What came while the line was down.
      realtime.onConnectionStateChange(() => {
        if (realtime.getConnectionState() === 'connected') void queries.invalidateQueries({ queryKey: VISITORS });
      }),
    ];
    return () => stops.forEach((stop) => stop());
  }, [queries, isOwner]);
  const remove = useMutation({
    mutationFn: (id: number) => call(deletevisitormessage, { id }),
    onSuccess: (_, id) =>
      queries.setQueryData<VisitorMessages>(VISITORS, (kept) => kept?.filter((one) => one.id !== id)),
    onError: showError,
    onSettled: () => queries.invalidateQueries({ queryKey: VISITORS }),
  });
  return { visitors: data, error, isPending, refetch, remove };
}
