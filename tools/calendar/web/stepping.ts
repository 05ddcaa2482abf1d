import { parseDay, toIso } from '../events/domain/day.ts';
import type { Selection } from './selection.ts';
import type { EventPage } from './useCalendar.ts';

type ChosenEvent = Extract<Selection, { readonly kind: 'event' }>;

/** The events of both rails in the order in which they stand there. */
const rowsOf = (pages: readonly EventPage[]): readonly ChosenEvent[] => {
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
  // What goes over midnight is one row, however many of its days the rail has.
  return [...new Map([...dated, ...lasting].map((row) => [`${row.id} ${row.date}`, row])).values()];
};

/** The event after (1) or before (-1) the chosen one; the first or the last one where none is chosen. */
export const stepIn = (pages: readonly EventPage[], selection: Selection, by: 1 | -1): Selection | undefined => {
  const rows = rowsOf(pages);
  const at =
    selection.kind === 'event' ? rows.findIndex(({ id, date }) => id === selection.id && date === selection.date) : -1;
  if (at === -1) return by === 1 ? rows[0] : rows.at(-1);
  return rows[at + by];
};
