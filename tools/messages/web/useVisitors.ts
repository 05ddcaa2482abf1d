import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { call } from '#platform/web/call.ts';
import { showFailure } from '#platform/web/failure.ts';
import { realtime } from '#platform/web/socket.ts';
import { deletevisitormessage, visitorArrived, visitormessages, type VisitorMessage } from '../contract.ts';

const VISITORS = ['visitormessages'] as const;

type Kept = readonly VisitorMessage[];
/** In the order of their coming, each once: the event and the list may bring the same one. */
const withOne = (kept: Kept | undefined, one: VisitorMessage): Kept =>
  [...(kept ?? []).filter(({ id }) => id !== one.id), one].toSorted((a, b) => a.id - b.id);

/** Visitors' messages, oldest first, as they come; for the owner alone (`isOwner` keeps others from asking). */
export const useVisitors = (isOwner = true) => {
  const queries = useQueryClient();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: VISITORS,
    queryFn: async (): Promise<Kept> => (await call(visitormessages, {})).visitors,
    enabled: isOwner,
  });
  useEffect(() => {
    if (!isOwner) return undefined;
    const stops = [
      realtime.on(visitorArrived, (one) => {
        // A list that is being asked for may be older than this: it is asked for again.
        if (queries.isFetching({ queryKey: VISITORS }) > 0) void queries.invalidateQueries({ queryKey: VISITORS });
        queries.setQueryData<Kept>(VISITORS, (kept) => kept && withOne(kept, one));
      }),
      // What came while the line was down.
      realtime.onLine(() => {
        if (realtime.line() === 'connected') void queries.invalidateQueries({ queryKey: VISITORS });
      }),
    ];
    return () => stops.forEach((stop) => stop());
  }, [queries, isOwner]);
  const remove = useMutation({
    mutationFn: (id: number) => call(deletevisitormessage, { id }),
    onSuccess: (_, id) => queries.setQueryData<Kept>(VISITORS, (kept) => kept?.filter((one) => one.id !== id)),
    onError: showFailure,
    onSettled: () => queries.invalidateQueries({ queryKey: VISITORS }),
  });
  return { visitors: data, error, isPending, refetch, remove };
};
