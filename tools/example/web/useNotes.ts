import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '#platform/web/app/call.ts';
import { useConnectionStateChange, useRealtimeEvent } from '#platform/web/app/useRealtimeEvent.ts';
import { listnotes, noteAdded, noteDeleted } from '../contract.ts';
import { addToNotes, type Note, removeFromNotes } from '../domain/note.ts';

const notesOptions = queryOptions({
  queryKey: ['example', 'notes'],
  queryFn: async (): Promise<readonly Note[]> => (await call(listnotes, {})).notes,
});

/** Loads the notes of the account, and changes them with each event. */
export function useNotes() {
  const queryClient = useQueryClient();
  const reload = (): void => void queryClient.invalidateQueries({ queryKey: notesOptions.queryKey });
  /** Changes the loaded list. While it is loading it is loaded again, because the answer may lack this change. */
  function changeNotes(update: (notes: readonly Note[]) => readonly Note[]): void {
    const state = queryClient.getQueryState(notesOptions.queryKey);
    if (state?.data === undefined || state.fetchStatus !== 'idle') reload();
    else queryClient.setQueryData(notesOptions.queryKey, update(state.data));
  }
  useRealtimeEvent(noteAdded, ({ note }) => changeNotes((notes) => addToNotes(notes, note)));
  useRealtimeEvent(noteDeleted, ({ id }) => changeNotes((notes) => removeFromNotes(notes, id)));
  // Events are lost while the connection is down, so load the list again after each connection.
  useConnectionStateChange((state) => state === 'connected' && reload());
  return useQuery(notesOptions);
}
