import { toIso } from '#platform/contract/day.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import type { HistoryEntry } from '../../events/domain/editHistory.ts';
import { countEndDays, type CalendarEvent, type DayPattern } from '../../events/domain/event.ts';
import type { CalendarWithStores } from '../../events/server/calendar.ts';
import { createReminderStore } from '../../events/server/reminderStore.ts';
import { iterateEventPages, readSources } from '../../events/server/store/eventStore.ts';
import type { CalendarTables } from '../../events/server/store/tables.ts';

export const exportDescription =
  'Your events with all details, including events in the bin and of subscribed calendars, and your tags, subscriptions and reminders. `source` is the object that another program sent for an event. Dates have no time zone, other times are UTC.';

const formatIso = (ms: number): string => new Date(ms).toISOString();

function exportRepeat(pattern: DayPattern): unknown {
  if (pattern.kind === 'foreign') return { rule: pattern.rule, words: pattern.words, days: pattern.days.map(toIso) };
  if (pattern.kind !== 'repeat') return undefined;
  const { every, unit, from, until } = pattern.repeat;
  return {
    every,
    unit,
    from: from.type === 'forever' ? from : { type: from.type, day: toIso(from.day) },
    until: until.type === 'date' ? { type: until.type, day: toIso(until.day) } : until,
  };
}

/** Converts an event to the form of the export. */
export const toExportedEvent = (
  event: CalendarEvent & { readonly deleted: number | undefined },
  { history, source }: { readonly history: readonly HistoryEntry[]; readonly source: string | undefined },
) => ({
  id: event.id,
  uid: event.uid,
  name: event.name,
  description: event.description,
  date: toIso(event.day),
  time: event.time,
  endTime: event.endTime,
  endDate: toIso(event.day + countEndDays(event)),
  timeZone: event.zone,
  repeat: exportRepeat(event.pattern),
  duration: event.pattern.kind === 'duration' ? event.pattern.duration : undefined,
  exceptions: event.exceptions.map(toIso),
  tags: event.tags,
  pinned: event.pinned,
  subscription: event.subscription,
  changedDayOf: event.parent,
  changedDay: event.replaces === undefined ? undefined : toIso(event.replaces),
  created: formatIso(event.created),
  edited: formatIso(event.edited),
  deleted: event.deleted === undefined ? undefined : formatIso(event.deleted),
  history: history.map(({ type, at, address }) => ({ type, at: formatIso(at), address })),
  source,
});

/** Exports the whole calendar of an account. */
export function createAccountExport({ database }: ServerContext, { stores }: CalendarWithStores) {
  async function* iterateEvents(account: number): AsyncGenerator {
    for await (const page of iterateEventPages(database.db, account)) {
      const ids = page.map(({ id }) => id);
      const histories = await stores.edits.listAll(account, ids);
      const sources = await readSources(database.db, account, ids);
      for (const event of page)
        yield toExportedEvent(event, {
          history: histories.get(event.id) ?? [],
          source: sources.get(event.id)?.text,
        });
    }
  }
  return async (account: number): Promise<unknown> => {
    const userTags = await stores.tags.listUserTags(account);
    const subscriptions = await database.db
      .$extendTables<CalendarTables>()
      .selectFrom('calendar_subscription')
      .select(['id', 'name', 'address', 'colour'])
      .where('account', '=', account)
      .orderBy('id')
      .execute();
    const { isOn, at } = await createReminderStore(database).get(account);
    return {
      reminders: { isOn, at },
      tags: userTags.map(({ name, colour, deleted }) => ({
        name,
        colour,
        deleted: deleted === undefined ? undefined : formatIso(deleted),
      })),
      subscriptions,
      events: iterateEvents(account),
    };
  };
}
