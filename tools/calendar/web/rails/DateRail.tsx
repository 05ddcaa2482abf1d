import { Button } from '@mantine/core';
import { memo, Suspense, useCallback, useDeferredValue, useEffect, useRef, useState, type CSSProperties } from 'react';
import { useDelayed, lazyPart } from '#platform/web/app/lazyPart.ts';
import { Badge } from '#platform/web/ui/Badge.tsx';
import { LINES_PER_FRAME, takeTasks } from '#platform/web/windowing/frameQueue.ts';
import { SPECIAL_EVENT_IDS } from '../../contract/events.ts';
import type { CalendarViewProps } from '../selection.ts';
import { useEventPages, type EventPage, type Entry as EntryData } from '../useCalendar.ts';
import { LoadingEntry, handleRailKeys, RailEntry } from './RailEntry.tsx';
import weekdays from '../month/weekdays.module.css';
import styles from './DateRail.module.css';

interface WindowingOptions {
  readonly isInitiallyDrawn: boolean;
  /** In px from the viewport of the rail. */
  readonly distancePx: number;
  /** Number of lines to draw. */
  readonly lineCount: number;
}

const pendingChanges = new Map<() => void, number>();
function runPendingChanges(): void {
  for (const change of takeTasks([pendingChanges], LINES_PER_FRAME)) change();
  if (pendingChanges.size > 0) requestAnimationFrame(runPendingChanges);
}

/** Runs a change within the frame budget. Returns a function that cancels it. */
function scheduleInFrame(change: () => void, lineCount: number): () => void {
  if (pendingChanges.size === 0) requestAnimationFrame(runPendingChanges);
  pendingChanges.set(change, lineCount);
  return () => void pendingChanges.delete(change);
}

/**
 * Returns whether a section of a long list is near enough to the viewport to be drawn, and its last known height for
 * the placeholder. A section with the focus stays drawn.
 */
function useWindowedSection({ isInitiallyDrawn, distancePx, lineCount }: WindowingOptions) {
  const section = useRef<HTMLDivElement>(null);
  const [isDrawn, setDrawn] = useState(isInitiallyDrawn);
  const [height, setHeight] = useState<number>();
  useEffect(() => {
    const element = section.current;
    if (!element) return undefined;
    let cancel = (): void => undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        const last = entries.at(-1);
        // In a hidden rail, distances mean nothing.
        if (!last || last.rootBounds?.height === 0) return;
        cancel();
        cancel = scheduleInFrame(() => {
          if (!last.isIntersecting && element.contains(document.activeElement)) return;
          if (!last.isIntersecting) setHeight(last.boundingClientRect.height);
          setDrawn(last.isIntersecting);
        }, lineCount);
      },
      { root: element.closest('[data-rail]'), rootMargin: `${distancePx}px 0px` },
    );
    observer.observe(element);
    return () => {
      cancel();
      observer.disconnect();
    };
  }, [distancePx, lineCount]);
  return { section, isDrawn, height };
}

export type EntryListener = (date: string, entry: EntryData) => void;
type DayData = EventPage['dates'][string];

interface DayProps {
  readonly date: string;
  readonly day: DayData;
  readonly isToday: boolean;
  /** The selected event and its first day. Undefined if no part of it is on this day. */
  readonly selectedId: number | undefined;
  readonly selectedDate: string | undefined;
  readonly onSelectEntry: EntryListener;
}

