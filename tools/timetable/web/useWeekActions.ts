import { useEffect, useEffectEvent, useLayoutEffect, useRef, type RefObject } from 'react';
import type { Day } from '#platform/contract/day.ts';
import { isBehindDialog, useCommands } from '#platform/web/app/commands.ts';
import type { RealDay } from '../domain/dayShares.ts';
import { NEW_SLOT, type TimeSpan, getTitle, nextStatus } from '../domain/slot.ts';
import { pastedDays } from '../domain/slotClipboard.ts';
import { applyKey, type PlacedSlot } from '../domain/slotMoves.ts';
import { getWeekday } from '../domain/week.ts';
import { clip } from './clip.ts';
import { hourAt, getMinuteAt, watchDrags, type DragHooks, type Drags } from './drag.ts';
import { type PlannedSlot, formatTimes } from './planned.ts';
import type { EditorTarget } from './slotDrafts.ts';
import type { Changes } from './weekChanges.ts';

interface WeekActionsOptions {
  readonly monday: Day;
  /** Monday first. */
  readonly slots: readonly (readonly PlannedSlot[])[];
  readonly statuses: readonly string[];
  /** The day to use if nothing has the focus. */
  readonly day: Day;
  /** Whether a day is visible now. */
  readonly isShown: (day: Day) => boolean;
  readonly changes: Changes;
  readonly realDay: (day: Day) => RealDay;
  readonly edit: (editing: EditorTarget, takesFocus: boolean) => void;
  /** Closes the editor if it is open for this slot. */
  readonly closeFor: (id: number) => void;
  readonly go: (day: Day) => void;
  /** Announces a text to screen readers. */
  readonly say: (text: string) => void;
}

const pastedWords = (count: number, day: Day): string =>
  `Pasted ${count === 1 ? '1 slot' : `${count} slots`} into ${getWeekday(day)}`;

/** Creates the actions on the shown week. */
export function createWeekActions(options: WeekActionsOptions): WeekActions {
  const { monday, slots, statuses, day, isShown, changes, realDay, edit, closeFor, go, say } = options;
  const slotsOn = (on: Day): readonly PlannedSlot[] => slots[on - monday] ?? [];
  const pasteClipping = async (on: Day, clipping: ReturnType<typeof clip.parse>): Promise<void> => {
    if (!clipping) return;
    const pasted = pastedDays(clipping, on);
    const count = pasted.flatMap((each) => each.slots).length;
    await changes.add(pastedWords(count, on), pasted);
  };
  return {
    findSlot: (id) => slots.flat().find((slot) => slot.id === id),
    slotsOn,
    realDay,
    day,
    open: (slot, byKey) => edit({ kind: 'slot', id: slot.id }, byKey),
    add: (on, { start, end } = NEW_SLOT) => edit({ kind: 'new', day: on, span: { start, end } }, true),
    place: (slot, to) => {
      changes.change(slot, { ...slot, ...to });
      say(`${getTitle(slot)}: ${getWeekday(to.day)}, ${formatTimes(to)}`);
      if (!isShown(to.day)) go(to.day);
    },
    cycle: (slot) => {
      const status = nextStatus(slot.status, statuses) as PlannedSlot['status'];
      changes.change(slot, { ...slot, status });
      say(`${getTitle(slot)}: ${status}`);
    },
    remove: (slot) => {
      closeFor(slot.id);
      changes.remove(slot);
    },
    copySlot: (slot) => void clip.copySlot(slot, getTitle(slot)),
    copyDay: (on) => void clip.copyDay(slotsOn(on), getWeekday(on)),
    paste: (on) => void clip.read().then((clipping) => pasteClipping(on, clipping)),
    pasteText: (on, text) => void pasteClipping(on, clip.parse(text)),
  };
}

