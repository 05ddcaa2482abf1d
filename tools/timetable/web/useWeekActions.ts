import { useEffect, useEffectEvent, useLayoutEffect, useRef, type RefObject } from 'react';
import type { Day } from '#platform/contract/day.ts';
import { isBehindDialog, useCommands } from '#platform/web/app/commands.ts';
import type { LocalDay } from '../domain/dayShares.ts';
import { NEW_SLOT, type TimeSpan, getTitle, getNextStatus } from '../domain/slot.ts';
import { createPastedDays } from '../domain/slotClipboard.ts';
import { applyKey, type PlacedSlot } from '../domain/slotMoves.ts';
import { getWeekday } from '../domain/week.ts';
import { clipboard } from './clipboard.ts';
import { getHourSpan, getMinuteAt, watchDrags, type DragHooks, type DragController } from './drag.ts';
import { type PlannedSlot, formatSlotCount, formatTimes } from './plannedWeek.ts';
import type { EditorTarget } from './slotDrafts.ts';
import type { WeekChanges } from './weekChanges.ts';

interface WeekActionsOptions {
  readonly monday: Day;
  /** Monday first. */
  readonly slots: readonly (readonly PlannedSlot[])[];
  readonly statuses: readonly string[];
  /** The day to use if nothing has the focus. */
  readonly defaultDay: Day;
  /** Whether a day is visible now. */
  readonly isShown: (day: Day) => boolean;
  readonly changes: WeekChanges;
  readonly getLocalDay: (day: Day) => LocalDay;
  readonly edit: (target: EditorTarget, takesFocus: boolean) => void;
  /** Closes the editor if it is open for this slot. */
  readonly closeSlot: (id: number) => void;
  readonly goToDay: (day: Day) => void;
  /** Announces a text to screen readers. */
  readonly announce: (text: string) => void;
}

const formatPasteMessage = (count: number, day: Day): string =>
  `Pasted ${formatSlotCount(count)} into ${getWeekday(day)}`;

export function createWeekActions(options: WeekActionsOptions): WeekActions {
  const { monday, slots, statuses, defaultDay, isShown, changes, getLocalDay, edit, closeSlot, goToDay, announce } =
    options;
  const listSlots = (day: Day): readonly PlannedSlot[] => slots[day - monday] ?? [];
  async function pasteContent(day: Day, content: ReturnType<typeof clipboard.parse>): Promise<void> {
    if (!content) return;
    const pasted = createPastedDays(content, day);
    const count = pasted.flatMap((pastedDay) => pastedDay.slots).length;
    await changes.add(formatPasteMessage(count, day), pasted);
  }
  return {
    findSlot: (id) => slots.flat().find((slot) => slot.id === id),
    listSlots,
    getLocalDay,
    defaultDay,
    open: (slot, takesFocus) => edit({ kind: 'slot', id: slot.id }, takesFocus),
    create: (day, { start, end } = NEW_SLOT) => edit({ kind: 'new', day, span: { start, end } }, true),
    move: (slot, to) => {
      changes.change(slot, { ...slot, ...to });
      announce(`${getTitle(slot)}: ${getWeekday(to.day)}, ${formatTimes(to)}`);
      if (!isShown(to.day)) goToDay(to.day);
    },
    setNextStatus: (slot) => {
      const status = getNextStatus(slot.status, statuses) as PlannedSlot['status'];
      changes.change(slot, { ...slot, status });
      announce(`${getTitle(slot)}: ${status}`);
    },
    remove: (slot) => {
      closeSlot(slot.id);
      changes.remove(slot);
    },
    copySlot: (slot) => void clipboard.copySlot(slot, getTitle(slot)),
    copyDay: (day) => void clipboard.copyDay(listSlots(day), getWeekday(day)),
    paste: (day) => void clipboard.read().then((content) => pasteContent(day, content)),
    pasteText: (day, text) => void pasteContent(day, clipboard.parse(text)),
  };
}

export interface WeekActions {
  readonly findSlot: (id: number) => PlannedSlot | undefined;
  readonly listSlots: (day: Day) => readonly PlannedSlot[];
  readonly getLocalDay: DragHooks['getLocalDay'];
  readonly open: (slot: PlannedSlot, takesFocus: boolean) => void;
  readonly create: (day: Day, span?: TimeSpan) => void;
  readonly move: (slot: PlannedSlot, to: PlacedSlot) => void;
  readonly setNextStatus: (slot: PlannedSlot) => void;
  readonly remove: (slot: PlannedSlot) => void;
  readonly copySlot: (slot: PlannedSlot) => void;
  readonly copyDay: (day: Day) => void;
  readonly paste: (day: Day) => void;
  readonly pasteText: (day: Day, text: string) => void;
  /** The day to use if nothing has the focus. */
  readonly defaultDay: Day;
}

const findSlotElement = (target: EventTarget | null): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>('[data-slot]') : null;

/** Returns the day that contains the focus. */
function getFocusedDay(): Day | undefined {
  const day = document.activeElement?.closest('section')?.querySelector<HTMLElement>('[data-surface]');
  return day ? Number(day.dataset['surface']) : undefined;
}

const isTypingElsewhere = (target: EventTarget | null): boolean =>
  (target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))) ||
  isBehindDialog();

/** Moves the focus to the next or previous slot, across all days. */
function focusNeighbour(root: HTMLElement, from: HTMLElement, by: 1 | -1): void {
  const slotElements = [...root.querySelectorAll<HTMLElement>('[data-slot]')];
  slotElements[slotElements.indexOf(from) + by]?.focus();
}

