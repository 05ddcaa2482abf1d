import { toIso, type Day } from '#platform/contract/day.ts';
import type { statuses } from '../contract/limits.ts';
import { toClock } from '../domain/clockTime.ts';
import { PLAIN_DAY, toElapsedShare, toShares, type LocalDay } from '../domain/dayShares.ts';
import { type Slot, STATUSES } from '../domain/slot.ts';
import { listDays, formatShortDate, formatWeekLabel, formatWeekRange, getWeekday } from '../domain/week.ts';
import { getLocalDay } from './localDays.ts';
import type { RequestClock } from './requestClock.ts';
import type { StoredSlot } from './store/slotStore.ts';

const WEEKDAY_COLOURS: Readonly<Record<string, string>> = {
  Monday: '#4f6bd8',
  Tuesday: '#7a56c8',
  Wednesday: '#2f8f6b',
  Thursday: '#a8742a',
  Friday: '#2b86a8',
  Saturday: '#c05a2e',
  Sunday: '#b8436f',
};
const STATUS_COLOURS: Readonly<Record<(typeof statuses)[number], string>> = {
  'Not Started': '#8a8f9c',
  'In Progress': '#d39a2f',
  Done: '#2f9e63',
  Skipped: '#b0545f',
};

export const META = { colours: { ...WEEKDAY_COLOURS }, statuscolours: { ...STATUS_COLOURS, key: [...STATUSES] } };

type SlotWithId = Slot & { readonly id: number };

/** Converts a slot. Without a day, its shares are those of a day of 24 hours. */
export function toWireSlot(
  { id, start, end, status, colour, name, description }: SlotWithId,
  localDay: LocalDay = PLAIN_DAY,
) {
  const share = toShares({ start, end }, localDay);
  return {
    name,
    description,
    start: toClock(start),
    end: toClock(end),
    startpercentthroughday: share.start,
    endpercentthroughday: share.end,
    colour: [colour[0], colour[1], colour[2]] as [number, number, number],
    state: status,
    updatedid: id,
  };
}

function toWireDate(day: Day, slots: readonly StoredSlot[], { zone, today, elapsed }: RequestClock) {
  const localDay = getLocalDay(day, zone);
  return {
    date: toIso(day),
    weekday: getWeekday(day),
    shortdate: formatShortDate(day),
    pre: day < today,
    ...(day === today ? { percentagetime: toElapsedShare(elapsed, localDay) } : {}),
    tbbldata: Object.fromEntries(slots.map((slot) => [slot.id, toWireSlot(slot, localDay)])),
  };
}

/** Converts weeks, given by their Mondays. */
export function toWeeks(mondays: readonly Day[], slots: readonly StoredSlot[], clock: RequestClock) {
  const byDay = Map.groupBy(slots, ({ day }) => day);
  return mondays.map((monday) => ({
    week: `${formatWeekLabel(monday)}, ${formatWeekRange(monday)}`,
    dates: listDays(monday).map((day) => toWireDate(day, byDay.get(day) ?? [], clock)),
  }));
}
