import type { Source } from './eventStore.ts';
import { inPieces, type CalendarTables } from './tables.ts';

/** The objects of other calendars that events were last given by. */
export const readSources = async (
  source: Source,
  account: number,
  events: readonly number[],
): Promise<ReadonlyMap<number, { readonly text: string; readonly revision: number }>> => {
  const found = new Map<number, { readonly text: string; readonly revision: number }>();
  for (const piece of inPieces(events)) {
    const rows = await source
      .$extendTables<CalendarTables>()
      .selectFrom('calendar_source as source')
      .innerJoin('calendar_event as event', 'event.id', 'source.event')
      .select(['source.event', 'source.text', 'source.revision'])
      .where('event.account', '=', account)
      .where('source.event', 'in', piece)
      .execute();
    for (const { event, text, revision } of rows) found.set(event, { text, revision });
  }
  return found;
};
