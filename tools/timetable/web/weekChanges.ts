import type { QueryClient } from '@tanstack/react-query';
import type { RequestInputOf } from '#platform/contract/call.ts';
import { call } from '#platform/web/app/call.ts';
import { DELETED, moveslot, savespecific, undoslots } from '../contract.ts';
import { toClock } from '../domain/clockTime.ts';
import { titleOf, type Slot } from '../domain/slot.ts';
import { toIso, type Day } from '../domain/week.ts';
import { sentOf, type PlannedSlot, type SentSlot } from './planned.ts';
import { realDayOf } from './realDays.ts';
import { alertFailure, undo } from './undo.ts';
import { refreshWeeks, weekThere } from './useWeek.ts';

/** Slots that are shown other than the server said, by their ids, until it says so too. Undefined: deleted. */
export type PendingSlots = ReadonlyMap<number, PlannedSlot | undefined>;

export interface SaveOptions {
  readonly day: Day;
  readonly data: Readonly<Record<string, SentSlot>>;
}

export interface Changes {
  readonly pending: () => PendingSlots;
  readonly subscribe: (tell: () => void) => () => void;
  /**
   * Shows a slot with another time, day or status at once, and saves it. Changes that come faster than they are saved are put together.
   * What is not saved goes back to where it was.
   */
  readonly change: (before: PlannedSlot, after: PlannedSlot) => void;
  /** Takes a slot away, with a way back. */
  readonly remove: (slot: PlannedSlot) => void;
  /** Puts new slots on days, with a way back; `what` says what was done. */
  readonly add: (
    what: string,
    days: readonly { readonly day: Day; readonly slots: readonly Slot[] }[],
  ) => Promise<void>;
  /** Saves slots of a day, after what of theirs is being saved. Gives the ids of the new ones. @throws what the call throws */
  readonly save: (options: SaveOptions) => Promise<Readonly<Record<string, number>>>;
}

interface SlotSave {
  /** As the server has it. */
  kept: PlannedSlot;
  wanted: PlannedSlot;
  /** The ways back that are offered and lead nowhere if it is not saved. */
  readonly withdrawals: (() => void)[];
}

const isSamePlace = (a: PlannedSlot, b: PlannedSlot): boolean =>
  a.day === b.day && a.start === b.start && a.end === b.end;

const deletions = (ids: readonly number[]): Record<string, SentSlot> =>
  Object.fromEntries(ids.map((id) => [id, { name: DELETED, updatedid: id }]));

const newSlots = (day: Day, slots: readonly Slot[]): Record<string, SentSlot> => {
  const real = realDayOf(day);
  return Object.fromEntries(slots.map((slot, index) => [`new${index}`, sentOf(slot, 0, real)]));
};

const saveNow = async ({ day, data }: SaveOptions): Promise<Readonly<Record<string, number>>> =>
  (await call(savespecific, { date: toIso(day), data })).overwrite;

/** Brings what the server has of a slot to what is wanted of it. */
const send = async (kept: PlannedSlot, wanted: PlannedSlot): Promise<void> => {
  if (!isSamePlace(kept, wanted))
    await call(moveslot, {
      id: wanted.id,
      date: toIso(wanted.day),
      start: toClock(wanted.start),
      end: toClock(wanted.end),
    });
  if (kept.status !== wanted.status)
    await saveNow({
      day: wanted.day,
      data: { [wanted.id]: { name: wanted.name, state: wanted.status, updatedid: wanted.id } },
    });
};

export function createChanges(queries: QueryClient): Changes {
  let pending: PendingSlots = new Map();
  const listeners = new Set<() => void>();
  const saving = new Map<number, SlotSave>();
  const ends = new Map<number, Promise<void>>();

  const show = (next: PendingSlots): void => {
    pending = next;
    for (const tell of listeners) tell();
  };
  const put = (id: number, slot: PlannedSlot | undefined): void => show(new Map(pending).set(id, slot));
  const drop = (id: number): void => show(new Map([...pending].filter(([known]) => known !== id)));

  /** One call after the other for each slot; the newest wish wins. */
  const run = async (id: number, state: SlotSave): Promise<void> => {
    try {
      while (state.kept !== state.wanted) {
        const { kept, wanted } = state;
        await send(kept, wanted);
        state.kept = wanted;
      }
    } catch (error) {
      saving.delete(id);
      drop(id);
      for (const withdraw of state.withdrawals) withdraw();
      alertFailure(error);
      // What was not answered may have been done.
      await refreshWeeks(queries);
      return;
    }
    saving.delete(id);
    await refreshWeeks(queries);
    // It may have gone to a week that is only just turned to.
    await weekThere(queries, state.wanted.day);
    // Changed again meanwhile: what is shown is what will be saved.
    if (!saving.has(id) && pending.get(id) !== undefined) drop(id);
  };

  const change = (before: PlannedSlot, after: PlannedSlot, withdraw: () => void = () => undefined): void => {
    const { id } = after;
    put(id, after);
    const state = saving.get(id);
    if (state) {
      state.wanted = after;
      state.withdrawals.push(withdraw);
      return;
    }
    const fresh: SlotSave = { kept: before, wanted: after, withdrawals: [withdraw] };
    saving.set(id, fresh);
    ends.set(id, run(id, fresh));
  };

  /** Takes slots away that were made, and brings deleted ones back. */
  const takeBack = async (way: RequestInputOf<typeof undoslots>): Promise<void> => {
    await call(undoslots, way).catch(alertFailure);
    await refreshWeeks(queries);
  };

  const addNow = async (days: Parameters<Changes['add']>[1]): Promise<readonly number[]> => {
    const made: number[] = [];
    try {
      for (const { day, slots } of days) {
        if (slots.length === 0) continue;
        made.push(...Object.values(await saveNow({ day, data: newSlots(day, slots) })));
      }
    } catch (error) {
      alertFailure(error);
    }
    await refreshWeeks(queries);
    return made;
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
    undo.offer(`Deleted ${titleOf(slot)}`, () => takeBack({ made: [], gone: [id] }));
    await refreshWeeks(queries);
    drop(id);
  };

  return {
    pending: () => pending,
    subscribe: (tell) => {
      listeners.add(tell);
      return () => listeners.delete(tell);
    },
    change: (before, after) => {
      const what = `${before.status === after.status ? 'Moved' : after.status} ${titleOf(after)}`;
      const withdraw = undo.put(what, async () => {
        change(after, before);
        return Promise.resolve();
      });
      change(before, after, withdraw);
    },
    remove: (slot) => void removeNow(slot),
    add: async (what, days) => {
      const made = await addNow(days);
      if (made.length > 0) undo.offer(what, () => takeBack({ made: [...made], gone: [] }));
    },
    save: async ({ day, data }) => {
      for (const key of Object.keys(data)) await ends.get(Number(key));
      const overwrite = await saveNow({ day, data });
      await refreshWeeks(queries);
      return overwrite;
    },
  };
}

/** What is shown of a week: as the server has it, with what is not saved yet laid over. Days that nothing is laid over stay the same ones. */
export function laidOver(
  days: readonly (readonly PlannedSlot[])[],
  pending: PendingSlots,
  monday: Day,
): readonly (readonly PlannedSlot[])[] {
  if (pending.size === 0) return days;
  return days.map((slots, at) => {
    const day = monday + at;
    const stays = slots.filter(({ id }) => !pending.has(id));
    const laid = [...pending.values()].filter((slot): slot is PlannedSlot => slot?.day === day);
    return stays.length === slots.length && laid.length === 0 ? slots : [...stays, ...laid];
  });
}
