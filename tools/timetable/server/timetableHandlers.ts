import type { RequestInputOf } from '#platform/contract/call.ts';
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
import { quotedTitle, checkSlot, type SentSlot as GroundSentSlot } from '../domain/checkSlot.ts';
import type { Slot } from '../domain/slot.ts';
import { toIso, type Day, mondayOf, parseIso, weeksFrom, weeksAround } from '../domain/week.ts';
import { placeOf } from './requestClock.ts';
import type { FoundSlot, KeptSlot } from './store/slotStore.ts';
import type { TimetableStore } from './store/timetableStore.ts';
import { slotOnWire, META, weeksOf } from './weeks.ts';

/** @throws Refusal */
export function dayIn(text: string): Day {
  const day = parseIso(text.trim());
  if (day === undefined) throw new Refusal(`'${text.slice(0, 20)}' is no day: write it as 2026-11-23`);
  return day;
}

/** The first day of a week that lies wholly within the calendar. @throws Refusal */
export function mondayIn(text: string): Day {
  const [monday] = weeksFrom(mondayOf(dayIn(text)), 1);
  if (monday === undefined) throw new Refusal(`The week of ${text.trim()} is not wholly within the calendar`);
  return monday;
}

/** @throws Refusal */
export function checked(sent: GroundSentSlot, before?: Slot): Slot {
  const slot = checkSlot(sent, before);
  if (typeof slot === 'string') throw new Refusal(slot);
  return slot;
}

/** @throws Refusal where a day would hold more than it can. */
export function checkRoom(count: number, day: Day): void {
  if (count > MAX_SLOTS_PER_DAY)
    throw new Refusal(`${toIso(day)} would have ${count} slots, limit is ${MAX_SLOTS_PER_DAY}: delete some first`);
}

/** In the same words for one that was deleted, is on another day, is another account's, or never was. `name` as it was sent. */
export function unknownSlot(name?: string): Refusal {
  return new Refusal(
    `There is no such slot${name === undefined ? '' : ` as ${quotedTitle(name)}`}: it was deleted, or is on another day`,
  );
}

/** Tells every page of the account which days are other ones now. */
export function teller({ realtime }: Pick<ServerContext, 'realtime'>) {
  return (account: number, days: readonly Day[]): void =>
    realtime.send(`account:${account}`, timetableChanged, {
      dates: [...new Set(days)].toSorted((a, b) => a - b).map(toIso),
    });
}

/** Weeks that are answered at once at most. */
const MAX_WEEKS = 12;

const countOf = (weeks: string | undefined): number => {
  const count = Number(weeks ?? WEEKS.before + 1 + WEEKS.after);
  if (!Number.isInteger(count) || count < 1 || count > MAX_WEEKS)
    throw new Refusal(`weeks is a number from 1 to ${MAX_WEEKS}`);
  return count;
};

export function weekCalls(ground: ServerContext, { slots }: TimetableStore): readonly Handler[] {
  return [
    handle(getunuseddatesttbl, async ({ from, weeks, ...asked }, { account }) => {
      const place = await placeOf(ground, account, asked);
      const mondays =
        from === undefined && weeks === undefined
          ? weeksAround(place.today, WEEKS)
          : weeksFrom(from === undefined ? place.today : dayIn(from), countOf(weeks));
      const first = mondays[0] ?? mondayOf(place.today);
      const last = mondays.at(-1) ?? first;
      return {
        data: weeksOf(mondays, await slots.between(account, { from: first, until: last + 6 }), place),
        meta: META,
      };
    }),
  ];
}

export function feedCalls(_ground: ServerContext, { book }: TimetableStore): readonly Handler[] {
  return [
    handle(timetablefeed, async ({ on }, { account }) => {
      if (on !== undefined) await book.setInFeed(account, on);
      return { on: (await book.of(account)).isInFeed };
    }),
  ];
}

/** A slot that was deleted can be brought back for so long. */
export const DELETED_TTL_MS = 86_400_000;

type SentSlot = RequestInputOf<typeof savespecific>['data'][string];

const ID = /^[1-9]\d{0,15}$/;

/** The slot that is meant: by `updatedid`, where there is none by the key it stands under. Undefined for one that is new, NaN for none there is. */
const idOf = (key: string, { updatedid }: SentSlot): number | undefined => {
  if (updatedid === undefined) return ID.test(key) ? Number(key) : undefined;
  const text = String(updatedid).trim();
  if (text === '' || Number(text) === 0) return undefined;
  return ID.test(text) ? Number(text) : NaN;
};

/** What a call wants of one day. */
interface DayChanges {
  readonly gone: readonly number[];
  readonly changed: readonly KeptSlot[];
  readonly fresh: readonly { readonly key: string; readonly slot: Omit<KeptSlot, 'id'> }[];
}

