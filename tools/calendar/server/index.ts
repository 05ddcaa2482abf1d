import type { ServerTool } from '#platform/server/tool.ts';
import { binCalls } from './calls/bin.ts';
import { eventCalls } from './calls/events.ts';
import { feedCalls } from './calls/feed.ts';
import { importCalls } from './calls/import.ts';
import { readingCalls } from './calls/reading.ts';
import { reminderCalls } from './calls/reminders.ts';
import { subscriptionCalls } from './calls/subscriptions.ts';
import { tagCalls } from './calls/tags.ts';
import { davEndpoints } from './dav/index.ts';
import { exportHolds, exportOf } from './export.ts';
import { feedEndpoint } from './feed.ts';
import { createCalendar } from './makeCalendar.ts';
import { migrations } from './migrations/index.ts';
import { nightly } from './nightly.ts';
import { reminderJob } from './reminders.ts';
import { createSubscriptionRefresher } from './subscriptions/refresh.ts';

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
