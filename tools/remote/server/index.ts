import type { ServerTool } from '#platform/server/tool.ts';
import { calls } from './calls.ts';
import { events } from './events.ts';
import { exportOf } from './export.ts';
import { migrations } from './migrations.ts';

export const remote: ServerTool = {
  name: 'remote',
  migrations,
  start: (ground) => ({ calls: calls(ground), events: events(ground), exportOf: exportOf(ground) }),
};
