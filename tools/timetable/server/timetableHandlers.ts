import type { RequestInputOf } from '#platform/contract/call.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { handle, type ServerContext, type Handler } from '#platform/server/tool.ts';
import { DELETED, findslot, moveslot, savespecific, undoslots } from '../contract.ts';
import { quotedTitle } from '../domain/checkSlot.ts';
import { toIso, type Day } from '../domain/week.ts';
import { checked, checkRoom, dayIn, teller, unknownSlot } from './ground.ts';
import type { FoundSlot, KeptSlot } from './store/slotStore.ts';
import type { TimetableStore } from './store/timetableStore.ts';
import { slotOnWire } from './weeks.ts';

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

export const slotCalls = (ground: ServerContext, { slots, book, takeRoom }: TimetableStore): readonly Handler[] => {
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
};
