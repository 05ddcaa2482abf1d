import { Button } from '@mantine/core';
import { memo, Suspense, useCallback, useDeferredValue, useEffect, useRef, useState } from 'react';
import { useDelayed } from '#platform/web/app/late.ts';
import { lazyPart } from '#platform/web/app/latePart.ts';
import type { PartProps } from '../parts.ts';
import { useEventPages, type EventPage } from '../useCalendar.ts';
import { DayGroups, NOT_CHOSEN, type OnPick } from './DayGroups.tsx';
import { LoadingEntry } from './RailEntry.tsx';
import { onRailKeys } from './railKeys.ts';
import styles from './DateRail.module.css';

const QuickAdd = memo(lazyPart(async () => (await import('../QuickAdd.tsx')).QuickAdd));

/** Days are asked for while the end is this far below the rail's window. */
const AHEAD = '1200px';

/** More days come while the rail's end is near its window, once those before are drawn, or where the button asks for them. */
function RailEnd({ isDrawn }: { readonly isDrawn: boolean }) {
  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = useEventPages();
  const end = useRef<HTMLDivElement>(null);
  const [isNear, setIsNear] = useState(false);
  // What comes by itself turns no wheel far below the window: that alone cost a third of a picture's time.
  const [isAsked, setIsAsked] = useState(false);
  useEffect(() => {
    if (!end.current) return undefined;
    const watcher = new IntersectionObserver((seen) => setIsNear(seen.at(-1)?.isIntersecting === true), {
      root: end.current.closest('[data-rail]'),
      rootMargin: `0px 0px ${AHEAD} 0px`,
    });
    watcher.observe(end.current);
    return () => watcher.disconnect();
  }, []);
  const loadMore = useCallback(() => fetchNextPage({ cancelRefetch: false }), [fetchNextPage]);
  const may = isDrawn && hasNextPage && !isFetching && !isFetchNextPageError;
  useEffect(() => {
    if (may && isNear) void loadMore();
  }, [may, isNear, loadMore]);
  const ask = async (): Promise<void> => {
    setIsAsked(true);
    await loadMore();
    setIsAsked(false);
  };
  return (
    <div ref={end} className={styles['end']}>
      {hasNextPage ? (
        <Button fullWidth loading={isAsked} onClick={() => void ask()}>
          Load more events
        </Button>
      ) : null}
    </div>
  );
}

/** Whether a part of the chosen event is on one of these days; its own day counts also where the event is left out of it. */
const isAmong = (dates: EventPage['dates'], { id, date }: { readonly id: number; readonly date: string }): boolean =>
  date in dates ||
  Object.values(dates).some(({ entries }) => entries.some(({ eventid, began }) => eventid === id && began === date));

/** The rail 'Date specific events' (specification 1, section 2). */
export function DateRail({ selection, today, onSelect }: PartProps) {
  const { data, isPending } = useEventPages();
  // Drawn in slices between two pictures, so that scrolling goes on while days come.
  const pages = useDeferredValue(data?.pages);
  const isLate = useDelayed(isPending);
  const onPick: OnPick = useCallback(
    (date, { eventid, began = date, type }) => onSelect({ kind: 'event', id: eventid, date: began, type }),
    [onSelect],
  );
  const chosen = selection.kind === 'event' ? selection : undefined;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the keys move among the entries, which take the focus themselves
    <aside className={styles['rail']} aria-label="Date specific events" data-rail="dates" onKeyDown={onRailKeys}>
      <div className={styles['top']}>
        <h2>Date specific events</h2>
        <Suspense>
          <QuickAdd today={today} onSelect={onSelect} />
        </Suspense>
      </div>
      {pages === undefined && isLate ? <LoadingEntry /> : null}
      {pages?.every(({ dates }) => Object.keys(dates).length === 0) === true ? (
        <p className={styles['none']}>No upcoming events</p>
      ) : null}
      {pages?.map(({ dates }, at) => (
        <DayGroups
          {...(chosen && isAmong(dates, chosen) ? { chosen: chosen.id, chosenDate: chosen.date } : NOT_CHOSEN)}
          // oxlint-disable-next-line react/no-array-index-key -- a page is known by its place: what stands in it may change
          key={at}
          dates={dates}
          isFirst={at === 0}
          today={today}
          onPick={onPick}
        />
      ))}
      <RailEnd isDrawn={pages === data?.pages} />
    </aside>
  );
}
