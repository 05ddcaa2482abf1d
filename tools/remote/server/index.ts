import { createRetention } from '#platform/server/storage/retention.ts';
import type { ServerTool } from '#platform/server/tool.ts';
import { historyDeleted } from '../contract.ts';
import { exportOf } from './export.ts';
import { createMessageSender } from './messageSender.ts';
import { migrations } from './migrations.ts';
import { createPasswordFocus } from './passwordFocus.ts';
import { events } from './remoteEvents.ts';
import { calls } from './remoteHandlers.ts';

export const remote: ServerTool = {
  name: 'remote',
  migrations,
  start: (ground, site) => {
    const { realtime } = ground;
    const retention = createRetention({
      ...ground,
      table: 'remote_message',
      settingsTable: 'remote_retention',
      onExpired: (account, rows) => {
        for (const [device, expired] of Map.groupBy(rows, (row) => row.device))
          realtime.send(`account:${account}`, historyDeleted, {
            target: String(device),
            ids: expired.map(({ id }) => id),
          });
      },
    });
    const sending = createMessageSender(ground, retention.onInserted);
    const passwordFocus = createPasswordFocus(ground);
    return {
      calls: calls(ground, { sending, retention, site, passwordFocus }),
      begin: retention.start,
      nightly: retention.purge,
      events: events(ground, passwordFocus),
      exportOf: exportOf(ground, sending),
      exportHolds:
        'Your scripts, and what you sent to your computers from the dashboard. `timesent` is in seconds since 1970.',
      stop: async () => {
        await retention.stop();
        await sending.stop();
      },
    };
  },
};
