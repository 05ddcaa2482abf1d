import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/showError.ts';
import { useConnectionStateChange, useRealtimeEvent } from '#platform/web/app/useRealtimeEvent.ts';
import { deletevisitormessage, visitorArrived, visitormessages, type VisitorMessage } from '../contract.ts';

const VISITORS_QUERY_KEY = ['visitormessages'] as const;

type VisitorMessages = readonly VisitorMessage[];
/** Adds a message in the order of arrival. The event and the list may contain the same one. */
const addMessage = (cached: VisitorMessages | undefined, message: VisitorMessage): VisitorMessages =>
  [...(cached ?? []).filter(({ id }) => id !== message.id), message].toSorted((a, b) => a.id - b.id);

/** Returns visitors' messages, oldest first, updated by live events. Without `isOwner` nothing is requested. */
export function useVisitorMessages(isOwner = true) {
  const queryClient = useQueryClient();
  const { data, error, refetch } = useQuery({
    queryKey: VISITORS_QUERY_KEY,
    queryFn: async (): Promise<VisitorMessages> => (await call(visitormessages, {})).visitors,
    enabled: isOwner,
  });
  const reload = () => void queryClient.invalidateQueries({ queryKey: VISITORS_QUERY_KEY });
  function handleMessage(message: VisitorMessage): void {
    // A pending list may be older than this message, so it is requested again.
    if (queryClient.isFetching({ queryKey: VISITORS_QUERY_KEY }) > 0) reload();
    queryClient.setQueryData<VisitorMessages>(VISITORS_QUERY_KEY, (cached) => cached && addMessage(cached, message));
  }
  useRealtimeEvent(visitorArrived, handleMessage, isOwner);
  // Loads messages that arrived while the connection was down.
  useConnectionStateChange((state) => state === 'connected' && reload(), isOwner);
  const removeMutation = useMutation({
    mutationFn: (id: number) => call(deletevisitormessage, { id }),
    onSuccess: (_, id) =>
      queryClient.setQueryData<VisitorMessages>(VISITORS_QUERY_KEY, (cached) =>
        cached?.filter((message) => message.id !== id),
      ),
    onError: showError,
    onSettled: () => queryClient.invalidateQueries({ queryKey: VISITORS_QUERY_KEY }),
  });
  return { visitors: data, error, refetch, removeMutation };
}
