import type { ServerTool } from '#platform/server/tool.ts';
import { calls } from './calls.ts';
import { exportOf } from './export.ts';
import { migrations } from './migrations.ts';
import { visitorCalls } from './visitors.ts';

export const messages: ServerTool = {
  name: 'messages',
  migrations,
  start: (ground) => ({
    calls: [...calls(ground), ...visitorCalls(ground)],
    exportOf: exportOf(ground),
    exportHolds:
      "The messages between your devices, oldest first, and, for this server's owner, those of visitors. `timesent` is in seconds since 1970.",
  }),
};
