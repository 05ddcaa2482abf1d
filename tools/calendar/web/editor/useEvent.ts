import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Refusal } from '#platform/contract/refusal.ts';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/failure.ts';
import { realtime } from '#platform/web/app/socket.ts';
import { getTimeZone } from '#platform/web/browser/formats.ts';
import { getevent } from '../../contract/events.ts';
import { keys, type Selection } from '../selection.ts';
import type { WireEvent } from './eventData.ts';

/** Loads the selected event. */
export function useEvent(selection: Selection) {
  const queries = useQueryClient();
  const [id, date, type] =
    selection.kind === 'event' ? [selection.id, selection.date, selection.type] : [0, '', 'calendar'];
  const query = useQuery({
    queryKey: keys.event(id, date),
    queryFn: async () =>
      (await call(getevent, { id: String(id), type, date, width: String(window.innerWidth), tz: getTimeZone() })).data,
    enabled: id > 0,
    // Another day of the same repeat is the same event.
    placeholderData: (before) => (before?.id === id ? before : undefined),
    staleTime: () => (realtime.getConnectionState() === 'connected' ? 60_000 : 5000),
  });
  const { data, error } = query;
  // An event that existed and was deleted is reported in the editor, without a notice.
  const isRefused = error !== null && data === undefined;
  useEffect(() => {
    if (isRefused) showError(error);
  }, [isRefused, error]);
  return {
    event: data,
    error,
    /** Deleted, or never existed. */
    isGone: error instanceof Refusal,
    refetch: async (): Promise<WireEvent | undefined> => (await query.refetch()).data,
    /** Stores a version that the answer of a change contains. */
    put: (event: WireEvent, at: string): void => {
      queries.setQueryData(keys.event(event.id, at), event);
    },
  };
}
