import { Button } from '@mantine/core';
import { memo, Suspense, useCallback, useDeferredValue, useEffect, useRef, useState, type CSSProperties } from 'react';
import { useDelayed, lazyPart } from '#platform/web/app/latePart.ts';
import { Badge } from '#platform/web/ui/Badge.tsx';
import { LINES_PER_FRAME, takeJobs } from '#platform/web/windowing/frameQueue.ts';
import { SPECIAL_EVENT_IDS } from '../../contract/events.ts';
import type { CalendarViewProps } from '../selection.ts';
import { useEventPages, type EventPage, type Entry as EntryData } from '../useCalendar.ts';
import { LoadingEntry, onRailKeys, Entry } from './RailEntry.tsx';
import weekdays from '../month/weekdays.module.css';
import styles from './DateRail.module.css';

interface DrawnOptions {
  readonly atFirst: boolean;
  /** In px from the viewport of the rail. */
  readonly within: number;
  /** Number of lines to draw. */
  readonly lines: number;
}

const waiting = new Map<() => void, number>();
const drawNext = (): void => {
  for (const change of takeJobs([waiting], LINES_PER_FRAME)) change();
  if (waiting.size > 0) requestAnimationFrame(drawNext);
};

/** Runs a change within the frame budget. Returns a function that cancels it. */
const scheduleInFrame = (change: () => void, lines: number): (() => void) => {
  if (waiting.size === 0) requestAnimationFrame(drawNext);
  waiting.set(change, lines);
  return () => void waiting.delete(change);
};

/**
 * Whether a section of a long list is near enough to the viewport to be drawn. `height` is its last known height for
 * the placeholder, or undefined. A section with the focus stays drawn.
 */
function useDrawn({ atFirst, within, lines }: DrawnOptions) {
  const place = useRef<HTMLDivElement>(null);
  const [isDrawn, setDrawn] = useState(atFirst);
  const [height, setHeight] = useState<number>();
  useEffect(() => {
    const interval = place.current;
    if (!interval) return undefined;
    let cancel = (): void => undefined;
    const watcher = new IntersectionObserver(
      (entries) => {
        const last = entries.at(-1);
        // In a hidden rail, distances mean nothing.
        if (!last || last.rootBounds?.height === 0) return;
        cancel();
        cancel = scheduleInFrame(() => {
          if (!last.isIntersecting && interval.contains(document.activeElement)) return;
          if (!last.isIntersecting) setHeight(last.boundingClientRect.height);
          setDrawn(last.isIntersecting);
        }, lines);
      },
      { root: interval.closest('[data-rail]'), rootMargin: `${within}px 0px` },
    );
    watcher.observe(interval);
    return () => {
      cancel();
      watcher.disconnect();
    };
  }, [within, lines]);
  return { place, isDrawn, height };
}

export type PickListener = (date: string, entry: EntryData) => void;
type DayData = EventPage['dates'][string];

interface DayProps {
  readonly date: string;
  readonly day: DayData;
  readonly isToday: boolean;
  /** The selected event and its first day. Undefined if no part of it is on this day. */
  readonly chosen: number | undefined;
  readonly chosenDate: string | undefined;
  readonly onPick: PickListener;
}

const Day = memo(function Day({ date, day, isToday, chosen, chosenDate, onPick }: DayProps) {
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
          <Entry
            key={`${entry.eventid} ${entry.began ?? ''} ${entry.time ?? ''}`}
            entry={entry}
            selected={entry.eventid === chosen && (entry.began ?? date) === chosenDate}
            onPick={(picked) => onPick(date, picked)}
          />
        ))}
      </div>
    </>
  );
});

interface DayGroupsProps {
  readonly dates: EventPage['dates'];
  readonly today: string;
  readonly chosenDate: string | undefined;
  /** Only set if a part of it is on one of these days. */
  readonly chosen: number | undefined;
  /** Part of the first page, which is in the first render. */
  readonly isFirst: boolean;
  readonly onPick: PickListener;
}

/** Distance from the viewport, in px, within which a page reserves room for its days and draws them a few at a time. */
const PAGE_DISTANCE_PX = 2400;
const DAY_DISTANCE_PX = 1200;

/** The placeholder of days that are not drawn. It has the estimated or the last known height. */
const toPlaceholderStyle = (days: readonly DayData[], height: number | undefined): CSSProperties => {
  if (height !== undefined) return { height };
  const entries = days.flatMap((day) => day.entries);
  const weeks = entries.filter(({ eventid }) => eventid === SPECIAL_EVENT_IDS.week).length;
  return { '--days': days.length, '--weeks': weeks, '--lines': entries.length - weeks } as CSSProperties;
};

