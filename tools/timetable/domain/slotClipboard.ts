import { countCodePoints } from '#platform/contract/fields.ts';
import { DELETED } from '../contract/limits.ts';
import {
  asNotStarted,
  DESCRIPTION_LIMIT,
  END_OF_DAY,
  NAME_LIMIT,
  SLOTS_OF_A_DAY,
  type Rgb,
  type Slot,
  isStatus,
} from './slot.ts';
import type { Day } from './week.ts';

/** What was copied: slots in their order, or whole days of them in a row. */
export type ClipboardContent =
  | { readonly kind: 'slots'; readonly slots: readonly Slot[] }
  | { readonly kind: 'days'; readonly days: readonly (readonly Slot[])[] };

/** The version word. Texts without it are someone else's. */
const VERSION = 'pegboard timetable 1';
const MAX_DAYS = 7;
/** The longest text that is written or read, in UTF-16 units. */
export const CLIPPING_LIMIT = 1024 * 1024;

// Only what a slot is, in one order: ids and other fields of the page's own are left behind.
const plain = ({ name, description, start, end, colour, status }: Slot): Slot => ({
  name,
  description,
  start,
  end,
  colour,
  status,
});

const written = (content: object): string | undefined => {
  const text = JSON.stringify({ version: VERSION, ...content });
  // What cannot be pasted is not to be copied.
  return text.length <= CLIPPING_LIMIT && readClipping(text) ? text : undefined;
};

/** At least one slot, at most as many as a day holds; undefined for more than can be pasted. */
export function writeSlots(slots: readonly Slot[]): string | undefined {
  return written({ slots: slots.map(plain) });
}

/** One day up to a week, empty ones too; undefined for more than can be pasted. */
export function writeDays(days: readonly (readonly Slot[])[]): string | undefined {
  return written({ days: days.map((slots) => slots.map(plain)) });
}

/** An object of exactly these fields, else undefined. */
const fieldsOf = (value: unknown, names: readonly string[]): ReadonlyMap<string, unknown> | undefined => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const fields = new Map<string, unknown>(Object.entries(value));
  return fields.size === names.length && names.every((name) => fields.has(name)) ? fields : undefined;
};

const isText = (value: unknown, limit: number): value is string =>
  typeof value === 'string' && value.isWellFormed() && !value.includes('\0') && countCodePoints(value) <= limit;

const isWhole = (value: unknown, from: number, until: number): value is number =>
  Number.isInteger(value) && Number(value) >= from && Number(value) <= until;

const isRgb = (value: unknown): value is Rgb =>
  Array.isArray(value) && value.length === 3 && value.every((part) => isWhole(part, 0, 255));

const SLOT_FIELDS = ['name', 'description', 'start', 'end', 'colour', 'status'];

const textsOf = (fields: ReadonlyMap<string, unknown>): Pick<Slot, 'name' | 'description' | 'status'> | undefined => {
  const [name, description, status] = ['name', 'description', 'status'].map((field) => fields.get(field));
  if (!isText(name, NAME_LIMIT) || name === DELETED || !isText(description, DESCRIPTION_LIMIT)) return undefined;
  return typeof status === 'string' && isStatus(status) ? { name, description, status } : undefined;
};

const readSlot = (value: unknown): Slot | undefined => {
  const fields = fieldsOf(value, SLOT_FIELDS);
  const texts = fields && textsOf(fields);
  if (!texts) return undefined;
  const [start, end, colour] = ['start', 'end', 'colour'].map((field) => fields.get(field));
  if (!isWhole(start, 0, END_OF_DAY - 1) || !isWhole(end, start + 1, END_OF_DAY) || !isRgb(colour)) return undefined;
  return { ...texts, start, end, colour };
};

/** A list of which every part can be read, else undefined. */
const readList = <Part>(
  value: unknown,
  most: number,
  read: (part: unknown) => Part | undefined,
): readonly Part[] | undefined => {
  if (!Array.isArray(value) || value.length > most) return undefined;
  const parts = value.map((part: unknown) => read(part));
  const whole = parts.filter((part) => part !== undefined);
  return whole.length === parts.length ? whole : undefined;
};

const readSlots = (value: unknown): readonly Slot[] | undefined => readList(value, SLOTS_OF_A_DAY, readSlot);

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    // Any text may lie in a clipboard: one that is no JSON is simply not ours.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};

/** What stands in a clipboard's text; undefined unless it is wholly and exactly what is written here. */
export function readClipping(text: string): ClipboardContent | undefined {
  if (text.length > CLIPPING_LIMIT || !text.includes(VERSION)) return undefined;
  const content = parsed(text);
  const ofSlots = fieldsOf(content, ['version', 'slots']);
  const ofDays = fieldsOf(content, ['version', 'days']);
  if ((ofSlots ?? ofDays)?.get('version') !== VERSION) return undefined;
  if (ofSlots) {
    const slots = readSlots(ofSlots.get('slots'));
    return slots && slots.length > 0 ? { kind: 'slots', slots } : undefined;
  }
  const days = readList(ofDays?.get('days'), MAX_DAYS, readSlots);
  return days && days.length > 0 ? { kind: 'days', days } : undefined;
}

/** What a clipping adds where it is pasted into this day: every slot of it is planned anew. */
export function pastedDays(
  clipping: ClipboardContent,
  day: Day,
): readonly { readonly day: Day; readonly slots: readonly Slot[] }[] {
  const days = clipping.kind === 'slots' ? [clipping.slots] : clipping.days;
  return days.map((slots, index) => ({ day: day + index, slots: slots.map(asNotStarted) }));
}
