import type { ServerTool } from '#platform/server/tool.ts';
import { calls } from './calls.ts';
import { events } from './events.ts';
import { exportOf } from './export.ts';
import { migrations } from './migrations.ts';
import { makeSending } from './sending.ts';

export const remote: ServerTool = {
  name: 'remote',
  migrations,
  start: (ground) => {
    const sending = makeSending(ground);
    return {
      calls: calls(ground, sending),
      events: events(ground),
      exportOf: exportOf(ground, sending),
      exportHolds:
        'Your scripts, and what you sent to your computers from the dashboard. `timesent` is in seconds since 1970.',
      stop: sending.stop,
    };
  },
};