/** Props of days without a selected event. */
export const NOT_CHOSEN = { chosen: undefined, chosenDate: undefined };

/** A day that is drawn while it is near the viewport. */
const DayPlace = memo(function DayPlace({ isFirst, ...props }: DayProps & { readonly isFirst: boolean }) {
  const { place, isDrawn, height } = useDrawn({
    atFirst: isFirst,
    within: DAY_DISTANCE_PX,
    lines: 1 + props.day.entries.length,
  });
  if (isDrawn || props.chosen !== undefined)
    return (
      <div ref={place}>
        <Day {...props} />
      </div>
    );
  return <div ref={place} className={styles['placeholder']} style={toPlaceholderStyle([props.day], height)} />;
});

/** The days of a page. Far from the viewport it is only a placeholder, unless it has the selected event. */
export const DayGroups = memo(function DayGroups({
  dates,
  today,
  chosenDate,
  chosen,
  isFirst,
  onPick,
}: DayGroupsProps) {
  const { place, isDrawn, height } = useDrawn({ atFirst: true, within: PAGE_DISTANCE_PX, lines: 1 });
  const days = Object.entries(dates);
  const last = days.at(-1)?.[0];
  if (!isDrawn && chosen === undefined)
    return (
      <div
        ref={place}
        className={styles['placeholder']}
        data-page={last}
        style={toPlaceholderStyle(
          days.map(([, day]) => day),
          height,
        )}
      />
    );
  return (
    <div ref={place} className={styles['page']} data-page={last}>
      {days.map(([date, day]) => (
        <DayPlace
          key={date}
          date={date}
          day={day}
          isToday={date === today}
          {...(date === chosenDate || day.entries.some(({ began }) => began !== undefined && began === chosenDate)
            ? { chosen, chosenDate }
            : NOT_CHOSEN)}
          isFirst={isFirst}
          onPick={onPick}
        />
      ))}
    </div>
  );
});

const QuickAdd = memo(lazyPart(async () => (await import('../QuickAdd.tsx')).QuickAdd));

/** Distance of the end of the rail from the viewport at which more days load. */
const LOAD_DISTANCE = '1200px';

/**
 * Loads more days when the end of the rail is near the viewport and the previous days are drawn, or when the button is
 * pressed.
 */
function RailEnd({ isDrawn }: { readonly isDrawn: boolean }) {
  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = useEventPages();
  const end = useRef<HTMLDivElement>(null);
  const [isNear, setIsNear] = useState(false);
  // No spinner for automatic loading: animating it below the viewport cost a third of the frame time.
  const [isRequested, setIsRequested] = useState(false);
  useEffect(() => {
    if (!end.current) return undefined;
    const watcher = new IntersectionObserver((entries) => setIsNear(entries.at(-1)?.isIntersecting === true), {
      root: end.current.closest('[data-rail]'),
      rootMargin: `0px 0px ${LOAD_DISTANCE} 0px`,
    });
    watcher.observe(end.current);
    return () => watcher.disconnect();
  }, []);
  const loadMore = useCallback(() => fetchNextPage({ cancelRefetch: false }), [fetchNextPage]);
  const may = isDrawn && hasNextPage && !isFetching && !isFetchNextPageError;
  useEffect(() => {
    if (may && isNear) void loadMore();
  }, [may, isNear, loadMore]);
  const loadOnRequest = async (): Promise<void> => {
    setIsRequested(true);
    await loadMore();
    setIsRequested(false);
  };
  return (
    <div ref={end} className={styles['end']}>
      {hasNextPage ? (
        <Button fullWidth loading={isRequested} onClick={() => void loadOnRequest()}>
          Load more events
        </Button>
      ) : null}
    </div>
  );
}

/** Whether a part of the selected event is on one of these days. Its own day counts even if it is an exception. */
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
  const isLate = useDelayed(isPending);
  const onPick: PickListener = useCallback(
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
        <p className={styles['empty']}>No upcoming events</p>
      ) : null}
      {pages?.map(({ dates }, at) => (
        <DayGroups
          {...(chosen && includesEvent(dates, chosen) ? { chosen: chosen.id, chosenDate: chosen.date } : NOT_CHOSEN)}
          // oxlint-disable-next-line react/no-array-index-key -- pages are identified by position; their content may change
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
