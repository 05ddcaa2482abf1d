import type { QueryClient } from '@tanstack/react-query';
import type { RequestInputOf } from '#platform/contract/call.ts';
import { toIso, type Day } from '#platform/contract/day.ts';
import { call } from '#platform/web/app/call.ts';
import { createListeners } from '#platform/web/store.ts';
import { DELETED, moveslot, savespecific, undoslots } from '../contract.ts';
import { toClock } from '../domain/clockTime.ts';
import { getTitle, type Slot } from '../domain/slot.ts';
import { toSentSlot, type PlannedSlot, type SentSlot } from './planned.ts';
import { getRealDay } from './realDays.ts';
import { alertFailure, undo } from './undo.ts';
import { refreshWeeks, weekThere } from './useWeek.ts';

/** Optimistic updates by slot id, until the server confirms them. Undefined: deleted. */
export type PendingSlots = ReadonlyMap<number, PlannedSlot | undefined>;

export interface SaveOptions {
  readonly day: Day;
  readonly data: Readonly<Record<string, SentSlot>>;
}

export interface Changes {
  readonly pending: () => PendingSlots;
  readonly subscribe: (listener: () => void) => () => void;
  /**
   * Shows a slot with another time, day or status immediately, and saves it. Changes faster than saving are merged.
   * A change that can't be saved is reverted.
   */
  readonly change: (before: PlannedSlot, after: PlannedSlot) => void;
  /** Removes a slot, and offers undo. */
  readonly remove: (slot: PlannedSlot) => void;
  /** Adds new slots to days, and offers undo. `what`: what was done. */
  readonly add: (
    what: string,
    days: readonly { readonly day: Day; readonly slots: readonly Slot[] }[],
  ) => Promise<void>;
  /**
   * Saves slots of a day after running saves of the same slots. Returns the ids of new ones.
   * @throws what the call throws
   */
  readonly save: (options: SaveOptions) => Promise<Readonly<Record<string, number>>>;
}

interface SlotSave {
  /** As on the server. */
  stored: PlannedSlot;
  edited: PlannedSlot;
  /** Withdraw the offered undos if the change can't be saved. */
  readonly withdrawals: (() => void)[];
}

const isSamePlace = (a: PlannedSlot, b: PlannedSlot): boolean =>
  a.day === b.day && a.start === b.start && a.end === b.end;

const deletions = (ids: readonly number[]): Record<string, SentSlot> =>
  Object.fromEntries(ids.map((id) => [id, { name: DELETED, updatedid: id }]));

const newSlots = (day: Day, slots: readonly Slot[]): Record<string, SentSlot> => {
  const real = getRealDay(day);
  return Object.fromEntries(slots.map((slot, index) => [`new${index}`, toSentSlot(slot, 0, real)]));
};

const saveNow = async ({ day, data }: SaveOptions): Promise<Readonly<Record<string, number>>> =>
  (await call(savespecific, { date: toIso(day), data })).overwrite;

/** Sends the difference between the saved and the wanted state of a slot. */
const send = async (stored: PlannedSlot, edited: PlannedSlot): Promise<void> => {
  if (!isSamePlace(stored, edited))
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
};

export function createChanges(queries: QueryClient): Changes {
  let pending: PendingSlots = new Map();
  const listeners = createListeners();
  const saving = new Map<number, SlotSave>();
  const ends = new Map<number, Promise<void>>();

  const show = (next: PendingSlots): void => {
    pending = next;
    listeners.notify();
  };
  const put = (id: number, slot: PlannedSlot | undefined): void => show(new Map(pending).set(id, slot));
  const drop = (id: number): void => show(new Map([...pending].filter(([pendingId]) => pendingId !== id)));

  /** Saves one slot with one call at a time; the newest state wins. */
  const run = async (id: number, state: SlotSave): Promise<void> => {
    try {
      while (state.stored !== state.edited) {
        const { stored, edited } = state;
        await send(stored, edited);
        state.stored = edited;
      }
    } catch (error) {
      saving.delete(id);
      drop(id);
      for (const withdraw of state.withdrawals) withdraw();
      alertFailure(error);
      // A call without an answer may have succeeded.
      await refreshWeeks(queries);
      return;
    }
    saving.delete(id);
    await refreshWeeks(queries);
    // The slot may have moved to a week that is not loaded yet.
    await weekThere(queries, state.edited.day);
    // If it changed again in the meantime, the newer change is still shown.
    if (!saving.has(id) && pending.get(id) !== undefined) drop(id);
  };

  const change = (before: PlannedSlot, after: PlannedSlot, withdraw: () => void = () => undefined): void => {
    const { id } = after;
    put(id, after);
    const state = saving.get(id);
    if (state) {
      state.edited = after;
      state.withdrawals.push(withdraw);
      return;
    }
    const fresh: SlotSave = { stored: before, edited: after, withdrawals: [withdraw] };
    saving.set(id, fresh);
    ends.set(id, run(id, fresh));
  };

  /** Removes created slots and restores deleted ones. */
  const takeBack = async (way: RequestInputOf<typeof undoslots>): Promise<void> => {
    await call(undoslots, way).catch(alertFailure);
    await refreshWeeks(queries);
  };

  const addNow = async (days: Parameters<Changes['add']>[1]): Promise<readonly number[]> => {
    const newIds: number[] = [];
    try {
      for (const { day, slots } of days) {
        if (slots.length === 0) continue;
        newIds.push(...Object.values(await saveNow({ day, data: newSlots(day, slots) })));
      }
    } catch (error) {
      alertFailure(error);
    }
    await refreshWeeks(queries);
    return newIds;
  };

  const removeNow = async (slot: PlannedSlot): Promise<void> => {
    const { id } = slot;
    put(id, undefined);
    await ends.get(id);
    try {
      await saveNow({ day: slot.day, data: deletions([id]) });
    } catch (error) {
      drop(id);
      alertFailure(error);
      return;
    }
    undo.offer(`Deleted ${getTitle(slot)}`, () => takeBack({ made: [], gone: [id] }));
    await refreshWeeks(queries);
    drop(id);
  };

  return {
    pending: () => pending,
    subscribe: listeners.subscribe,
    change: (before, after) => {
      const what = `${before.status === after.status ? 'Moved' : after.status} ${getTitle(after)}`;
      const withdraw = undo.put(what, async () => {
        change(after, before);
        return Promise.resolve();
      });
      change(before, after, withdraw);
    },
    remove: (slot) => void removeNow(slot),
    add: async (what, days) => {
      const newIds = await addNow(days);
      if (newIds.length > 0) undo.offer(what, () => takeBack({ made: [...newIds], gone: [] }));
    },
    save: async ({ day, data }) => {
      for (const key of Object.keys(data)) await ends.get(Number(key));
      const overwrite = await saveNow({ day, data });
      await refreshWeeks(queries);
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
  return days.map((slots, at) => {
    const day = monday + at;
    const unchanged = slots.filter(({ id }) => !pending.has(id));
    const laid = [...pending.values()].filter((slot): slot is PlannedSlot => slot?.day === day);
    return unchanged.length === slots.length && laid.length === 0 ? slots : [...unchanged, ...laid];
  });
}