const Day = memo(function Day({ date, day, isToday, selectedId, selectedDate, onSelectEntry }: DayProps) {
  const weeks = day.entries.filter(({ eventid }) => eventid === SPECIAL_EVENT_IDS.week);
  const events = day.entries.filter(({ eventid }) => eventid > 0);
  return (
    <>
      {weeks.map(({ name }) => (
        <p key={name} className={styles['week']}>
          {name}
        </p>
      ))}
      <div className={styles['day']} data-date={date}>
        <h3 className={styles['label']}>
          {day.label}
          <span className={`${styles['weekday']} ${weekdays['weekday']}`} data-weekday={day.weekday}>
            {day.weekday}
          </span>
          {isToday ? <Badge tone="brass">today</Badge> : null}
        </h3>
        {events.map((entry) => (
          <RailEntry
            key={`${entry.eventid} ${entry.began ?? ''} ${entry.time ?? ''}`}
            entry={entry}
            selected={entry.eventid === selectedId && (entry.began ?? date) === selectedDate}
            onSelect={(picked) => onSelectEntry(date, picked)}
          />
        ))}
      </div>
    </>
  );
});

interface DayGroupsProps {
  readonly dates: EventPage['dates'];
  readonly today: string;
  readonly selectedDate: string | undefined;
  /** Only set if a part of it is on one of these days. */
  readonly selectedId: number | undefined;
  /** Part of the first page, which is in the first render. */
  readonly isFirst: boolean;
  readonly onSelectEntry: EntryListener;
}

/** Distance from the viewport, in px, within which a page reserves room for its days and draws them a few at a time. */
const PAGE_DISTANCE_PX = 2400;
const DAY_DISTANCE_PX = 1200;

/** Returns the style of a placeholder for days that are not drawn, with the estimated or the last known height. */
function toPlaceholderStyle(days: readonly DayData[], height: number | undefined): CSSProperties {
  if (height !== undefined) return { height };
  const entries = days.flatMap((day) => day.entries);
  const weekCount = entries.filter(({ eventid }) => eventid === SPECIAL_EVENT_IDS.week).length;
  return { '--days': days.length, '--weeks': weekCount, '--lines': entries.length - weekCount } as CSSProperties;
}

/** Props of days without a selected event. */
export const NOT_SELECTED = { selectedId: undefined, selectedDate: undefined };

/** A day that is drawn while it is near the viewport. */
const WindowedDay = memo(function WindowedDay({ isFirst, ...props }: DayProps & { readonly isFirst: boolean }) {
  const { section, isDrawn, height } = useWindowedSection({
    isInitiallyDrawn: isFirst,
    distancePx: DAY_DISTANCE_PX,
    lineCount: 1 + props.day.entries.length,
  });
  if (isDrawn || props.selectedId !== undefined)
    return (
      <div ref={section}>
        <Day {...props} />
      </div>
    );
  return <div ref={section} className={styles['placeholder']} style={toPlaceholderStyle([props.day], height)} />;
});

/** The days of a page. Far from the viewport it is only a placeholder, unless it has the selected event. */
export const DayGroups = memo(function DayGroups(props: DayGroupsProps) {
  const { dates, today, selectedDate, selectedId, isFirst, onSelectEntry } = props;
  const { section, isDrawn, height } = useWindowedSection({
    isInitiallyDrawn: true,
    distancePx: PAGE_DISTANCE_PX,
    lineCount: 1,
  });
  const days = Object.entries(dates);
  const last = days.at(-1)?.[0];
  if (!isDrawn && selectedId === undefined)
    return (
      <div
        ref={section}
        className={styles['placeholder']}
        data-page={last}
        style={toPlaceholderStyle(
          days.map(([, day]) => day),
          height,
        )}
      />
    );
  return (
    <div ref={section} className={styles['page']} data-page={last}>
      {days.map(([date, day]) => (
        <WindowedDay
          key={date}
          date={date}
          day={day}
          isToday={date === today}
          {...(date === selectedDate || day.entries.some(({ began }) => began !== undefined && began === selectedDate)
            ? { selectedId, selectedDate }
            : NOT_SELECTED)}
          isFirst={isFirst}
          onSelectEntry={onSelectEntry}
        />
      ))}
    </div>
  );
});

const QuickAdd = memo(lazyPart(async () => (await import('../QuickAdd.tsx')).QuickAdd));