function useWeekListeners(
  root: RefObject<HTMLElement | null>,
  actions: WeekActions,
  drags: RefObject<DragController | undefined>,
) {
  /** The slot that gets the focus again after it is rendered elsewhere. */
  const pendingFocus = useRef<number>(undefined);
  useLayoutEffect(() => {
    const id = pendingFocus.current;
    const box = id === undefined ? null : root.current?.querySelector<HTMLElement>(`[data-slot="${id}"]`);
    if (!box) return;
    if (document.activeElement === document.body || document.activeElement === box) box.focus();
    pendingFocus.current = undefined;
  });

  function runHeaderAction(name: string | undefined, day: Day): void {
    if (name === 'copy') actions.copyDay(day);
    else if (name === 'paste') actions.paste(day);
    else if (name === 'add') actions.create(day);
  }
  const onClick = useEffectEvent((event: MouseEvent): void => {
    // A click by keyboard has no pointer before it.
    if (event.detail > 0 && drags.current?.isClickOfDrag()) return;
    const act = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-act]') : null;
    if (act) {
      runHeaderAction(act.dataset['act'], Number(act.dataset['day']));
      return;
    }
    const slot = actions.findSlot(Number(findSlotElement(event.target)?.dataset['slot']));
    if (slot) actions.open(slot, event.detail === 0);
  });
  const onDoubleClick = useEffectEvent((event: MouseEvent): void => {
    const surface = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-surface]') : null;
    if (!surface || findSlotElement(event.target)) return;
    const day = Number(surface.dataset['surface']);
    const isEmpty = actions.listSlots(day).length === 0;
    actions.create(
      day,
      isEmpty ? NEW_SLOT : getHourSpan(getMinuteAt(surface, event.clientY, actions.getLocalDay(day))),
    );
  });
  const onKeyDown = useEffectEvent((event: KeyboardEvent): void => {
    const box = findSlotElement(event.target);
    const slot = actions.findSlot(Number(box?.dataset['slot']));
    if (!box || !slot || event.ctrlKey || event.metaKey) return;
    const to = applyKey(slot, event);
    if (to) {
      pendingFocus.current = slot.id;
      actions.move(slot, to);
    } else if (event.key === 'Delete' || event.key === 'Backspace') {
      focusNeighbour(event.currentTarget as HTMLElement, box, 1);
      actions.remove(slot);
    } else return;
    event.preventDefault();
  });
  const onPaste = useEffectEvent((event: ClipboardEvent): void => {
    const text = event.clipboardData?.getData('text/plain') ?? '';
    if (isTypingElsewhere(event.target) || text === '') return;
    event.preventDefault();
    actions.pasteText(getFocusedDay() ?? actions.defaultDay, text);
  });
  const onCopy = useEffectEvent((event: ClipboardEvent): void => {
    const slot = actions.findSlot(Number(findSlotElement(document.activeElement)?.dataset['slot']));
    if (!slot || isTypingElsewhere(event.target)) return;
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
}

const getFocusedElement = (): HTMLElement | null => findSlotElement(document.activeElement);

/** Handles pointer, keyboard and clipboard of the week in one place, so that slots need no listeners of their own. */
export function useWeekInteractions(
  root: RefObject<HTMLElement | null>,
  actions: WeekActions,
  previewClassName: string,
): RefObject<DragController | undefined> {
  const drags = useRef<DragController>(undefined);
  const hooks = useEffectEvent((): DragHooks => ({
    findSlot: actions.findSlot,
    getLocalDay: actions.getLocalDay,
    onMove: actions.move,
    onDraw: actions.create,
    previewClassName,
  }));
  useEffect(() => {
    if (!root.current) return undefined;
    drags.current = watchDrags(root.current, () => hooks());
    return () => drags.current?.stop();
  }, [root]);
  useWeekListeners(root, actions, drags);

  const getFocusedSlot = (): PlannedSlot | undefined => actions.findSlot(Number(getFocusedElement()?.dataset['slot']));
  const withFocusedSlot = (callback: (slot: PlannedSlot) => void) => (): void => {
    const focusedSlot = getFocusedSlot();
    if (focusedSlot) callback(focusedSlot);
  };
  const createFocusStep = (by: 1 | -1) => (): void => {
    const from = getFocusedElement();
    if (root.current && from) focusNeighbour(root.current, from, by);
  };
  const hasFocusedSlot = (): boolean => getFocusedSlot() !== undefined;
  useCommands([
    {
      id: 'timetable.status',
      name: 'Set next status',
      keys: 's',
      when: hasFocusedSlot,
      run: withFocusedSlot(actions.setNextStatus),
    },
    {
      id: 'timetable.copy',
      name: 'Copy slot',
      keys: 'c',
      when: hasFocusedSlot,
      run: withFocusedSlot(actions.copySlot),
    },
    {
      id: 'timetable.paste',
      name: 'Paste into day',
      keys: 'v',
      run: () => actions.paste(getFocusedDay() ?? actions.defaultDay),
    },
    { id: 'timetable.next', name: 'Next slot', keys: 'j', when: hasFocusedSlot, run: createFocusStep(1) },
    { id: 'timetable.before', name: 'Previous slot', keys: 'k', when: hasFocusedSlot, run: createFocusStep(-1) },
    {
      id: 'timetable.new',
      name: 'New slot',
      keys: 'n',
      opensField: true,
      run: () => actions.create(getFocusedDay() ?? actions.defaultDay),
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
