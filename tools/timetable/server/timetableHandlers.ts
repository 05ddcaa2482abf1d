import type { RequestInputOf } from '#platform/contract/call.ts';
import { toIso, type Day, getMonday, parseIso } from '#platform/contract/day.ts';
import { DAY_MS } from '#platform/contract/duration.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { handle, type ServerContext, type Handler } from '#platform/server/tool.ts';
import {
  DELETED,
  findslot,
  moveslot,
  savespecific,
  undoslots,
  timetableChanged,
  getunuseddatesttbl,
  timetablefeed,
} from '../contract.ts';
import { MAX_SLOTS_PER_DAY, SHOWN_WEEKS } from '../contract/limits.ts';
import { quoteTitle, checkSlot, type SlotInput } from '../domain/checkSlot.ts';
import type { Slot } from '../domain/slot.ts';
import { listWeeksFrom, listWeeksAround } from '../domain/week.ts';
import { createRequestClock } from './requestClock.ts';
import type { DeletableSlot, StoredSlot } from './store/slotStore.ts';
import type { TimetableStore } from './store/timetableStore.ts';
import { META, toWeeks, toWireSlot } from './weeks.ts';

/** @throws Refusal if the text is not an ISO date. */
export function parseDate(text: string): Day {
  const day = parseIso(text.trim());
  if (day === undefined)
    throw new Refusal('timetable.invalid_date', `'${text.slice(0, 20)}' is not a date. Write it like 2026-11-23`);
  return day;
}

/**
 * Returns the Monday of a week that is completely in the calendar.
 * @throws Refusal otherwise.
 */
export function parseMonday(text: string): Day {
  const [monday] = listWeeksFrom(getMonday(parseDate(text)), 1);
  if (monday === undefined)
    throw new Refusal(
      'timetable.out_of_range',
      `The week of ${text.trim()} is outside the calendar. Choose another date`,
    );
  return monday;
}

/**
 * Returns the validated slot.
 * @throws Refusal if it is invalid.
 */
export function validateSlot(input: SlotInput, existing?: Slot): Slot {
  const slot = checkSlot(input, existing);
  if (typeof slot === 'string') throw new Refusal('timetable.invalid_slot', slot);
  return slot;
}

/** @throws Refusal if a day would have too many slots. */
export function validateSlotCount(count: number, day: Day): void {
  if (count > MAX_SLOTS_PER_DAY)
    throw new Refusal(
      'timetable.too_many_slots_of_day',
      `A day can have at most ${MAX_SLOTS_PER_DAY} slots, and ${toIso(day)} would have ${count}. Delete some first`,
    );
}

/**
 * Returns the same refusal for slots that were deleted, are on another day or belong to others.
 * Otherwise ids could be probed.
 * @param name as it was sent.
 */
export function createSlotNotFoundRefusal(name?: string): Refusal {
  return new Refusal(
    'timetable.slot_not_found',
    `There is no such slot${name === undefined ? '' : ` as ${quoteTitle(name)}`}. It was deleted or moved to another day`,
  );
}

/** Returns a function that notifies every page of the account about changed days. */
export function createChangeNotifier({ realtime }: Pick<ServerContext, 'realtime'>) {
  return (account: number, days: readonly Day[]): void =>
    realtime.send(`account:${account}`, timetableChanged, {
      dates: [...new Set(days)].toSorted((a, b) => a - b).map(toIso),
    });
}

const MAX_WEEKS_PER_ANSWER = 12;

function parseWeekCount(weeks: string | undefined): number {
  const count = Number(weeks ?? SHOWN_WEEKS.before + 1 + SHOWN_WEEKS.after);
  if (!Number.isInteger(count) || count < 1 || count > MAX_WEEKS_PER_ANSWER)
    throw new Refusal('timetable.invalid_number', `weeks: must be a number from 1 to ${MAX_WEEKS_PER_ANSWER}`);
  return count;
}

