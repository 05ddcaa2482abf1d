import type { ServerTool } from '#platform/server/tool.ts';
import { davEndpoints } from '../dav/server/davEndpoints.ts';
import { binCalls } from '../events/server/bin.ts';
import { reminderCalls } from '../events/server/callsReminders.ts';
import { createCalendar } from '../events/server/createCalendar.ts';
import { eventCalls } from '../events/server/eventHandlers.ts';
import { readingCalls } from '../events/server/readingHandlers.ts';
import { reminderJob } from '../events/server/reminders.ts';
import { tagCalls } from '../events/server/tags.ts';
import { exportHolds, exportOf } from '../exchange/server/calendarExport.ts';
import { feedCalls } from '../exchange/server/callsFeed.ts';
import { feedEndpoint } from '../exchange/server/feed.ts';
import { importCalls } from '../exchange/server/importHandlers.ts';
import { subscriptionCalls } from '../subscriptions/server/subscriptionHandlers.ts';
import { createSubscriptionRefresher } from '../subscriptions/server/subscriptionRefresher.ts';
import { migrations } from './migrations/index.ts';
import { nightly } from './nightly.ts';

export const calendar: ServerTool = {
  name: 'calendar',
  migrations,
  start: (ground, site) => {
    const kept = createCalendar(ground);
    return {
      calls: [
        readingCalls,
        eventCalls,
        binCalls,
        tagCalls,
        feedCalls,
        importCalls,
        subscriptionCalls,
        reminderCalls,
      ].flatMap((calls) => calls(ground, kept)),
      jobs: [reminderJob(ground, kept), createSubscriptionRefresher(ground, kept).job],
      endpoints: [...davEndpoints(ground, kept), feedEndpoint(ground, kept, site)],
      exportOf: exportOf(ground, kept),
      exportHolds,
      nightly: nightly(ground, kept),
    };
  },
};
