import { createContext, useContext, useLayoutEffect, useMemo, useRef } from 'react';
import type { Day } from '#platform/contract/day.ts';
import type { DayEntry } from './dayEntries.ts';

/** Actions on an entry, on one of its days. */
export interface EntryActions {
  readonly open: (item: DayEntry, day: Day) => void;
  /** Opens the context menu at a position of the window. */
  readonly menu: (item: DayEntry, day: Day, at: { readonly x: number; readonly y: number }) => void;
  readonly askDay: (item: DayEntry, day: Day) => void;
  readonly remove: (item: DayEntry, day: Day) => void;
  readonly drag: (item: DayEntry, day: Day) => void;
  /** Drops the carried entry on a day. */
  readonly drop: (day: Day) => void;
}

const nothing = (): void => undefined;
const ActsContext = createContext<EntryActions>({
  open: nothing,
  menu: nothing,
  askDay: nothing,
  remove: nothing,
  drag: nothing,
  drop: nothing,
});

export const EntryActsProvider = ActsContext.Provider;
export function useEntryActs(): EntryActions {
  return useContext(ActsContext);
}

/** Returns one stable object that calls the latest actions, so that memoized entries don't render again. */
export function useLasting(actions: EntryActions): EntryActions {
  const latest = useRef(actions);
  useLayoutEffect(() => {
    latest.current = actions;
  });
  return useMemo(
    () => ({
      open: (...args) => latest.current.open(...args),
      menu: (...args) => latest.current.menu(...args),
      askDay: (...args) => latest.current.askDay(...args),
      remove: (...args) => latest.current.remove(...args),
      drag: (...args) => latest.current.drag(...args),
      drop: (...args) => latest.current.drop(...args),
    }),
    [],
  );
}
