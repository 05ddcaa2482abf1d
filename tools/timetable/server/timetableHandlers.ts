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
import { MAX_SLOTS_PER_DAY, WEEKS } from '../contract/limits.ts';
import { quotedTitle, checkSlot, type SentSlot as SlotToCheck } from '../domain/checkSlot.ts';
import type { Slot } from '../domain/slot.ts';
import { listWeeksFrom, listWeeksAround } from '../domain/week.ts';
import { createRequestClock } from './requestClock.ts';
import type { FoundSlot, StoredSlot } from './store/slotStore.ts';
import type { TimetableStore } from './store/timetableStore.ts';
import { slotOnWire, META, toWeeks } from './weeks.ts';

/** @throws Refusal if the text is not an ISO date. */
export function dayIn(text: string): Day {
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
  const [monday] = listWeeksFrom(getMonday(dayIn(text)), 1);
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
export function validateSlot(sent: SlotToCheck, before?: Slot): Slot {
  const slot = checkSlot(sent, before);
  if (typeof slot === 'string') throw new Refusal('timetable.invalid_slot', slot);
  return slot;
}

/** @throws Refusal if a day would have too many slots. */
export function checkRoom(count: number, day: Day): void {
  if (count > MAX_SLOTS_PER_DAY)
    throw new Refusal(
      'timetable.too_many_slots_of_day',
      `A day can have at most ${MAX_SLOTS_PER_DAY} slots, and ${toIso(day)} would have ${count}. Delete some first`,
    );
}

/**
 * Returns the same refusal for slots that were deleted, are on another day or belong to others, so that ids can't be
 * probed.
 * @param name as it was sent.
 */
export function unknownSlot(name?: string): Refusal {
  return new Refusal(
    'timetable.slot_not_found',
    `There is no such slot${name === undefined ? '' : ` as ${quotedTitle(name)}`}. It was deleted or moved to another day`,
  );
}

/** Returns a function that notifies every page of the account about changed days. */
export function teller({ realtime }: Pick<ServerContext, 'realtime'>) {
  return (account: number, days: readonly Day[]): void =>
    realtime.send(`account:${account}`, timetableChanged, {
      dates: [...new Set(days)].toSorted((a, b) => a - b).map(toIso),
    });
}

/** Maximum of weeks per answer. */
const MAX_WEEKS = 12;

const parseWeekCount = (weeks: string | undefined): number => {
  const count = Number(weeks ?? WEEKS.before + 1 + WEEKS.after);
  if (!Number.isInteger(count) || count < 1 || count > MAX_WEEKS)
    throw new Refusal('timetable.invalid_number', `weeks: must be a number from 1 to ${MAX_WEEKS}`);
  return count;
};

export function weekCalls(context: ServerContext, { slots }: TimetableStore): readonly Handler[] {
  return [
    handle(getunuseddatesttbl, async ({ from, weeks, ...zoneFields }, { account }) => {
      const clock = await createRequestClock(context, account, zoneFields);
      const mondays =
        from === undefined && weeks === undefined
          ? listWeeksAround(clock.today, WEEKS)
          : listWeeksFrom(from === undefined ? clock.today : dayIn(from), parseWeekCount(weeks));
      const first = mondays[0] ?? getMonday(clock.today);
      const last = mondays.at(-1) ?? first;
      return {
        data: toWeeks(mondays, await slots.listBetween(account, { from: first, until: last + 6 }), clock),
        meta: META,
      };
    }),
  ];
}

export function feedCalls(_context: ServerContext, { book }: TimetableStore): readonly Handler[] {
  return [
    handle(timetablefeed, async ({ on }, { account }) => {
      if (on !== undefined) await book.setInFeed(account, on);
      return { on: (await book.getBook(account)).isInFeed };
    }),
  ];
}

/** Deleted slots can be restored for this long. */
export const DELETED_TTL_MS = DAY_MS;

type SentSlot = RequestInputOf<typeof savespecific>['data'][string];

const ID = /^[1-9]\d{0,15}$/;

/** Returns the id of the slot: `updatedid`, otherwise the key. Undefined for a new slot, NaN for an invalid id. */
const parseId = (key: string, { updatedid }: SentSlot): number | undefined => {
  if (updatedid === undefined) return ID.test(key) ? Number(key) : undefined;
  const text = String(updatedid).trim();
  if (text === '' || Number(text) === 0) return undefined;
  return ID.test(text) ? Number(text) : NaN;
};

/** Changes of one day that a call requests. */
interface DayChanges {
  readonly gone: readonly number[];
  readonly changed: readonly StoredSlot[];
  readonly fresh: readonly { readonly key: string; readonly slot: Omit<StoredSlot, 'id'> }[];
}

interface CurrentDay {
  readonly day: Day;
  readonly slotById: ReadonlyMap<number, StoredSlot>;
  /** Epoch milliseconds. */
  readonly time: number;
}

interface ParsedSlot {
  readonly key: string;
  readonly sent: SentSlot;
  /** The existing slot; undefined for a new one. */
  readonly before: StoredSlot | undefined;
}

/** @throws Refusal if a slot does not exist or was sent twice. */
const parseSlots = (
  data: Readonly<Record<string, SentSlot>>,
  slotById: CurrentDay['slotById'],
): readonly ParsedSlot[] => {
  const seenIds = new Set<number>();
  return Object.entries(data).map(([key, sent]) => {
    const id = parseId(key, sent);
    if (id === undefined) return { key, sent, before: undefined };
    const before = slotById.get(id);
    if (!before) throw unknownSlot(sent.name === DELETED ? undefined : sent.name);
    if (seenIds.has(id)) throw new Refusal('timetable.slot_twice', `${quotedTitle(before.name)} was sent twice`);
    seenIds.add(id);
    return { key, sent, before };
  });
};

const isDeletion = ({ sent }: ParsedSlot): boolean => sent.name === DELETED;

/** @throws Refusal for the first invalid slot. */
const toDayChanges = (data: Readonly<Record<string, SentSlot>>, { day, slotById, time }: CurrentDay): DayChanges => {
  const parsedSlots = parseSlots(data, slotById);
  const remaining = parsedSlots.filter((one) => !isDeletion(one));
  return {
    gone: parsedSlots.flatMap((one) => (isDeletion(one) && one.before ? [one.before.id] : [])),
    changed: remaining.flatMap(({ sent, before }) =>
      before ? [{ ...before, ...validateSlot(sent, before), changed: time }] : [],
    ),
    fresh: remaining.flatMap(({ key, sent, before }) =>
      before ? [] : [{ key, slot: { ...validateSlot(sent), changed: time, day } }],
    ),
  };
};

const getIds = (slots: readonly FoundSlot[]): readonly number[] => slots.map(({ id }) => id);

const isRestorable = (slot: FoundSlot | undefined, time: number): boolean =>
  slot !== undefined && (slot.gone === null || slot.gone > time - DELETED_TTL_MS);

export function slotCalls(context: ServerContext, { slots, book, takeRoom }: TimetableStore): readonly Handler[] {
  const { database, now } = context;
  const notify = teller(context);
  const time = (): number => now().epochMilliseconds;

  return [
    handle(savespecific, async ({ date, data }, { account }) => {
      const day = dayIn(date);
      const overwrite = await database.transaction(async ({ tx, afterCommit }) => {
        await book.raise(tx, account);
        const existing = await slots.listBetween(account, { from: day, until: day }, tx);
        const slotById = new Map(existing.map((slot) => [slot.id, slot]));
        const { gone, changed, fresh } = toDayChanges(data, { day, slotById, time: time() });
        if (fresh.length > 0) checkRoom(existing.length - gone.length + fresh.length, day);
        await takeRoom(tx, account, fresh.length);
        await slots.remove(tx, account, gone, time());
        for (const slot of changed) await slots.change(tx, account, slot);
        const newIds: [string, number][] = [];
        for (const { key, slot } of fresh) newIds.push([key, await slots.make(tx, account, slot)]);
        if (gone.length + changed.length + fresh.length > 0) afterCommit(() => notify(account, [day]));
        return Object.fromEntries(newIds);
      });
      return { overwrite };
    }),

    handle(moveslot, async ({ id, date, start, end }, { account }) => {
      const day = dayIn(date);
      await database.transaction(async ({ tx, afterCommit }) => {
        await book.raise(tx, account);
        const [before] = await slots.listByName(tx, account, [id]);
        if (before?.gone !== null) throw unknownSlot();
        const slot = validateSlot({ name: before.name, start, end }, before);
        if (day !== before.day) {
          const existing = await slots.listBetween(account, { from: day, until: day }, tx);
          checkRoom(existing.length + 1, day);
        }
        await slots.change(tx, account, { ...before, ...slot, day, changed: time() });
        afterCommit(() => notify(account, [before.day, day]));
      });
      return {};
    }),

    handle(findslot, async ({ id }, { account }) => {
      const slot = await slots.find(account, id);
      return slot ? { found: { date: toIso(slot.day), slot: slotOnWire(slot) } } : {};
    }),

    handle(undoslots, async ({ made, gone }, { account }) => {
      await database.transaction(async ({ tx, afterCommit }) => {
        await book.raise(tx, account);
        const all = await slots.listByName(tx, account, [...new Set([...made, ...gone])]);
        const byId = new Map(all.map((slot) => [slot.id, slot]));
        if (gone.some((id) => !isRestorable(byId.get(id), time())))
          throw new Refusal(
            'timetable.not_restorable',
            'This slot can no longer be restored. Deleted slots are stored for a day',
          );
        const toRestore = all.filter((slot) => slot.gone !== null && gone.includes(slot.id));
        const toRemove = all.filter((slot) => slot.gone === null && made.includes(slot.id) && !gone.includes(slot.id));
        await slots.remove(tx, account, getIds(toRemove), time());
        await slots.restore(tx, account, getIds(toRestore));
        for (const day of new Set(toRestore.map((slot) => slot.day)))
          checkRoom((await slots.listBetween(account, { from: day, until: day }, tx)).length, day);
        const days = [...toRemove, ...toRestore].map((slot) => slot.day);
        if (days.length > 0) afterCommit(() => notify(account, days));
      });
      return {};
    }),
  ];
}
