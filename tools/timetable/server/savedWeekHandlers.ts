import { getMonday, toIso } from '#platform/contract/day.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { replaceUnstorable } from '#platform/contract/text.ts';
import { handle, type ServerContext, type Handler } from '#platform/server/tool.ts';
import { DELETED, deletesavedweek, layweek, savedweek, savedweeks, savelongtermtbbl } from '../contract.ts';
import { NAME_LIMIT, SAVED_WEEKS } from '../contract/limits.ts';
import type { SentSlot } from '../domain/checkSlot.ts';
import { copyAsNotStarted, isSameSlot, type Slot } from '../domain/slot.ts';
import { listDays } from '../domain/week.ts';
import { createRequestClock } from './requestClock.ts';
import type { NewSlotRow } from './store/slotStore.ts';
import type { TimetableStore } from './store/timetableStore.ts';
import { validateSlot, checkRoom, dayIn, parseMonday, teller } from './timetableHandlers.ts';
import { slotOnWire } from './weeks.ts';

const unknownWeek = (): Refusal =>
  new Refusal('timetable.saved_week_not_found', 'There is no such saved week. It may have been deleted');

/** @throws Refusal for an empty or too long name. */
const parseTitle = (name: string): string => {
  const title = replaceUnstorable(name).trim();
  if (title === '') throw new Refusal('timetable.saved_week_name_empty', 'Enter a name for the saved week');
  if (Array.from(title).length > NAME_LIMIT)
    throw new Refusal('timetable.name_too_long', `This name is too long. Enter at most ${NAME_LIMIT} characters`);
  return title;
};

interface SentDay {
  readonly date: string;
  readonly tbbldata: Readonly<Record<string, SentSlot>>;
}

/**
 * Returns the days of a week, Monday first; days that were not sent are empty.
 * @throws Refusal if they are invalid or of different weeks.
 */
const parseDays = (data: readonly SentDay[]): readonly (readonly Slot[])[] => {
  const sentDays = data.map(({ date, tbbldata }) => ({ day: dayIn(date), tbbldata }));
  const days = new Map(sentDays.map(({ day, tbbldata }) => [day, tbbldata]));
  const [monday, ...others] = new Set([...days.keys()].map(getMonday));
  if (others.length > 0) throw new Refusal('timetable.invalid_week', 'data: must contain days of one week only');
  if (days.size < sentDays.length) throw new Refusal('timetable.invalid_week', 'data: contains a day twice');
  return listDays(monday ?? 0).map((day) => {
    const slots = Object.values(days.get(day) ?? {}).filter(({ name }) => name !== DELETED);
    checkRoom(slots.length, day);
    return slots.map((slot) => validateSlot(slot)).toSorted((a, b) => a.start - b.start);
  });
};

export function savedWeekCalls(context: ServerContext, store: TimetableStore): readonly Handler[] {
  const { database, now } = context;
  const { slots, book, savedWeeks, takeRoom } = store;
  const notify = teller(context);
  const time = (): number => now().epochMilliseconds;

  return [
    handle(savelongtermtbbl, async ({ name, data }, { account }) => {
      const week = { name: parseTitle(name), days: parseDays(data), saved: time() };
      const id = await database.transaction(async ({ tx }) => {
        await book.raise(tx, account);
        if ((await savedWeeks.count(tx, account)) >= SAVED_WEEKS)
          throw new Refusal(
            'timetable.too_many_saved_weeks',
            `You have the maximum of ${SAVED_WEEKS} saved weeks. Delete one first`,
          );
        return savedWeeks.save(tx, account, week);
      });
      return { id };
    }),

    handle(savedweeks, async (_request, { account }) => ({
      weeks: (await savedWeeks.list(account)).map(({ saved, ...week }) => ({
        ...week,
        saved: Temporal.Instant.fromEpochMilliseconds(saved).toString(),
      })),
    })),

    handle(savedweek, async ({ id }, { account }) => {
      const week = await savedWeeks.find(account, id);
      if (!week) throw unknownWeek();
      return { name: week.name, days: week.days.map((list) => list.map((slot) => slotOnWire({ ...slot, id: 0 }))) };
    }),

    handle(layweek, async ({ id, monday, replace }, { account }) => {
      const first = parseMonday(monday);
      const { zone } = await createRequestClock(context, account, {});
      return database.transaction(async ({ tx, afterCommit }) => {
        await book.raise(tx, account);
        const week = await savedWeeks.find(account, id, tx);
        if (!week) throw unknownWeek();
        const existing = await slots.listBetween(account, { from: first, until: first + 6 }, tx);
        const fresh: NewSlotRow[] = [];
        for (const [at, day] of listDays(first).entries()) {
          const remaining = replace ? [] : existing.filter((slot) => slot.day === day);
          const added = (week.days[at] ?? []).filter((slot) => !remaining.some((other) => isSameSlot(other, slot)));
          if (added.length > 0) checkRoom(remaining.length + added.length, day);
          fresh.push(...added.map((slot) => ({ ...copyAsNotStarted(slot), day, changed: time() })));
        }
        const removed = replace ? existing : [];
        await takeRoom(tx, account, fresh.length);
        await slots.remove(
          tx,
          account,
          removed.map((slot) => slot.id),
          time(),
        );
        const newIds = await slots.insertAll(tx, account, fresh);
        afterCommit(() => notify(account, listDays(first)));
        return {
          made: [...newIds],
          replaced: removed.map((slot) => ({ date: toIso(slot.day), slot: slotOnWire(slot, { day: slot.day, zone }) })),
        };
      });
    }),

    handle(deletesavedweek, async ({ id }, { account }) => {
      if (!(await savedWeeks.drop(account, id))) throw unknownWeek();
      return {};
    }),
  ];
}
