import * as z from 'zod/mini';
import { toIso } from '#platform/contract/day.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import {
  exportedDay,
  exportedText,
  exportedTime,
  iterateBatches,
  iterateParsed,
  readParsed,
} from '#platform/server/storage/importSource.ts';
import type { AccountImport, ServerContext } from '#platform/server/tool.ts';
import { timetableChanged } from '../contract.ts';
import {
  DELETED,
  MAX_DESCRIPTION_LENGTH,
  MAX_NAME_LENGTH,
  MAX_SAVED_WEEKS,
  MAX_SLOTS_PER_DAY,
  statuses,
} from '../contract/limits.ts';
import type { SavedWeek } from './store/savedWeekStore.ts';
import type { TimetableStore } from './store/timetableStore.ts';

const clockTime = z.pipe(
  z.string().check(z.regex(/^([01]\d|2[0-3]):[0-5]\d$|^24:00$/)),
  z.transform((text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3))),
);
const colourPart = z.int().check(z.minimum(0), z.maximum(255));
const slotFields = {
  name: exportedText(MAX_NAME_LENGTH).check(z.refine((name) => name.trim() !== '' && name !== DELETED)),
  description: exportedText(MAX_DESCRIPTION_LENGTH),
  start: clockTime,
  end: clockTime,
  colour: z.readonly(z.tuple([colourPart, colourPart, colourPart])),
  status: z.enum(statuses),
};
const isForwards = ({ start, end }: { readonly start: number; readonly end: number }): boolean => start < end;
const slot = z.object({ ...slotFields, date: exportedDay, changed: exportedTime }).check(z.refine(isForwards));
const day = z.array(z.object(slotFields).check(z.refine(isForwards))).check(z.maxLength(MAX_SLOTS_PER_DAY));
const savedWeek = z.object({
  name: exportedText(MAX_NAME_LENGTH),
  saved: exportedTime,
  days: z.array(day).check(z.length(7)),
});

/** Creates the import of slots and saved weeks. */
export function createTimetableImport(
  { database, realtime }: Pick<ServerContext, 'database' | 'realtime'>,
  { slots, savedWeeks, settings, reserveSlots }: TimetableStore,
): AccountImport {
  return {
    isEmpty: async (account) =>
      (await slots.count(database.db, account)) + (await savedWeeks.count(database.db, account)) === 0,
    run: async (account, source) => {
      const counts = await database.transaction(async ({ tx, afterCommit }) => {
        await settings.raiseRevision(tx, account);
        const countByDay = new Map<number, number>();
        let slotCount = 0;
        for await (const batch of iterateBatches(iterateParsed(source, 'slots', slot))) {
          for (const { date } of batch) {
            const count = (countByDay.get(date) ?? 0) + 1;
            countByDay.set(date, count);
            if (count > MAX_SLOTS_PER_DAY)
              throw new Refusal('timetable.too_many_slots', `A day can have at most ${MAX_SLOTS_PER_DAY} slots`);
          }
          await reserveSlots(tx, account, batch.length);
          await slots.insertAll(
            tx,
            account,
            batch.map(({ date, ...fields }) => ({ ...fields, day: date })),
          );
          slotCount += batch.length;
        }
        const weeks: Omit<SavedWeek, 'id'>[] = [];
        for await (const week of iterateParsed(source, 'savedWeeks', savedWeek)) {
          weeks.push(week);
          if (weeks.length > MAX_SAVED_WEEKS)
            throw new Refusal('timetable.too_many_weeks', `An account can have at most ${MAX_SAVED_WEEKS} saved weeks`);
        }
        // They are exported newest first.
        for (const week of weeks.toReversed()) await savedWeeks.insert(tx, account, week);
        const dates = [...countByDay.keys()].map(toIso);
        afterCommit(() => realtime.send(`account:${account}`, timetableChanged, { dates }));
        return { slots: slotCount, 'saved weeks': weeks.length };
      });
      await settings.setInFeed(account, (await readParsed(source, 'inCalendarFeed', z.boolean())) ?? false);
      return { counts, problems: [] };
    },
  };
}