export function createWeekHandlers(context: ServerContext, { slots }: TimetableStore): readonly Handler[] {
  return [
    handle(getunuseddatesttbl, async ({ from, weeks, ...zoneFields }, { account }) => {
      const clock = await createRequestClock(context, account, zoneFields);
      const mondays =
        from === undefined && weeks === undefined
          ? listWeeksAround(clock.today, SHOWN_WEEKS)
          : listWeeksFrom(from === undefined ? clock.today : parseDate(from), parseWeekCount(weeks));
      const firstMonday = mondays[0] ?? getMonday(clock.today);
      const lastMonday = mondays.at(-1) ?? firstMonday;
      return {
        data: toWeeks(mondays, await slots.listBetween(account, { from: firstMonday, until: lastMonday + 6 }), clock),
        meta: META,
      };
    }),
  ];
}

export function createFeedHandlers({ settings }: TimetableStore): readonly Handler[] {
  return [
    handle(timetablefeed, async ({ on }, { account }) => {
      if (on !== undefined) await settings.setInFeed(account, on);
      return { on: (await settings.get(account)).isInFeed };
    }),
  ];
}

/** Deleted slots can be restored for this long. */
export const DELETED_TTL_MS = DAY_MS;

type SentSlot = RequestInputOf<typeof savespecific>['data'][string];

const ID_PATTERN = /^[1-9]\d{0,15}$/;

/** Returns the id of the slot: `updatedid`, otherwise the key. Undefined for a new slot, NaN for an invalid id. */
function parseId(key: string, { updatedid }: SentSlot): number | undefined {
  if (updatedid === undefined) return ID_PATTERN.test(key) ? Number(key) : undefined;
  const text = String(updatedid).trim();
  if (text === '' || Number(text) === 0) return undefined;
  return ID_PATTERN.test(text) ? Number(text) : NaN;
}

/** The changes of one day that a call requests. */
interface DayChanges {
  readonly deletedIds: readonly number[];
  readonly changedSlots: readonly StoredSlot[];
  readonly newSlots: readonly { readonly key: string; readonly slot: Omit<StoredSlot, 'id'> }[];
}

interface DayState {
  readonly day: Day;
  readonly slotById: ReadonlyMap<number, StoredSlot>;
  /** Epoch milliseconds. */
  readonly now: number;
}

interface ParsedSlot {
  readonly key: string;
  readonly sent: SentSlot;
  /** The existing slot; undefined for a new one. */
  readonly existing: StoredSlot | undefined;
}

/** @throws Refusal if a slot does not exist or was sent twice. */
function parseSlots(data: Readonly<Record<string, SentSlot>>, slotById: DayState['slotById']): readonly ParsedSlot[] {
  const seenIds = new Set<number>();
  return Object.entries(data).map(([key, sent]) => {
    const id = parseId(key, sent);
    if (id === undefined) return { key, sent, existing: undefined };
    const existing = slotById.get(id);
    if (!existing) throw createSlotNotFoundRefusal(sent.name === DELETED ? undefined : sent.name);
    if (seenIds.has(id)) throw new Refusal('timetable.slot_twice', `${quoteTitle(existing.name)} was sent twice`);
    seenIds.add(id);
    return { key, sent, existing };
  });
}

const isDeletion = ({ sent }: ParsedSlot): boolean => sent.name === DELETED;

/** @throws Refusal for the first invalid slot. */
function toDayChanges(data: Readonly<Record<string, SentSlot>>, { day, slotById, now }: DayState): DayChanges {
  const parsedSlots = parseSlots(data, slotById);
  const remaining = parsedSlots.filter((parsed) => !isDeletion(parsed));
  return {
    deletedIds: parsedSlots.flatMap((parsed) => (isDeletion(parsed) && parsed.existing ? [parsed.existing.id] : [])),
    changedSlots: remaining.flatMap(({ sent, existing }) =>
      existing ? [{ ...existing, ...validateSlot(sent, existing), changed: now }] : [],
    ),
    newSlots: remaining.flatMap(({ key, sent, existing }) =>
      existing ? [] : [{ key, slot: { ...validateSlot(sent), changed: now, day } }],
    ),
  };
}

