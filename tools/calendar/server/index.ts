import { DAY_MS } from '#platform/contract/duration.ts';
import type { ServerTool, ServerContext } from '#platform/server/tool.ts';
import { calendarChanged } from '../contract/events.ts';
import { createDavEndpoints } from '../dav/server/davEndpoints.ts';
import { createCalendar, type CalendarWithStores } from '../events/server/calendar.ts';
import {
  createBinHandlers,
  createEventHandlers,
  createTagHandlers,
  getBinStart,
} from '../events/server/eventHandlers.ts';
import { createEventListHandlers } from '../events/server/eventListHandlers.ts';
import { createReminderHandlers, createReminderTask } from '../events/server/reminders.ts';
import { purgeBin } from '../events/server/store/binStore.ts';
import { fillSearchIndex } from '../events/server/store/placeEvents.ts';
import type { CalendarTables } from '../events/server/store/tables.ts';
import { removeOldTombstones } from '../events/server/store/tombstoneStore.ts';
import { exportDescription, createAccountExport } from '../exchange/server/calendarExport.ts';
import { createCalendarImport } from '../exchange/server/calendarImport.ts';
import { createFeedHandlers, createFeedEndpoint } from '../exchange/server/feed.ts';
import { createImportHandlers } from '../exchange/server/importHandlers.ts';
import { createSourceReader } from '../exchange/server/sourceReader.ts';
import { createSubscriptionHandlers } from '../subscriptions/server/subscriptionHandlers.ts';
import { createSubscriptionRefresher } from '../subscriptions/server/subscriptionRefresher.ts';
import { migrations } from './migrations/index.ts';

/** How long tombstones are stored for clients that synchronize. */
const TOMBSTONE_DAYS = 365;

/** Creates the nightly cleanup: removes expired events and tags of the bin, and old tombstones. */
export function createNightlyCleanup(context: ServerContext, calendar: CalendarWithStores) {
  const { database, now, log } = context;
  const { stores } = calendar;
  const db = database.db.$extendTables<CalendarTables>();
  /** Lists the accounts with events or tags that were deleted before a time. */
  async function listAccounts(before: number): Promise<ReadonlySet<number>> {
    const rows = [
      ...(await db.selectFrom('calendar_event').select('account').distinct().where('deleted', '<', before).execute()),
      ...(await db.selectFrom('calendar_tag').select('account').distinct().where('deleted', '<', before).execute()),
    ];
    return new Set(rows.map(({ account }) => account));
  }
  const rereadSources = createSourceReader(context, calendar);
  return async (): Promise<void> => {
    await rereadSources().catch((error: unknown) => log.error({ err: error }, 'calendar.sources.reread_failed'));
    const time = now().epochMilliseconds;
    const before = getBinStart(time);
    for (const account of await listAccounts(before))
      await database
        .transaction(async ({ tx }) => {
          await stores.revisions.raise(tx, account, 0);
          await purgeBin(tx, { account, now: time, before });
          await stores.tags.purge(tx, { account, before });
        })
        .catch((error: unknown) => log.error({ err: error, account }, 'calendar.bin.purge_failed'));
    await database.transaction(async ({ tx }) => removeOldTombstones(tx, time - TOMBSTONE_DAYS * DAY_MS));
  };
}

export const calendar: ServerTool = {
  name: 'calendar',
  services: ['database', 'identity', 'realtime', 'rateLimiter', 'egress', 'push'],
  migrations,
  derivedTables: { names: ['calendar_search'], fill: ({ tx }) => fillSearchIndex(tx) },
  appPasswordKinds: [{ name: 'calendar' }],
  start: (context, site) => {
    const liveCalendar = createCalendar(context);
    return {
      calls: [
        createEventListHandlers,
        createEventHandlers,
        createBinHandlers,
        createTagHandlers,
        createFeedHandlers,
        createImportHandlers,
        createSubscriptionHandlers,
        createReminderHandlers,
      ].flatMap((createHandlers) => createHandlers(context, liveCalendar)),
      newestEvents: [calendarChanged],
      tasks: [createReminderTask(context, liveCalendar), createSubscriptionRefresher(context, liveCalendar).task],
      endpoints: [...createDavEndpoints(context, liveCalendar, site), createFeedEndpoint(context, liveCalendar, site)],
      exportAccount: createAccountExport(context, liveCalendar),
      exportDescription,
      importAccount: createCalendarImport(context, liveCalendar),
      nightly: createNightlyCleanup(context, liveCalendar),
    };
  },
};
