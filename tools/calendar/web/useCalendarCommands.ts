import { useLayoutEffect, useRef } from 'react';
import { toIso } from '#platform/contract/day.ts';
import { useCommands, type Command } from '#platform/web/app/commands.ts';
import { parseDay } from '../events/domain/day.ts';
import type { DialogName } from './MoreMenu.tsx';
import type { Selection, View } from './selection.ts';
import type { EventPage } from './useCalendar.ts';
import type { CalendarLocation, useRails } from './useCalendarLocation.ts';

type SelectedEvent = Extract<Selection, { readonly kind: 'event' }>;

/** Lists the events of both rails, in the order shown. */
function listRows(pages: readonly EventPage[]): readonly SelectedEvent[] {
  const datedEvents = pages.flatMap(({ dates }) =>
    Object.entries(dates).flatMap(([date, { entries }]) =>
      entries
        .filter(({ eventid }) => eventid > 0)
        .map(({ eventid, began = date, type }): SelectedEvent => ({
          kind: 'event',
          id: eventid,
          date: began,
          type,
        })),
    ),
  );
  const durations = (pages.at(-1)?.datesduration ?? []).map(({ eventid, type, date }): SelectedEvent => ({
    kind: 'event',
    id: eventid,
    date: toIso(parseDay(date) ?? 0),
    type,
  }));
  // An event past midnight is one row, although the rail has it on several days.
  return [...new Map([...datedEvents, ...durations].map((row) => [`${row.id} ${row.date}`, row])).values()];
}

/** Returns the event after (1) or before (-1) the selected one. If none is selected, the first or the last one. */
export function findAdjacentEvent(
  pages: readonly EventPage[],
  selection: Selection,
  by: 1 | -1,
): Selection | undefined {
  const rows = listRows(pages);
  const index =
    selection.kind === 'event' ? rows.findIndex(({ id, date }) => id === selection.id && date === selection.date) : -1;
  if (index === -1) return by === 1 ? rows[0] : rows.at(-1);
  return rows[index + by];
}

interface CommandsOptions extends CalendarLocation {
  readonly today: string;
  readonly isNarrow: boolean;
  readonly getLoadedPages: () => readonly EventPage[];
  readonly rails: ReturnType<typeof useRails>;
  readonly go: (next: CalendarLocation) => void;
  readonly onNew: (date: string) => void;
  readonly onSwitch: (view: View) => void;
  readonly onOpenDialog: (dialog: DialogName) => void;
}

/** How long to wait for the quick add field. */
const QUICK_ADD_TIMEOUT_MS = 3000;

const getDay = (selection: Selection, today: string): string =>
  selection.kind === 'event' ? selection.date : selection.kind === 'new' ? selection.proposal.date : today;

const findDateRail = (): HTMLElement | null => document.querySelector('[data-rail=dates]');

function goToToday(): void {
  findDateRail()?.scrollTo({ top: 0 });
  findDateRail()?.querySelector<HTMLElement>('[data-entry]')?.focus({ preventScroll: true });
}

function focusField(selector: string): HTMLElement | null {
  const field = document.querySelector<HTMLElement>(selector);
  field?.focus();
  return field;
}

/** Focuses the quick add field, retrying because hidden rails and the field itself render later. */
function focusQuickAdd(deadline = Date.now() + QUICK_ADD_TIMEOUT_MS): void {
  if (focusField('[data-quick-add]') === null && Date.now() < deadline)
    requestAnimationFrame(() => focusQuickAdd(deadline));
}

/** Registers the keys of the page (docs/design/appearance.md section 4.3). Commands of a view take precedence. */
export function useCalendarCommands(options: CommandsOptions): void {
  const { view, selection, today, isNarrow, getLoadedPages, rails, go, onNew, onSwitch, onOpenDialog } = options;
  // Two steps may happen before the first one is rendered.
  const latestSelection = useRef(selection);
  const hasStepped = useRef(false);
  useLayoutEffect(() => {
    latestSelection.current = selection;
    if (!hasStepped.current) return;
    hasStepped.current = false;
    document.querySelector('[data-rail] [aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [selection]);
  function step(by: 1 | -1): void {
    const next = findAdjacentEvent(getLoadedPages(), latestSelection.current, by);
    if (!next) return;
    latestSelection.current = next;
    hasStepped.current = true;
    go({ view: view === 'search' ? 'event' : view, selection: next });
  }
  // Views of days have these keys themselves, for the focused day.
  const hasDays = isNarrow ? selection.kind === 'none' && view !== 'search' : view === 'month' || view === 'week';
  const eventCommands: readonly Command[] = [
    {
      id: 'calendar.new',
      name: 'New event',
      keys: 'n',
      opensField: true,
      run: () => {
        onNew(getDay(selection, today));
        // The form of this event is open already, and stays.
        const isOpen = view === 'event' && selection.kind === 'new' && selection.proposal.name === undefined;
        if (isOpen) focusField('[data-event-name]');
      },
    },
    { id: 'calendar.today', name: 'Today', keys: 't', run: goToToday },
  ];
  const viewCommands: readonly Command[] = [
    { id: 'calendar.event', name: 'Event view', keys: 'e', run: () => onSwitch('event') },
    { id: 'calendar.week', name: 'Week view', keys: 'w', run: () => onSwitch('week') },
    { id: 'calendar.month', name: 'Month view', keys: 'm', run: () => onSwitch('month') },
  ];
  const quickAdd: Command = {
    id: 'calendar.quick',
    name: 'Quick add',
    keys: 'q',
    opensField: true,
    run: () => {
      if (!isNarrow) rails.setOpen(true);
      focusQuickAdd();
    },
  };
  // In a narrow window it is only shown over the month.
  const hasQuickAdd = !isNarrow || (selection.kind === 'none' && view !== 'search');
  useCommands([
    ...(hasDays ? [] : eventCommands),
    {
      id: 'calendar.search',
      name: 'Search events',
      keys: '/',
      opensField: true,
      run: () => (view === 'search' ? void focusField('[role=search] input') : onSwitch('search')),
    },
    { id: 'calendar.next', name: 'Next event', keys: 'j', run: () => step(1) },
    { id: 'calendar.previous', name: 'Previous event', keys: 'k', run: () => step(-1) },
    ...(isNarrow ? [] : viewCommands),
    ...(hasQuickAdd ? [quickAdd] : []),
    { id: 'calendar.dates', name: 'Hide or show dates', run: () => rails.setOpen(!rails.isOpen) },
    { id: 'calendar.import', name: 'Import a calendar file', run: () => onOpenDialog('import') },
    { id: 'calendar.connect', name: 'Phones and other calendars', run: () => onOpenDialog('connect') },
    { id: 'calendar.bin', name: 'Calendar bin', run: () => onOpenDialog('bin') },
  ]);
}
