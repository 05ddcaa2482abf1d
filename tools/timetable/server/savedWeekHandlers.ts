import { getMonday, toIso } from '#platform/contract/day.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { replaceUnstorable } from '#platform/contract/text.ts';
import { handle, type ServerContext, type Handler } from '#platform/server/tool.ts';
import { DELETED, deletesavedweek, layweek, savedweek, savedweeks, savelongtermtbbl } from '../contract.ts';
import { MAX_NAME_LENGTH, MAX_SAVED_WEEKS } from '../contract/limits.ts';
import type { SlotInput } from '../domain/checkSlot.ts';
import { copyAsNotStarted, isSameSlot, type Slot } from '../domain/slot.ts';
import { listDays } from '../domain/week.ts';
import { getLocalDay } from './localDays.ts';
import { createRequestClock } from './requestClock.ts';
import type { NewSlotRow } from './store/slotStore.ts';
import type { TimetableStore } from './store/timetableStore.ts';
import { validateSlot, validateSlotCount, parseDate, parseMonday, createChangeNotifier } from './timetableHandlers.ts';
import { toWireSlot } from './weeks.ts';

const createWeekNotFoundRefusal = (): Refusal =>
  new Refusal('timetable.saved_week_not_found', 'There is no such saved week. It may have been deleted');

/** @throws Refusal for an empty or too long name. */
function parseTitle(name: string): string {
  const title = replaceUnstorable(name).trim();
  if (title === '') throw new Refusal('timetable.saved_week_name_empty', 'Enter a name for the saved week');
  if (Array.from(title).length > MAX_NAME_LENGTH)
    throw new Refusal('timetable.name_too_long', `This name is too long. Enter at most ${MAX_NAME_LENGTH} characters`);
  return title;
}

interface SentDay {
  readonly date: string;
  readonly tbbldata: Readonly<Record<string, SlotInput>>;
}

/**
 * Returns the days of a week, Monday first; days that were not sent are empty.
 * @throws Refusal if they are invalid or of different weeks.
 */
function parseDays(data: readonly SentDay[]): readonly (readonly Slot[])[] {
  const sentDays = data.map(({ date, tbbldata }) => ({ day: parseDate(date), tbbldata }));
  const days = new Map(sentDays.map(({ day, tbbldata }) => [day, tbbldata]));
  const [monday, ...otherMondays] = new Set([...days.keys()].map(getMonday));
  if (otherMondays.length > 0) throw new Refusal('timetable.invalid_week', 'data: must contain days of one week only');
  if (days.size < sentDays.length) throw new Refusal('timetable.invalid_week', 'data: contains a day twice');
  return listDays(monday ?? 0).map((day) => {
    const slots = Object.values(days.get(day) ?? {}).filter(({ name }) => name !== DELETED);
    validateSlotCount(slots.length, day);
    return slots.map((slot) => validateSlot(slot)).toSorted((a, b) => a.start - b.start);
  });
}

export function createSavedWeekHandlers(context: ServerContext, store: TimetableStore): readonly Handler[] {
  const { database, now } = context;
  const { slots, settings, savedWeeks, reserveSlots } = store;
  const notify = createChangeNotifier(context);
  const getTime = (): number => now().epochMilliseconds;

  return [
    handle(savelongtermtbbl, async ({ name, data }, { account }) => {
      const week = { name: parseTitle(name), days: parseDays(data), saved: getTime() };
      const id = await database.transaction(async ({ tx }) => {
        await settings.raiseRevision(tx, account);
        if ((await savedWeeks.count(tx, account)) >= MAX_SAVED_WEEKS)
          throw new Refusal(
            'timetable.too_many_saved_weeks',
            `You have the maximum of ${MAX_SAVED_WEEKS} saved weeks. Delete one first`,
          );
        return savedWeeks.insert(tx, account, week);
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
      const week = await savedWeeks.get(account, id);
      if (!week) throw createWeekNotFoundRefusal();
      return { name: week.name, days: week.days.map((list) => list.map((slot) => toWireSlot({ ...slot, id: 0 }))) };
    }),

    handle(layweek, async ({ id, monday, replace }, { account }) => {
      const firstDay = parseMonday(monday);
      const { zone } = await createRequestClock(context, account, {});
      return database.transaction(async ({ tx, afterCommit }) => {
        await settings.raiseRevision(tx, account);
        const week = await savedWeeks.get(account, id, tx);
        if (!week) throw createWeekNotFoundRefusal();
        const existing = await slots.listBetween(account, { from: firstDay, until: firstDay + 6 }, tx);
        const newSlots: NewSlotRow[] = [];
        for (const [index, day] of listDays(firstDay).entries()) {
          const remaining = replace ? [] : existing.filter((slot) => slot.day === day);
          const added = (week.days[index] ?? []).filter((slot) => !remaining.some((other) => isSameSlot(other, slot)));
          if (added.length > 0) validateSlotCount(remaining.length + added.length, day);
          newSlots.push(...added.map((slot) => ({ ...copyAsNotStarted(slot), day, changed: getTime() })));
        }
        const removed = replace ? existing : [];
        await reserveSlots(tx, account, newSlots.length);
        await slots.remove(
          tx,
          account,
          removed.map((slot) => slot.id),
          getTime(),
        );
        const newIds = await slots.insertAll(tx, account, newSlots);
        afterCommit(() => notify(account, listDays(firstDay)));
        return {
          made: [...newIds],
          replaced: removed.map((slot) => ({
            date: toIso(slot.day),
            slot: toWireSlot(slot, getLocalDay(slot.day, zone)),
          })),
        };
      });
    }),

    handle(deletesavedweek, async ({ id }, { account }) => {
      if (!(await savedWeeks.remove(account, id))) throw createWeekNotFoundRefusal();
    }),
  ];
}
