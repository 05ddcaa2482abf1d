import { createContext, useContext, useLayoutEffect, useMemo, useRef } from 'react';
import type { Day } from '#platform/contract/day.ts';
import type { DayEntry } from './dayEntries.ts';

export interface EntryActions {
  readonly open: (item: DayEntry, day: Day) => void;
  /** Opens the context menu at a position of the window. */
  readonly openMenu: (item: DayEntry, day: Day, position: { readonly x: number; readonly y: number }) => void;
  readonly openMoveDialog: (item: DayEntry, day: Day) => void;
  readonly remove: (item: DayEntry, day: Day) => void;
  readonly drag: (item: DayEntry, day: Day) => void;
  /** Drops the dragged entry on a day. */
  readonly drop: (day: Day) => void;
}

const noop = (): void => undefined;
const ActionsContext = createContext<EntryActions>({
  open: noop,
  openMenu: noop,
  openMoveDialog: noop,
  remove: noop,
  drag: noop,
  drop: noop,
});

export const EntryActionsProvider = ActionsContext.Provider;
export function useEntryActions(): EntryActions {
  return useContext(ActionsContext);
}

/** Returns one stable object that calls the latest actions, so that memoized entries don't render again. */
export function useStableActions(actions: EntryActions): EntryActions {
  const latest = useRef(actions);
  useLayoutEffect(() => {
    latest.current = actions;
  });
  return useMemo(
    () => ({
      open: (...args) => latest.current.open(...args),
      openMenu: (...args) => latest.current.openMenu(...args),
      openMoveDialog: (...args) => latest.current.openMoveDialog(...args),
      remove: (...args) => latest.current.remove(...args),
      drag: (...args) => latest.current.drag(...args),
      drop: (...args) => latest.current.drop(...args),
    }),
    [],
  );
}
