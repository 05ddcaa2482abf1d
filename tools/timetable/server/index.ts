import type { ServerTool } from '#platform/server/tool.ts';
import { feedOf } from './calendarFeed.ts';
import { weekCalls } from './callsWeeks.ts';
import { exportHolds, exportOf } from './export.ts';
import { feedCalls } from './feed.ts';
import { migrations } from './migrations.ts';
import { savedWeekCalls } from './savedWeekHandlers.ts';
import { timetableStore } from './store/timetableStore.ts';
import { DELETED_TTL_MS, slotCalls } from './timetableHandlers.ts';

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