interface CurrentDay {
  readonly day: Day;
  readonly kept: ReadonlyMap<number, KeptSlot>;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

interface ParsedSlot {
  readonly key: string;
  readonly sent: SentSlot;
  /** The slot that is meant; undefined for a new one. */
  readonly before: KeptSlot | undefined;
}

/** @throws Refusal where a slot is meant that is not there, or one twice. */
const readOf = (data: Readonly<Record<string, SentSlot>>, kept: CurrentDay['kept']): readonly ParsedSlot[] => {
  const met = new Set<number>();
  return Object.entries(data).map(([key, sent]) => {
    const id = idOf(key, sent);
    if (id === undefined) return { key, sent, before: undefined };
    const before = kept.get(id);
    if (!before) throw unknownSlot(sent.name === DELETED ? undefined : sent.name);
    if (met.has(id)) throw new Refusal(`${quotedTitle(before.name)} was sent twice`);
    met.add(id);
    return { key, sent, before };
  });
};

const isGone = ({ sent }: ParsedSlot): boolean => sent.name === DELETED;

/** @throws Refusal for the first slot that is wrong. */
const wantedOf = (data: Readonly<Record<string, SentSlot>>, { day, kept, time }: CurrentDay): DayChanges => {
  const read = readOf(data, kept);
  const wanted = read.filter((one) => !isGone(one));
  return {
    gone: read.flatMap((one) => (isGone(one) && one.before ? [one.before.id] : [])),
    changed: wanted.flatMap(({ sent, before }) =>
      before ? [{ ...before, ...checked(sent, before), changed: time }] : [],
    ),
    fresh: wanted.flatMap(({ key, sent, before }) =>
      before ? [] : [{ key, slot: { ...checked(sent), changed: time, day } }],
    ),
  };
};

const idsOf = (slots: readonly FoundSlot[]): readonly number[] => slots.map(({ id }) => id);

const isStillKept = (slot: FoundSlot | undefined, time: number): boolean =>
  slot !== undefined && (slot.gone === null || slot.gone > time - DELETED_TTL_MS);

export function slotCalls(ground: ServerContext, { slots, book, takeRoom }: TimetableStore): readonly Handler[] {
  const { database, now } = ground;
  const tell = teller(ground);
  const time = (): number => now().epochMilliseconds;

  return [
    handle(savespecific, async ({ date, data }, { account }) => {
      const day = dayIn(date);
      const overwrite = await database.transaction(async ({ tx, afterCommit }) => {
        await book.raise(tx, account);
        const there = await slots.between(account, { from: day, until: day }, tx);
        const kept = new Map(there.map((slot) => [slot.id, slot]));
        const { gone, changed, fresh } = wantedOf(data, { day, kept, time: time() });
        if (fresh.length > 0) checkRoom(there.length - gone.length + fresh.length, day);
        await takeRoom(tx, account, fresh.length);
        await slots.remove(tx, account, gone, time());
        for (const slot of changed) await slots.change(tx, account, slot);
        const made: [string, number][] = [];
        for (const { key, slot } of fresh) made.push([key, await slots.make(tx, account, slot)]);
        if (gone.length + changed.length + fresh.length > 0) afterCommit(() => tell(account, [day]));
        return Object.fromEntries(made);
      });
      return { overwrite };
    }),

    handle(moveslot, async ({ id, date, start, end }, { account }) => {
      const day = dayIn(date);
      await database.transaction(async ({ tx, afterCommit }) => {
        await book.raise(tx, account);
        const [before] = await slots.named(tx, account, [id]);
        if (before?.gone !== null) throw unknownSlot();
        const slot = checked({ name: before.name, start, end }, before);
        if (day !== before.day) {
          const there = await slots.between(account, { from: day, until: day }, tx);
          checkRoom(there.length + 1, day);
        }
        await slots.change(tx, account, { ...before, ...slot, day, changed: time() });
        afterCommit(() => tell(account, [before.day, day]));
      });
      return {};
    }),

    handle(findslot, async ({ id }, { account }) => {
      const slot = await slots.one(account, id);
      return slot ? { found: { date: toIso(slot.day), slot: slotOnWire(slot) } } : {};
    }),

    handle(undoslots, async ({ made, gone }, { account }) => {
      await database.transaction(async ({ tx, afterCommit }) => {
        await book.raise(tx, account);
        const found = await slots.named(tx, account, [...new Set([...made, ...gone])]);
        const byId = new Map(found.map((slot) => [slot.id, slot]));
        if (gone.some((id) => !isStillKept(byId.get(id), time())))
          throw new Refusal('This slot can no longer be restored: deleted slots are kept for a day');
        const back = found.filter((slot) => slot.gone !== null && gone.includes(slot.id));
        const away = found.filter((slot) => slot.gone === null && made.includes(slot.id) && !gone.includes(slot.id));
        await slots.remove(tx, account, idsOf(away), time());
        await slots.bringBack(tx, account, idsOf(back));
        for (const day of new Set(back.map((slot) => slot.day)))
          checkRoom((await slots.between(account, { from: day, until: day }, tx)).length, day);
        const days = [...away, ...back].map((slot) => slot.day);
        if (days.length > 0) afterCommit(() => tell(account, days));
      });
      return {};
    }),
  ];
}