/** Distance of the end of the rail from the viewport at which more days load. */
const LOAD_DISTANCE_PX = 1200;

/**
 * Loads more days when the end of the rail is near the viewport and the previous days are drawn, or when the button is
 * pressed.
 */
function RailEnd({ isDrawn }: { readonly isDrawn: boolean }) {
  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = useEventPages();
  const railEnd = useRef<HTMLDivElement>(null);
  const [isNear, setIsNear] = useState(false);
  // No spinner for automatic loading: animating it below the viewport cost a third of the frame time.
  const [isRequested, setIsRequested] = useState(false);
  useEffect(() => {
    if (!railEnd.current) return undefined;
    const observer = new IntersectionObserver((entries) => setIsNear(entries.at(-1)?.isIntersecting === true), {
      root: railEnd.current.closest('[data-rail]'),
      rootMargin: `0px 0px ${LOAD_DISTANCE_PX}px 0px`,
    });
    observer.observe(railEnd.current);
    return () => observer.disconnect();
  }, []);
  const loadMore = useCallback(() => fetchNextPage({ cancelRefetch: false }), [fetchNextPage]);
  const canLoad = isDrawn && hasNextPage && !isFetching && !isFetchNextPageError;
  useEffect(() => {
    if (canLoad && isNear) void loadMore();
  }, [canLoad, isNear, loadMore]);
  async function loadOnRequest(): Promise<void> {
    setIsRequested(true);
    await loadMore();
    setIsRequested(false);
  }
  return (
    <div ref={railEnd} className={styles['end']}>
      {hasNextPage ? (
        <Button fullWidth loading={isRequested} onClick={() => void loadOnRequest()}>
          Load more events
        </Button>
      ) : null}
    </div>
  );
}

/** Returns whether a part of the selected event is on one of these days. Its own day counts, even as an exception. */
const includesEvent = (
  dates: EventPage['dates'],
  { id, date }: { readonly id: number; readonly date: string },
): boolean =>
  date in dates ||
  Object.values(dates).some(({ entries }) => entries.some(({ eventid, began }) => eventid === id && began === date));

/** The rail 'Date specific events' (docs/specification/calendar.md section 1.1). */
export function DateRail({ selection, today, onSelect }: CalendarViewProps) {
  const { data, isPending } = useEventPages();
  // Deferred, so that scrolling stays smooth while days arrive.
  const pages = useDeferredValue(data?.pages);
  const isSlow = useDelayed(isPending);
  const handleSelect: EntryListener = useCallback(
    (date, { eventid, began = date, type }) => onSelect({ kind: 'event', id: eventid, date: began, type }),
    [onSelect],
  );
  const selectedEvent = selection.kind === 'event' ? selection : undefined;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the keys move among the entries, which take the focus themselves
    <aside className={styles['rail']} aria-label="Date specific events" data-rail="dates" onKeyDown={handleRailKeys}>
      <div className={styles['top']}>
        <h2>Date specific events</h2>
        <Suspense>
          <QuickAdd today={today} onSelect={onSelect} />
        </Suspense>
      </div>
      {pages === undefined && isSlow ? <LoadingEntry /> : null}
      {pages?.every(({ dates }) => Object.keys(dates).length === 0) === true ? (
        <p className={styles['empty']}>No upcoming events</p>
      ) : null}
      {pages?.map(({ dates }, index) => (
        <DayGroups
          {...(selectedEvent && includesEvent(dates, selectedEvent)
            ? { selectedId: selectedEvent.id, selectedDate: selectedEvent.date }
            : NOT_SELECTED)}
          // oxlint-disable-next-line react/no-array-index-key -- pages are identified by position; their content may change
          key={index}
          dates={dates}
          isFirst={index === 0}
          today={today}
          onSelectEntry={handleSelect}
        />
      ))}
      <RailEnd isDrawn={pages === data?.pages} />
    </aside>
  );
}
