import { Button } from '@mantine/core';
import { IconCalendarOff, IconCalendarEvent } from '@tabler/icons-react';
import { Suspense, useCallback, useEffect, useMemo, useRef, useState, memo, type TouchEvent } from 'react';
import { showError, showRepeatingError } from '#platform/web/app/failure.ts';
import { lazyPart } from '#platform/web/app/lazyPart.ts';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import { Head } from './CalendarHeader.tsx';
import { Dialogs, type DialogName } from './MoreMenu.tsx';
import { DateRail } from './rails/DateRail.tsx';
import { DurationRail } from './rails/DurationRail.tsx';
import type { CalendarViewProps, Selection, View, DaysProps } from './selection.ts';
import { useCalendarChanges, useIsBare, useKnownPages, useToday } from './useCalendar.ts';
import { useCalendarCommands } from './useCalendarCommands.ts';
import { rememberedView, rememberView, usePlace, useRails, useSmall } from './useCalendarLocation.ts';
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
  readonly small: boolean;
  readonly isEmpty: boolean;
  readonly onBack: () => void;
  /** Opens the dialog that brings events from elsewhere. */
  readonly onConnect: () => void;
}

/** The main area. Memoized, so that new days in the rails don't render it again. */
export const Main = memo(function Main({ view, small, isEmpty, onBack, onConnect, ...days }: MainProps) {
  const { selection, today, onSelect, onNew } = days;
  const part = { selection, today, onSelect };
  if (view === 'search') return <SearchView {...part} onBack={onBack} />;
  if (small && selection.kind === 'none')
    return (
      <>
        <div className={styles['quick']}>
          <QuickAdd today={today} onSelect={onSelect} />
        </div>
        <PhoneMonth {...days} />
      </>
    );
  if (!small && view === 'month') return <MonthView {...days} />;
  if (!small && view === 'week') return <WeekView {...days} />;
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
  return <Editor {...part} />;
});

const EDGE_PX = 24;
const FAR_PX = 56;

/** Returns handlers that call `then` on a swipe from the left edge. */
export function useEdgeSwipe(isOn: boolean, then: () => void) {
  const start = useRef<{ readonly x: number; readonly y: number }>(undefined);
  return {
    onTouchStart: ({ touches }: TouchEvent): void => {
      const finger = touches[0];
      const isEdge = isOn && touches.length === 1 && finger !== undefined && finger.clientX <= EDGE_PX;
      start.current = isEdge ? { x: finger.clientX, y: finger.clientY } : undefined;
    },
    onTouchMove: ({ touches }: TouchEvent): void => {
      const finger = touches[0];
      if (!start.current || !finger) return;
      const [across, down] = [finger.clientX - start.current.x, Math.abs(finger.clientY - start.current.y)];
      if (down > across + EDGE_PX) start.current = undefined;
      else if (across >= FAR_PX && across > down) {
        start.current = undefined;
        then();
      }
    },
  };
}

const RailSheet = lazyPart(async () => (await import('./rails/RailSheet.tsx')).RailSheet);

/** Replaces the page if it may not show anything (docs/specification/calendar.md section 1.1). */
function LogIn({ again }: { readonly again: () => void }) {
  return (
    <div className={styles['container']}>
      <EmptyState icon={IconCalendarOff} text="log in for events">
        <Button variant="primary" onClick={again}>
          Try again
        </Button>
      </EmptyState>
    </div>
  );
}

const useErrorNotices = (error: Error | null): void => {
  // Shows each failed attempt: the notices of earlier ones stay.
  useEffect(() => {
    if (error) showRepeatingError(error);
  }, [error]);
};

