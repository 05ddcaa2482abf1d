import { Refusal } from '#platform/contract/refusal.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import { timetableChanged } from '../contract.ts';
import { MAX_SLOTS_PER_DAY } from '../contract/limits.ts';
import { checkSlot, quotedTitle, type SentSlot } from '../domain/checkSlot.ts';
import type { Slot } from '../domain/slot.ts';
import { mondayOf, parseIso, toIso, weeksFrom, type Day } from '../domain/week.ts';

/** @throws Refusal */
export const dayIn = (text: string): Day => {
  const day = parseIso(text.trim());
  if (day === undefined) throw new Refusal(`'${text.slice(0, 20)}' is no day: write it as 2026-11-23`);
  return day;
};

/** The first day of a week that lies wholly within the calendar. @throws Refusal */
export const mondayIn = (text: string): Day => {
  const [monday] = weeksFrom(mondayOf(dayIn(text)), 1);
  if (monday === undefined) throw new Refusal(`The week of ${text.trim()} is not wholly within the calendar`);
  return monday;
};

/** @throws Refusal */
export const checked = (sent: SentSlot, before?: Slot): Slot => {
  const slot = checkSlot(sent, before);
  if (typeof slot === 'string') throw new Refusal(slot);
  return slot;
};

/** @throws Refusal where a day would hold more than it can. */
export const checkRoom = (count: number, day: Day): void => {
  if (count > MAX_SLOTS_PER_DAY)
    throw new Refusal(`${toIso(day)} would have ${count} slots, limit is ${MAX_SLOTS_PER_DAY}: delete some first`);
};

/** In the same words for one that was deleted, is on another day, is another account's, or never was. `name` as it was sent. */
export const unknownSlot = (name?: string): Refusal =>
  new Refusal(
    `There is no such slot${name === undefined ? '' : ` as ${quotedTitle(name)}`}: it was deleted, or is on another day`,
  );

/** Tells every page of the account which days are other ones now. */
export const teller =
  ({ realtime }: Pick<ServerContext, 'realtime'>) =>
  (account: number, days: readonly Day[]): void =>
    realtime.send(`account:${account}`, timetableChanged, {
      dates: [...new Set(days)].toSorted((a, b) => a - b).map(toIso),
    });
