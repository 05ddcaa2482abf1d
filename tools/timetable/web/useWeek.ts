import { queryOptions, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { getMonday, parseIso, toIso, type Day } from '#platform/contract/day.ts';
import { call } from '#platform/web/app/call.ts';
import { createLiveStaleTime } from '#platform/web/app/liveStaleTime.ts';
import { useConnectionStateChange, useRealtimeEvent } from '#platform/web/app/useRealtimeEvent.ts';
import { getTimeZone } from '#platform/web/browser/formats.ts';
import { findslot, getunuseddatesttbl, timetableChanged } from '../contract.ts';
import { getOffsetHours } from './localDays.ts';
import { toSlot, toPlannedWeek, type PlannedSlot, type PlannedWeek } from './plannedWeek.ts';

const WEEKS_KEY = ['timetable', 'week'] as const;

const createWeekQuery = (monday: Day) =>
  queryOptions({
    queryKey: [...WEEKS_KEY, monday, getTimeZone()],
    queryFn: async (): Promise<PlannedWeek> =>
      toPlannedWeek(
        await call(getunuseddatesttbl, {
          toffset: getOffsetHours(),
          tz: getTimeZone(),
          from: toIso(monday),
          weeks: '1',
        }),
      ),
    // While connected, events announce every change.
    staleTime: createLiveStaleTime([timetableChanged]),
  });

/** Loads the week of this Monday, and prefetches its neighbours. */
export function useWeek(
  monday: Day,
  { hasBefore, hasAfter }: { readonly hasBefore: boolean; readonly hasAfter: boolean },
) {
  const queryClient = useQueryClient();
  const week = useQuery(createWeekQuery(monday));
  const isLoaded = week.data !== undefined;
  useEffect(() => {
    if (!isLoaded) return;
    if (hasAfter) queryClient.query(createWeekQuery(monday + 7)).catch(() => undefined);
    if (hasBefore) queryClient.query(createWeekQuery(monday - 7)).catch(() => undefined);
  }, [queryClient, monday, isLoaded, hasBefore, hasAfter]);
  return week;
}

/** Finds a slot that is not in the shown week. */
export function useMovedSlot(id: number | undefined) {
  return useQuery({
    queryKey: [...WEEKS_KEY, 'slot', id],
    queryFn: async (): Promise<PlannedSlot | null> => {
      const { found } = await call(findslot, { id: String(id) });
      return found ? { ...toSlot(found.slot), id: found.slot.updatedid, day: parseIso(found.date) ?? 0 } : null;
    },
    enabled: id !== undefined,
  });
}

interface RefreshState {
  isStale: boolean;
  running: Promise<void> | undefined;
}
const refreshStates = new WeakMap<QueryClient, RefreshState>();

/**
 * Loads the weeks again; resolves when the state of this moment or a later one is shown.
 * Calls during a running refresh share the next one; otherwise many calls would keep cancelling each other.
 */
export async function refreshWeeks(queryClient: QueryClient): Promise<void> {
  const state = refreshStates.get(queryClient) ?? { isStale: false, running: undefined };
  refreshStates.set(queryClient, state);
  state.isStale = true;
  async function run(): Promise<void> {
    while (state.isStale) {
      state.isStale = false;
      await queryClient.invalidateQueries({ queryKey: WEEKS_KEY });
    }
    state.running = undefined;
  }
  state.running ??= run();
  await state.running;
}

/** Resolves when the week of this day is loaded as of the last refresh, or failed to load. */
export async function waitForWeek(queryClient: QueryClient, day: Day): Promise<void> {
  await queryClient.query(createWeekQuery(getMonday(day))).catch(() => undefined);
}

/** Loads the weeks again after events and after a lost connection. Used once, by the page. */
export function useWeekChanges(): void {
  const queryClient = useQueryClient();
  const refresh = (): void => void refreshWeeks(queryClient);
  useRealtimeEvent(timetableChanged, refresh);
  useConnectionStateChange((state) => state === 'connected' && refresh());
}
