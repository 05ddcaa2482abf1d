import { useCallback, useMemo, useState, useSyncExternalStore, useEffect, useRef, type RefObject } from 'react';
import { MINUTE_MS } from '#platform/contract/duration.ts';
import { RECENT_DAYS, TOTAL } from '../../contract/limits.ts';
import { getToday } from '../../web/usageClock.ts';
import { toPeriods } from '../domain/period.ts';
import { compareByHours, toggleApplication, toggleGroup } from '../domain/picker.ts';
import { toColourMap, type Applications, type PickerProps } from './picker/applicationList.ts';
import { useHours, useLoadedApplications } from './useUsage.ts';
import { useStoredSelection } from './useViewOptions.ts';
import type { Scope } from './viewTypes.ts';

function subscribeToMinutes(notify: () => void): () => void {
  const timer = setInterval(notify, MINUTE_MS);
  // A computer that slept has late timers.
  document.addEventListener('visibilitychange', notify);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', notify);
  };
}

/** Returns today's ISO date; changes at most a minute after midnight. */
export function useToday(): string {
  return useSyncExternalStore(subscribeToMinutes, getToday);
}

export type Scroller = RefObject<HTMLElement | null>;

/** Returns a ref for an element. Calls `notify` when it comes near the viewport of the scroller or leaves it. */
export function useNearElement<Target extends HTMLElement>(
  margin: string,
  scroller: Scroller,
  notify: (isNear: boolean) => void,
) {
  const elementRef = useRef<Target>(null);
  useEffect(() => {
    if (!elementRef.current) return undefined;
    const observer = new IntersectionObserver((entries) => notify(entries.at(-1)?.isIntersecting === true), {
      root: scroller.current,
      rootMargin: `${margin} 0px`,
    });
    observer.observe(elementRef.current);
    return () => observer.disconnect();
  }, [margin, scroller, notify]);
  return elementRef;
}

/** Days that 'Show earlier days' adds. */
const MORE_DAYS = 28;
const NO_HOURS: ReadonlyMap<string, number> = new Map();
const NO_COLOURS: ReadonlyMap<string, string> = new Map();

/** Returns the hours of the last two weeks by application. */
function useRecentHours(scope: Scope, applications: Applications | undefined): ReadonlyMap<string, number> {
  const order = applications?.order.order;
  const [last, first] = [order?.[0], order?.[RECENT_DAYS - 1]];
  const days = useMemo(() => (first && last ? { first, last } : undefined), [first, last]);
  return useHours(scope, days) ?? NO_HOURS;
}

/** Returns the data of the pickers, and the selection. */
export function useSelection(scope: Scope, applications: Applications | undefined) {
  const { storedNames, changeSelection } = useStoredSelection();
  const hours = useRecentHours(scope, applications);
  const colours = useMemo(() => (applications ? toColourMap(applications) : NO_COLOURS), [applications]);
  const selected = useMemo(() => new Set(storedNames), [storedNames]);
  const onPick = useCallback(
    (name: string) => changeSelection((selection) => toggleApplication(selection, name)),
    [changeSelection],
  );
  const onPickAll = useCallback(
    (group: readonly string[]) => changeSelection((selection) => toggleGroup(selection, group)),
    [changeSelection],
  );
  const picker: PickerProps | undefined = applications && { applications, hours, colours, selected, onPick, onPickAll };
  const selectedNames = useMemo(
    () => [...selected].filter((name) => colours.has(name)).toSorted(compareByHours(hours)),
    [selected, colours, hours],
  );
  return { picker, selectedNames, colours, hours, onPick };
}

/** Returns the selected applications, most used first, and all together. */
export function useSelectedApplications(scope: Scope, selectedNames: readonly string[], hasList: boolean) {
  const names = useMemo(() => [...new Set([TOTAL, ...selectedNames])], [selectedNames]);
  const { loaded, isPending, failed } = useLoadedApplications(scope, names, hasList);
  const selected = useMemo(
    () =>
      selectedNames
        .flatMap((name) => loaded.get(name) ?? [])
        .toSorted((a, b) => b.stats.lasttwoweekshours - a.stats.lasttwoweekshours),
    [loaded, selectedNames],
  );
  return {
    selected,
    total: loaded.get(TOTAL),
    isLoading: selected.length === 0 && isPending,
    isComplete: !isPending,
    failed,
  };
}

/** Requested days before the last two weeks. */
export interface MoreDays {
  readonly days: number;
  /** Requests more days. */
  readonly show: () => void;
}

/** Returns the number of requested earlier days. A change of computer resets it; a reload of the days does not. */
export function useMoreDays(scope: Scope): MoreDays {
  const [requested, setRequested] = useState({ scope, days: 0 });
  const days = requested.scope === scope ? requested.days : 0;
  return { days, show: () => setRequested({ scope, days: days + MORE_DAYS }) };
}

/** Returns the visible days, and the ranges to load in addition. */
export function useVisibleDays(applications: Applications, { days: moreDays }: MoreDays) {
  const days = RECENT_DAYS + moreDays;
  const order = applications.order.order;
  const dates = useMemo(() => order.slice(0, days), [order, days]);
  const periods = useMemo(() => toPeriods(dates.slice(RECENT_DAYS)), [dates]);
  return { dates, periods, hasMore: order.length > days };
}
