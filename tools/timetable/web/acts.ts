import type { RealDay } from '../domain/dayShares.ts';
import { NEW_SLOT, titleOf } from '../domain/slot.ts';
import { pastedDays } from '../domain/slotClipboard.ts';
import { nextStatus } from '../domain/status.ts';
import { weekdayOf, type Day } from '../domain/week.ts';
import { clip } from './clip.ts';
import { timesOf, type PlannedSlot } from './planned.ts';
import type { EditorTarget } from './slotDrafts.ts';
import type { WeekActions } from './useWeekActions.ts';
import type { Changes } from './weekChanges.ts';

interface ActsOptions {
  readonly monday: Day;
  /** Monday first. */
  readonly slots: readonly (readonly PlannedSlot[])[];
  readonly statuses: readonly string[];
  /** The day that is meant where nothing has the focus. */
  readonly day: Day;
  /** Whether a day is shown now. */
  readonly isShown: (day: Day) => boolean;
  readonly changes: Changes;
  readonly realDay: (day: Day) => RealDay;
  readonly edit: (editing: EditorTarget, takesFocus: boolean) => void;
  /** Closes the editor where it is open for this slot. */
  readonly closeFor: (id: number) => void;
  readonly go: (day: Day) => void;
  /** To screen readers. */
  readonly say: (text: string) => void;
}

const pastedWords = (count: number, day: Day): string =>
  `Pasted ${count === 1 ? '1 slot' : `${count} slots`} into ${weekdayOf(day)}`;

/** What can be done on the shown week. */
export const actsOf = (options: ActsOptions): WeekActions => {
  const { monday, slots, statuses, day, isShown, changes, realDay, edit, closeFor, go, say } = options;
  const slotsOn = (on: Day): readonly PlannedSlot[] => slots[on - monday] ?? [];
  const pasteClipping = async (on: Day, clipping: ReturnType<typeof clip.parse>): Promise<void> => {
    if (!clipping) return;
    const pasted = pastedDays(clipping, on);
    const count = pasted.flatMap((each) => each.slots).length;
    await changes.add(pastedWords(count, on), pasted);
  };
  return {
    slotOf: (id) => slots.flat().find((slot) => slot.id === id),
    slotsOn,
    realDay,
    day,
    open: (slot, byKey) => edit({ kind: 'slot', id: slot.id }, byKey),
    add: (on, { start, end } = NEW_SLOT) => edit({ kind: 'new', day: on, span: { start, end } }, true),
    place: (slot, to) => {
      changes.change(slot, { ...slot, ...to });
      say(`${titleOf(slot)}: ${weekdayOf(to.day)}, ${timesOf(to)}`);
      if (!isShown(to.day)) go(to.day);
    },
    cycle: (slot) => {
      const status = nextStatus(slot.status, statuses) as PlannedSlot['status'];
      changes.change(slot, { ...slot, status });
      say(`${titleOf(slot)}: ${status}`);
    },
    remove: (slot) => {
      closeFor(slot.id);
      changes.remove(slot);
    },
    copySlot: (slot) => void clip.copySlot(slot, titleOf(slot)),
    copyDay: (on) => void clip.copyDay(slotsOn(on), weekdayOf(on)),
    paste: (on) => void clip.read().then((clipping) => pasteClipping(on, clipping)),
    pasteText: (on, text) => void pasteClipping(on, clip.parse(text)),
  };
};
