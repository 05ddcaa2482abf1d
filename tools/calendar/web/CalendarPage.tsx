import { Button } from '@mantine/core';
import { IconCalendarOff } from '@tabler/icons-react';
import { Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { showError, showRepeatingError } from '#platform/web/app/failure.ts';
import { lazyPart } from '#platform/web/app/latePart.ts';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import { Head } from './CalendarHeader.tsx';
import { Dialogs, type DialogName } from './Dialogs.tsx';
import { Main } from './Main.tsx';
import type { PartProps } from './parts.ts';
import { DateRail } from './rails/DateRail.tsx';
import { DurationRail } from './rails/DurationRail.tsx';
import type { Selection, View } from './selection.ts';
import { useUndoKeys } from './undo.ts';
import { useCalendarChanges, useIsBare, useKnownPages, useToday } from './useCalendar.ts';
import { useCalendarCommands } from './useCalendarCommands.ts';
import { rememberedView, rememberView, usePlace } from './useCalendarLocation.ts';
import { useEdgeSwipe } from './useEdgeSwipe.ts';
import { useRails, useSmall } from './useRails.ts';
import { useReminders } from './useReminders.ts';
import styles from './CalendarPage.module.css';

const RailSheet = lazyPart(async () => (await import('./rails/RailSheet.tsx')).RailSheet);

/** In the page's place where it has nothing to show (specification 2, section 2). */
function LogIn({ again }: { readonly again: () => void }) {
  return (
    <div className={styles['place']}>
      <EmptyState icon={IconCalendarOff} text="log in for events">
        <Button variant="primary" onClick={again}>
          Try again
        </Button>
      </EmptyState>
    </div>
  );
}

const useTold = (error: Error | null): void => {
  // Each try that fails is seen: the notices of earlier ones stay.
  useEffect(() => {
    if (error) showRepeatingError(error);
  }, [error]);
};

/** Where the page is, and the ways from there that its parts offer. */
const useWays = (today: string, small: boolean) => {
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
  readonly part: PartProps;
  readonly ask: (dialog: DialogName) => void;
}

/** Both rails: beside the main place, on a narrow window as a sheet over it. */
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

/** The page without anything to show. */
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
  useTold(events.error);
  const ways = useWays(today, small);
  const { view, selection, isAtBase, onSelect, onNew, onSwitch } = ways;
  const rails = useRails(small);
  const part = useMemo((): PartProps => ({ selection, today, onSelect }), [selection, today, onSelect]);
  const [asked, setAsked] = useState<DialogName>();
  const connect = useCallback((): void => setAsked('connect'), []);
  const knownPages = useKnownPages();
  useCalendarCommands({ ...ways, knownPages, today, small, rails, ask: setAsked });
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
      ask={setAsked}
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
      <Rails small={small} rails={rails} part={part} ask={setAsked} />
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
      <Dialogs asked={asked} onClose={() => setAsked(undefined)} onSelect={onSelect} />
    </div>
  );
}
