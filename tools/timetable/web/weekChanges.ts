import type { QueryClient } from '@tanstack/react-query';
import type { RequestInputOf } from '#platform/contract/call.ts';
import { toIso, type Day } from '#platform/contract/day.ts';
import { call } from '#platform/web/app/call.ts';
import { createListeners } from '#platform/web/store.ts';
import { DELETED, moveslot, savespecific, undoslots } from '../contract.ts';
import { toClock } from '../domain/clockTime.ts';
import { getTitle, type Slot } from '../domain/slot.ts';
import { alertFailure } from './alertFailure.ts';
import { getLocalDay } from './localDays.ts';
import { toSentSlot, type PlannedSlot, type SentSlot } from './plannedWeek.ts';
import { undo } from './undo.ts';
import { refreshWeeks, waitForWeek } from './useWeek.ts';

/** Optimistic updates by slot id, until the server confirms them. Undefined: deleted. */
export type PendingSlots = ReadonlyMap<number, PlannedSlot | undefined>;

/** Slots of one day to save, by id or by a key for new ones. */
export interface DayUpdate {
  readonly day: Day;
  readonly data: Readonly<Record<string, SentSlot>>;
}

export interface WeekChanges {
  readonly getPending: () => PendingSlots;
  readonly subscribe: (listener: () => void) => () => void;
  /**
   * Shows a slot with another time, day or status immediately, and saves it. Changes faster than saving are merged.
   * A change that can't be saved is reverted.
   */
  readonly change: (before: PlannedSlot, after: PlannedSlot) => void;
  /** Removes a slot, and offers undo. */
  readonly remove: (slot: PlannedSlot) => void;
  /** Adds new slots to days, and offers undo. `label`: what was done. */
  readonly add: (
    label: string,
    days: readonly { readonly day: Day; readonly slots: readonly Slot[] }[],
  ) => Promise<void>;
  /**
   * Saves slots of a day after running saves of the same slots. Returns the ids of new ones.
   * @throws what the call throws
   */
  readonly save: (update: DayUpdate) => Promise<Readonly<Record<string, number>>>;
}

interface SlotSave {
  /** The slot as the server has it. */
  stored: PlannedSlot;
  edited: PlannedSlot;
  /** Withdraw the offered undos if the change can't be saved. */
  readonly withdrawals: (() => void)[];
}

const isSamePosition = (a: PlannedSlot, b: PlannedSlot): boolean =>
  a.day === b.day && a.start === b.start && a.end === b.end;

function createNewSlots(day: Day, slots: readonly Slot[]): Record<string, SentSlot> {
  const localDay = getLocalDay(day);
  return Object.fromEntries(slots.map((slot, index) => [`new${index}`, toSentSlot(slot, 0, localDay)]));
}

const saveNow = async ({ day, data }: DayUpdate): Promise<Readonly<Record<string, number>>> =>
  (await call(savespecific, { date: toIso(day), data })).overwrite;

/** Sends the difference between the saved and the wanted state of a slot. */
async function sendChange(stored: PlannedSlot, edited: PlannedSlot): Promise<void> {
  if (!isSamePosition(stored, edited))
    await call(moveslot, {
      id: edited.id,
      date: toIso(edited.day),
      start: toClock(edited.start),
      end: toClock(edited.end),
    });
  if (stored.status !== edited.status)
    await saveNow({
      day: edited.day,
      data: { [edited.id]: { name: edited.name, state: edited.status, updatedid: edited.id } },
    });
}

