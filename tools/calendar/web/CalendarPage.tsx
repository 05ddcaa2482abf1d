import { Button } from '@mantine/core';
import { IconCalendarOff, IconCalendarEvent } from '@tabler/icons-react';
import { Suspense, useCallback, useEffect, useMemo, useRef, useState, memo, type TouchEvent } from 'react';
import { lazyPart } from '#platform/web/app/lazyPart.ts';
import { showError, showRepeatingError } from '#platform/web/app/showError.ts';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import { CalendarHeader } from './CalendarHeader.tsx';
import { Dialogs, type DialogName } from './MoreMenu.tsx';
import { DateRail } from './rails/DateRail.tsx';
import { DurationRail } from './rails/DurationRail.tsx';
import type { CalendarViewProps, Selection, View, DaysProps } from './selection.ts';
import { useCalendarChanges, useHasNoEvents, useLoadedPages, useToday } from './useCalendar.ts';
import { useCalendarCommands } from './useCalendarCommands.ts';
import { getStoredView, storeView, useCalendarLocation, useRails, useIsNarrowWindow } from './useCalendarLocation.ts';
import { useUndoKeys } from './useEventMutations.ts';
import { useReminders } from './useReminders.ts';
import styles from './CalendarPage.module.css';

const Editor = lazyPart(async () => (await import('./editor/Editor.tsx')).Editor);
const MonthView = lazyPart(async () => (await import('./month/MonthView.tsx')).MonthView);
const WeekView = lazyPart(async () => (await import('./month/WeekView.tsx')).WeekView);
const PhoneMonth = lazyPart(async () => (await import('./month/PhoneMonth.tsx')).PhoneMonth);
const QuickAdd = lazyPart(async () => (await import('./QuickAdd.tsx')).QuickAdd);
const SearchView = lazyPart(async () => (await import('./search/SearchView.tsx')).SearchView);
export interface MainProps extends DaysProps {
  readonly view: View;
  readonly isNarrow: boolean;
  readonly isEmpty: boolean;
  readonly onBack: () => void;
  /** Opens the dialog that brings events from elsewhere. */
  readonly onConnect: () => void;
}

/** The main area. Memoized, so that new days in the rails don't render it again. */
export const Main = memo(function Main({ view, isNarrow, isEmpty, onBack, onConnect, ...days }: MainProps) {
  const { selection, today, onSelect, onNew } = days;
  const viewProps = { selection, today, onSelect };
  if (view === 'search') return <SearchView {...viewProps} onBack={onBack} />;
  if (isNarrow && selection.kind === 'none')
    return (
      <>
        <div className={styles['quick']}>
          <QuickAdd today={today} onSelect={onSelect} />
        </div>
        <PhoneMonth {...days} />
      </>
    );
  if (!isNarrow && view === 'month') return <MonthView {...days} />;
  if (!isNarrow && view === 'week') return <WeekView {...days} />;
  if (isEmpty && selection.kind === 'none')
    return (
      <EmptyState
        icon={IconCalendarEvent}
        text="Your events appear here by day. Add the first one, or import an existing calendar"
      >
        <Button variant="primary" onClick={() => onNew(today)}>
          New event
        </Button>
        <Button onClick={onConnect}>Import or subscribe</Button>
      </EmptyState>
    );
  return <Editor {...viewProps} />;
});

const EDGE_PX = 24;
const MIN_SWIPE_PX = 56;

/** Returns handlers that call `then` on a swipe from the left edge. */
export function useEdgeSwipe(isEnabled: boolean, onSwipe: () => void) {
  const start = useRef<{ readonly x: number; readonly y: number }>(undefined);
  return {
    onTouchStart: ({ touches }: TouchEvent): void => {
      const finger = touches[0];
      const isEdge = isEnabled && touches.length === 1 && finger !== undefined && finger.clientX <= EDGE_PX;
      start.current = isEdge ? { x: finger.clientX, y: finger.clientY } : undefined;
    },
    onTouchMove: ({ touches }: TouchEvent): void => {
      const finger = touches[0];
      if (!start.current || !finger) return;
      const [across, down] = [finger.clientX - start.current.x, Math.abs(finger.clientY - start.current.y)];
      if (down > across + EDGE_PX) start.current = undefined;
      else if (across >= MIN_SWIPE_PX && across > down) {
        start.current = undefined;
        onSwipe();
      }
    },
  };
}

const RailSheet = lazyPart(async () => (await import('./rails/RailSheet.tsx')).RailSheet);

/** Replaces the page if it may not show anything (docs/specification/calendar.md section 1.1). */
function LogIn({ onRetry }: { readonly onRetry: () => void }) {
  return (
    <div className={styles['container']}>
      <EmptyState icon={IconCalendarOff} text="log in for events">
        <Button variant="primary" onClick={onRetry}>
          Try again
        </Button>
      </EmptyState>
    </div>
  );
}

function useErrorNotices(error: Error | null): void {
  // Shows each failed attempt: the notices of earlier ones stay.
  useEffect(() => {
    if (error) showRepeatingError(error);
  }, [error]);
}

