import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { END_OF_DAY, MAX_SLOTS_PER_DAY, type Slot, STATUSES } from './slot.ts';
import {
  MAX_CLIPBOARD_LENGTH,
  createPastedDays,
  parseClipboard,
  serializeDays,
  serializeSlots,
} from './slotClipboard.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 60 }).filter((text) => !text.includes('\0'));
const anyColour = fc.integer({ min: 0, max: 255 });
const anySlot: fc.Arbitrary<Slot> = fc
  .record({
    name: anyText,
    description: anyText,
    times: fc.tuple(fc.integer({ min: 0, max: 1439 }), fc.integer({ min: 1, max: 1440 })),
    colour: fc.tuple(anyColour, anyColour, anyColour),
    status: fc.constantFrom(...STATUSES),
  })
  .map(({ times: [start, length], ...rest }) => ({ ...rest, start, end: Math.min(END_OF_DAY, start + length) }));
const anySlots = fc.array(anySlot, { minLength: 1, maxLength: 12 });
const anyDays = fc.array(fc.array(anySlot, { maxLength: 5 }), { minLength: 1, maxLength: 7 });

const tea: Slot = { name: 'Tea', description: '', start: 540, end: 600, colour: [1, 2, 3], status: 'Done' };
const version = 'pegboard timetable 1';
const getText = (change: object) => JSON.stringify({ version, slots: [{ ...tea, ...change }] });

const withoutStatus = (slots: readonly Slot[]) => slots.map((slot) => ({ ...slot, status: 'Not Started' }));

describe('copied slots and days', () => {
  test('pasted slots are not started, and otherwise equal to the copied ones', () => {
    fc.assert(
      fc.property(anySlots, anyDays, fc.integer({ min: 0, max: 100_000 }), (slots, days, day) => {
        expect(createPastedDays({ kind: 'slots', slots }, day)).toEqual([{ day, slots: withoutStatus(slots) }]);
        expect(createPastedDays({ kind: 'days', days }, day)).toEqual(
          days.map((daySlots, index) => ({ day: day + index, slots: withoutStatus(daySlots) })),
        );
      }),
    );
  });

  test('slots survive copy and paste', () => {
    fc.assert(
      fc.property(anySlots, (slots) => {
        expect(parseClipboard(serializeSlots(slots) ?? '')).toEqual({ kind: 'slots', slots });
      }),
    );
  });

  test('days survive copy and paste, including empty ones', () => {
    fc.assert(
      fc.property(anyDays, (days) => {
        expect(parseClipboard(serializeDays(days) ?? '')).toEqual({ kind: 'days', days });
      }),
    );
  });

  test('extra fields of the page are not copied', () => {
    const known = { ...tea, updatedid: 7, id: 7 };
    expect(serializeSlots([known])).not.toContain('7');
    expect(parseClipboard(serializeSlots([known]) ?? '')).toEqual({ kind: 'slots', slots: [tea] });
  });

  test('a slot with the name of deleted ones is refused', () => {
    expect(parseClipboard(getText({ name: 'byebyeSLOT' }))).toBeUndefined();
    expect(serializeSlots([{ ...tea, name: 'byebyeSLOT' }])).toBeUndefined();
  });

  test('a full day is copied, a fuller one is not', () => {
    const full = Array.from({ length: MAX_SLOTS_PER_DAY }, () => tea);
    expect(serializeDays([full])).toBeDefined();
    expect(serializeSlots([...full, tea])).toBeUndefined();
    expect(serializeDays([[...full, tea]])).toBeUndefined();
    expect(serializeDays(Array.from({ length: 8 }, () => []))).toBeUndefined();
    expect(serializeSlots([])).toBeUndefined();
  });

  test('more text than can be pasted is not copied', () => {
    const wordy = { ...tea, description: '👋'.repeat(5000) };
    expect(serializeSlots(Array.from({ length: 20 }, () => wordy))).toBeDefined();
    expect(serializeSlots(Array.from({ length: 200 }, () => wordy))).toBeUndefined();
  });
});

