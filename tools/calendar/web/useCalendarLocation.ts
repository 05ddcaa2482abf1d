import { useMediaQuery } from '@mantine/hooks';
import { useCallback, useMemo, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { toIso } from '#platform/contract/day.ts';
import { createNavigationState } from '#platform/web/app/navigation.ts';
import { browserStorage, useBrowserStorage } from '#platform/web/browser/browserStorage.ts';
import { styles } from '../contract/events.ts';
import { parseDay } from '../events/domain/day.ts';
import type { Proposal, Selection, View } from './selection.ts';

const HIDDEN = 'calendar.dates';

/** Whether the window is narrower than 650 px (docs/specification/calendar.md section 6). */
export function useSmall(): boolean {
  return useMediaQuery('(max-width: 649.98px)', undefined, { getInitialValueInEffect: false }) ?? false;
}

/**
 * Whether the rails are shown. In a narrow window they are a sheet over the page; a wide one shows them unless the user
 * hid them.
 */
export function useRails(small: boolean) {
  const [remembered] = useBrowserStorage(HIDDEN);
  const [sheet, setSheet] = useState(false);
  // Closes the sheet when the window becomes wide, so that it doesn't reappear later.
  if (!small && sheet) setSheet(false);
  const setOpen = useCallback(
    (open: boolean): void => {
      if (small) setSheet(open);
      else browserStorage.set(HIDDEN, open ? 'shown' : 'hidden');
    },
    [small],
  );
  const hidden = remembered === 'hidden';
  return {
    /** Whether they are shown beside the main area. */
    shown: !small && !hidden,
    sheet: small && sheet,
    isOpen: small ? sheet : !hidden,
    setOpen,
  };
}

const VIEW = 'calendar.view';
const views: readonly View[] = ['event', 'week', 'month', 'search'];
const NONE: Selection = { kind: 'none' };

/** What the page shows. It is stored in the address, so that links, reload and the browser's back button work. */
export interface CalendarLocation {
  readonly view: View;
  readonly selection: Selection;
}

/** Stores the view that the user last selected. Opening an event doesn't count. */
export function rememberView(view: View): void {
  return browserStorage.set(VIEW, view);
}
export function rememberedView(): View {
  return views.find((view) => view === browserStorage.get(VIEW) && view !== 'search') ?? 'event';
}

const toIsoOr = (text: string | null, otherwise: string): string => {
  const day = text === null ? undefined : parseDay(text);
  return day === undefined ? otherwise : toIso(day);
};

const parseProposal = (state: unknown, date: string): Proposal => {
  const storedProposal = (state as { readonly proposal?: Proposal } | null)?.proposal;
  return typeof storedProposal === 'object' && storedProposal.date === date ? storedProposal : { date };
};

const parseSelection = (query: URLSearchParams, state: unknown, today: string): Selection => {
  const id = Number(query.get('event'));
  const date = toIsoOr(query.get('date'), today);
  if (Number.isSafeInteger(id) && id > 0)
    return { kind: 'event', id, date, type: styles.find((style) => style === query.get('type')) ?? 'calendar' };
  const fresh = query.get('new');
  return fresh === null ? NONE : { kind: 'new', proposal: parseProposal(state, toIsoOr(fresh, today)) };
};

const formatSearch = ({ view, selection }: CalendarLocation): string => {
  const query = new URLSearchParams({ view });
  if (selection.kind === 'new') query.set('new', selection.proposal.date);
  if (selection.kind === 'event') {
    query.set('event', String(selection.id));
    query.set('date', selection.date);
    query.set('type', selection.type);
  }
  return `?${query.toString()}`;
};

interface GoOptions {
  /** Adds a history entry, which the back button reverts. */
  readonly push?: boolean;
}

/** The location in the page, and functions to navigate. */
export function usePlace(today: string) {
  const { search, state } = useLocation();
  const navigate = useNavigate();
  const place = useMemo((): CalendarLocation => {
    const query = new URLSearchParams(search);
    const selection = parseSelection(query, state, today);
    const named = views.find((view) => view === query.get('view'));
    return { selection, view: named ?? (selection.kind === 'none' ? rememberedView() : 'event') };
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
    else go({ view: rememberedView(), selection: NONE });
  }, [isPushed, navigate, go]);
  return { ...place, go, back };
}
