import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Refusal } from '#platform/contract/refusal.ts';
import { call } from '#platform/web/app/call.ts';
import { useCommands } from '#platform/web/app/commands.ts';
import { notices } from '#platform/web/app/notices.ts';
import { showError } from '#platform/web/app/showError.ts';
import { createUndo, type UndoableChange } from '#platform/web/app/undo.ts';
import { getTimeZone } from '#platform/web/browser/formats.ts';
import { isTextFieldFocused } from '#platform/web/browser/typeAhead.ts';
import { deleteevent, getevent, moveevent, newevent, restoreevent } from '../contract/events.ts';
import { parseDay, toWireOrText } from '../events/domain/day.ts';
import { toEventData, type EventData, type WireEvent } from './editor/eventData.ts';
import { refreshCalendar } from './useCalendar.ts';

/** A change of an event that can be undone. */
interface UndoableEventChange extends UndoableChange {
  /** The event that shows it; undefined if it was deleted. */
  readonly event: number | undefined;
}

/** The undo of the calendar. */
export const undo = createUndo<UndoableEventChange>();

/** Registers Mod+Z, which undoes the last change of an event. In a field it is the field's own undo. */
export function useUndoKeys(): void {
  return useCommands([
    {
      id: 'calendar.undo',
      name: 'Undo the last change',
      keys: 'Mod+Z',
      when: () => undo.getLast() !== undefined && !isTextFieldFocused(),
      run: () => void undo.run().catch(showError),
    },
  ]);
}

const loadEvent = async (id: number): Promise<WireEvent> =>
  (await call(getevent, { id: String(id), width: String(window.innerWidth), tz: getTimeZone() })).data;

const saveEvent = async (data: EventData): Promise<WireEvent> =>
  (await call(newevent, { data: { tz: getTimeZone(), ...data } })).data;

/** Removes an exception of a repeat. If its last day was deleted, the event is in the bin, and still has that day. */
async function restoreDay(id: number, iso: string): Promise<void> {
  const event = await loadEvent(id).catch(async (error: unknown) => {
    if (!(error instanceof Refusal)) throw error;
    return (await call(restoreevent, { id })).data;
  });
  const day = parseDay(iso);
  await saveEvent({ ...toEventData(event), exceptions: event.exceptions.filter((each) => parseDay(each) !== day) });
}

const offerUndo = (change: UndoableEventChange): void =>
  void notices.addWithAction(change.label, 'Undo', () => void change.run());

/** Returns functions that refetch the calendar, and that register an undo, which shows its own failures. */
function useRefresh() {
  const queryClient = useQueryClient();
  const refresh = (): Promise<void> => refreshCalendar(queryClient);
  function createUndoable(
    label: string,
    event: number | undefined,
    revert: () => Promise<unknown>,
  ): UndoableEventChange {
    const change: UndoableEventChange = {
      label,
      event,
      run: async () => {
        undo.clear(change);
        await revert().catch(showError);
        await refresh();
      },
    };
    undo.set(change);
    return change;
  }
  return { refresh, createUndoable };
}

interface SaveRequest {
  readonly data: EventData;
  /** The previous version, which Undo restores. */
  readonly previous?: WireEvent;
}

/** Creates or changes an event. Undo (`undo.run`, Mod+Z) saves the previous version, or deletes the new event. */
export function useSaveEvent() {
  const { refresh, createUndoable } = useRefresh();
  return useMutation({
    mutationFn: ({ data }: SaveRequest) => saveEvent(data),
    onSuccess: (saved, { previous }) => {
      createUndoable('Saved', saved.id, () =>
        previous
          ? saveEvent({ ...toEventData(previous), revision: saved.revision })
          : call(deleteevent, { id: saved.id, revision: saved.revision }),
      );
      // Not awaited: 'Saved' is shown as soon as it is saved.
      void refresh();
    },
  });
}

interface DeleteRequest {
  readonly id: number;
  /** ISO: only this day of a repeat. */
  readonly occurrence?: string;
  readonly revision?: number;
}

/** Moves an event to the bin, or adds an exception to a repeat, and offers Undo in a notice. */
export function useDeleteEvent() {
  const { refresh, createUndoable } = useRefresh();
  return useMutation({
    mutationFn: ({ id, occurrence, revision }: DeleteRequest) =>
      call(deleteevent, {
        id,
        tz: getTimeZone(),
        ...(occurrence === undefined ? {} : { occurrence: toWireOrText(occurrence) }),
        ...(revision === undefined ? {} : { revision }),
      }),
    onSuccess: (_, { id, occurrence }) => {
      offerUndo(
        createUndoable('Deleted', undefined, () =>
          occurrence === undefined ? call(restoreevent, { id }) : restoreDay(id, occurrence),
        ),
      );
      void refresh();
    },
    onError: showError,
  });
}

interface MoveRequest {
  readonly id: number;
  /** ISO: one of its days. */
  readonly from: string;
  /** ISO. */
  readonly to: string;
  /** Only that one day of a repeat, which becomes an event of its own. */
  readonly only?: boolean;
  readonly revision?: number;
}

/** Moves an event to another day and offers Undo in a notice. Returns the moved event. */
export function useMoveEvent() {
  const { refresh, createUndoable } = useRefresh();
  return useMutation({
    mutationFn: async ({ id, from, to, only = false, revision }: MoveRequest): Promise<WireEvent> => {
      const request = { id, from: toWireOrText(from), to: toWireOrText(to), only, tz: getTimeZone() };
      return (await call(moveevent, { ...request, ...(revision === undefined ? {} : { revision }) })).data;
    },
    onSuccess: (moved, { id, from, to }) => {
      const isNewEvent = moved.id !== id;
      async function revert(): Promise<void> {
        if (!isNewEvent) {
          await call(moveevent, {
            id,
            from: toWireOrText(to),
            to: toWireOrText(from),
            revision: moved.revision,
            tz: getTimeZone(),
          });
          return;
        }
        await call(deleteevent, { id: moved.id, revision: moved.revision });
        await restoreDay(id, from);
      }
      offerUndo(createUndoable(`Moved to ${toWireOrText(to)}`, moved.id, revert));
      void refresh();
    },
    onError: showError,
  });
}