/** Returns the location of the page, and the navigation that its parts offer. */
function useNavigation(today: string, isNarrow: boolean) {
  const { view, selection, go, back } = useCalendarLocation(today);
  const isAtBase = selection.kind === 'none' && view !== 'search';
  const navigateTo = useCallback(
    (next: View, nextSelection: Selection): void =>
      go({ view: next, selection: nextSelection }, { push: isNarrow && isAtBase }),
    [go, isNarrow, isAtBase],
  );
  const onSelect = useCallback((next: Selection): void => navigateTo('event', next), [navigateTo]);
  const onNew = useCallback(
    (date: string): void => navigateTo('event', { kind: 'new', proposal: { date } }),
    [navigateTo],
  );
  const beforeSearch = useRef<View>(undefined);
  function onSwitch(next: View): void {
    if (next !== 'search') storeView(next);
    else if (view !== 'search') beforeSearch.current = view;
    navigateTo(next, selection);
  }
  const leaveSearch = useCallback(
    (): void => (isNarrow ? back() : go({ view: beforeSearch.current ?? getStoredView(), selection })),
    [isNarrow, back, go, selection],
  );
  return { view, selection, isAtBase, go, back, onSelect, onNew, onSwitch, leaveSearch };
}

const VIEW_NAMES: Readonly<Record<View, string>> = { event: 'Event', week: 'Week', month: 'Month', search: 'Search' };

interface RailsProps {
  readonly isNarrow: boolean;
  readonly rails: ReturnType<typeof useRails>;
  readonly viewProps: CalendarViewProps;
  readonly onOpenDialog: (dialog: DialogName) => void;
}

/** Both rails: beside the main area, or as a sheet over it in a narrow window. */
function Rails({ isNarrow, rails, viewProps, onOpenDialog }: RailsProps) {
  const { setOpen } = rails;
  const onClose = useCallback(() => setOpen(false), [setOpen]);
  if (isNarrow)
    return (
      <Suspense>
        <RailSheet isOpen={rails.isSheetOpen} onClose={onClose} viewProps={viewProps} onOpenDialog={onOpenDialog} />
      </Suspense>
    );
  if (!rails.isShown) return null;
  return (
    <div className={styles['rails']}>
      <DateRail {...viewProps} />
      <DurationRail {...viewProps} />
    </div>
  );
}

/** The page without any events. */
function NoEvents({ events }: { readonly events: ReturnType<typeof useHasNoEvents> }) {
  const onRetry = (): void => void events.refetch().then(({ error }) => error && showError(error));
  return (
    <section className={styles['main']} data-view="event" aria-label="Event">
      <LogIn onRetry={onRetry} />
    </section>
  );
}

export default function CalendarPage() {
  const today = useToday();
  const isNarrow = useIsNarrowWindow();
  useCalendarChanges(today);
  useReminders(today);
  useUndoKeys();
  const events = useHasNoEvents();
  useErrorNotices(events.error);
  const navigation = useNavigation(today, isNarrow);
  const { view, selection, isAtBase, onSelect, onNew, onSwitch } = navigation;
  const rails = useRails(isNarrow);
  const viewProps = useMemo((): CalendarViewProps => ({ selection, today, onSelect }), [selection, today, onSelect]);
  const [openDialog, setOpenDialog] = useState<DialogName>();
  const openConnectDialog = useCallback((): void => setOpenDialog('connect'), []);
  const getLoadedPages = useLoadedPages();
  useCalendarCommands({ ...navigation, getLoadedPages, today, isNarrow, rails, onOpenDialog: setOpenDialog });
  const swipe = useEdgeSwipe(isNarrow && !rails.isOpen, () => rails.setOpen(true));

  const header = (
    <CalendarHeader
      isNarrow={isNarrow}
      view={view}
      areDatesShown={rails.isOpen}
      isAtBase={isAtBase}
      onToggleDates={() => rails.setOpen(!rails.isOpen)}
      onNew={() => onNew(today)}
      onSwitch={onSwitch}
      onBack={navigation.back}
      onOpenDialog={setOpenDialog}
    />
  );
  if (events.data === undefined && events.isError)
    return (
      <div className={styles['calendar']} data-flush>
        {header}
        <NoEvents events={events} />
      </div>
    );
  return (
    <div className={styles['calendar']} data-flush data-rails={rails.isShown || undefined} {...swipe}>
      {header}
      <Rails isNarrow={isNarrow} rails={rails} viewProps={viewProps} onOpenDialog={setOpenDialog} />
      <section
        className={styles['main']}
        data-view={isNarrow && isAtBase ? 'month' : view}
        aria-label={VIEW_NAMES[view]}
      >
        <Suspense>
          <Main
            view={view}
            isNarrow={isNarrow}
            isEmpty={events.data === true}
            selection={selection}
            today={today}
            onSelect={onSelect}
            onNew={onNew}
            onBack={navigation.leaveSearch}
            onConnect={openConnectDialog}
          />
        </Suspense>
      </section>
      <Dialogs openDialog={openDialog} onClose={() => setOpenDialog(undefined)} onSelect={onSelect} />
    </div>
  );
}
