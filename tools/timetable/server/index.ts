import type { ServerTool } from '#platform/server/tool.ts';
import { feedCalls } from './calls/feed.ts';
import { savedWeekCalls } from './calls/savedWeeks.ts';
import { DELETED_TTL_MS, slotCalls } from './calls/slots.ts';
import { weekCalls } from './calls/weeks.ts';
import { exportHolds, exportOf } from './export.ts';
import { feedOf } from './feed.ts';
import { migrations } from './migrations/index.ts';
import { timetableStore } from './store/timetable.ts';

export const timetable: ServerTool = {
  name: 'timetable',
  migrations,
  start: (ground) => {
    const store = timetableStore(ground.database);
    return {
      calls: [weekCalls, slotCalls, savedWeekCalls, feedCalls].flatMap((calls) => calls(ground, store)),
      feedOf: feedOf(ground, store),
      exportOf: exportOf(store),
      exportHolds,
      nightly: async () => store.slots.purge(ground.now().epochMilliseconds - DELETED_TTL_MS),
    };
  },
};
