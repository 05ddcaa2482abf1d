import {
  infiniteQueryOptions,
  replaceEqualDeep,
  useInfiniteQuery,
  useQueryClient,
  type InfiniteData,
  type QueryClient,
} from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import type { AnswerOf } from '#platform/contract/call.ts';
import { MINUTE_MS } from '#platform/contract/duration.ts';
import { call } from '#platform/web/app/call.ts';
import { createLiveStaleTime } from '#platform/web/app/liveStaleTime.ts';
import { realtime } from '#platform/web/app/realtime.ts';
import { getTimeZone, formatIsoDate } from '#platform/web/browser/formats.ts';
import { subscribeToClock } from '#platform/web/browser/subscribeToClock.ts';
import { calendarChanged, getevents } from '../contract/events.ts';
import { queryKeys } from './selection.ts';

export type EventPage = AnswerOf<typeof getevents>;
export type Entry = EventPage['dates'][string]['entries'][number];
export type DurationEntry = EventPage['datesduration'][number];
type Pages = InfiniteData<EventPage, string | undefined>;

const getIsoToday = (): string => formatIsoDate(new Date());

/** Timers are late after a computer slept through midnight, so the day is checked at least this often. */
const DAY_CHECK_INTERVAL_MS = MINUTE_MS;

function getMidnightDelayMs(): number {
  const now = new Date();
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1).getTime() - now.getTime();
  return Math.min(midnight + 50, DAY_CHECK_INTERVAL_MS);
}
const subscribeToMidnight = (listener: () => void): (() => void) => subscribeToClock(getMidnightDelayMs, listener);

/** Returns today in the browser's zone (ISO), updated at midnight. */
export function useToday(): string {
  return useSyncExternalStore(subscribeToMidnight, getIsoToday);
}

/** Reuses pages that were not loaded again. Only new ones are compared, so that years of days cost nothing. */
function sharePages(before: Pages | undefined, after: Pages): Pages {
  if (!before) return after;
  const pages = after.pages.map((page, index) => {
    const previousPage = before.pages[index];
    return previousPage === undefined || previousPage === page ? page : replaceEqualDeep(previousPage, page);
  });
  return { ...after, pages };
}

const isPages = (data: unknown): data is Pages =>
  typeof data === 'object' && data !== null && 'pageParams' in data && Array.isArray(data.pageParams);

const createPagesOptions = () =>
  infiniteQueryOptions({
    queryKey: queryKeys.page(getTimeZone()),
    queryFn: ({ pageParam }) =>
      call(getevents, { tz: getTimeZone(), ...(pageParam === undefined ? {} : { specificload: pageParam }) }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ dates, more }) => (more ? Object.keys(dates).at(-1) : undefined),
    // While connected, every change is pushed.
    staleTime: createLiveStaleTime([calendarChanged]),
    // Also called with the result of `select`.
    structuralSharing: (before, after) =>
      isPages(after) && (before === undefined || isPages(before))
        ? sharePages(before, after)
        : replaceEqualDeep(before, after),
  });

/** Loads the days from today on, one page at a time, and the durations. */
export function useEventPages() {
  return useInfiniteQuery(createPagesOptions());
}

const hasNoEvents = ({ pages }: Pages): boolean =>
  pages.every(({ dates, datesduration }) => Object.keys(dates).length === 0 && datesduration.length === 0);
/** Returns whether there are no events at all, and any error. Loading more days doesn't render the caller. */
export function useHasNoEvents() {
  return useInfiniteQuery({ ...createPagesOptions(), select: hasNoEvents });
}

const selectDurations = (data: Pages) => getNewestPage(data)?.datesduration;
/** Returns the durations, and whether they are loaded. */
export function useDurations() {
  return useInfiniteQuery({ ...createPagesOptions(), select: selectDurations });
}

/** Returns the loaded pages, for one-time use in handlers. */
export function useLoadedPages(): () => readonly EventPage[] {
  const queryClient = useQueryClient();
  return () => queryClient.getQueryData<Pages>(queryKeys.page(getTimeZone()))?.pages ?? [];
}

const getNewestPage = ({ pages }: Pages): EventPage | undefined => pages.at(-1);
const NO_TAGS: EventPage['tags'] = {};
const NO_COLOURS: EventPage['editcolours'] = {};
const selectTags = (data: Pages) => getNewestPage(data)?.tags ?? NO_TAGS;
const selectColours = (data: Pages) => getNewestPage(data)?.editcolours ?? NO_COLOURS;

/** Returns all tags of the account by name; none until they are loaded. */
export function useTags(): EventPage['tags'] {
  return useInfiniteQuery({ ...createPagesOptions(), select: selectTags }).data ?? NO_TAGS;
}

/** Returns the colours by type of history entry. */
export function useEditColours(): EventPage['editcolours'] {
  return useInfiniteQuery({ ...createPagesOptions(), select: selectColours }).data ?? NO_COLOURS;
}

/** Counts the pages up to the last one that is in the viewport or has the selected event. */
function countPagesInUse(): number {
  const rail = document.querySelector('[data-rail=dates]');
  if (!rail) return 1;
  const below = rail.getBoundingClientRect().bottom + rail.clientHeight;
  const pages = [...rail.querySelectorAll('[data-page]')];
  return (
    1 + pages.findLastIndex((page) => page.getBoundingClientRect().top < below || page.querySelector('[aria-current]'))
  );
}

/**
 * Refetches all calendar queries. Pages of the rail below the visible ones are discarded and load again on scrolling.
 */
export async function refreshCalendar(queryClient: QueryClient): Promise<void> {
  const count = Math.max(1, countPagesInUse());
  queryClient.setQueryData<Pages>(queryKeys.page(getTimeZone()), (cached) =>
    cached && cached.pages.length > count
      ? { pages: cached.pages.slice(0, count), pageParams: cached.pageParams.slice(0, count) }
      : cached,
  );
  await queryClient.invalidateQueries({ queryKey: queryKeys.all });
}

/** Refetches after changes elsewhere, and after a reconnect. Used once, by the page. */
export function useCalendarChanges(today: string): void {
  const queryClient = useQueryClient();
  useEffect(() => {
    let isStale = false;
    let isRefetching = false;
    // A change during a refetch waits for it. Many changes in a row would otherwise cancel each other indefinitely.
    async function refetch(): Promise<void> {
      isStale = true;
      if (isRefetching) return;
      isRefetching = true;
      while (isStale) {
        isStale = false;
        await refreshCalendar(queryClient);
      }
      isRefetching = false;
    }
    const requestRefetch = (): void => void refetch();
    const stops = [
      realtime.on(calendarChanged, requestRefetch),
      realtime.onConnectionStateChange(() => {
        // Also on the first connection: data that loaded earlier may have changed since.
        if (realtime.getConnectionState() === 'connected') requestRefetch();
      }),
    ];
    return () => stops.forEach((stop) => stop());
  }, [queryClient]);

  useEffect(() => {
    const cachedToday = queryClient.getQueryData<Pages>(queryKeys.page(getTimeZone()))?.pages[0]?.today;
    if (cachedToday !== undefined && cachedToday !== today) void refreshCalendar(queryClient);
  }, [queryClient, today]);
}