/** Actions on the week. */
export interface WeekActions {
  readonly findSlot: (id: number) => PlannedSlot | undefined;
  readonly slotsOn: (day: Day) => readonly PlannedSlot[];
  readonly realDay: DragHooks['realDay'];
  /** `byKey`: moves the focus into the editor. */
  readonly open: (slot: PlannedSlot, byKey: boolean) => void;
  readonly add: (day: Day, span?: TimeSpan) => void;
  readonly place: (slot: PlannedSlot, to: PlacedSlot) => void;
  readonly cycle: (slot: PlannedSlot) => void;
  readonly remove: (slot: PlannedSlot) => void;
  readonly copySlot: (slot: PlannedSlot) => void;
  readonly copyDay: (day: Day) => void;
  readonly paste: (day: Day) => void;
  readonly pasteText: (day: Day, text: string) => void;
  /** The day to use if nothing has the focus. */
  readonly day: Day;
}

const slotElement = (target: EventTarget | null): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>('[data-slot]') : null;

/** Returns the day that contains the focus. */
const focusedDay = (): Day | undefined => {
  const day = document.activeElement?.closest('section')?.querySelector<HTMLElement>('[data-surface]');
  return day ? Number(day.dataset['surface']) : undefined;
};

const isBusyElsewhere = (target: EventTarget | null): boolean =>
  (target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))) ||
  isBehindDialog();

/** Moves the focus to the next or previous slot, across all days. */
const focusBeside = (root: HTMLElement, from: HTMLElement, by: 1 | -1): void => {
  const all = [...root.querySelectorAll<HTMLElement>('[data-slot]')];
  all[all.indexOf(from) + by]?.focus();
};

const useListeners = (
  root: RefObject<HTMLElement | null>,
  actions: WeekActions,
  drags: RefObject<Drags | undefined>,
) => {
  /** The slot that gets the focus again after it is rendered elsewhere. */
  const pendingFocus = useRef<number>(undefined);
  useLayoutEffect(() => {
    const id = pendingFocus.current;
    const box = id === undefined ? null : root.current?.querySelector<HTMLElement>(`[data-slot="${id}"]`);
    if (!box) return;
    if (document.activeElement === document.body || document.activeElement === box) box.focus();
    pendingFocus.current = undefined;
  });

  const onAct = (name: string | undefined, day: Day): void => {
    if (name === 'copy') actions.copyDay(day);
    else if (name === 'paste') actions.paste(day);
    else if (name === 'add') actions.add(day);
  };
  const onClick = useEffectEvent((event: MouseEvent): void => {
    // A click by keyboard has no pointer before it.
    if (event.detail > 0 && drags.current?.isClickOfDrag()) return;
    const act = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-act]') : null;
    if (act) {
      onAct(act.dataset['act'], Number(act.dataset['day']));
      return;
    }
    const slot = actions.findSlot(Number(slotElement(event.target)?.dataset['slot']));
    if (slot) actions.open(slot, event.detail === 0);
  });
  const onDoubleClick = useEffectEvent((event: MouseEvent): void => {
    const surface = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-surface]') : null;
    if (!surface || slotElement(event.target)) return;
    const day = Number(surface.dataset['surface']);
    const isEmpty = actions.slotsOn(day).length === 0;
    actions.add(day, isEmpty ? NEW_SLOT : hourAt(getMinuteAt(surface, event.clientY, actions.realDay(day))));
  });
  const onKeyDown = useEffectEvent((event: KeyboardEvent): void => {
    const box = slotElement(event.target);
    const slot = actions.findSlot(Number(box?.dataset['slot']));
    if (!box || !slot || event.ctrlKey || event.metaKey) return;
    const to = applyKey(slot, event);
    if (to) {
      pendingFocus.current = slot.id;
      actions.place(slot, to);
    } else if (event.key === 'Delete' || event.key === 'Backspace') {
      focusBeside(event.currentTarget as HTMLElement, box, 1);
      actions.remove(slot);
    } else return;
    event.preventDefault();
  });
  const onPaste = useEffectEvent((event: ClipboardEvent): void => {
    const text = event.clipboardData?.getData('text/plain') ?? '';
    if (isBusyElsewhere(event.target) || text === '') return;
    event.preventDefault();
    actions.pasteText(focusedDay() ?? actions.day, text);
  });
  const onCopy = useEffectEvent((event: ClipboardEvent): void => {
    const slot = actions.findSlot(Number(slotElement(document.activeElement)?.dataset['slot']));
    if (!slot || isBusyElsewhere(event.target)) return;
    event.preventDefault();
    actions.copySlot(slot);
  });
  useEffect(() => {
    const element = root.current;
    if (!element) return undefined;
    const stop = new AbortController();
    const { signal } = stop;
    element.addEventListener('click', onClick, { signal });
    element.addEventListener('dblclick', onDoubleClick, { signal });
    element.addEventListener('keydown', onKeyDown, { signal });
    document.addEventListener('paste', onPaste, { signal });
    document.addEventListener('copy', onCopy, { signal });
    return () => stop.abort();
  }, [root]);
};

