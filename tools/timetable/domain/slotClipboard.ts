import type { Day } from '#platform/contract/day.ts';
import { countCodePoints } from '#platform/contract/fields.ts';
import { DELETED } from '../contract/limits.ts';
import {
  copyAsNotStarted,
  MAX_DESCRIPTION_LENGTH,
  END_OF_DAY,
  MAX_NAME_LENGTH,
  MAX_SLOTS_PER_DAY,
  type Rgb,
  type Slot,
  isStatus,
} from './slot.ts';

/** What was copied: slots, or consecutive days of slots. */
export type ClipboardContent =
  | { readonly kind: 'slots'; readonly slots: readonly Slot[] }
  | { readonly kind: 'days'; readonly days: readonly (readonly Slot[])[] };

/** Version marker. Texts without it come from elsewhere. */
const FORMAT_VERSION = 'pegboard timetable 1';
const MAX_DAYS = 7;
/** Maximum length of a clipboard text, in UTF-16 units. */
export const MAX_CLIPBOARD_LENGTH = 1024 * 1024;

// Copies only the fields of a slot, in a fixed order, without ids and other fields of the page.
const pickSlotFields = ({ name, description, start, end, colour, status }: Slot): Slot => ({
  name,
  description,
  start,
  end,
  colour,
  status,
});

function serialize(content: object): string | undefined {
  const text = JSON.stringify({ version: FORMAT_VERSION, ...content });
  // A text that could not be pasted must not be copied.
  return text.length <= MAX_CLIPBOARD_LENGTH && parseClipboard(text) ? text : undefined;
}

/** Serializes at least one slot, at most as many as fit into a day; undefined if they could not be pasted. */
export function serializeSlots(slots: readonly Slot[]): string | undefined {
  return serialize({ slots: slots.map(pickSlotFields) });
}

/** Serializes one to seven days, including empty ones; undefined if they could not be pasted. */
export function serializeDays(days: readonly (readonly Slot[])[]): string | undefined {
  return serialize({ days: days.map((slots) => slots.map(pickSlotFields)) });
}

/** Returns the fields of an object that has exactly these; otherwise undefined. */
function getExactFields(value: unknown, names: readonly string[]): ReadonlyMap<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const fields = new Map<string, unknown>(Object.entries(value));
  return fields.size === names.length && names.every((name) => fields.has(name)) ? fields : undefined;
}

const isText = (value: unknown, limit: number): value is string =>
  typeof value === 'string' && value.isWellFormed() && !value.includes('\0') && countCodePoints(value) <= limit;

const isIntegerBetween = (value: unknown, from: number, until: number): value is number =>
  Number.isInteger(value) && Number(value) >= from && Number(value) <= until;

const isRgb = (value: unknown): value is Rgb =>
  Array.isArray(value) && value.length === 3 && value.every((part) => isIntegerBetween(part, 0, 255));

const SLOT_FIELDS = ['name', 'description', 'start', 'end', 'colour', 'status'];

function parseTexts(fields: ReadonlyMap<string, unknown>): Pick<Slot, 'name' | 'description' | 'status'> | undefined {
  const [name, description, status] = ['name', 'description', 'status'].map((field) => fields.get(field));
  if (!isText(name, MAX_NAME_LENGTH) || name === DELETED || !isText(description, MAX_DESCRIPTION_LENGTH))
    return undefined;
  return typeof status === 'string' && isStatus(status) ? { name, description, status } : undefined;
}

function parseSlot(value: unknown): Slot | undefined {
  const fields = getExactFields(value, SLOT_FIELDS);
  const texts = fields && parseTexts(fields);
  if (!texts) return undefined;
  const [start, end, colour] = ['start', 'end', 'colour'].map((field) => fields.get(field));
  if (!isIntegerBetween(start, 0, END_OF_DAY - 1) || !isIntegerBetween(end, start + 1, END_OF_DAY) || !isRgb(colour))
    return undefined;
  return { ...texts, start, end, colour };
}

/** Parses a list; undefined if any element is invalid. */
function parseList<Part>(
  value: unknown,
  maxLength: number,
  parsePart: (part: unknown) => Part | undefined,
): readonly Part[] | undefined {
  if (!Array.isArray(value) || value.length > maxLength) return undefined;
  const parts = value.map((part: unknown) => parsePart(part));
  const valid = parts.filter((part) => part !== undefined);
  return valid.length === parts.length ? valid : undefined;
}

const parseSlots = (value: unknown): readonly Slot[] | undefined => parseList(value, MAX_SLOTS_PER_DAY, parseSlot);

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The clipboard can contain any text, so invalid JSON is not an error.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Parses a clipboard text; undefined unless it has exactly the written format. */
export function parseClipboard(text: string): ClipboardContent | undefined {
  if (text.length > MAX_CLIPBOARD_LENGTH || !text.includes(FORMAT_VERSION)) return undefined;
  const content = parseJson(text);
  const slotFields = getExactFields(content, ['version', 'slots']);
  const dayFields = getExactFields(content, ['version', 'days']);
  if ((slotFields ?? dayFields)?.get('version') !== FORMAT_VERSION) return undefined;
  if (slotFields) {
    const slots = parseSlots(slotFields.get('slots'));
    return slots && slots.length > 0 ? { kind: 'slots', slots } : undefined;
  }
  const days = parseList(dayFields?.get('days'), MAX_DAYS, parseSlots);
  return days && days.length > 0 ? { kind: 'days', days } : undefined;
}

/** Returns the slots to add when pasting into a day; their status is reset. */
export function createPastedDays(
  content: ClipboardContent,
  day: Day,
): readonly { readonly day: Day; readonly slots: readonly Slot[] }[] {
  const days = content.kind === 'slots' ? [content.slots] : content.days;
  return days.map((slots, index) => ({ day: day + index, slots: slots.map(copyAsNotStarted) }));
}
