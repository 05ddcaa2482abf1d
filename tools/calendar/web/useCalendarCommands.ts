import { useLayoutEffect, useRef } from 'react';
import { toIso } from '#platform/contract/day.ts';
import { useCommands, type Command } from '#platform/web/app/commands.ts';
import { parseDay } from '../events/domain/day.ts';
import type { DialogName } from './MoreMenu.tsx';
import type { Selection, View } from './selection.ts';
import type { EventPage } from './useCalendar.ts';
import type { CalendarLocation, useRails } from './useCalendarLocation.ts';

type ChosenEvent = Extract<Selection, { readonly kind: 'event' }>;

/** The events of both rails, in the order shown. */
const listRows = (pages: readonly EventPage[]): readonly ChosenEvent[] => {
  const dated = pages.flatMap(({ dates }) =>
    Object.entries(dates).flatMap(([date, { entries }]) =>
      entries
        .filter(({ eventid }) => eventid > 0)
        .map(({ eventid, began = date, type }): ChosenEvent => ({ kind: 'event', id: eventid, date: began, type })),
    ),
  );
  const lasting = (pages.at(-1)?.datesduration ?? []).map(({ eventid, type, date }): ChosenEvent => ({
    kind: 'event',
    id: eventid,
    date: toIso(parseDay(date) ?? 0),
    type,
  }));
  // An event past midnight is one row, although the rail has it on several days.
  return [...new Map([...dated, ...lasting].map((row) => [`${row.id} ${row.date}`, row])).values()];
};

/** Returns the event after (1) or before (-1) the selected one. If none is selected, the first or the last one. */
export function stepIn(pages: readonly EventPage[], selection: Selection, by: 1 | -1): Selection | undefined {
  const rows = listRows(pages);
  const at =
    selection.kind === 'event' ? rows.findIndex(({ id, date }) => id === selection.id && date === selection.date) : -1;
  if (at === -1) return by === 1 ? rows[0] : rows.at(-1);
  return rows[at + by];
}

interface CommandsOptions extends CalendarLocation {
  readonly today: string;
  readonly small: boolean;
  readonly knownPages: () => readonly EventPage[];
  readonly rails: ReturnType<typeof useRails>;
  readonly go: (next: CalendarLocation) => void;
  readonly onNew: (date: string) => void;
  readonly onSwitch: (view: View) => void;
  readonly ask: (dialog: DialogName) => void;
}

/** How long to wait for the quick add field. */
const QUICK_ADD_TIMEOUT_MS = 3000;

const getDay = (selection: Selection, today: string): string =>
  selection.kind === 'event' ? selection.date : selection.kind === 'new' ? selection.proposal.date : today;

const rail = (): HTMLElement | null => document.querySelector('[data-rail=dates]');

const toToday = (): void => {
  rail()?.scrollTo({ top: 0 });
  rail()?.querySelector<HTMLElement>('[data-entry]')?.focus({ preventScroll: true });
};

const focusField = (selector: string): HTMLElement | null => {
  const field = document.querySelector<HTMLElement>(selector);
  field?.focus();
  return field;
};

/** Focuses the quick add field, retrying because hidden rails and the field itself render later. */
const focusQuickAdd = (until = Date.now() + QUICK_ADD_TIMEOUT_MS): void => {
  if (focusField('[data-quick-add]') === null && Date.now() < until) requestAnimationFrame(() => focusQuickAdd(until));
};

/** The keys of the page (docs/design/appearance.md section 4.3). Commands of a view take precedence. */
export function useCalendarCommands(options: CommandsOptions): void {
  const { view, selection, today, small, knownPages, rails, go, onNew, onSwitch, ask } = options;
  // Two steps may happen before the first one is rendered.
  const latest = useRef(selection);
  const hasStepped = useRef(false);
  useLayoutEffect(() => {
    latest.current = selection;
    if (!hasStepped.current) return;
    hasStepped.current = false;
    document.querySelector('[data-rail] [aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [selection]);
  const step = (by: 1 | -1): void => {
    const next = stepIn(knownPages(), latest.current, by);
    if (!next) return;
    latest.current = next;
    hasStepped.current = true;
    go({ view: view === 'search' ? 'event' : view, selection: next });
  };
  // Views of days have these keys themselves, for the focused day.
  const hasDays = small ? selection.kind === 'none' && view !== 'search' : view === 'month' || view === 'week';
  const withoutDays: readonly Command[] = [
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
    { id: 'calendar.today', name: 'Today', keys: 't', run: toToday },
  ];
  const views: readonly Command[] = [
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
      if (!small) rails.setOpen(true);
      focusQuickAdd();
    },
  };
  // In a narrow window it is only shown over the month.
  const hasQuickAdd = !small || (selection.kind === 'none' && view !== 'search');
  useCommands([
    ...(hasDays ? [] : withoutDays),
    {
      id: 'calendar.search',
      name: 'Search events',
      keys: '/',
      opensField: true,
      run: () => (view === 'search' ? void focusField('[role=search] input') : onSwitch('search')),
    },
    { id: 'calendar.next', name: 'Next event', keys: 'j', run: () => step(1) },
    { id: 'calendar.previous', name: 'Previous event', keys: 'k', run: () => step(-1) },
    ...(small ? [] : views),
    ...(hasQuickAdd ? [quickAdd] : []),
    { id: 'calendar.dates', name: 'Hide or show dates', run: () => rails.setOpen(!rails.isOpen) },
    { id: 'calendar.import', name: 'Import a calendar file', run: () => ask('import') },
    { id: 'calendar.connect', name: 'Phones and other calendars', run: () => ask('connect') },
    { id: 'calendar.bin', name: 'Calendar bin', run: () => ask('bin') },
  ]);
}
