import { useEffect, useLayoutEffect, useRef, type KeyboardEvent as ReactKeyboardEvent } from 'react';
import type { Day } from '#platform/contract/day.ts';
import { SINGLE_LETTERS_KEY, useCommands } from '#platform/web/app/commands.ts';
import { browserStorage } from '#platform/web/browser/browserStorage.ts';
import { findDayByKey } from '../../events/domain/monthGrid.ts';
import type { DayEntry } from './dayEntries.ts';
import type { EntryActions } from './entryActions.ts';

interface DayKeysOptions {
  readonly day: Day;
  readonly today: Day;
  readonly page: 'month' | 'week';
  readonly actions: EntryActions;
  readonly findEntry: (element: Element | null) => { readonly item: DayEntry; readonly day: Day } | undefined;
  readonly go: (day: Day, focus: boolean) => void;
  readonly turnPage: (by: 1 | -1) => void;
  readonly onNew: (day: Day) => void;
}

/** Focuses the day in whose cell an entry is drawn. */
function focusCell(chip: HTMLElement): void {
  const day = chip.closest<HTMLElement>('[data-cell]')?.dataset['cell'];
  chip.closest('[role=grid]')?.querySelector<HTMLElement>(`[data-day="${day}"]`)?.focus();
}

/** Moves up and down among the entries of a day. The day itself is above the first one. */
function stepThroughEntries(chip: HTMLElement, by: 1 | -1): void {
  const chips = [...(chip.closest('[data-cell]')?.querySelectorAll<HTMLElement>('[data-entry]') ?? [])];
  const next = chips.indexOf(chip) + by;
  if (next < 0) focusCell(chip);
  else chips[next]?.focus();
}

const isChord = ({ ctrlKey, metaKey, altKey }: KeyboardEvent | ReactKeyboardEvent): boolean =>
  ctrlKey || metaKey || altKey;

/** Returns whether nothing has the focus, or only the switch that has just opened the view. */
const isUnfocused = (focused: Element | null): boolean =>
  focused === document.body || focused?.matches('button[aria-pressed=true]') === true;

/** Handles keys that no element uses: those pressed right after the view was opened. */
function useUnhandledKeys(onKey: (event: KeyboardEvent) => boolean): void {
  const latest = useRef(onKey);
  useLayoutEffect(() => {
    latest.current = onKey;
  });
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent): void {
      if (isChord(event) || event.defaultPrevented || !isUnfocused(document.activeElement)) return;
      if (latest.current(event)) event.preventDefault();
    }
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
}

/** Registers the commands of a grid of days, and handles its keys (docs/design/appearance.md section 4.3). */
export function useDayKeys(options: DayKeysOptions) {
  const { day, today, page, actions, findEntry, go, turnPage, onNew } = options;
  const focusedEntry = () => findEntry(document.activeElement);
  function moveFocusedEntry(): void {
    const focused = focusedEntry();
    if (focused) actions.openMoveDialog(focused.item, focused.day);
  }
  useCommands([
    { id: 'calendar.days.today', name: 'Today', keys: 't', run: () => go(today, true) },
    {
      id: 'calendar.days.new',
      name: 'New event on the selected day',
      keys: 'n',
      opensField: true,
      run: () => onNew(day),
    },
    {
      id: 'calendar.days.move',
      name: 'Move to…',
      keys: 'm',
      when: () => focusedEntry() !== undefined,
      run: moveFocusedEntry,
    },
    // Handled below: the grid and its entries move the focus themselves.
    {
      id: 'calendar.days.go',
      name: 'Go to the next day or event',
      keys: ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'],
    },
    { id: 'calendar.days.week', name: 'Go to the start or end of the week', keys: ['Home', 'End'] },
    { id: 'calendar.days.turn', name: `Go to the previous or next ${page}`, keys: ['PageUp', 'PageDown'] },
    { id: 'calendar.days.open', name: 'Open the selected day or event', keys: ['Enter', ' '] },
    { id: 'calendar.days.delete', name: 'Delete the selected event', keys: 'Delete' },
    { id: 'calendar.days.next', name: `Next ${page}`, run: () => turnPage(1) },
    { id: 'calendar.days.previous', name: `Previous ${page}`, run: () => turnPage(-1) },
  ]);

  function onEntryKey(event: ReactKeyboardEvent, chip: HTMLElement): boolean {
    const focused = findEntry(chip);
    if (!focused) return false;
    const open = (): void => actions.open(focused.item, focused.day);
    // A line of a list is a button, and its list moves the focus among its lines.
    const gridKeys: Readonly<Record<string, () => void>> = {
      Enter: open,
      ' ': open,
      Escape: () => focusCell(chip),
      ArrowUp: () => stepThroughEntries(chip, -1),
      ArrowDown: () => stepThroughEntries(chip, 1),
    };
    const keys: Readonly<Record<string, () => void>> = {
      Delete: () => actions.remove(focused.item, focused.day),
      ...(browserStorage.get(SINGLE_LETTERS_KEY) === 'off'
        ? {}
        : { m: () => actions.openMoveDialog(focused.item, focused.day) }),
      ...(chip.closest('[data-cell]') ? gridKeys : {}),
    };
    const run = Object.hasOwn(keys, event.key) ? keys[event.key] : undefined;
    run?.();
    return run !== undefined;
  }

  function onDayKey({ key }: { readonly key: string }): boolean {
    const nextDay = findDayByKey(day, key, page);
    if (nextDay !== undefined) go(nextDay, true);
    return nextDay !== undefined;
  }
  useUnhandledKeys(onDayKey);

  /** The handler of the view. It ignores keys that were pressed in a dialog over the view. */
  return (event: ReactKeyboardEvent<HTMLElement>): void => {
    const { target, currentTarget } = event;
    if (isChord(event) || !(target instanceof HTMLElement)) return;
    if (event.defaultPrevented || !currentTarget.contains(target)) return;
    const chip = target.closest<HTMLElement>('[data-entry]');
    const isHandled = (chip && onEntryKey(event, chip)) || (target.closest('[role=grid]') !== null && onDayKey(event));
    if (isHandled) event.preventDefault();
  };
}