export function createWeekChanges(queryClient: QueryClient): WeekChanges {
  let pending: PendingSlots = new Map();
  const listeners = createListeners();
  const saving = new Map<number, SlotSave>();
  const saveById = new Map<number, Promise<void>>();

  function show(next: PendingSlots): void {
    pending = next;
    listeners.notify();
  }
  const setPending = (id: number, slot: PlannedSlot | undefined): void => show(new Map(pending).set(id, slot));
  const removePending = (id: number): void => show(new Map([...pending].filter(([pendingId]) => pendingId !== id)));

  /** Saves one slot with one call at a time; the newest state wins. */
  async function saveSlot(id: number, state: SlotSave): Promise<void> {
    try {
      while (state.stored !== state.edited) {
        const { stored, edited } = state;
        await sendChange(stored, edited);
        state.stored = edited;
      }
    } catch (error) {
      saving.delete(id);
      removePending(id);
      for (const withdraw of state.withdrawals) withdraw();
      alertFailure(error);
      // A call without an answer may have succeeded.
      await refreshWeeks(queryClient);
      return;
    }
    saving.delete(id);
    await refreshWeeks(queryClient);
    // The slot may have moved to a week that is not loaded yet.
    await waitForWeek(queryClient, state.edited.day);
    // If it changed again in the meantime, the newer change is still shown.
    if (!saving.has(id) && pending.get(id) !== undefined) removePending(id);
  }

  function change(before: PlannedSlot, after: PlannedSlot, withdraw: () => void = () => undefined): void {
    const { id } = after;
    setPending(id, after);
    const state = saving.get(id);
    if (state) {
      state.edited = after;
      state.withdrawals.push(withdraw);
      return;
    }
    const slotSave: SlotSave = { stored: before, edited: after, withdrawals: [withdraw] };
    saving.set(id, slotSave);
    saveById.set(id, saveSlot(id, slotSave));
  }

  /** Removes created slots and restores deleted ones. */
  async function undoSlots(request: RequestInputOf<typeof undoslots>): Promise<void> {
    await call(undoslots, request).catch(alertFailure);
    await refreshWeeks(queryClient);
  }

  async function addSlots(days: Parameters<WeekChanges['add']>[1]): Promise<readonly number[]> {
    const newIds: number[] = [];
    try {
      for (const { day, slots } of days) {
        if (slots.length === 0) continue;
        newIds.push(...Object.values(await saveNow({ day, data: createNewSlots(day, slots) })));
      }
    } catch (error) {
      alertFailure(error);
    }
    await refreshWeeks(queryClient);
    return newIds;
  }

  async function removeSlot(slot: PlannedSlot): Promise<void> {
    const { id } = slot;
    setPending(id, undefined);
    await saveById.get(id);
    try {
      await saveNow({ day: slot.day, data: { [id]: { name: DELETED, updatedid: id } } });
    } catch (error) {
      removePending(id);
      alertFailure(error);
      return;
    }
    undo.offer(`Deleted ${getTitle(slot)}`, () => undoSlots({ made: [], gone: [id] }));
    await refreshWeeks(queryClient);
    removePending(id);
  }

  return {
    getPending: () => pending,
    subscribe: listeners.subscribe,
    change: (before, after) => {
      const label = `${before.status === after.status ? 'Moved' : after.status} ${getTitle(after)}`;
      const withdraw = undo.register(label, async () => change(after, before));
      change(before, after, withdraw);
    },
    remove: (slot) => void removeSlot(slot),
    add: async (label, days) => {
      const newIds = await addSlots(days);
      if (newIds.length > 0) undo.offer(label, () => undoSlots({ made: [...newIds], gone: [] }));
    },
    save: async ({ day, data }) => {
      for (const key of Object.keys(data)) await saveById.get(Number(key));
      const overwrite = await saveNow({ day, data });
      await refreshWeeks(queryClient);
      return overwrite;
    },
  };
}

/** Applies optimistic updates to the server's week. Days without updates keep their identity. */
export function applyPending(
  days: readonly (readonly PlannedSlot[])[],
  pending: PendingSlots,
  monday: Day,
): readonly (readonly PlannedSlot[])[] {
  if (pending.size === 0) return days;
  return days.map((slots, index) => {
    const day = monday + index;
    const unchanged = slots.filter(({ id }) => !pending.has(id));
    const movedSlots = [...pending.values()].filter((slot): slot is PlannedSlot => slot?.day === day);
    return unchanged.length === slots.length && movedSlots.length === 0 ? slots : [...unchanged, ...movedSlots];
  });
}
