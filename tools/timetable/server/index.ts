import { FIRST_DAY, LAST_DAY, toIso } from '#platform/contract/day.ts';
import { addToSlot } from '#platform/contract/slot.ts';
import type { ServerTool } from '#platform/server/tool.ts';
import { calendarFeedSlot } from '#tools/calendar/contract/feedSlot.ts';
import { toClock } from '../domain/clockTime.ts';
import type { Slot } from '../domain/slot.ts';
import { createFeed } from './calendarFeed.ts';
import { migrations } from './migrations.ts';
import { createSavedWeekHandlers } from './savedWeekHandlers.ts';
import { createTimetableStore, type TimetableStore } from './store/timetableStore.ts';
import { createWeekHandlers, createFeedHandlers, DELETED_TTL_MS, createSlotHandlers } from './timetableHandlers.ts';
import { createTimetableImport } from './timetableImport.ts';

const toExport = ({ name, description, start, end, colour, status }: Slot) => ({
  name,
  description,
  start: toClock(start),
  end: toClock(end),
  colour,
  status,
});
const formatInstant = (ms: number): string => Temporal.Instant.fromEpochMilliseconds(ms).toString();

export const exportDescription =
  'Your timetable slots with their status by day, your saved weeks starting on Monday, and whether the calendar feed includes the slots.';

export const createExport =
  ({ slots, savedWeeks, settings }: TimetableStore) =>
  async (account: number): Promise<unknown> => {
    const allSlots = await slots.listBetween(account, { from: FIRST_DAY, until: LAST_DAY });
    const weeks = [];
    for (const { id } of await savedWeeks.list(account)) {
      const week = await savedWeeks.get(account, id);
      if (week)
        weeks.push({
          name: week.name,
          saved: formatInstant(week.saved),
          days: week.days.map((day) => day.map(toExport)),
        });
    }
    return {
      slots: allSlots.map((slot) => ({
        date: toIso(slot.day),
        ...toExport(slot),
        changed: formatInstant(slot.changed),
      })),
      savedWeeks: weeks,
      inCalendarFeed: (await settings.get(account)).isInFeed,
    };
  };

export const timetable: ServerTool = {
  name: 'timetable',
  services: ['database', 'identity', 'realtime'],
  migrations,
  start: (context) => {
    const store = createTimetableStore(context.database);
    return {
      calls: [
        ...createWeekHandlers(context, store),
        ...createSlotHandlers(context, store),
        ...createSavedWeekHandlers(context, store),
        ...createFeedHandlers(store),
      ],
      slotEntries: [addToSlot(calendarFeedSlot, createFeed(context, store))],
      exportAccount: createExport(store),
      exportDescription,
      importAccount: createTimetableImport(context, store),
      nightly: async () => store.slots.purge(context.now().epochMilliseconds - DELETED_TTL_MS),
    };
  },
};
