import type { Transaction } from 'kysely';
import { placementOf, type Rule } from '#tools/calendar/repeat/domain/placement.ts';
import { styleOf, type EventDraft, type EventTimes } from '../../domain/event.ts';
import type { SearchStore } from './search.ts';
import { inPieces, type CalendarTables } from './tables.ts';

/** An event with where it stands and what it is found by. */
export interface PlacedEvent extends Pick<EventDraft, 'name' | 'description'>, EventTimes {
  readonly id: number;
}

const ruleColumns = ({ monthDay, period, phase, from, until, offset = 0 }: Rule) => ({
  month_day: monthDay,
  period,
  phase,
  from_day: from,
  until_day: until,
  day_offset: offset,
});

/** Takes events off their days and out of the search. */
export const displace = async (
  tx: Transaction<unknown>,
  search: SearchStore,
  events: readonly number[],
): Promise<void> => {
  const tables = tx.$extendTables<CalendarTables>();
  for (const piece of inPieces(events))
    for (const table of ['calendar_day', 'calendar_rule', 'calendar_span'] as const)
      await tables.deleteFrom(table).where('event', 'in', piece).execute();
  await search.unindex(tx, events);
};

/** Puts events that stand nowhere on their days and into the search. */
export const place = async (
  tx: Transaction<unknown>,
  search: SearchStore,
  account: number,
  events: readonly PlacedEvent[],
): Promise<void> => {
  const tables = tx.$extendTables<CalendarTables>();
  const placed = events.map((event) => ({ event: event.id, ...placementOf(event) }));
  const days = placed.flatMap(({ event, days: on }) => on.map((day) => ({ account, day, event })));
  for (const piece of inPieces(days, 3)) await tables.insertInto('calendar_day').values(piece).execute();
  const rules = placed.flatMap(({ event, rules: all }) =>
    all.map((rule) => ({ account, event, ...ruleColumns(rule) })),
  );
  for (const piece of inPieces(rules, 8)) await tables.insertInto('calendar_rule').values(piece).execute();
  const spans = placed.flatMap(({ event, spans: all = [] }) =>
    all.map((span) => ({ account, event, ...ruleColumns(span), day_count: span.count })),
  );
  for (const piece of inPieces(spans, 9)) await tables.insertInto('calendar_span').values(piece).execute();
  await search.index(
    tx,
    events.map(({ id, name, description, day, pattern }, at) => ({
      event: id,
      account,
      name,
      description,
      style: styleOf(pattern),
      day,
      until: placed[at]?.until ?? day,
    })),
  );
};