/** The location of the page, and the navigation that its parts offer. */
const useNavigation = (today: string, small: boolean) => {
  const { view, selection, go, back } = usePlace(today);
  const isAtBase = selection.kind === 'none' && view !== 'search';
  const show = useCallback(
    (next: View, chosen: Selection): void => go({ view: next, selection: chosen }, { push: small && isAtBase }),
    [go, small, isAtBase],
  );
  const onSelect = useCallback((next: Selection): void => show('event', next), [show]);
  const onNew = useCallback((date: string): void => show('event', { kind: 'new', proposal: { date } }), [show]);
  const beforeSearch = useRef<View>(undefined);
  const onSwitch = (next: View): void => {
    if (next !== 'search') rememberView(next);
    else if (view !== 'search') beforeSearch.current = view;
    show(next, selection);
  };
  const leaveSearch = useCallback(
    (): void => (small ? back() : go({ view: beforeSearch.current ?? rememberedView(), selection })),
    [small, back, go, selection],
  );
  return { view, selection, isAtBase, go, back, onSelect, onNew, onSwitch, leaveSearch };
};

const names: Readonly<Record<View, string>> = { event: 'Event', week: 'Week', month: 'Month', search: 'Search' };

interface RailsProps {
  readonly small: boolean;
  readonly rails: ReturnType<typeof useRails>;
  readonly part: CalendarViewProps;
  readonly ask: (dialog: DialogName) => void;
}

/** Both rails: beside the main area, or as a sheet over it in a narrow window. */
function Rails({ small, rails, part, ask }: RailsProps) {
  const { setOpen } = rails;
  const onClose = useCallback(() => setOpen(false), [setOpen]);
  if (small)
    return (
      <Suspense>
        <RailSheet opened={rails.sheet} onClose={onClose} part={part} ask={ask} />
      </Suspense>
    );
  if (!rails.shown) return null;
  return (
    <div className={styles['rails']}>
      <DateRail {...part} />
      <DurationRail {...part} />
    </div>
  );
}

/** The page without any events. */
function Nothing({ events }: { readonly events: ReturnType<typeof useIsBare> }) {
  const again = (): void => void events.refetch().then((tried) => tried.error && showError(tried.error));
  return (
    <section className={styles['main']} data-view="event" aria-label="Event">
      <LogIn again={again} />
    </section>
  );
}

export default function CalendarPage() {
  const today = useToday();
  const small = useSmall();
  useCalendarChanges(today);
  useReminders(today);
  useUndoKeys();
  const events = useIsBare();
  useErrorNotices(events.error);
  const ways = useNavigation(today, small);
  const { view, selection, isAtBase, onSelect, onNew, onSwitch } = ways;
  const rails = useRails(small);
  const part = useMemo((): CalendarViewProps => ({ selection, today, onSelect }), [selection, today, onSelect]);
  const [openDialog, setOpenDialog] = useState<DialogName>();
  const connect = useCallback((): void => setOpenDialog('connect'), []);
  const knownPages = useKnownPages();
  useCalendarCommands({ ...ways, knownPages, today, small, rails, ask: setOpenDialog });
  const swipe = useEdgeSwipe(small && !rails.isOpen, () => rails.setOpen(true));

  const head = (
    <Head
      small={small}
      view={view}
      datesShown={rails.isOpen}
      isAtBase={isAtBase}
      onDates={() => rails.setOpen(!rails.isOpen)}
      onNew={() => onNew(today)}
      onSwitch={onSwitch}
      onBack={ways.back}
      ask={setOpenDialog}
    />
  );
  if (events.data === undefined && events.isError)
    return (
      <div className={styles['calendar']} data-flush>
        {head}
        <Nothing events={events} />
      </div>
    );
  return (
    <div className={styles['calendar']} data-flush data-rails={rails.shown || undefined} {...swipe}>
      {head}
      <Rails small={small} rails={rails} part={part} ask={setOpenDialog} />
      <section className={styles['main']} data-view={small && isAtBase ? 'month' : view} aria-label={names[view]}>
        <Suspense>
          <Main
            view={view}
            small={small}
            isEmpty={events.data === true}
            selection={selection}
            today={today}
            onSelect={onSelect}
            onNew={onNew}
            onBack={ways.leaveSearch}
            onConnect={connect}
          />
        </Suspense>
      </section>
      <Dialogs openDialog={openDialog} onClose={() => setOpenDialog(undefined)} onSelect={onSelect} />
    </div>
  );
}
