import { queryOptions, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { call } from '#platform/web/app/call.ts';
import { realtime } from '#platform/web/app/socket.ts';
import { getTimeZone } from '#platform/web/browser/formats.ts';
import { findslot, getunuseddatesttbl, timetableChanged } from '../contract.ts';
import { mondayOf, parseIso, toIso, type Day } from '../domain/week.ts';
import { slotIn, weekIn, type PlannedSlot, type PlannedWeek } from './planned.ts';
import { offsetHours } from './realDays.ts';

const ALL = ['timetable', 'week'] as const;

const weekOptions = (monday: Day) =>
  queryOptions({
    queryKey: [...ALL, monday, getTimeZone()],
    queryFn: async (): Promise<PlannedWeek> =>
      weekIn(
        await call(getunuseddatesttbl, { toffset: offsetHours(), tz: getTimeZone(), from: toIso(monday), weeks: '1' }),
      ),
    // While the line stands every change is told.
    staleTime: () => (realtime.getConnectionState() === 'connected' ? Infinity : 5000),
  });

/** The week of this Monday; those beside it are there when they are turned to. */
export function useWeek(
  monday: Day,
  { hasBefore, hasAfter }: { readonly hasBefore: boolean; readonly hasAfter: boolean },
) {
  const queries = useQueryClient();
  const week = useQuery(weekOptions(monday));
  const isThere = week.data !== undefined;
  useEffect(() => {
    if (!isThere) return;
    if (hasAfter) queries.query(weekOptions(monday + 7)).catch(() => undefined);
    if (hasBefore) queries.query(weekOptions(monday - 7)).catch(() => undefined);
  }, [queries, monday, isThere, hasBefore, hasAfter]);
  return week;
}

/** Where a slot is that the shown week does not have. */
export function useElsewhere(id: number | undefined) {
  return useQuery({
    queryKey: [...ALL, 'slot', id],
    queryFn: async (): Promise<PlannedSlot | null> => {
      const { found } = await call(findslot, { id: String(id) });
      return found ? { ...slotIn(found.slot), id: found.slot.updatedid, day: parseIso(found.date) ?? 0 } : null;
    },
    enabled: id !== undefined,
  });
}

interface RefreshState {
  isStale: boolean;
  running: Promise<void> | undefined;
}
const refreshing = new WeakMap<QueryClient, RefreshState>();

/**
 * Asks for the weeks again; settles when what was there at this call is shown. A change that comes while an older one is asked for
 * waits: many at once would else cancel each other for ever.
 */
export async function refreshWeeks(queries: QueryClient): Promise<void> {
  const state = refreshing.get(queries) ?? { isStale: false, running: undefined };
  refreshing.set(queries, state);
  state.isStale = true;
  const run = async (): Promise<void> => {
    while (state.isStale) {
      state.isStale = false;
      await queries.invalidateQueries({ queryKey: ALL });
    }
    state.running = undefined;
  };
  state.running ??= run();
  await state.running;
}

/** Settles when the week of this day is there as the server has it after the last refresh, or cannot be had. */
export async function weekThere(queries: QueryClient, day: Day): Promise<void> {
  await queries.query(weekOptions(mondayOf(day))).catch(() => undefined);
}

/** What changes elsewhere, and what was missed while the line was down, is asked for again. Used once, by the page. */
export function useWeekChanges(): void {
  const queries = useQueryClient();
  useEffect(() => {
    const again = (): void => void refreshWeeks(queries);
    const stops = [
      realtime.on(timetableChanged, again),
      realtime.onConnectionStateChange(() => {
        // The first time too: what was asked for before it stood may have changed since.
        if (realtime.getConnectionState() === 'connected') again();
      }),
    ];
    return () => stops.forEach((stop) => stop());
  }, [queries]);
}
