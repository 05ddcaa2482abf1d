import { useCallback, useMemo, useState, useSyncExternalStore, useEffect, useRef, type RefObject } from 'react';
import { MINUTE_MS } from '#platform/contract/duration.ts';
import { RECENT_DAYS, TOTAL } from '../../contract/limits.ts';
import { today } from '../../web/usageClock.ts';
import { toPeriods } from '../domain/period.ts';
import { byHours, toggleApplication, toggleGroup } from '../domain/picker.ts';
import { coloursBy, type Applications, type PickerProps } from './picker/applicationList.ts';
import { useHours, useLoaded } from './useUsage.ts';
import { useOn } from './useViewOptions.ts';
import type { Scope } from './viewTypes.ts';

const onMinute = (notify: () => void): (() => void) => {
  const every = setInterval(notify, MINUTE_MS);
  // A computer that slept has late timers.
  document.addEventListener('visibilitychange', notify);
  return () => {
    clearInterval(every);
    document.removeEventListener('visibilitychange', notify);
  };
};

/** Returns today's ISO date; changes at most a minute after midnight. */
export function useToday(): string {
  return useSyncExternalStore(onMinute, today);
}

export type Scroller = RefObject<HTMLElement | null>;

/** Returns whether an element is near the viewport of the scroller. */
export function useNearPlace<Place extends HTMLElement>(
  margin: string,
  scroller: Scroller,
  notify: (isNear: boolean) => void,
) {
  const place = useRef<Place>(null);
  useEffect(() => {
    if (!place.current) return undefined;
    const watcher = new IntersectionObserver((seen) => notify(seen.at(-1)?.isIntersecting === true), {
      root: scroller.current,
      rootMargin: `${margin} 0px`,
    });
    watcher.observe(place.current);
    return () => watcher.disconnect();
  }, [margin, scroller, notify]);
  return place;
}

/** Days that 'Show earlier days' adds. */
const MORE_DAYS = 28;
const NO_HOURS: ReadonlyMap<string, number> = new Map();
const NO_COLOURS: ReadonlyMap<string, string> = new Map();

/** Loads hours of the last two weeks by application. */
const useRecentHours = (scope: Scope, applications: Applications | undefined): ReadonlyMap<string, number> => {
  const order = applications?.order.order;
  const [last, first] = [order?.[0], order?.[RECENT_DAYS - 1]];
  const days = useMemo(() => (first && last ? { first, last } : undefined), [first, last]);
  return useHours(scope, days) ?? NO_HOURS;
};

/** Data of the pickers, and the selection. */
export function usePicking(scope: Scope, applications: Applications | undefined) {
  const { on, changeOn } = useOn();
  const hours = useRecentHours(scope, applications);
  const colours = useMemo(() => (applications ? coloursBy(applications) : NO_COLOURS), [applications]);
  const isOn = useMemo(() => new Set(on), [on]);
  const onPick = useCallback((name: string) => changeOn((now) => toggleApplication(now, name)), [changeOn]);
  const onPickAll = useCallback((group: readonly string[]) => changeOn((now) => toggleGroup(now, group)), [changeOn]);
  const picker: PickerProps | undefined = applications && { applications, hours, colours, on: isOn, onPick, onPickAll };
  const chosen = useMemo(
    () => [...isOn].filter((name) => colours.has(name)).toSorted(byHours(hours)),
    [isOn, colours, hours],
  );
  return { picker, chosen, colours, hours, onPick };
}

/** Loads the selected applications, most used first, and all together. */
export function useShown(scope: Scope, chosen: readonly string[], hasList: boolean) {
  const names = useMemo(() => [...new Set([TOTAL, ...chosen])], [chosen]);
  const { loaded, isPending, lost } = useLoaded(scope, names, hasList);
  const shown = useMemo(
    () =>
      chosen
        .flatMap((name) => loaded.get(name) ?? [])
        .toSorted((a, b) => b.stats.lasttwoweekshours - a.stats.lasttwoweekshours),
    [loaded, chosen],
  );
  return { shown, total: loaded.get(TOTAL), isLoading: shown.length === 0 && isPending, isWhole: !isPending, lost };
}

/** Requested days before the last two weeks. */
export interface MoreDays {
  readonly days: number;
  /** Requests more days. */
  readonly show: () => void;
}

/**
 * Starts with no earlier days, also after a change of computer. Separate from the days, which unmount while loading.
 */
export function useMore(scope: Scope): MoreDays {
  const [more, setMore] = useState({ scope, days: 0 });
  const days = more.scope === scope ? more.days : 0;
  return { days, show: () => setMore({ scope, days: days + MORE_DAYS }) };
}

/** Returns the visible days, and the ranges to load in addition. */
export function useDays(applications: Applications, { days: more }: MoreDays) {
  const days = RECENT_DAYS + more;
  const order = applications.order.order;
  const dates = useMemo(() => order.slice(0, days), [order, days]);
  const intervals = useMemo(() => toPeriods(dates.slice(RECENT_DAYS)), [dates]);
  return { dates, stretches: intervals, hasMore: order.length > days };
}
