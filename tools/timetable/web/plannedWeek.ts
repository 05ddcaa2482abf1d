import type { AnswerOf, RequestInputOf } from '#platform/contract/call.ts';
import { parseIso, type Day } from '#platform/contract/day.ts';
import type { getunuseddatesttbl, savespecific } from '../contract.ts';
import { parseClock, parseEndClock, toClock } from '../domain/clockTime.ts';
import { toShares, type LocalDay } from '../domain/dayShares.ts';
import { NEW_SLOT, type Rgb, type Slot, isStatus } from '../domain/slot.ts';

type Answer = AnswerOf<typeof getunuseddatesttbl>;
type WireDate = Answer['data'][number]['dates'][number];
type WireSlot = WireDate['tbbldata'][string];
export type SentSlot = RequestInputOf<typeof savespecific>['data'][string];

/** A slot on the page, with its day and the server's id. */
export interface PlannedSlot extends Slot {
  readonly id: number;
  readonly day: Day;
}

/** A week on the page; its days start with Monday. */
export interface PlannedWeek {
  /** `Week 47, 16 to 22 Nov`. */
  readonly label: string;
  readonly days: readonly (readonly PlannedSlot[])[];
  /** Statuses in the order of the status button. */
  readonly statuses: readonly string[];
}

export function toSlot({ name, description, start, end, colour, state }: WireSlot): Slot {
  return {
    name,
    description,
    start: parseClock(start) ?? NEW_SLOT.start,
    end: parseEndClock(end) ?? NEW_SLOT.end,
    colour,
    status: isStatus(state) ? state : NEW_SLOT.status,
  };
}

const toPlannedSlots = ({ date, tbbldata }: WireDate): readonly PlannedSlot[] =>
  Object.values(tbbldata).map((wire) => ({ ...toSlot(wire), id: wire.updatedid, day: parseIso(date) ?? 0 }));

/** Converts the first week of an answer. */
export function toPlannedWeek({ data, meta }: Answer): PlannedWeek {
  const order = meta.statuscolours['key'];
  return {
    label: data[0]?.week ?? '',
    days: data[0]?.dates.map(toPlannedSlots) ?? [],
    statuses: typeof order === 'object' ? order : [],
  };
}

/** Converts a slot to its request form (docs/specification/timetable.md section 3.2). `id`: 0 for a new one. */
export function toSentSlot(slot: Slot, id: number, day: LocalDay): SentSlot {
  const share = toShares(slot, day);
  return {
    name: slot.name,
    start: toClock(slot.start),
    end: toClock(slot.end),
    startpercentthroughday: share.start,
    endpercentthroughday: share.end,
    description: slot.description,
    colour: [...slot.colour],
    state: slot.status,
    updatedid: id,
  };
}

const toHexByte = (value: number): string => value.toString(16).padStart(2, '0');
export function formatHex(colour: Rgb): string {
  return `#${colour.map(toHexByte).join('')}`;
}
/** Parses `#rrggbb`. */
export function parseHex(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

/** Formats `1 slot`, `3 slots`. */
export function formatSlotCount(count: number): string {
  return count === 1 ? '1 slot' : `${count} slots`;
}

export function formatTimes({ start, end }: Pick<Slot, 'start' | 'end'>): string {
  return `${toClock(start)} to ${toClock(end)}`;
}