const listIds = (slots: readonly DeletableSlot[]): readonly number[] => slots.map(({ id }) => id);

const isRestorable = (slot: DeletableSlot | undefined, now: number): boolean =>
  slot !== undefined && (slot.gone === null || slot.gone > now - DELETED_TTL_MS);

export function createSlotHandlers(
  context: ServerContext,
  { slots, settings, reserveSlots }: TimetableStore,
): readonly Handler[] {
  const { database, now } = context;
  const notify = createChangeNotifier(context);
  const getTime = (): number => now().epochMilliseconds;

  return [
    handle(savespecific, async ({ date, data }, { account }) => {
      const day = parseDate(date);
      const overwrite = await database.transaction(async ({ tx, afterCommit }) => {
        await settings.raiseRevision(tx, account);
        const existing = await slots.listBetween(account, { from: day, until: day }, tx);
        const slotById = new Map(existing.map((slot) => [slot.id, slot]));
        const { deletedIds, changedSlots, newSlots } = toDayChanges(data, { day, slotById, now: getTime() });
        if (newSlots.length > 0) validateSlotCount(existing.length - deletedIds.length + newSlots.length, day);
        await reserveSlots(tx, account, newSlots.length);
        await slots.remove(tx, account, deletedIds, getTime());
        for (const slot of changedSlots) await slots.update(tx, account, slot);
        const newIds: [string, number][] = [];
        for (const { key, slot } of newSlots) newIds.push([key, await slots.insert(tx, account, slot)]);
        if (deletedIds.length + changedSlots.length + newSlots.length > 0) afterCommit(() => notify(account, [day]));
        return Object.fromEntries(newIds);
      });
      return { overwrite };
    }),

    handle(moveslot, async ({ id, date, start, end }, { account }) => {
      const day = parseDate(date);
      await database.transaction(async ({ tx, afterCommit }) => {
        await settings.raiseRevision(tx, account);
        const [before] = await slots.listByIds(tx, account, [id]);
        if (before?.gone !== null) throw createSlotNotFoundRefusal();
        const slot = validateSlot({ name: before.name, start, end }, before);
        if (day !== before.day)
          validateSlotCount((await slots.listBetween(account, { from: day, until: day }, tx)).length + 1, day);
        await slots.update(tx, account, { ...before, ...slot, day, changed: getTime() });
        afterCommit(() => notify(account, [before.day, day]));
      });
    }),

    handle(findslot, async ({ id }, { account }) => {
      const slot = await slots.get(account, id);
      return slot ? { found: { date: toIso(slot.day), slot: toWireSlot(slot) } } : {};
    }),

    handle(undoslots, async ({ made, gone }, { account }) => {
      await database.transaction(async ({ tx, afterCommit }) => {
        await settings.raiseRevision(tx, account);
        const undoneSlots = await slots.listByIds(tx, account, [...new Set([...made, ...gone])]);
        const byId = new Map(undoneSlots.map((slot) => [slot.id, slot]));
        if (gone.some((id) => !isRestorable(byId.get(id), getTime())))
          throw new Refusal(
            'timetable.not_restorable',
            'This slot can no longer be restored. Deleted slots are stored for a day',
          );
        const toRestore = undoneSlots.filter((slot) => slot.gone !== null && gone.includes(slot.id));
        const toRemove = undoneSlots.filter(
          (slot) => slot.gone === null && made.includes(slot.id) && !gone.includes(slot.id),
        );
        await slots.remove(tx, account, listIds(toRemove), getTime());
        await slots.restore(tx, account, listIds(toRestore));
        for (const day of new Set(toRestore.map((slot) => slot.day)))
          validateSlotCount((await slots.listBetween(account, { from: day, until: day }, tx)).length, day);
        const days = [...toRemove, ...toRestore].map((slot) => slot.day);
        if (days.length > 0) afterCommit(() => notify(account, days));
      });
    }),
  ];
}