const focused = (): HTMLElement | null => slotElement(document.activeElement);

/** Handles pointer, keyboard and clipboard of the week in one place, so that slots need no listeners of their own. */
export function useWeekActs(
  root: RefObject<HTMLElement | null>,
  actions: WeekActions,
  ghost: string,
): RefObject<Drags | undefined> {
  const drags = useRef<Drags>(undefined);
  const hooks = useEffectEvent((): DragHooks => ({
    findSlot: actions.findSlot,
    realDay: actions.realDay,
    onMove: actions.place,
    onDraw: actions.add,
    ghost,
  }));
  useEffect(() => {
    if (!root.current) return undefined;
    drags.current = watchDrags(root.current, () => hooks());
    return () => drags.current?.stop();
  }, [root]);
  useListeners(root, actions, drags);

  const slot = (): PlannedSlot | undefined => actions.findSlot(Number(focused()?.dataset['slot']));
  const withSelectedSlot = (then: (slot: PlannedSlot) => void) => (): void => {
    const focusedSlot = slot();
    if (focusedSlot) then(focusedSlot);
  };
  const beside = (by: 1 | -1) => (): void => {
    const from = focused();
    if (root.current && from) focusBeside(root.current, from, by);
  };
  const has = (): boolean => slot() !== undefined;
  useCommands([
    { id: 'timetable.status', name: 'Set next status', keys: 's', when: has, run: withSelectedSlot(actions.cycle) },
    { id: 'timetable.copy', name: 'Copy slot', keys: 'c', when: has, run: withSelectedSlot(actions.copySlot) },
    {
      id: 'timetable.paste',
      name: 'Paste into day',
      keys: 'v',
      run: () => actions.paste(focusedDay() ?? actions.day),
    },
    { id: 'timetable.next', name: 'Next slot', keys: 'j', when: has, run: beside(1) },
    { id: 'timetable.before', name: 'Previous slot', keys: 'k', when: has, run: beside(-1) },
    {
      id: 'timetable.new',
      name: 'New slot',
      keys: 'n',
      opensField: true,
      run: () => actions.add(focusedDay() ?? actions.day),
    },
    // Handled by the listeners above: pressed keys must repeat, and the clipboard has its own events.
    {
      id: 'timetable.move',
      name: 'Move the selected slot',
      keys: ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'],
    },
    { id: 'timetable.end', name: 'Move the end of the slot', keys: ['Shift+ArrowUp', 'Shift+ArrowDown'] },
    { id: 'timetable.start', name: 'Move the start of the slot', keys: ['Alt+Shift+ArrowUp', 'Alt+Shift+ArrowDown'] },
    { id: 'timetable.delete', name: 'Delete the selected slot', keys: ['Delete', 'Backspace'] },
    { id: 'timetable.copyText', name: 'Copy slot to the clipboard', keys: 'Mod+C' },
    { id: 'timetable.pasteText', name: 'Paste from the clipboard into day', keys: 'Mod+V' },
  ]);
  return drags;
}