describe('other clipboard content', () => {
  test.each([
    '',
    'milk and bread',
    'null',
    '[]',
    '{}',
    '"pegboard timetable 1"',
    'pegboard timetable 1',
    '["pegboard timetable 1"]',
    JSON.stringify({ version }),
    JSON.stringify({ version, slots: [] }),
    JSON.stringify({ version, slots: {} }),
    JSON.stringify({ version, slots: null }),
    JSON.stringify({ version, days: [] }),
    JSON.stringify({ version, days: [tea] }),
    JSON.stringify({ version, days: [[tea], null] }),
    JSON.stringify({ version, slots: [tea], days: [[tea]] }),
    JSON.stringify({ version, slots: [tea], more: 1 }),
    JSON.stringify({ version: 'pegboard timetable 12', slots: [tea] }),
    JSON.stringify({ version: 1, slots: [tea], name: version }),
    JSON.stringify({ slots: [tea], name: version }),
    `${JSON.stringify({ version, slots: [tea] })} `.repeat(2),
    `{"version":"${version}","slots":[{"__proto__":{"name":"x"}}]}`,
    `{"version":"${version}","__proto__":{"slots":[]}}`,
  ])('%s is ignored', (text) => {
    expect(parseClipboard(text)).toBeUndefined();
  });

  test.each<object>([
    { name: undefined },
    { name: 5 },
    { name: 'a'.repeat(201) },
    { name: 'a\0b' },
    { name: '\uD800' },
    { description: 'a'.repeat(5001) },
    { description: null },
    { start: -5 },
    { start: '540' },
    { start: 540.5 },
    { start: 1e9 },
    { start: 600 },
    { start: 700 },
    { start: null },
    { end: 1441 },
    { end: 1e9 },
    { end: 540 },
    { end: [600] },
    { colour: [1, 2] },
    { colour: [1, 2, 256] },
    { colour: [1, 2, '3'] },
    { colour: '#123456' },
    { colour: { 0: 1, 1: 2, 2: 3, length: 3 } },
    { status: 'done' },
    { status: ['Done'] },
    { status: 'constructor' },
    { id: 5 },
    { constructor: 5 },
  ])('a slot with %j is refused', (change) => {
    expect(parseClipboard(getText(change))).toBeUndefined();
  });

  test('an unchanged slot is read, even if the JSON was formatted differently', () => {
    expect(parseClipboard(getText({}))).toEqual({ kind: 'slots', slots: [tea] });
    expect(parseClipboard(`\n${JSON.stringify(JSON.parse(getText({})), undefined, 2)}\n`)).toBeDefined();
  });

  test('a huge and a deeply nested text are refused', () => {
    expect(parseClipboard(`${getText({})}${' '.repeat(MAX_CLIPBOARD_LENGTH)}`)).toBeUndefined();
    const deep = 400_000;
    expect(parseClipboard(`{"version":"${version}","slots":${'['.repeat(deep)}${']'.repeat(deep)}}`)).toBeUndefined();
  });

  test('a truncated text is refused', () => {
    fc.assert(
      fc.property(anySlots, fc.nat(), fc.integer({ min: 1, max: 40 }), (slots, at, length) => {
        const text = serializeSlots(slots) ?? '';
        const cut = text.slice(0, at % text.length);
        expect(parseClipboard(cut)).toBeUndefined();
        const torn = cut + text.slice((at % text.length) + length);
        const read = parseClipboard(torn);
        // A gap within a name leaves a shorter name, but the result still consists of valid slots.
        if (read) expect(serializeSlots(read.kind === 'slots' ? read.slots : [])).toBeDefined();
      }),
    );
  });

  test('any JSON with the version marker is valid or ignored, without an error', () => {
    const anySlotLike = fc.record(
      {
        name: fc.oneof(anyText, fc.jsonValue()),
        description: fc.oneof(anyText, fc.jsonValue()),
        start: fc.oneof(fc.integer({ min: -1, max: 1441 }), fc.jsonValue()),
        end: fc.oneof(fc.integer({ min: -1, max: 1441 }), fc.jsonValue()),
        colour: fc.oneof(fc.constant([0, 0, 0]), fc.jsonValue()),
        status: fc.oneof(fc.constantFrom(...STATUSES), fc.jsonValue()),
        more: fc.jsonValue(),
      },
      { requiredKeys: ['name', 'start', 'end'] },
    );
    fc.assert(
      fc.property(fc.array(anySlotLike, { maxLength: 3 }), (slots) => {
        const text = JSON.stringify({ version, slots });
        const sent: unknown = JSON.parse(text);
        const read = parseClipboard(text);
        if (read) expect({ version, slots: read.kind === 'slots' && read.slots }).toEqual(sent);
      }),
    );
  });
});
