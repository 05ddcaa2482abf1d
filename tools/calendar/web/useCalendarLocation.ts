import { useMediaQuery } from '@mantine/hooks';
import { useCallback, useMemo, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { toIso } from '#platform/contract/day.ts';
import { createNavigationState } from '#platform/web/app/navigation.ts';
import { browserStorage, useBrowserStorage } from '#platform/web/browser/browserStorage.ts';
import { styles } from '../contract/events.ts';
import { parseDay } from '../events/domain/day.ts';
import type { Proposal, Selection, View } from './selection.ts';

const RAILS_KEY = 'calendar.dates';

/** Returns whether the window is narrower than 650 px (docs/specification/calendar.md section 6). */
export function useIsNarrowWindow(): boolean {
  return useMediaQuery('(max-width: 649.98px)', undefined, { getInitialValueInEffect: false }) ?? false;
}

/** Manages the rails: a sheet over the page in a narrow window; shown in a wide one unless the user hid them. */
export function useRails(isNarrow: boolean) {
  const [storedSetting] = useBrowserStorage(RAILS_KEY);
  const [isSheetOpen, setSheetOpen] = useState(false);
  // Closes the sheet when the window becomes wide, so that it doesn't reappear later.
  if (!isNarrow && isSheetOpen) setSheetOpen(false);
  const setOpen = useCallback(
    (open: boolean): void => {
      if (isNarrow) setSheetOpen(open);
      else browserStorage.set(RAILS_KEY, open ? 'shown' : 'hidden');
    },
    [isNarrow],
  );
  const isHidden = storedSetting === 'hidden';
  return {
    /** Whether they are shown beside the main area. */
    isShown: !isNarrow && !isHidden,
    isSheetOpen: isNarrow && isSheetOpen,
    isOpen: isNarrow ? isSheetOpen : !isHidden,
    setOpen,
  };
}

const VIEW_KEY = 'calendar.view';
const views: readonly View[] = ['event', 'week', 'month', 'search'];
const NONE: Selection = { kind: 'none' };

/** What the page shows. It is stored in the address, so that links, reload and the browser's back button work. */
export interface CalendarLocation {
  readonly view: View;
  readonly selection: Selection;
}

/** Stores the view that the user last selected. Opening an event doesn't count. */
export function storeView(view: View): void {
  return browserStorage.set(VIEW_KEY, view);
}
export function getStoredView(): View {
  return views.find((view) => view === browserStorage.get(VIEW_KEY) && view !== 'search') ?? 'event';
}

function parseToIsoOr(text: string | null, fallback: string): string {
  const day = text === null ? undefined : parseDay(text);
  return day === undefined ? fallback : toIso(day);
}

function parseProposal(state: unknown, date: string): Proposal {
  const storedProposal = (state as { readonly proposal?: Proposal } | null)?.proposal;
  return typeof storedProposal === 'object' && storedProposal.date === date ? storedProposal : { date };
}

function parseSelection(query: URLSearchParams, state: unknown, today: string): Selection {
  const id = Number(query.get('event'));
  const date = parseToIsoOr(query.get('date'), today);
  if (Number.isSafeInteger(id) && id > 0)
    return { kind: 'event', id, date, type: styles.find((style) => style === query.get('type')) ?? 'calendar' };
  const newDate = query.get('new');
  return newDate === null ? NONE : { kind: 'new', proposal: parseProposal(state, parseToIsoOr(newDate, today)) };
}

function formatSearch({ view, selection }: CalendarLocation): string {
  const query = new URLSearchParams({ view });
  if (selection.kind === 'new') query.set('new', selection.proposal.date);
  if (selection.kind === 'event') {
    query.set('event', String(selection.id));
    query.set('date', selection.date);
    query.set('type', selection.type);
  }
  return `?${query.toString()}`;
}

interface GoOptions {
  /** Adds a history entry, which the back button reverts. */
  readonly push?: boolean;
}

/** Returns the location in the page, and functions to navigate. */
export function useCalendarLocation(today: string) {
  const { search, state } = useLocation();
  const navigate = useNavigate();
  const location = useMemo((): CalendarLocation => {
    const query = new URLSearchParams(search);
    const selection = parseSelection(query, state, today);
    const requestedView = views.find((view) => view === query.get('view'));
    return { selection, view: requestedView ?? (selection.kind === 'none' ? getStoredView() : 'event') };
  }, [search, state, today]);
  const go = useCallback(
    (next: CalendarLocation, { push = false }: GoOptions = {}): void => {
      const { selection } = next;
      const historyState = selection.kind === 'new' ? { proposal: selection.proposal } : {};
      void navigate(
        { search: formatSearch(next) },
        { replace: !push, state: { ...createNavigationState(), ...historyState, pushed: push } },
      );
    },
    [navigate],
  );
  const isPushed = (state as { readonly pushed?: unknown } | null)?.pushed === true;
  const back = useCallback((): void => {
    if (isPushed) void navigate(-1);
    else go({ view: getStoredView(), selection: NONE });
  }, [isPushed, navigate, go]);
  return { ...location, go, back };
}
